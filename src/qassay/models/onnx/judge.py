"""The embedded judge: reads reference, question and candidate together; returns how likely the candidate is right.

With a context it is LERC's reader as well: the passage that the question is about is read behind the candidate.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

import msgspec
import numpy as np

from qassay.models.base import ModelNotes, windows
from qassay.models.folder import IDS, TOKENIZER, check_file_names, fingerprint, read_description
from qassay.models.onnx.judge_rows import PairTexts, PieceText, judge_rows
from qassay.models.onnx.judge_segments import ROLES, piece_kinds, text_keys
from qassay.models.runtime import Step, single_values
from qassay.text.split_joined import moved_spans, split_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Floats, Ints
    from qassay.models.onnx.encoder import OnnxEncoder

DESCRIPTION = "judge.json"
JudgeOutput = Literal["logit", "rating"]
"""What a network puts out: the logit of being right, or a rating from 0 to 1 (Chen et al. 2020)."""
LOGIT: JudgeOutput = "logit"
RATING: JudgeOutput = "rating"
_LEAST = 1e-6
"""The lowest rating that a logit stands for, as far from 0 as the highest is from 1."""
NEAREST = "texts longer than the judge reads, of which it read the part nearest to the other text"
_SPECIAL_TOKENS = 2


class JudgeInput(NamedTuple):
    """A candidate to be judged against one reference."""

    question: str
    """Empty for none."""
    reference: str
    candidate: str
    context: str = ""
    """Empty for none."""
    asserted: tuple[tuple[int, int], ...] | None = None
    """Where the candidate asserts something, in characters; nowhere where that is empty, all of it for None."""


class Judge(Protocol):
    """(question, reference, candidate) to logits of the candidate being right."""

    ref: str
    notes: ModelNotes
    english: bool
    """Whether it reads English only."""
    reads_assertions: bool
    """Whether it is told what a candidate asserts."""

    @property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer, which enters signatures."""

    def judge(self, pairs: Sequence[JudgeInput]) -> Floats:
        """Return the logit of each candidate being right."""


class JudgeHead(msgspec.Struct, frozen=True, omit_defaults=True):
    """The judge of a model folder: states of `layer` for the texts in a row, read on in a graph."""

    layer: int
    graph: str
    weights: str
    longest: dict[str, int]
    """How many pieces of each text are read, including its two special tokens."""
    output: JudgeOutput = LOGIT
    asserted: bool = False
    """Whether the pieces that a candidate asserts are marked."""

    def __post_init__(self) -> None:
        check_file_names(self.graph, self.weights)


def as_logits(outputs: Floats, kind: JudgeOutput) -> Floats:
    """Return a network's outputs as logits; a rating beyond 0 or 1 counts as that."""
    if kind == LOGIT:
        return outputs
    ratings = np.clip(outputs, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(ratings) - np.log1p(-ratings), np.float64)


class OnnxJudge:
    """The judge of an ONNX model folder."""

    english = True

    def __init__(self, encoder: OnnxEncoder) -> None:
        path = encoder.runtime.folder / DESCRIPTION
        self._head = read_description(
            path, JudgeHead, absent=f"{encoder.ref} has no judge; train one with `qassay train judge`"
        )
        self.ref = encoder.ref
        self.notes = encoder.notes
        """The encoder's own, which counts for both."""
        self.reads_assertions = self._head.asserted
        self._encoder = encoder
        self._runtime = encoder.runtime

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and judge, and of the tokenizer."""
        folder = self._runtime.folder
        return fingerprint(*(folder / name for name in (TOKENIZER, self._encoder.model.weights, self._head.weights)))

    def judge(self, pairs: Sequence[JudgeInput]) -> Floats:
        """Return the logit of each candidate being right; equal pairs run once."""
        distinct = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        texts = self._cut([text for pair in distinct for role in ROLES if (text := getattr(pair, role)).strip()])
        rows = self._rows(list(distinct), texts)
        found = as_logits(self._outputs(rows), self._head.output)
        return found[np.array([distinct[pair] for pair in pairs], np.int64)]

    @property
    def _kinds(self) -> NDArray[np.uint8]:
        return _kinds_of(self._encoder)

    def _cut(self, texts: Sequence[str]) -> dict[str, PieceText]:
        distinct = list(dict.fromkeys(texts))
        parted = split_all(distinct)
        cut = self._encoder.cut_with_spans(parted)
        keys = text_keys([pieces for pieces, _ in cut], self._kinds)
        return {
            text: PieceText(pieces, key, spans, parted=made is not text)
            for text, made, (pieces, spans), key in zip(distinct, parted, cut, keys, strict=True)
        }

    def _rows(self, pairs: Sequence[JudgeInput], texts: Mapping[str, PieceText]) -> list[tuple[Ints, Ints]]:
        """Return the pieces of each pair's texts in one row, with their segment ids."""
        fitted = [self._fitted(pair, texts) for pair in pairs]
        return judge_rows(fitted, self._encoder.special_tokens, marks_assertions=self.reads_assertions)

    def _fitted(self, pair: JudgeInput, texts: Mapping[str, PieceText]) -> PairTexts:
        """Return a pair's texts that are not blank, as much of each as the judge reads."""
        found = {role: texts[words] for role in ROLES if (words := getattr(pair, role)) in texts}
        spans = None
        if self.reads_assertions and pair.asserted is not None:
            parted = "candidate" in found and found["candidate"].parted
            spans = tuple(moved_spans(pair.candidate, pair.asserted)) if parted else pair.asserted
        room = self._encoder.model.longest - 1
        for role, text in found.items():
            longest = min(self._head.longest[role] - _SPECIAL_TOKENS, room - 1)
            if len(text.pieces) > longest:
                if role == "candidate" and spans:
                    part = around(_asserted(text, spans), longest)
                else:
                    part = _nearest(text, found.get("candidate" if role == "reference" else "reference"), longest)
                found[role] = PieceText(text.pieces[part], text.keys[part], text.spans[part])
                self.notes.add(NEAREST, [getattr(pair, role)])
            room -= min(len(text.pieces), longest) + 1
        return PairTexts(tuple(map(ROLES.index, found)), tuple(found.values()), spans)

    @property
    def step(self) -> Step:
        """The graph that reads on from the encoder's states."""
        return Step(self._head.graph, self._head.weights, ("output",))

    def _outputs(self, rows: Sequence[tuple[Ints, Ints]]) -> Floats:
        """Run the network on the pieces and segment ids of each pair."""
        steps = [*self._encoder.steps(self._head.layer), self.step]
        items = [{IDS: pieces, "marks_of_pieces": segments} for pieces, segments in rows]
        made = self._runtime.run(steps, items, ["output"])
        return single_values(self._runtime.fetch([output for (output,) in made]))


@lru_cache(maxsize=4)
def _kinds_of(encoder: OnnxEncoder) -> NDArray[np.uint8]:
    """Read the whole vocabulary once per model, for all its judges."""
    return piece_kinds(encoder.vocabulary)


def _asserted(candidate: PieceText, spans: Sequence[tuple[int, int]]) -> Bools:
    """Return which pieces of the candidate stand in some spans."""
    found = np.zeros(len(candidate.pieces), bool)
    for start, end in spans:
        found |= (candidate.spans[:, 0] < end) & (candidate.spans[:, 1] > start)
    return found


def around(asserted: Bools, room: int) -> slice:
    """Return the window of `room` pieces in whose middle the asserted ones stand."""
    places = np.flatnonzero(asserted)
    middle = int(places[0] + places[-1]) // 2 if len(places) else 0
    start = min(max(0, middle - room // 2), len(asserted) - room)
    return slice(start, start + room)


def _nearest(text: PieceText, other: PieceText | None, room: int) -> slice:
    """Return the window of a long text that shares most words with the other text; the first of equals."""
    shared = np.isin(text.keys, other.keys) & (text.keys != 0) if other else np.zeros(len(text.keys), bool)
    near = max(windows(len(text.keys), room), key=lambda window: int(shared[window.start : window.end].sum()))
    return slice(near.start, near.end)
