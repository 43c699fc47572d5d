"""Fitting the embedded judge's layer to a team's own verdicts: as far from the embedded layer as they can show.

A hundred verdicts cannot tell what thirty coefficients are worth. The layer is drawn towards the embedded one, the more
so the fewer rows speak against it; how much is chosen on the rows themselves, in folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.metrics.learned.signals import JUDGE
from qassay.models.onnx.judge_layer import Coefficients, probability, shortness
from qassay.training.judge.layer import FOLDS, ROUNDS, best_lines, best_of_rows, design_of, usable_lines
from qassay.training.splits import folds_of

if TYPE_CHECKING:
    from qassay.arrays import Bools, Floats
    from qassay.models.onnx.judge_layer import JudgeLayer
    from qassay.training.judge.layer import RowSignals

_PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
"""On the squared change of a coefficient, halved; highest first. A row counts 1."""
_ON_JUDGE = 16.0
"""How much more it is for the network's logit, which goes up to 7 where other signals go up to 1."""
_SIDES = ("short", "long")
_STEPS = 50
_CLOSE = 1e-9
_SHORTEST = 1e-6


def tune(measured: RowSignals, start: JudgeLayer) -> JudgeLayer:
    """Fit a layer to rows, each counting once, with a penalty on the distance from the layer `start`.

    The penalty is the one with the likeliest verdicts on folds left out, or rather the highest that does no worse by
    more than a standard error over questions (the 1-SE rule of Breiman et al. 1984). `start` itself takes part, as a
    penalty without end, and comes back where nothing beats it.
    """
    fits = _Fits(measured, start)
    everything = np.ones(len(measured.label), bool)
    penalty = fits.choose(everything)
    return start if penalty is None else fits.layer(fits.coefficients(everything, penalty))


def cross_tuned(measured: RowSignals, start: JudgeLayer) -> Floats:
    """Return each row's logit from a layer that was fitted, and its penalty chosen, without the row's group."""
    fits = _Fits(measured, start)
    found = np.zeros(len(measured.label))
    for number in range(FOLDS):
        rest = fits.fold != number
        found[~rest] = fits.logits(fits.coefficients(rest, fits.choose(rest)))[~rest]
    return found


class _Fits:
    """Layers fitted on parts of the same rows."""

    def __init__(self, measured: RowSignals, start: JudgeLayer) -> None:
        self._measured, self._start = measured, start
        short = shortness(measured.lengths, start.middle, start.width)
        self._design, self._columns = design_of(measured, short)
        self._usable = usable_lines(measured, short)
        self._counting = np.isin(np.arange(len(measured.label)), measured.row[self._usable])
        self._origin = np.array([getattr(start.coefficients[name], _SIDES[side]) for name, side in self._columns])
        self._cost = np.array([_ON_JUDGE if name == JUDGE else 1.0 for name, _ in self._columns])
        self.fold = folds_of(measured.group.tolist(), FOLDS)

    def logits(self, coefficients: Floats) -> Floats:
        """Return each row's logit."""
        return best_of_rows(self._measured, self._design @ coefficients)

    def coefficients(self, rows: Bools, penalty: float | None) -> Floats:
        """Fit on some rows; the reference that fits best is the one that counts, as in `judge_layer.fit`."""
        found = self._origin
        if penalty is None:
            return found
        for _ in range(ROUNDS):
            chosen = best_lines(self._measured.row, self._design @ found)
            chosen = chosen[(self._usable & rows[self._measured.row])[chosen]]
            label = self._measured.label[self._measured.row[chosen]]
            found = _nearest(self._design[chosen], label, self._origin, penalty * self._cost)
        return found

    def choose(self, rows: Bools) -> float | None:
        """Choose the penalty in folds of these rows; None where the layer should stay as it was."""
        among = rows & self._counting
        if not among.any():
            return None
        _, question = np.unique(self._measured.group[among], return_inverse=True)
        penalties = (None, *_PENALTIES)
        losses = [np.bincount(question, self._left_out(rows, penalty)[among]) for penalty in penalties]
        best = min(losses, key=np.sum)
        for penalty, loss in zip(penalties, losses, strict=True):
            worse = loss - best
            if worse.sum() <= worse.std() * np.sqrt(len(worse)):
                return penalty
        return None

    def _left_out(self, rows: Bools, penalty: float | None) -> Floats:
        """Return how unlikely each row's verdict is to a layer that has not seen the row's fold."""
        logits = self.logits(self._origin)
        for number in range(FOLDS if penalty is not None else 0):
            fold = self.fold == number
            logits[fold] = self.logits(self.coefficients(rows & ~fold, penalty))[fold]
        return _unlikeliness(logits, self._measured.label)

    def layer(self, coefficients: Floats) -> JudgeLayer:
        """Return the start's layer with other coefficients."""
        found = {name: [each.short, each.long] for name, each in self._start.coefficients.items()}
        for (name, side), value in zip(self._columns, coefficients.tolist(), strict=True):
            found[name][side] = round(value, 4)
        return msgspec.structs.replace(
            self._start, coefficients={name: Coefficients(*pair) for name, pair in found.items()}
        )


def _unlikeliness(logits: Floats, label: Floats) -> Floats:
    return np.asarray(np.logaddexp(0, logits) - label * logits, np.float64)


def _nearest(design: Floats, label: Floats, origin: Floats, penalty: Floats) -> Floats:
    """Minimise the cross-entropy plus half the penalised squared distance from the origin, by Newton's steps."""

    def cost(at: Floats) -> float:
        return float(_unlikeliness(design @ at, label).sum() + 0.5 * (penalty * (at - origin) ** 2).sum())

    found, reached = origin, cost(origin)
    for _ in range(_STEPS):
        likely = probability(design @ found)
        slope = design.T @ (likely - label) + penalty * (found - origin)
        curve = (design.T * (likely * (1 - likely))) @ design + np.diag(penalty)
        step, size = np.linalg.solve(curve, slope), 1.0
        while cost(found - size * step) > reached and size > _SHORTEST:
            size /= 2
        found = found - size * step
        before, reached = reached, cost(found)
        if before - reached <= _CLOSE * (1 + abs(reached)):
            break
    return found
