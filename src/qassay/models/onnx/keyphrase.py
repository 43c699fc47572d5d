"""Keyphrase weights from the embedded runtime (KPQA: Lee et al. 2021; here question and answer meet in late layers).

Both texts are encoded by themselves; in the layers above, the answer's tokens also attend to the question's. What they
attend to depends on the question alone and is computed once for all its answers.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import ModelError
from qassay.models.base import CUT_QUESTION, WINDOWED, TokenWeights, windows
from qassay.models.folder import TOKENIZER, KeyphraseHead, fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.arrays import Floats
    from qassay.models.base import TokenEmbeddings, Vectors
    from qassay.models.onnx.encoder import OnnxEncoder

    Beside = Mapping[str, Vectors]

_SPECIAL_TOKENS = 2
_KEPT_PIECES = 1 << 20
"""Of recent pairs: the references of a question come back with every system's answer to it."""


class OnnxWeigher:
    """Token weights from the keyphrase head of an ONNX model folder: a softmax over the answer's word pieces."""

    english = True

    def __init__(self, encoder: OnnxEncoder) -> None:
        if encoder.model.keyphrase is None:
            raise ModelError(f"{encoder.ref} has no keyphrase head; train one with `qassay train keyphrase`")
        self.ref = encoder.ref
        self._encoder = encoder
        self._head: KeyphraseHead = encoder.model.keyphrase
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
        layer = self._head.layer
        answers = self._encoder.encode([answer for _, answer in distinct], layer)
        questions = self._questions([question for question, _ in distinct if question is not None])
        jobs = [(questions[question], made) for (question, _), made in zip(distinct, answers, strict=True)]
        logits = self._runtime.parallel(lambda job: self._logits(*job), jobs, [len(made.ids) for _, made in jobs])
        return {
            pair: TokenWeights(made.spans[1:-1], self._weights(row))
            for pair, made, row in zip(distinct, answers, logits, strict=True)
        }

    def _questions(self, texts: Sequence[str]) -> dict[str | None, Beside]:
        """Return what the answers to each question attend to; for no question, nothing."""
        session = self._runtime.session(self._head.question, self._head.weights)
        widths = {output.name: output.shape[2] for output in session.get_outputs()}
        nothing = {name: np.zeros((1, 0, width), np.float32) for name, width in widths.items()}
        distinct = list(dict.fromkeys(texts))
        longest = self._encoder.model.longest

        def attended(made: TokenEmbeddings) -> Beside:
            return dict(zip(widths, session.run(None, {"states": made.vectors[None, :longest]}), strict=True))

        states = self._encoder.encode(distinct, self._head.layer)
        lengths = [len(made.ids) for made in states]
        self.notes.add(CUT_QUESTION, (text for text, size in zip(distinct, lengths, strict=True) if size > longest))
        made = self._runtime.parallel(attended, states, lengths)
        return {None: nothing, **dict(zip(distinct, made, strict=True))}

    @cached_property
    def _answer_session(self) -> Any:  # noqa: ANN401 - the library's class is not typed
        return self._runtime.session(self._head.answer, self._head.weights)

    def _logits(self, question: Beside, answer: TokenEmbeddings) -> Floats:
        inner = answer.vectors[1:-1]
        logits = np.empty(len(inner))
        if not len(inner):
            return logits
        if len(answer.vectors) <= self._encoder.model.longest:
            (made,) = self._answer_session.run(None, {"states": answer.vectors[None], **question})
            return np.asarray(made[0, 1:-1, 0], np.float64)
        for window in windows(len(inner), self._encoder.model.longest - 2):
            states = np.concatenate([answer.vectors[:1], inner[window.start : window.end], answer.vectors[-1:]])
            (made,) = self._answer_session.run(None, {"states": states[None], **question})
            low, high = window.kept_from - window.start, window.kept_to - window.start
            logits[window.kept_from : window.kept_to] = made[0, 1 + low : 1 + high, 0]
        return logits

    def _weights(self, logits: Floats) -> Floats:
        if not len(logits):
            return logits
        raised = np.exp((logits - logits.max()) / self._head.temperature)
        weights: Floats = raised / raised.sum()
        return weights
