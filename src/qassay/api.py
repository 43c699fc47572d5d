"""The Python interface: score rows, or load one metric and compute it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from qassay.data.reading import from_rows
from qassay.errors import DataError, SpecError
from qassay.metrics.catalogue import parse_spec
from qassay.models.base import EMBEDDED, Device
from qassay.records import Example, Reference
from qassay.scoring import SEED, OnError, score_examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.scores import ScoreTable
    from qassay.spec import MetricSpec


def score(
    rows: Iterable[Mapping[str, Any] | Example],
    metrics: str | Iterable[str | MetricSpec] | None = None,
    *,
    language: str = "auto",
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
) -> ScoreTable:
    """Score answers given as dictionaries (the fields of the JSONL format) or as `Example`s.

    Without metrics, those that suit the first answer: the lexical ones, and in English the learned ones. With
    `on_error="skip"` an answer that is too long for a model is left unscored by it, with the reason.
    """
    _check_options(seed, device, on_error)
    everything = list(rows)
    given = [row for row in everything if isinstance(row, Example)]
    if given and len(given) < len(everything):
        raise DataError("rows are a mix of dictionaries and Examples; give one kind")
    examples = given or from_rows(row for row in everything if not isinstance(row, Example))
    wanted = [metrics] if isinstance(metrics, str) else metrics
    return score_examples(examples, wanted, language=language, seed=seed, model=model, device=device, on_error=on_error)


def _check_options(seed: int, device: str, on_error: str) -> None:
    if seed < 0:
        raise SpecError(f"seed is {seed}; give 0 or more")
    for name, given, choices in (("device", device, get_args(Device)), ("on_error", on_error, get_args(OnError))):
        if given not in choices:
            raise SpecError(f'{name} is "{given}"; give {" or ".join(choices)}')


def load(spec: str) -> LoadedMetric:
    """Load a metric, to be used as with Hugging Face `evaluate`: `load("rouge_l").compute(…)`."""
    return LoadedMetric(parse_spec(spec))


@dataclass(frozen=True, slots=True)
class LoadedMetric:
    """One metric that computes on lists of texts."""

    spec: MetricSpec

    def compute(
        self,
        *,
        predictions: Sequence[str],
        references: Sequence[str] | Sequence[Sequence[str]],
        questions: Sequence[str] | None = None,
        seed: int = SEED,
    ) -> dict[str, Any]:
        """Score predictions against one reference each, or a list of references each.

        Gives the aggregate under the metric's name, its interval, and `scores`, one a prediction. Lists of unlike
        length, or texts where lists belong, are errors.
        """
        examples = _examples(predictions, references, questions)
        table = score_examples(examples, [self.spec], seed=seed)
        aggregate = table.aggregates[0]
        # A metric may fall back to another spec of itself (METEOR without a WordNet), and says so.
        spec = aggregate.metric
        return {
            spec: aggregate.value,
            "low": aggregate.low,
            "high": aggregate.high,
            "n": aggregate.n,
            "unscored": aggregate.unscored,
            "scores": [table.score(spec, i).value for i in range(len(table))],
            "signature": aggregate.signature,
        }


def _examples(
    predictions: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    questions: Sequence[str] | None,
) -> list[Example]:
    _check_list("predictions", predictions)
    _check_list("references", references)
    sizes = {"predictions": len(predictions), "references": len(references)}
    if questions is not None:
        _check_list("questions", questions)
        sizes["questions"] = len(questions)
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise DataError(
            f"{counts}; give one entry a prediction (for several references to each, a list of lists: "
            f'[["first", "second"], …])'
        )
    texts = [_references(i, each) for i, each in enumerate(references)]
    kinds = {isinstance(each, str) for each in references}
    if len(kinds) > 1:
        raise DataError("references mix texts and lists of texts; give one kind")
    return [
        Example(str(i), _text("questions", i, questions[i]) if questions else "", each, _text("predictions", i, text))
        for i, (text, each) in enumerate(zip(predictions, texts, strict=True))
    ]


def _references(i: int, given: object) -> tuple[Reference, ...]:
    if isinstance(given, str):
        return (Reference(given),)
    if not isinstance(given, list | tuple) or not given:
        raise DataError(f"references[{i}] is {given!r:.60}; give a text or a list of at least one text")
    return tuple(Reference(_text(f"references[{i}]", j, each)) for j, each in enumerate(given))


def _text(name: str, i: int, given: object) -> str:
    if not isinstance(given, str):
        raise DataError(f"{name}[{i}] is {given!r:.60}, not a text")
    return given


def _check_list(name: str, given: object) -> None:
    if isinstance(given, str) or not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise DataError(f"{name} must be a list of texts, one an answer; {type(given).__name__} was given")
