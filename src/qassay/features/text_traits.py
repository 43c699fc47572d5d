"""The traits of a batch's texts, for all that asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.text.traits import declared_traits, find_traits, has_trait

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.arrays import Bools, Ints
    from qassay.features.batch import Batch


def text_traits(batch: Batch) -> Ints:
    """Return the traits of every text; found again where modules have declared more of them since."""
    return batch.memo((text_traits, declared_traits()), lambda: find_traits(batch.texts))


def texts_that(batch: Batch, holds: Callable[[str], bool], trait: int) -> Bools:
    """Return of which texts something holds; it is asked of those alone that have a trait which it takes."""
    found = has_trait(text_traits(batch), trait)
    for i in np.flatnonzero(found).tolist():
        found[i] = holds(batch.texts[i])
    return found
