"""One metric, used as with Hugging Face `evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qassay.errors import DataError
from qassay.io.parsing.rows import check_characters
from qassay.metrics.registry import parse_spec
from qassay.models.base import EMBEDDED
from qassay.records import Example, Reference
from qassay.scoring.scorer import SEED, score_examples
from qassay.validation import as_list, check_options, is_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qassay.models.base import Device
    from qassay.scoring.scorer import OnError
    from qassay.spec import MetricSpec


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
        candidates: Iterable[str] | None = None,
        references: Iterable[str] | Iterable[Iterable[str]],
        questions: Iterable[str] | None = None,
        predictions: Iterable[str] | None = None,
        language: str = "auto",
        seed: int = SEED,
        model: str = EMBEDDED,
        device: Device = "auto",
        on_error: OnError = "stop",
    ) -> dict[str, Any]:
        """Score candidates against one reference each, or a list of references each.

        Return the aggregate under the metric's name, its interval, `scores`, one per candidate, the reasons for missing
        ones with their counts, and notes. Arrays and series count as lists. Lists of unlike length, or texts where
        lists belong, are errors. `predictions` is what `evaluate` calls the candidates. With `on_error="skip"`
        an answer that the metric cannot score has None and a reason.
        """
        check_options(language=language, seed=seed, model=model, device=device, on_error=on_error)
        if (candidates is None) == (predictions is None):
            raise DataError("give the candidates once, as candidates= or, as `evaluate` calls them, predictions=")
        named = "candidates" if predictions is None else "predictions"
        examples = _examples(named, predictions if candidates is None else candidates, references, questions)
        table = score_examples(
            examples,
            [self.spec],
            language=language,
            seed=seed,
            model=model,
            device=device,
            on_error=on_error,
        )
        aggregate = table.aggregates[0]
        noted = [table.notes_of(i) for i in range(len(table))] if table.answer_notes else []
        # A metric may fall back to another spec of itself (METEOR without a WordNet), and says so.
        spec = aggregate.metric
        return {
            spec: aggregate.value,
            "low": aggregate.low,
            "high": aggregate.high,
            "n": aggregate.n,
            "unscored": aggregate.unscored,
            "reasons": aggregate.reasons,
            "scores": [table.score(spec, i).value for i in range(len(table))],
            **({"asserted": [each[spec].asserted if each else None for each in noted]} if noted else {}),
            "notes": dict(table.notes),
            "signature": aggregate.signature,
        }


def _examples(name: str, candidates: object, references: object, questions: object) -> list[Example]:
    texts, held = as_list(name, candidates), as_list("references", references)
    asked = [""] * len(texts) if questions is None else as_list("questions", questions)
    sizes = {name: len(texts), "references": len(held), "questions": len(asked)}
    if len(set(sizes.values())) > 1:
        if questions is None:
            del sizes["questions"]
        counts = ", ".join(f"{size} {kind}" for kind, size in sizes.items())
        raise DataError(
            f"{counts}; give one entry per candidate (for several references to each, a list of lists: "
            f'[["first", "second"], …])'
        )
    accepted = [_references(i, each) for i, each in enumerate(held)]
    if len({isinstance(each, str) for each in held}) > 1:
        raise DataError("references mix texts and lists of texts; give one kind")
    return [
        Example(str(i), _text("questions", i, asked[i]), accepted[i], _text(name, i, text))
        for i, text in enumerate(texts)
    ]


def _references(i: int, given: object) -> tuple[Reference, ...]:
    if isinstance(given, str):
        return (Reference(given),)
    texts = list(given) if is_list(given) else []
    if not texts:
        raise DataError(f"references[{i}] is {given!r:.60}; give a text or a list of at least one text")
    return tuple(Reference(_text(f"references[{i}]", j, each)) for j, each in enumerate(texts))


def _text(name: str, i: int, given: object) -> str:
    if not isinstance(given, str):
        raise DataError(f"{name}[{i}] is {given!r:.60}, not a text")
    try:
        check_characters(given)
    except DataError as error:
        raise DataError(f"{name}[{i}] {error.problem}") from error
    return given
