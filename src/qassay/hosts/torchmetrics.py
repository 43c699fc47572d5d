"""A `torchmetrics.Metric` over `qassay.Accumulator`."""

from __future__ import annotations

import pickle
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import qassay
from qassay.errors import SpecError
from qassay.hosts.answers import answer_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from torch import Tensor


def metric(spec: str, **options: Any) -> Any:  # noqa: ANN401 - a `torchmetrics.Metric`, which may not be installed
    """Return a `torchmetrics.Metric` of texts; `options` are those of `qassay.Accumulator`.

    Each batch is scored when it is added. What processes exchange are statistics that add up, so that the score of all
    is that of `qassay.score` on the answers together, for BLEU as for means.
    """
    try:
        import torch  # noqa: PLC0415 - the tool, needed now
        from torchmetrics import Metric  # noqa: PLC0415 - as above
    except ImportError as missing:
        raise SpecError("torchmetrics is not installed; run: pip install torchmetrics") from missing

    class QassayMetric(Metric):  # type: ignore[misc]
        higher_is_better = True
        is_differentiable = False
        full_state_update = False

        def __init__(self) -> None:
            super().__init__()
            self.empty = qassay.Accumulator(spec, check_ids=False, **options)
            self.add_state("accumulated", default=[], dist_reduce_fx="cat")

        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, dict[str, Any]], object]:
            return _restored, (spec, options), self.__getstate__()

        def __hash__(self) -> int:
            return id(self)

        def update(
            self,
            preds: Sequence[str],
            target: Sequence[str] | Sequence[Sequence[str]],
            questions: Sequence[str] | None = None,
        ) -> None:
            asked = [""] * len(preds) if questions is None else questions
            rows = [
                answer_row(candidate, references, question, id=uuid4().hex)
                for candidate, references, question in zip(preds, target, asked, strict=True)
            ]
            batch: qassay.Accumulator = pickle.loads(pickle.dumps(self.empty)).update(rows)  # noqa: S301 - our own
            self.accumulated.append(torch.frombuffer(bytearray(pickle.dumps(batch)), dtype=torch.uint8))

        def compute(self) -> Tensor:
            parts = [self.accumulated] if isinstance(self.accumulated, torch.Tensor) else self.accumulated
            total: qassay.Accumulator = pickle.loads(pickle.dumps(self.empty))  # noqa: S301 - our own
            for batch in _unpickled(b"".join(bytes(part.cpu().numpy()) for part in parts)):
                total.merge(batch)
            found = total.compute(intervals=False)
            for note, count in found.notes.items():
                warnings.warn(f"{spec}: {note}: {count:,}", stacklevel=2)
            value = found.aggregates[0].value
            return torch.tensor(float("nan") if value is None else value, dtype=torch.float64)

    return QassayMetric()


def _restored(spec: str, options: dict[str, Any]) -> Any:  # noqa: ANN401 - as `metric`
    return metric(spec, **options)


def _unpickled(data: bytes) -> Iterator[qassay.Accumulator]:
    stream = BytesIO(data)
    while stream.tell() < len(data):
        yield pickle.load(stream)  # noqa: S301 - what `update` wrote
