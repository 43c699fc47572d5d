"""How well a reader reads: exact match and F1 with unanswerable questions, as SQuAD 2.0 counts them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.onnx.reader import no_answer
from qassay.records import Example, Reference
from qassay.scoring.scorer import Scorer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Bools, Floats
    from qassay.models.onnx.reader import Answer
    from qassay.training.reader.rows import ReaderRow

_LEAST = 1e-16
"""The smallest difference from 1 that a probability shows."""


@dataclass(frozen=True, slots=True)
class ReaderQuality:
    """Means over questions: over all, over those with an answer, over those without."""

    n: int
    exact_match: float
    """Over all; saying nothing is right where there is no answer, and only there (Rajpurkar et al. 2018)."""
    f1: float
    answered: int
    """Questions that have an answer."""
    answered_exact_match: float
    answered_f1: float
    forced_exact_match: float
    """Exact match on questions that have an answer, were the reader always to give one."""
    forced_f1: float
    """F1 on questions that have an answer, were the reader always to give one."""
    no_answer: float
    """Share of the questions without an answer that the reader leaves unanswered."""
    is_answered: float
    """How often the reader is right about whether there is an answer."""


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
    """A reader's answers beside the accepted ones, before any threshold."""

    none: Floats
    exact_match: Floats
    f1: Floats
    answerable: Bools

    @classmethod
    def of(cls, answers: Sequence[Answer], rows: Sequence[ReaderRow]) -> MeasuredAnswers:
        """Compare spans with the accepted ones; 0 where there is no answer."""
        answerable = np.array([bool(row.spans) for row in rows])
        examples = [
            Example(str(i), row.question, _accepted(row), answer.text)
            for i, (row, answer) in enumerate(zip(rows, answers, strict=True))
            if row.spans
        ]
        scores = Scorer(["exact_match", "token_f1"]).score(examples).scores if examples else {}
        found = {}
        for name in ("exact_match", "token_f1"):
            found[name] = np.zeros(len(rows))
            if examples:
                found[name][answerable] = scores[name]
        return cls(np.array([each.none for each in answers]), found["exact_match"], found["token_f1"], answerable)

    @property
    def odds(self) -> Floats:
        """Log-odds that there is an answer."""
        return np.log1p(-np.minimum(self.none, 1 - _LEAST)) - np.log(np.maximum(self.none, _LEAST))

    def calibration(self) -> tuple[float, float]:
        """Fit a scale and a shift of the log-odds under which they say how often there is an answer (Platt 1999).

        As there, a question counts a little as its opposite, so that a few rows never make certain. Where all are of
        one kind, or the odds point the wrong way, they stay as they are.
        """
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - extra `train`

        has = self.answerable
        if not 0 < has.sum() < len(has):
            return 1.0, 0.0
        target = np.where(has, (has.sum() + 1) / (has.sum() + 2), 1 / ((~has).sum() + 2))
        fitted = LogisticRegression(C=np.inf).fit(
            np.tile(self.odds, 2)[:, None],
            np.repeat([True, False], len(has)),
            sample_weight=np.concatenate([target, 1 - target]),
        )
        scale, shift = (float(f"{value:.4g}") for value in (fitted.coef_[0, 0], fitted.intercept_[0]))
        return (scale, shift) if scale > 0 else (1.0, 0.0)

    def calibrated(self, scale: float, shift: float) -> MeasuredAnswers:
        """Return the same answers with the probabilities that a scale and a shift of the log-odds make."""
        return replace(self, none=no_answer(scale * self.odds + shift))

    def at(self, threshold: float) -> ReaderQuality:
        """Count a question as unanswered from a probability of no answer on."""
        given = self.none < threshold
        em, f1 = (np.where(self.answerable, score * given, ~given) for score in (self.exact_match, self.f1))
        has = self.answerable
        return ReaderQuality(
            len(has),
            _mean(em),
            _mean(f1),
            int(has.sum()),
            _mean(em[has]),
            _mean(f1[has]),
            _mean(self.exact_match[has]),
            _mean(self.f1[has]),
            _mean(~given[~has]),
            _mean(given == has),
        )

    def best_threshold(self) -> float:
        """Find the threshold with the highest F1 over all questions."""
        order = np.argsort(self.none, kind="stable")
        # Answering the first k questions by certainty gains their F1 and loses those that have no answer.
        gain = np.where(self.answerable, self.f1, -1.0)[order]
        count = int(np.argmax(np.concatenate([[0.0], np.cumsum(gain)])))
        edges = np.concatenate([[0.0], self.none[order], [1.0]])
        return float((edges[count] + edges[count + 1]) / 2)


def _accepted(row: ReaderRow) -> tuple[Reference, ...]:
    return tuple(Reference(row.passage[slice(*span)]) for span in row.spans)


def _mean(values: Floats | Bools) -> float:
    return float(values.mean()) if len(values) else float("nan")
