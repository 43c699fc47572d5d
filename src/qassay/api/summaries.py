"""The Python interface to summaries and pairs of answers: what `qassay summary` and `qassay verify` do."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from qassay.errors import SpecError
from qassay.io.in_memory import from_rows
from qassay.io.readers.summaries import to_pair, to_summary
from qassay.metrics.questions.first_pass import decode_records, run_verdicts
from qassay.models.base import EMBEDDED
from qassay.models.question_models import Models
from qassay.records import ANSWER_CONTEXT
from qassay.scoring.defaults import VERIFICATION, default_summary_metrics
from qassay.scoring.question_log import MemoryLog
from qassay.scoring.scorer import SEED, Scorer, score_examples
from qassay.scoring.table import ScoreTable
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qassay.metrics.questions.records import SummaryRecord
    from qassay.models.base import Device
    from qassay.spec import MetricSpec


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SummaryTable(ScoreTable):
    """Scores of summaries, with every question behind them."""

    questions: tuple[SummaryRecord, ...] = ()
    """What was asked about each summary: both answers and the verdicts, metric by metric."""


def score_summaries(
    rows: Iterable[object],
    metrics: str | Iterable[str | MetricSpec] | None = None,
    *,
    models: Models | None = None,
    language: str = "auto",
    seed: int = SEED,
) -> SummaryTable:
    """Score summaries given as dictionaries: `summary`, `references`, `document`, and `id`, `system`, `judgement`.

    Without metrics, QAEval where the first row has references and FEQA where it has a document. Every variant comes
    from one pass over the questions.
    """
    if models is not None and not isinstance(models, Models):
        raise SpecError(f"models is {models!r:.60}; give a qassay.Models")
    chosen = models or Models()
    check_options(language=language, seed=seed, model=chosen.model, device=chosen.device)
    wanted = as_names("metrics", metrics)
    examples = list(from_rows(rows, convert=to_summary))
    scorer = Scorer(
        wanted or default_summary_metrics(examples[0]),
        language=language,
        model=chosen.model,
        device=chosen.device,
        questions=chosen,
    )
    scorer.check(examples)
    log = MemoryLog()
    table = score_examples(examples, scorer=scorer, seed=seed, log=log)
    values = {field.name: getattr(table, field.name) for field in fields(table)}
    verdicts = run_verdicts(scorer.resources)
    records = (record for found in log.found for record in decode_records(found))
    return SummaryTable(**values, questions=tuple(map(verdicts.rescale, records)))


def verify(
    rows: Iterable[object],
    methods: str | Iterable[str] | None = None,
    *,
    model: str = EMBEDDED,
    device: Device = "auto",
    seed: int = SEED,
) -> ScoreTable:
    """Score whether predictions mean the same as expected answers, given as dictionaries.

    The fields are `answer`, `prediction`, and `question`, `answer_context`, `prediction_context`, `id`, `judgement`;
    the methods are metrics; without any, exact match, token F1, and LERC and BERTScore with each phrase in its context.
    """
    check_options(seed=seed, model=model, device=device)
    consumed = frozenset({ANSWER_CONTEXT})
    scorer = Scorer(as_names("methods", methods) or VERIFICATION, model=model, device=device, consumed_fields=consumed)
    return score_examples(from_rows(rows, convert=to_pair), scorer=scorer, seed=seed)
