"""Qassay tells you whether answers are right."""

from importlib import import_module
from typing import TYPE_CHECKING

from qassay.api.score import LoadedMetric, load, score
from qassay.errors import DataError, ModelError, QassayError, SpecError
from qassay.metrics.base import MeanMetric, Metric
from qassay.metrics.registry import register_metric
from qassay.records import Example, Opinion, Reference
from qassay.scoring.table import Aggregate, Score, ScoreTable
from qassay.spec import Param
from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.api.summaries import SummaryTable, score_summaries, verify
    from qassay.metrics.questions.models import Models

__all__ = [
    "Aggregate",
    "DataError",
    "Example",
    "LoadedMetric",
    "MeanMetric",
    "Metric",
    "ModelError",
    "Models",
    "Opinion",
    "Param",
    "QassayError",
    "Reference",
    "Score",
    "ScoreTable",
    "SpecError",
    "SummaryTable",
    "__version__",
    "load",
    "register_metric",
    "score",
    "score_summaries",
    "verify",
]

_LOADED_WHEN_USED = {
    "Models": "qassay.metrics.questions.models",
    "SummaryTable": "qassay.api.summaries",
    "score_summaries": "qassay.api.summaries",
    "verify": "qassay.api.summaries",
}
"""Most programs score answers; what only summaries need must not slow down their start."""


def __getattr__(name: str) -> object:
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_WHEN_USED[name]), name)


def __dir__() -> list[str]:
    return __all__
