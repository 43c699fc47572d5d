"""What the bonuses of Yang et al. (2018) are given for: shared yes-no opinions, and gold entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.text.normalise import compose

if TYPE_CHECKING:
    from qassay.arrays import Bools
    from qassay.features.batch import Batch, Pairs


def agreeing(batch: Batch, pairs: Pairs) -> Bools:
    """Return which of some pairs state the same yes-no opinion on both sides."""
    opinions = [each.opinion for example in batch.examples for each in example.references]
    return np.array(
        [
            batch.examples[example].opinion is not None and batch.examples[example].opinion == opinions[reference]
            for example, reference in zip(*(side.tolist() for side in pairs), strict=True)
        ],
        bool,
    )


def entity_tokens(batch: Batch, tok: str) -> list[list[list[str]]]:
    """Return the tokens of each example's gold entities, which no two examples share often enough to pool."""
    return batch.memo((entity_tokens, tok), lambda: _cut_entities(batch, tok))


def _cut_entities(batch: Batch, tok: str) -> list[list[list[str]]]:
    cut = batch.resources.tokeniser(tok).tokens
    return [
        # A set, as in Yang et al. (2018), cut as the candidate is: with spaces between words or without.
        [
            list(each)
            for each in dict.fromkeys(
                tuple(cut(compose(entity), spaced=row in batch.spaced)) for entity in example.entities
            )
        ]
        for example, row in zip(batch.examples, batch.candidate.tolist(), strict=True)
    ]
