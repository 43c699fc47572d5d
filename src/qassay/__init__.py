"""Qassay tells you whether answers are right."""

from importlib import import_module
from typing import TYPE_CHECKING

from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.api.accuracy import AccuracyResult, accuracy
    from qassay.api.agree import AgreementResult, agree
    from qassay.api.compare import ComparisonResult, compare
    from qassay.api.correlate import CorrelationResult, correlate
    from qassay.api.explain import ExplanationResult, explain
    from qassay.api.frequencies import FrequencyResult, frequencies
    from qassay.api.judge import JudgeResult, judge
    from qassay.api.rank import RankResult, rank
    from qassay.api.scoring.accumulator import AccumulatedScores, Accumulator
    from qassay.api.scoring.load_metric import LoadedMetric, load
    from qassay.api.scoring.score import score
    from qassay.api.scoring.score_result import ScoreResult, StoredScores
    from qassay.api.summaries import StoredSummaries, SummaryTable, score_summaries
    from qassay.api.verify import StoredVerification, VerificationResult, verify
    from qassay.errors import DataError, ModelError, OutputError, QassayError, SpecError
    from qassay.features.token_views import token_view
    from qassay.features.weightings import WEIGHTINGS, Token, Weighting, register_weighting
    from qassay.io.readers.format import Format
    from qassay.io.readers.formats import register_format
    from qassay.metrics.base import MeanMetric, Metric
    from qassay.metrics.breakdown import Ingredient, Part, ScoreBreakdown
    from qassay.metrics.registry import register_judge, register_metric
    from qassay.models.question_model_names import Models
    from qassay.records import AnswerNotes, Example, Opinion, Reference
    from qassay.scoring.table import Aggregate, Score, ScoreTable
    from qassay.spec import Param

__all__ = [
    "WEIGHTINGS",
    "AccumulatedScores",
    "Accumulator",
    "AccuracyResult",
    "Aggregate",
    "AgreementResult",
    "AnswerNotes",
    "ComparisonResult",
    "CorrelationResult",
    "DataError",
    "Example",
    "ExplanationResult",
    "Format",
    "FrequencyResult",
    "Ingredient",
    "JudgeResult",
    "LoadedMetric",
    "MeanMetric",
    "Metric",
    "ModelError",
    "Models",
    "Opinion",
    "OutputError",
    "Param",
    "Part",
    "QassayError",
    "RankResult",
    "Reference",
    "Score",
    "ScoreBreakdown",
    "ScoreResult",
    "ScoreTable",
    "SpecError",
    "StoredScores",
    "StoredSummaries",
    "StoredVerification",
    "SummaryTable",
    "Token",
    "VerificationResult",
    "Weighting",
    "__version__",
    "accuracy",
    "agree",
    "compare",
    "correlate",
    "explain",
    "frequencies",
    "judge",
    "load",
    "rank",
    "register_format",
    "register_judge",
    "register_metric",
    "register_weighting",
    "score",
    "score_summaries",
    "token_view",
    "verify",
]

_HOMES = {
    "qassay.api.scoring.accumulator": ("AccumulatedScores", "Accumulator"),
    "qassay.api.accuracy": ("AccuracyResult", "accuracy"),
    "qassay.api.agree": ("AgreementResult", "agree"),
    "qassay.api.compare": ("ComparisonResult", "compare"),
    "qassay.api.correlate": ("CorrelationResult", "correlate"),
    "qassay.api.explain": ("ExplanationResult", "explain"),
    "qassay.api.frequencies": ("FrequencyResult", "frequencies"),
    "qassay.api.judge": ("JudgeResult", "judge"),
    "qassay.api.scoring.load_metric": ("LoadedMetric", "load"),
    "qassay.api.rank": ("RankResult", "rank"),
    "qassay.api.scoring.score": ("score",),
    "qassay.api.summaries": ("StoredSummaries", "SummaryTable", "score_summaries"),
    "qassay.api.scoring.score_result": ("ScoreResult", "StoredScores"),
    "qassay.api.verify": ("StoredVerification", "VerificationResult", "verify"),
    "qassay.errors": ("DataError", "ModelError", "OutputError", "QassayError", "SpecError"),
    "qassay.features.token_views": ("token_view",),
    "qassay.features.weightings": ("WEIGHTINGS", "Token", "Weighting", "register_weighting"),
    "qassay.io.readers.format": ("Format",),
    "qassay.io.readers.formats": ("register_format",),
    "qassay.metrics.breakdown": ("Ingredient", "Part", "ScoreBreakdown"),
    "qassay.metrics.base": ("MeanMetric", "Metric"),
    "qassay.models.question_model_names": ("Models",),
    "qassay.metrics.registry": ("register_judge", "register_metric"),
    "qassay.records": ("AnswerNotes", "Example", "Opinion", "Reference"),
    "qassay.scoring.table": ("Aggregate", "Score", "ScoreTable"),
    "qassay.spec": ("Param",),
}
"""Where each public name is found; a module is imported when one of its names is first used."""
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
