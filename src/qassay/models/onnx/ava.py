"""AVA's models on the embedded encoder (Vu and Moschitti 2021): pairs of texts, read on in tuned layers without torch.

A folder may hold several of the paper's designs, each a graph over the states of its pairs; graphs may share weights.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import numpy as np

from qassay.errors import ModelError
from qassay.models.base import windows
from qassay.models.folder import IDS, TOKENIZER, check_file_names, fingerprint, read_description
from qassay.models.hf.judge_design import ROLE_OF_LETTER, design_named
from qassay.models.onnx.judge import NEAREST
from qassay.models.onnx.judge_segments import ROLES, piece_kinds, segment_ids, text_keys
from qassay.models.runtime import Step
from qassay.text.split_joined import split_joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Floats, Ints
    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.onnx.judge import JudgeInput

DESCRIPTION = "ava_heads.json"
_SPECIAL_TOKENS = 2
_READ = ("question", "reference", "candidate")


class AvaHead(msgspec.Struct, frozen=True):
    """One design of a model folder: states of `layer` for each of its pairs, read on in a graph."""

    layer: int
    graph: str
    weights: str
    longest: dict[str, int]
    """How many pieces of each text are read, including its two special tokens."""
    scale: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    """What logits are multiplied with, so that probabilities are as sure as they may be."""

    def __post_init__(self) -> None:
        check_file_names(self.graph, self.weights)


class AvaHeads(msgspec.Struct, frozen=True):
    """The designs of a model folder, by name."""

    designs: dict[str, AvaHead]


def read_heads(folder: Path) -> AvaHeads:
    """Return the designs that a folder holds; none where it has no description of them."""
    path = folder / DESCRIPTION
    return read_description(path, AvaHeads, absent="") if path.is_file() else AvaHeads({})


class _Text(NamedTuple):
    pieces: Ints
    keys: Ints


Row = tuple["Ints", "Ints"]
"""The pieces of a pair of texts with their segment ids."""


class OnnxAva:
    """One of AVA's designs in an ONNX model folder."""

    english = True
    reads_assertions = False

    def __init__(self, encoder: OnnxEncoder, kind: str) -> None:
        heads = read_heads(encoder.runtime.folder).designs
        if kind not in heads:
            raise ModelError(
                f"{encoder.ref} has no model of kind {kind}; train one with `qassay train ava --kind {kind}`"
            )
        self.ref = encoder.ref
        self.kind = kind
        self.notes = encoder.notes
        """The encoder's own, which counts for both."""
        self._head = heads[kind]
        for name in (self._head.graph, self._head.weights):
            if not (path := encoder.runtime.folder / name).is_file():
                raise ModelError(f"{path}: this file is missing; install or export the model again")
        self._pairs = design_named(kind).pairs
        self._encoder = encoder
        self._runtime = encoder.runtime

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and design, of the design's graph and scale, and of the tokenizer."""
        names = (TOKENIZER, self._encoder.model.weights, self._head.weights, self._head.graph)
        return fingerprint(*(self._runtime.folder / name for name in names), f"{self._head.scale}")

    def judge(self, pairs: Sequence[JudgeInput]) -> Floats:
        """Return the logit of each candidate being right; equal pairs run once."""
        return np.asarray(self.parts(pairs).sum(axis=1), np.float64)

    def parts(self, pairs: Sequence[JudgeInput]) -> Floats:
        """Return what the bias and each reading of a pair of texts add to the logit: (pairs, 1 + readings)."""
        distinct = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        texts = self._cut([text for pair in distinct for role in _READ if (text := getattr(pair, role)).strip()])
        rows = [self._rows(pair, texts) for pair in distinct]
        return self._head.scale * self._run(rows)[np.array([distinct[pair] for pair in pairs], np.int64)]

    @cached_property
    def _kinds(self) -> Any:  # noqa: ANN401 - an array of numpy's
        return piece_kinds(self._encoder.vocabulary)

    def _cut(self, texts: Sequence[str]) -> dict[str, _Text]:
        distinct = list(dict.fromkeys(texts))
        cut = self._encoder.cut([split_joined(text) for text in distinct])
        keys = text_keys(cut, self._kinds)
        return {text: _Text(*found) for text, *found in zip(distinct, cut, keys, strict=True)}

    def _rows(self, pair: JudgeInput, texts: Mapping[str, _Text]) -> list[Row]:
        """Return one row for each of the design's pairs of texts."""
        found = {role: texts[words] for role in _READ if (words := getattr(pair, role)).strip()}
        short = {role: self._shortened(role, pair, found) for role in found}
        return [self._row([ROLE_OF_LETTER[letter] for letter in each if letter != "-"], short) for each in self._pairs]

    def _shortened(self, role: str, pair: JudgeInput, texts: Mapping[str, _Text]) -> _Text:
        """Return as much of a text as is read: of a long one the part nearest to the text that it is compared with."""
        text, room = texts[role], self._head.longest[role] - _SPECIAL_TOKENS
        if len(text.pieces) <= room:
            return text
        other = texts.get("candidate" if role == "reference" else "reference")
        shared = np.isin(text.keys, other.keys) & (text.keys != 0) if other else np.zeros(len(text.keys), bool)
        near = max(windows(len(text.keys), room), key=lambda window: int(shared[window.start : window.end].sum()))
        self.notes.add(NEAREST, [getattr(pair, role)])
        return _Text(text.pieces[near.start : near.end], text.keys[near.start : near.end])

    def _row(self, roles: Sequence[str], texts: Mapping[str, _Text]) -> Row:
        """Return the texts of some roles in their order: `[CLS] text [SEP] text [SEP]`."""
        found = {role: texts[role] for role in roles if role in texts}
        before, after = self._encoder.special_tokens
        # Every text ends in a special token, which matches nothing; the first one also begins with one.
        segments = segment_ids({role: np.append(text.keys, 0) for role, text in found.items()})
        pieces = [np.append(text.pieces, after) for text in found.values()]
        first = ROLES.index(next(iter(found), roles[0]))
        return np.concatenate([[before], *pieces]), np.concatenate([[4 * first], *segments.values()])

    def _run(self, rows: Sequence[Sequence[Row]]) -> Floats:
        """Return the parts of the logit of each row of pairs of texts."""
        count, layer = len(self._pairs), self._head.layer
        steps = [
            step for number in range(count) for step in self._encoder.steps(layer, f"{IDS}{number}", f"states{number}")
        ]
        steps.append(Step(self._head.graph, self._head.weights, ("parts",)))
        items = []
        for each in rows:
            pieces = {f"{IDS}{number}": pieces for number, (pieces, _) in enumerate(each)}
            items.append(pieces | {f"marks{number}": segments for number, (_, segments) in enumerate(each)})
        made = self._runtime.fetch([parts for (parts,) in self._runtime.run(steps, items, ["parts"])])
        return np.array([parts.reshape(-1) for parts in made], np.float64)
