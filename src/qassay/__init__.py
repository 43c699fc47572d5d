"""Qassay tells you whether answers are right."""

from importlib import import_module
from typing import TYPE_CHECKING

from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.api.score import LoadedMetric, load, score
    from qassay.api.summaries import SummaryTable, score_summaries, verify
    from qassay.errors import DataError, ModelError, OutputError, QassayError, SpecError
    from qassay.features.weightings import WEIGHTINGS, Token, Weighting, register_weighting
    from qassay.io.readers.format import Format
    from qassay.io.readers.formats import register_format
    from qassay.metrics.base import MeanMetric, Metric
    from qassay.metrics.registry import register_metric
    from qassay.models.question_models import Models
    from qassay.records import Example, Opinion, Reference
    from qassay.scoring.table import Aggregate, Score, ScoreTable
    from qassay.spec import Param

__all__ = [
    "WEIGHTINGS",
    "Aggregate",
    "DataError",
    "Example",
    "Format",
    "LoadedMetric",
    "MeanMetric",
    "Metric",
    "ModelError",
    "Models",
    "Opinion",
    "OutputError",
    "Param",
    "QassayError",
    "Reference",
    "Score",
    "ScoreTable",
    "SpecError",
    "SummaryTable",
    "Token",
    "Weighting",
    "__version__",
    "load",
    "register_format",
    "register_metric",
    "register_weighting",
    "score",
    "score_summaries",
    "verify",
]

_HOMES = {
    "qassay.api.score": ("LoadedMetric", "load", "score"),
    "qassay.api.summaries": ("SummaryTable", "score_summaries", "verify"),
    "qassay.errors": ("DataError", "ModelError", "OutputError", "QassayError", "SpecError"),
    "qassay.features.weightings": ("WEIGHTINGS", "Token", "Weighting", "register_weighting"),
    "qassay.io.readers.format": ("Format",),
    "qassay.io.readers.formats": ("register_format",),
    "qassay.metrics.base": ("MeanMetric", "Metric"),
    "qassay.models.question_models": ("Models",),
    "qassay.metrics.registry": ("register_metric",),
    "qassay.records": ("Example", "Opinion", "Reference"),
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
