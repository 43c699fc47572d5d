"""Greedy matching of token embeddings: each token with the most similar one of the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from qassay.arrays import Floats
    from qassay.models.base import TokenEmbeddings

    Unit = NDArray[np.float32]


def unit(encoded: TokenEmbeddings) -> Unit:
    """Scale each token's vector to length 1."""
    return np.asarray(encoded.vectors / np.linalg.norm(encoded.vectors, axis=1, keepdims=True), np.float32)


def match(left: Unit, right: Unit, left_weights: Floats, right_weights: Floats, power: float) -> tuple[float, float]:
    """Give the weighted mean of the best similarities on both sides: precision and recall (Zhang et al. 2020).

    A power other than 1 is applied to similarities clipped to 0 and above. Weights that are all 0 count uniformly,
    without the marks at both ends.
    """
    similarity = np.minimum(left @ right.T, 1.0)  # single precision may round above
    if power != 1:
        similarity = np.clip(similarity, 0.0, None) ** power
    return _mean(similarity.max(axis=1), left_weights), _mean(similarity.max(axis=0), right_weights)


def _mean(similarity: Unit, weights: Floats) -> float:
    total = float(weights.sum())
    if total <= 0:
        weights = np.concatenate(([0.0], np.ones(max(len(weights) - 2, 0)), [0.0]))
        total = float(weights.sum())
    return float(similarity @ weights) / total if total > 0 else 0.0
