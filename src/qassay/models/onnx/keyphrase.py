"""Keyphrase weights from the embedded runtime (KPQA: Lee et al. 2021; here question and answer meet in late layers).

Both texts are encoded by themselves; in the layers above, the answer's tokens also attend to the question's. What they
attend to depends on the question alone and is computed once for all its answers. A head for answers alone reads no
question.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from qassay.arrays import cut_rows, lengths_of
from qassay.errors import ModelError
from qassay.models.base import CUT_QUESTION, WINDOWED, TokenWeights, windows
from qassay.models.folder import TOKENIZER, KeyphraseHead, fingerprint
from qassay.models.runtime import Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Floats, Ints
    from qassay.models.base import TokenEmbeddings, Window
    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.runtime import Rows

    Beside = Mapping[str, Rows]

_SPECIAL_TOKENS = 2
_KEPT_PIECES = 1 << 20
"""Of recent pairs: the references of a question come back with every system's answer to it."""


class OnnxWeigher:
    """Token weights from the keyphrase head of an ONNX model folder: a softmax over the answer's word pieces."""

    english = True

    def __init__(self, encoder: OnnxEncoder, *, with_question: bool = True) -> None:
        head = encoder.model.keyphrase_head(with_question=with_question)
        if head is None:
            raise ModelError(f"{encoder.ref} has no keyphrase head; train one with `qassay train keyphrase`")
        self.ref = encoder.ref
        self._encoder = encoder
        self._head: KeyphraseHead = head
        self._runtime = encoder.runtime
        self._recent: OrderedDict[tuple[str | None, str], TokenWeights] = OrderedDict()
        self._recent_pieces = 0
        self.notes = encoder.notes
        """The encoder's own, which counts for both."""

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and head, the tokenizer and the temperature."""
        folder, model = self._runtime.folder, self._encoder.model
        files = (folder / name for name in (TOKENIZER, model.weights, self._head.weights))
        return fingerprint(*files, str(self._head.temperature))

    def weigh(self, pairs: Sequence[tuple[str | None, str]]) -> list[TokenWeights]:
        """Weigh the tokens of each answer for its question, or for none; equal and recent pairs run once."""
        if self._head.question is None:
            pairs = [(None, answer) for _, answer in pairs]
        found = {pair: self._recent[pair] for pair in pairs if pair in self._recent}
        self._note_long(found)
        found |= self._run([pair for pair in dict.fromkeys(pairs) if pair not in found])
        for pair, weighed in found.items():
            self._remember(pair, weighed)
        return [found[pair] for pair in pairs]

    def _note_long(self, known: Mapping[tuple[str | None, str], TokenWeights]) -> None:
        """Note the long answers among those that the encoder need not see again."""
        room = self._encoder.model.longest - _SPECIAL_TOKENS
        self.notes.add(WINDOWED, (answer for (_, answer), each in known.items() if len(each.weights) > room))

    def _remember(self, pair: tuple[str | None, str], weighed: TokenWeights) -> None:
        if pair not in self._recent:
            self._recent_pieces += 1 + len(weighed.weights)
        self._recent[pair] = weighed
        self._recent.move_to_end(pair)
        while self._recent_pieces > _KEPT_PIECES:
            _, oldest = self._recent.popitem(last=False)
            self._recent_pieces -= 1 + len(oldest.weights)

    def _run(self, distinct: Sequence[tuple[str | None, str]]) -> dict[tuple[str | None, str], TokenWeights]:
        if not distinct:
            return {}
        # Answers and questions are encoded together.
        asked = [] if self._head.question is None else list(dict.fromkeys(question for question, _ in distinct))
        texts = [question for question in asked if question is not None]
        encoded = self._encoder.encode([*(answer for _, answer in distinct), *texts], self._head.layer)
        answers = encoded[: len(distinct)]
        questions = self._questions(dict(zip(texts, encoded[len(distinct) :], strict=True)))
        logits = self._logits([questions[question] for question, _ in distinct], answers)
        return {
            pair: TokenWeights(made.spans[1:-1], weights)
            for pair, made, weights in zip(distinct, answers, self._weights(logits), strict=True)
        }

    def _questions(self, encoded: Mapping[str, TokenEmbeddings]) -> dict[str | None, Beside]:
        """Return what the answers to each question attend to; for no question, nothing."""
        if self._head.question is None:
            return {None: {}}
        widths = self._runtime.widths(self._head.question, self._head.weights)
        nothing = {name: np.zeros((0, width), np.float32) for name, width in widths.items()}
        step = Step(self._head.question, self._head.weights, tuple(widths))
        longest = self._encoder.model.longest
        self.notes.add(CUT_QUESTION, (text for text, made in encoded.items() if len(made.ids) > longest))
        items = [
            {"states": each.states if len(each.ids) <= longest else each.states[:longest]} for each in encoded.values()
        ]
        made = self._runtime.run([step], items, tuple(widths))
        return {
            None: nothing,
            **{text: dict(zip(widths, found, strict=True)) for text, found in zip(encoded, made, strict=True)},
        }

    def _logits(self, questions: Sequence[Beside], answers: Sequence[TokenEmbeddings]) -> list[Floats]:
        """Return a logit for each piece of each answer, without special tokens; long ones are read in windows."""
        step = Step(self._head.answer, self._head.weights, ("logits",))
        longest = self._encoder.model.longest
        places = [windows(len(answer.ids) - _SPECIAL_TOKENS, longest - _SPECIAL_TOKENS) for answer in answers]
        items = [
            {"states": _windowed(answer, window, whole=len(found) == 1), **question}
            for question, answer, found in zip(questions, answers, places, strict=True)
            for window in found
            if len(answer.ids) > _SPECIAL_TOKENS
        ]
        made = iter(self._runtime.fetch([rows for (rows,) in self._runtime.run([step], items, ["logits"])]))
        logits = []
        for answer, found in zip(answers, places, strict=True):
            if len(found) == 1 and len(answer.ids) > _SPECIAL_TOKENS:
                logits.append(next(made)[1:-1, 0])
                continue
            inner = np.empty(len(answer.ids) - _SPECIAL_TOKENS)
            for window in found if len(inner) else ():
                low, high = window.kept_from - window.start, window.kept_to - window.start
                inner[window.kept_from : window.kept_to] = next(made)[1 + low : 1 + high, 0]
            logits.append(inner)
        return logits

    def _weights(self, logits: Sequence[Floats]) -> list[Floats]:
        """Return the softmax of each answer's logits."""
        lengths = lengths_of(logits)
        filled = lengths[lengths > 0]
        if not len(filled):
            return [np.zeros(0) for _ in logits]
        flat = np.concatenate(logits).astype(np.float64)
        starts = np.cumsum(filled) - filled
        highest = np.repeat(np.maximum.reduceat(flat, starts), filled)
        raised = np.exp((flat - highest) / self._head.temperature)
        return cut_rows(raised / np.repeat(_sums(raised, filled), filled), lengths)


def _sums(flat: Floats, lengths: Ints) -> Floats:
    """Return the sum of each row; those of one length together, so that the others' have no part in its last bits."""
    starts, sums = np.cumsum(lengths) - lengths, np.zeros(len(lengths))
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        sums[rows] = flat[starts[rows, None] + np.arange(length)].sum(axis=1)
    return sums


def _windowed(answer: TokenEmbeddings, window: Window, *, whole: bool) -> Rows:
    """Return the states of a window between the answer's special tokens."""
    if whole:
        return answer.states
    return cast("Rows", answer.states[np.r_[0, 1 + window.start : 1 + window.end, len(answer.ids) - 1]])
