"""Qassay tells you whether answers are right."""

from qassay.api import LoadedMetric, load, score
from qassay.errors import DataError, ModelError, QassayError, SpecError
from qassay.records import Example, Opinion, Reference
from qassay.scores import Aggregate, Score, ScoreTable
from qassay.summary.interface import SummaryTable, score_summaries, verify
from qassay.summary.opening import Models
from qassay.version import __version__

__all__ = [
    "Aggregate",
    "DataError",
    "Example",
    "LoadedMetric",
    "ModelError",
    "Models",
    "Opinion",
    "QassayError",
    "Reference",
    "Score",
    "ScoreTable",
    "SpecError",
    "SummaryTable",
    "__version__",
    "load",
    "score",
    "score_summaries",
    "verify",
]
