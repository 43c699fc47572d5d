"""How sure a trained design may be: the factor of its logits, fitted on development pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FACTORS = np.linspace(0.1, 1.0, 91)
_SURE = 1e-7


def logits_of(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logits of probabilities; those of 0 and 1 are finite."""
    likely = np.clip(probabilities, _SURE, 1 - _SURE)
    return np.asarray(np.log(likely / (1 - likely)), np.float64)


def fitted_scale(logits: NDArray[np.float64], label: NDArray[np.float32], source: NDArray[np.str_]) -> float:
    """Return the factor of logits, at most 1, with which their log loss is smallest (Guo et al. 2017).

    Every source counts as much as any other. Calls of right and wrong stay as they are.
    """
    names, each, counts = np.unique(source, return_inverse=True, return_counts=True)
    weight = 1 / (len(names) * counts[each])
    signed = np.where(label > 0.5, -logits, logits)  # noqa: PLR2004 - right or wrong
    losses = np.logaddexp(0, _FACTORS[:, None] * signed) @ weight
    return round(float(_FACTORS[np.argmin(losses)]), 2)
