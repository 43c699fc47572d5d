"""The words behind one answer's scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qassay.api.inputs import paths_of, read_options, rows_in_memory
from qassay.api.result import Result, page_path
from qassay.errors import DataError, SpecError, option
from qassay.io.buffered_input import buffer_stdin
from qassay.io.input_stream import Reader
from qassay.models.base import EMBEDDED
from qassay.records import Example, Reference
from qassay.report.explain.explanation import GIVEN, Explanation
from qassay.report.explain.explanation import explain as explain_example
from qassay.report.explain.render import write_explanation
from qassay.scoring.defaults import default_metrics
from qassay.scoring.scorer import Scorer
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns
    from qassay.models.base import Device
    from qassay.spec import MetricSpec


@dataclass(frozen=True, slots=True, eq=False)
class ExplanationResult(Result):
    """Which words match, what they weigh, and the numbers behind each score."""

    explanation: Explanation

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay explain --json` prints."""
        return self.explanation.to_dict()

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        page = page_path(path)
        write_explanation(self.explanation, page, call)
        return page

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"metric": spec, "score": score.value, "reason": score.reason}
            for spec, score in self.explanation.scores.items()
        ]


def explain(
    answers: Answers | None = None,
    metrics: str | Iterable[str | MetricSpec] | None = None,
    *,
    id: str | None = None,  # noqa: A002 - as answers call it
    system: str | None = None,
    question: str = "",
    references: str | Sequence[str] | None = None,
    candidate: str | None = None,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    language: str = "auto",
    model: str = EMBEDDED,
    device: Device = "auto",
) -> ExplanationResult:
    """Show which words of an answer match, what they weigh, and the numbers behind each score.

    The answer is one of files or rows, named by its `id` (and `system`, where several have the id), or given by
    `question`, `references` and `candidate`.
    """
    check_options(language=language, model=model, device=device)
    wanted = as_names("metrics", metrics)
    given = bool(question or references or candidate is not None)
    if answers is not None and given:
        raise SpecError(
            f"{option('question')}, {option('references')} and {option('candidate')} stand instead of answers; leave "
            "them out, or the answers"
        )
    if answers is None and (id or system):
        raise SpecError(f"{option('id')} and {option('system')} choose one of several answers; give answers too")
    reading = read_options(format, columns, can_skip=False, metrics=wanted)
    with buffer_stdin(paths_of(answers) or [], needed=True) as files:
        everything: Iterable[Example] = ()
        if files:
            everything = Reader(files, reading)
        elif answers is not None:
            everything = rows_in_memory(answers, reading)
        example = _given(question, references, candidate) if answers is None else _find(everything, id, system)
        scorer = Scorer(wanted or default_metrics(example), language=language, model=model, device=device).need_model()
        scorer.first_pass([example] if answers is None else everything)
    return ExplanationResult(explain_example(example, scorer.specs, scorer))


def _find(examples: Iterable[Example], name: str | None, system: str | None) -> Example:
    if name is None:
        raise SpecError(f"say which answer with {option('id')}")
    found = [each for each in examples if each.id == name and system in (None, each.system)]
    if not found:
        raise DataError(f'there is no answer with id "{name}"{f" of system {system}" if system else ""}')
    if len(found) > 1:
        names = ", ".join(sorted(each.system for each in found))
        raise DataError(f'{len(found)} systems answered "{name}"; choose with {option("system")}: {names}')
    return found[0]


def _given(question: str, references: str | Sequence[str] | None, candidate: str | None) -> Example:
    if not references or candidate is None:
        raise SpecError(
            f"give answers and {option('id')}, or {option('references')} and {option('candidate')} "
            f"(and {option('question')})"
        )
    texts = [references] if isinstance(references, str) else references
    return Example(GIVEN, question, tuple(Reference(text) for text in texts), candidate)
