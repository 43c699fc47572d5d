"""Qassay tells you whether answers are right."""

from importlib import import_module
from typing import TYPE_CHECKING

from qassay.api import LoadedMetric, load, score
from qassay.errors import DataError, ModelError, QassayError, SpecError
from qassay.records import Example, Opinion, Reference
from qassay.scores import Aggregate, Score, ScoreTable
from qassay.version import __version__

if TYPE_CHECKING:
    from qassay.summary.interface import SummaryTable, score_summaries, verify
    from qassay.summary.opening import Models

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

_LOADED_WHEN_USED = {
    "Models": "qassay.summary.opening",
    "SummaryTable": "qassay.summary.interface",
    "score_summaries": "qassay.summary.interface",
    "verify": "qassay.summary.interface",
}
"""Most programs score answers; what only summaries need must not slow down their start."""


def __getattr__(name: str) -> object:
    if name not in _LOADED_WHEN_USED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LOADED_WHEN_USED[name]), name)


def __dir__() -> list[str]:
    return __all__
