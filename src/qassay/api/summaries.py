"""The Python interface to summaries and pairs of answers: what `qassay summary` and `qassay verify` do."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from qassay.errors import SpecError
from qassay.io.in_memory import from_rows
from qassay.io.readers.summaries import to_pair, to_summary
from qassay.metrics.questions.models import Models
from qassay.metrics.questions.pair_scorer import PairScorer
from qassay.metrics.questions.question_log import KeptInMemory
from qassay.metrics.questions.summary_scorer import (
    SummaryScorer,
    default_summary_metrics,
    is_summary_metric,
    parse_summary_spec,
)
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import SEED, score_examples
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

    def _known(self, spec: str) -> str:
        """Know the names of questions' metrics too: `qaeval,verify=lerc` is `qaeval`."""
        return ScoreTable._known(self, str(parse_summary_spec(spec)) if is_summary_metric(spec) else spec)  # noqa: SLF001


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
    scorer = SummaryScorer(
        wanted or default_summary_metrics(examples[0]),
        chosen.interrogator,
        language=language,
        model=chosen.model,
        device=chosen.device,
    )
    scorer.check(examples)
    kept = scorer.kept = KeptInMemory()
    table = score_examples(examples, scorer=scorer, seed=seed)
    values = {field.name: getattr(table, field.name) for field in fields(table)}
    return SummaryTable(**values, questions=tuple(map(scorer.verdicts.finish, kept.records)))


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
    the methods `em`, `token_f1`, `lerc`, `bert_score` and `is_answered`, all but the last by default.
    """
    check_options(seed=seed, model=model, device=device)
    scorer = PairScorer(as_names("methods", methods), model=model, device=device)
    return score_examples(from_rows(rows, convert=to_pair), scorer=scorer, seed=seed)
