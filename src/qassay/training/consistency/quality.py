"""How good a consistency head is: how well it parts consistent claims from others, and how often spans are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools, Floats
    from qassay.models.onnx.consistency import ClaimVerdict
    from qassay.training.answer_text import Span
    from qassay.training.consistency.rows import ClaimRow

_STEPS = 50
_SURE = 30.0
_LITTLE = 1e-3
"""How much large values count against them, so that claims that are parted perfectly have a solution too."""
_NOTHING = 1e-9
_LEAST_SCALE = 1e-3


@dataclass(frozen=True, slots=True)
class ConsistencyQuality:
    """Figures on claims of known truth."""

    n: int
    auc: float
    """How often a consistent claim scores higher than one that is not."""
    accuracy: float
    """Of the verdicts at a probability of one half."""
    wrong: float
    """Of the claims that were made wrong at a known place, how often the span found touches it."""
    support: float
    """Of the claims whose support is known, how often the span found touches it."""


def measure(verdicts: Sequence[ClaimVerdict], claims: Sequence[ClaimRow]) -> ConsistencyQuality:
    """Compare verdicts with what is known."""
    likely = np.array([verdict.consistent for verdict in verdicts])
    truth = np.array([claim.consistent for claim in claims], bool)
    wrong = [
        _touches(verdict.wrong, claim.wrong) for verdict, claim in zip(verdicts, claims, strict=True) if claim.wrong
    ]
    support = [
        _touches(verdict.support, claim.support)
        for verdict, claim in zip(verdicts, claims, strict=True)
        if claim.support and claim.consistent
    ]
    return ConsistencyQuality(
        n=len(claims),
        auc=area(likely, truth),
        accuracy=float(((likely >= 0.5) == truth).mean()) if len(truth) else float("nan"),  # noqa: PLR2004 - one half
        wrong=float(np.mean(wrong)) if wrong else float("nan"),
        support=float(np.mean(support)) if support else float("nan"),
    )


def _touches(found: Span | None, known: Sequence[Span]) -> bool:
    return found is not None and any(found[0] < end and start < found[1] for start, end in known)


def area(scores: Floats, truth: Bools) -> float:
    """Return the area under the ROC curve; NaN where all are of one kind."""
    right, others = int(truth.sum()), int((~truth).sum())
    if not right or not others:
        return float("nan")
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return float((ranks[truth].sum() - right * (right + 1) / 2) / (right * others))


def calibration(logits: Floats, truth: Bools) -> tuple[float, float]:
    """Return scale and shift of the logistic regression of the truth on logits (Platt 1999), by Newton's method."""
    rows = np.stack([logits, np.ones(len(logits))], axis=1)

    def loss(chosen: Floats) -> float:
        return float(np.logaddexp(0, np.where(truth, -1, 1) * (rows @ chosen)).sum() + _LITTLE * (chosen**2).sum())

    found = np.zeros(2)
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(rows @ found, -_SURE, _SURE)))
        slope = rows.T @ (likely - truth) + 2 * _LITTLE * found
        bend = (rows * (likely * (1 - likely))[:, None]).T @ rows + 2 * _LITTLE * np.eye(2)
        change = np.linalg.solve(bend, slope)
        while loss(found - change) > loss(found) and np.abs(change).max() > _NOTHING:
            change = change / 2
        found = found - change
        if np.abs(change).max() <= _NOTHING:
            break
    return float(max(found[0], _LEAST_SCALE)), float(found[1])
