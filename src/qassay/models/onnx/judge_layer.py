"""The last step of the embedded judge: a logistic layer over signals, small enough to be read.

Every signal has two coefficients, one for short references and one for long ones. What a reference's length makes of
them lies in between, on a smooth step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.errors import ModelError
from qassay.models.folder import read_description

if TYPE_CHECKING:
    from pathlib import Path

    from qassay.arrays import Floats, Ints

DESCRIPTION = "judge_layer.json"
BIAS = "bias"
_FARTHEST = 700.0
"""Widths beyond the middle; the exponential of more overflows."""


class Coefficients(msgspec.Struct, frozen=True):
    """What a signal adds to the logit, times its value."""

    short: float
    """With a short reference."""
    long: float


class JudgeLayer(msgspec.Struct, frozen=True):
    """Signals to the probability of being right."""

    coefficients: dict[str, Coefficients]
    """By the signal's name; `bias` is always 1."""
    middle: float
    """Tokens of a reference that is half short, half long."""
    width: float
    threshold: float
    """The probability from which on an answer counts as right."""

    @classmethod
    def read(cls, folder: Path) -> JudgeLayer:
        """Read the layer of a model folder."""
        path = folder / DESCRIPTION
        layer = read_description(path, cls, absent=f"{path}: there is no such file; fit one with `qassay train judge`")
        if BIAS not in layer.coefficients or layer.width <= 0:
            raise ModelError(f'{path}: it needs a coefficient named "{BIAS}" and a width above 0; fit it again')
        return layer

    def write(self, folder: Path) -> None:
        """Write the layer into a model folder."""
        (folder / DESCRIPTION).write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    def parts(self, names: tuple[str, ...], values: Floats, lengths: Ints) -> Floats:
        """Return what each signal adds to each pair's logit: (pairs, 1 + signals), the bias first."""
        missing = [name for name in self.coefficients if name not in {*names, BIAS}]
        if missing:
            raise ModelError(f"the judge's layer weighs signals that this version does not have: {', '.join(missing)}")
        known = [self.coefficients.get(name, Coefficients(0.0, 0.0)) for name in (BIAS, *names)]
        short, long = (np.array([getattr(each, side) for each in known]) for side in ("short", "long"))
        share = shortness(lengths, self.middle, self.width)[:, None]
        signals = np.column_stack([np.ones(len(values)), values])
        return np.asarray((share * short + (1 - share) * long) * signals, np.float64)


def shortness(lengths: Ints, middle: float, width: float) -> Floats:
    """Return how short references of these lengths are: near 1 for a word or two, near 0 for sentences."""
    beyond = np.minimum((lengths - middle) / width, _FARTHEST)
    return np.asarray(1 / (1 + np.exp(beyond)), np.float64)


def probability(logits: Floats) -> Floats:
    """Turn logits into probabilities, without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * np.asarray(logits))), np.float64)
