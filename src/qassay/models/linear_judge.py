"""AVA's linear classifier (Vu and Moschitti 2021, section 5.1): four features, a linear SVM, Platt's scaling."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.folder import read_description
from qassay.text.tokenisers.tokenise import squad_words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from qassay.arrays import Floats

DESCRIPTION = "ava_linear.json"
FEATURES = ("short answer included", "reference like candidate", "reference like question", "question like candidate")


class LinearAva(msgspec.Struct, frozen=True):
    """The trained classifier: `scale` times the SVM's margin, plus `shift`, is the logit."""

    weights: tuple[float, float, float, float]
    bias: float
    scale: float
    shift: float

    @classmethod
    def read(cls, folder: Path = EMBEDDED_FOLDER) -> LinearAva:
        """Read the classifier of a folder."""
        path = folder / DESCRIPTION
        return read_description(
            path, cls, absent=f"{path}: there is no such file; train it with `qassay train ava --kind linear`"
        )

    def write(self, folder: Path) -> None:
        """Write the classifier into a folder."""
        (folder / DESCRIPTION).write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    def logits(self, features: Floats) -> Floats:
        """Return the calibrated logit for rows of the four features."""
        return np.asarray(self.parts(features).sum(axis=1), np.float64)

    def parts(self, features: Floats) -> Floats:
        """Return what each feature adds to the logit of each row, the bias first."""
        constant = np.full((len(features), 1), self.scale * self.bias + self.shift)
        return np.concatenate([constant, self.scale * features * np.array(self.weights)], axis=1)


def sim_text(left: frozenset[str], right: frozenset[str]) -> float:
    """Return 2|A∩B| / (|A|+|B|), the paper's sim-text; 0 for two empty texts."""
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else 0.0


def linear_features(
    question: str, reference: str, short: Iterable[str], candidate: str
) -> tuple[float, float, float, float]:
    """Return x1 to x4: any short answer included in t, sim(r, t), sim(r, q), sim(q, t)."""
    q, r, t = (_tokens(text) for text in (question, reference, candidate))
    within = f" {_plain(candidate)} "
    included = any(text.strip() and f" {_plain(text)} " in within for text in short)
    return float(included), sim_text(r, t), sim_text(r, q), sim_text(q, t)


@lru_cache(maxsize=1 << 14)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(_plain(text).split())


@lru_cache(maxsize=1 << 14)
def _plain(text: str) -> str:
    return " ".join(squad_words(text))
