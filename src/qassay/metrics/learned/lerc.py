"""LERC: a reader's estimate of how right an answer is (Chen et al. 2020)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.features.readability import UNREAD
from qassay.features.token_views import token_view
from qassay.metrics.breakdown import ScoreBreakdown
from qassay.metrics.learned.base import MODEL, REFERENCES, RULES, LearnedMetric
from qassay.metrics.learned.judge_logits import judge_logits
from qassay.metrics.learned.screening import SCREEN
from qassay.metrics.lexical.ngrams import identical
from qassay.metrics.phrase_in_context import surrounding_context
from qassay.models.base import EMBEDDED
from qassay.models.load import has_reader
from qassay.spec import Param

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.arrays import Bools, Floats
    from qassay.features.batch import Batch, Pairs
    from qassay.features.resources import Resources
    from qassay.spec import Value

_READ = 600
"""Characters of a phrase's text that LERC reads: a summary is hardly longer."""


class Lerc(LearnedMetric):
    """A reader's estimate of how right an answer is, in [0, 1], with the context where there is one (Chen et al. 2020).

    The embedded reader is the judge's network, trained on verdicts and graded ratings alike. With `context=phrase` the
    candidate is a phrase of its context: 600 characters around it are read, and candidates that equal the reference
    after normalisation count 1 (Deutsch and Roth 2022). The embedded reader then leaves the question out: it compares
    phrases better without.
    """

    name = "lerc"
    summary = "a network's estimate of how right an answer is, with its context if there is one"
    source = "Chen et al. 2020"
    params = (
        MODEL,
        REFERENCES,
        SCREEN,
        Param(
            "context",
            "whole",
            "read the whole context, or as much as surrounds the candidate, which is a phrase of it",
            choices=("whole", "phrase"),
        ),
        Param(
            "question",
            "auto",
            "whether the network reads the question; auto: unless context=phrase and the model is the embedded one",
            choices=("auto", "yes", "no"),
        ),
        UNREAD,
        RULES,
    )

    @property
    def reads_assertions(self) -> bool:
        """Whether answers are read for what they assert; a phrase of a text is the answer itself."""
        return not self._of_phrases

    @classmethod
    def takes_model(cls, ref: str, settings: Mapping[str, Value]) -> bool:  # noqa: ARG003 - any reader
        """Whether a model reads context, question, reference and answer."""
        return has_reader(ref)

    def identity(self, resources: Resources) -> dict[str, str]:
        """Add the reader's fingerprint, and whether questions are left out."""
        left_out = {} if self.reads_questions else {"question": "no"}
        return {**super().identity(resources), **left_out, "model": resources.judge(self.text("model")).fingerprint}

    @property
    def reads_questions(self) -> bool:
        """Whether questions are read; by default the embedded reader leaves those about phrases out."""
        if self.text("question") == "auto":
            return not self._of_phrases or self.text("model") != EMBEDDED
        return self.text("question") == "yes"

    @property
    def reads(self) -> frozenset[str]:
        """Add the context."""
        return super().reads | {"context"}

    def pair_logits(self, batch: Batch, pairs: Pairs) -> Floats:
        """Read each pair with its context."""
        return judge_logits(
            batch,
            self.text("model"),
            pairs,
            context=True,
            question=self.reads_questions,
            whole=self._of_phrases,
        )

    def values(self, batch: Batch) -> Floats:
        """Read phrases in what surrounds them, unless they are the same answer."""
        if not self._of_phrases:
            return super().values(batch)
        rows, read = self._in_context(batch)
        scores = np.ones(len(batch))
        scores[rows] = super().values(read)
        batch.adopt_notes(read, rows)
        return scores

    def explain(self, batch: Batch) -> list[ScoreBreakdown]:
        """Explain phrases as they were read; those that are the same answer have nothing to explain."""
        if not self._of_phrases:
            return super().explain(batch)
        rows, read = self._in_context(batch)
        explained = [ScoreBreakdown()] * len(batch)
        for row, found in zip(rows, super().explain(read), strict=True):
            explained[row] = found
        return explained

    @staticmethod
    def _in_context(batch: Batch) -> tuple[list[int], Batch]:
        """Return the rows of phrases that are not the same answer, and a batch of them in what surrounds them."""
        rows = np.flatnonzero(~_same_answers(batch)).tolist()
        around = [replace(batch.examples[i], context=surrounding_context(batch.examples[i], _READ)) for i in rows]
        return rows, batch.part(around, rows)

    def unscored(self, batch: Batch) -> dict[int, str]:
        """Leave out the phrases that are the same answer, whatever their words."""
        same = set(np.flatnonzero(_same_answers(batch)).tolist()) if self._of_phrases else set()
        return {i: reason for i, reason in super().unscored(batch).items() if i not in same}

    @property
    def _of_phrases(self) -> bool:
        return self.text("context") == "phrase"


def _same_answers(batch: Batch) -> Bools:
    """Return which examples equal one of their references after normalisation."""
    same = np.zeros(len(batch), bool)
    same[batch.pairs.example[identical(token_view(batch, "squad"), batch.pairs)]] = True
    return same
