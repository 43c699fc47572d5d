"""Qassay tells you whether answers are right."""

from qassay.api import LoadedMetric, load, score
from qassay.errors import DataError, ModelError, QassayError, SpecError
from qassay.records import Example, Opinion, Reference
from qassay.scores import Aggregate, Score, ScoreTable
from qassay.version import __version__

__all__ = [
    "Aggregate",
    "DataError",
    "Example",
    "LoadedMetric",
    "ModelError",
    "Opinion",
    "QassayError",
    "Reference",
    "Score",
    "ScoreTable",
    "SpecError",
    "__version__",
    "load",
    "score",
]
