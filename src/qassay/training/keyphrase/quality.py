"""How well a keyphrase model finds the marked pieces of held-out answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from qassay.models.hf.keyphrase import Outputs

    Row = NDArray[np.float32]

_CHOSEN = 0.5


class KeyphraseQuality(NamedTuple):
    """Measured on held-out answers."""

    dev_loss: float
    average_precision: float
    """Mean over answers of the average precision of ranking their pieces."""
    token_f1: float
    """F1 of the pieces called key, over all answers (the paper's Table 10 gives such a figure)."""


def quality(loss: float, logits: Sequence[Row], marked: Sequence[Row], outputs: Outputs) -> KeyphraseQuality:
    """Compare logits with marks.

    Called key is a piece with a probability above one half (`two-class`), or with at least half the weight of the
    answer's heaviest piece (`list`).
    """
    precision = float(np.mean([average_precision(row, key > 0) for row, key in zip(logits, marked, strict=True)]))
    bar = (lambda _: 0.0) if outputs == "two-class" else (lambda row: row.max() + np.log(_CHOSEN))
    chosen = [row >= bar(row) for row in logits]
    hits = sum(int((pick & (key > 0)).sum()) for pick, key in zip(chosen, marked, strict=True))
    called, wanted = sum(int(pick.sum()) for pick in chosen), sum(int((key > 0).sum()) for key in marked)
    return KeyphraseQuality(loss, precision, 2 * hits / max(called + wanted, 1))


def average_precision(scores: Row, relevant: NDArray[np.bool_]) -> float:
    """Mean of the precision at each relevant piece, pieces ranked by score (ties in the answer's order)."""
    ranked = relevant[np.argsort(-scores, kind="stable")]
    precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    return float(precision[ranked].mean()) if ranked.any() else 0.0
