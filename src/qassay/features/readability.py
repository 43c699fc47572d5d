"""Which texts of a batch a model can read at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from qassay.models.base import is_foreign
from qassay.spec import Param

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.arrays import Bools
    from qassay.features.batch import Batch, Pairs

UNREAD_TEXT = "in a script that the model cannot read"
UNREAD = Param(
    "unread",
    "skip",
    "texts in a script that the model does not read: leave them unscored, or score them all the same",
    choices=("skip", "score"),
)


class LanguageModel(Protocol):
    """A model that declares whether it reads English only."""

    @property
    def english(self) -> bool:
        """Whether it reads Latin script only."""


def readable_pairs(batch: Batch, pairs: Pairs, open_model: Callable[[], LanguageModel]) -> Bools:
    """Return which pairs a model can compare: those in scripts that it reads, and those that need no model.

    Identical texts and blank candidates are decided without a model, which is opened only where it matters.
    """
    foreign = batch.memo("foreign texts", lambda: np.array([is_foreign(text) for text in batch.texts], bool))
    candidate, reference = batch.candidate[pairs.example], batch.reference[pairs.reference]
    blank = np.array([not text.strip() for text in batch.texts], bool)
    unread = (foreign[candidate] | foreign[reference]) & (candidate != reference) & ~blank[candidate]
    if not unread.any() or not open_model().english:
        return np.ones(len(unread), bool)
    return np.asarray(~unread, bool)
