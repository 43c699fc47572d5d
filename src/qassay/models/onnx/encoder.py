"""The encoder of a model folder: texts to token embeddings, on whatever runs its graphs."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import ModelError, TextTooLongError
from qassay.models.base import WINDOWED, ModelNotes, TokenEmbeddings, windows
from qassay.models.folder import BELOW, DESCRIPTION, IDS, TOKENIZER, fingerprint
from qassay.models.onnx.runtime import OnnxRuntime
from qassay.models.onnx.word_pieces import PieceCutter
from qassay.models.runtime import Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Ints
    from qassay.models.base import Vectors, Window
    from qassay.models.runtime import Rows, Runtime

_SPECIAL_TOKENS = 2
MOST_PIECES = 500_000
"""The most characters of one text: a long book, whose states take two gigabytes with what metrics compute on them."""


class OnnxEncoder:
    """Token embeddings from an ONNX model folder."""

    english = True

    def __init__(self, ref: str, folder: Path, threads: int | None = None, runtime: Runtime | None = None) -> None:
        self.ref = ref
        self.runtime: Runtime = runtime or OnnxRuntime(folder, threads)
        self.model = self.runtime.model
        self.layers = max(self.model.graphs)
        self.default_layer = self.model.default_layer
        self.notes = ModelNotes()
        self._recent: OrderedDict[tuple[str, int], TokenEmbeddings] = OrderedDict()
        self._recent_bytes = 0
        self._checked: dict[int, Step] = {}

    @cached_property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer."""
        return fingerprint(self.runtime.folder / TOKENIZER, self.runtime.folder / self.model.weights)

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - the library's class is not typed
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy, loaded when a model runs

        path = self.runtime.folder / TOKENIZER
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as problem:  # the library raises plain Exception
            raise ModelError(f"{path}: damaged, or not a tokenizer: {problem}") from problem
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if tokenizer.token_to_id("[CLS]") is None or tokenizer.token_to_id("[SEP]") is None:
            raise ModelError(f"{path}: this tokenizer has no [CLS] and [SEP]; the model must be a BERT")
        return tokenizer

    def pieces(self, text: str) -> list[str]:
        """Cut a text into the model's word pieces, without special tokens."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def cut(self, texts: Sequence[str]) -> list[Ints]:
        """Return the ids of the texts' word pieces, without special tokens."""
        return [each.ids[1:-1] for each in self._cutter.cut(texts)]

    def cut_with_spans(self, texts: Sequence[str]) -> list[tuple[Ints, Ints]]:
        """Return the same with each piece's start and end in its text, in characters."""
        return [(each.ids[1:-1], each.spans[1:-1]) for each in self._cutter.cut(texts)]

    @property
    def vocabulary(self) -> dict[str, int]:
        """The model's word pieces with their numbers."""
        return dict(self._tokenizer.get_vocab())

    @property
    def special_tokens(self) -> tuple[int, int]:
        """The ids of the special tokens before and after a text."""
        return self._cutter.special_tokens

    def encode(self, texts: Sequence[str], layer: int) -> list[TokenEmbeddings]:
        """Return each text's embeddings at a layer; equal texts run once, and recent ones not again."""
        if layer not in self.model.graphs:
            raise ModelError(f"{self.ref} has layers {min(self.model.graphs)} to {self.layers}, not {layer}")
        found = {text: self._recall(text, layer) for text in dict.fromkeys(texts)}
        new = [text for text, known in found.items() if known is None]
        if new:
            found |= self._run(new, layer)
        longest = self.model.longest
        self.notes.add(WINDOWED, (text for text, made in found.items() if made and len(made.ids) > longest))
        return [known for text in texts if (known := found[text]) is not None]

    def match(self, texts: Sequence[TokenEmbeddings], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
        """Return each token's highest similarity with a token of the other text of its pair."""
        return self.runtime.match([each.states for each in texts], left, right)

    def steps(self, layer: int, ids: str = IDS, states: str = "states") -> list[Step]:
        """Return the graphs from word pieces, with their special tokens, to the states of a layer.

        `ids` and `states` are what these are called among the values of an item, which has at most as many pieces as
        the model reads at once.
        """
        first, *higher = (self._step(stop) for stop in self._stops(layer))
        if not higher:
            return [first._replace(gives=(states,), takes=((IDS, ids),))]
        below = f"{states} {BELOW}"
        return [
            first._replace(gives=(below,), takes=((IDS, ids),)),
            higher[0]._replace(gives=(states,), takes=((BELOW, below),)),
        ]

    def _run(self, texts: Sequence[str], layer: int) -> dict[str, TokenEmbeddings]:
        """Run texts up to a layer; the default one, for which most metrics ask, is remembered in passing."""
        stops = self._stops(layer)
        begun = {text: known for text in texts if (known := self._recall(text, stops[0]))}
        self._forget()
        cut = self._cut([text for text in texts if text not in begun])
        states = self._states(cut, stops) | self._continued(begun, stops)
        # What was asked for is remembered last, and so is forgotten last.
        for number, stop in enumerate(stops):
            made = {}
            for text in texts:
                ids, spans, _, special = cut.get(text) or begun[text]
                made[text] = one = TokenEmbeddings(ids, spans, states[text][number], special)
                if stop == layer or text not in begun:
                    self._remember(text, stop, one)
        return made

    def _states(self, texts: Mapping[str, TokenEmbeddings], stops: Sequence[int]) -> dict[str, Sequence[Rows]]:
        """Run word pieces; return each text's states at each of the layers."""
        steps = self.steps(stops[-1])
        wanted = [step.gives[0] for step in steps]
        ranges = {text: windows(len(each.ids) - _SPECIAL_TOKENS, self._room) for text, each in texts.items()}
        items = [
            {IDS: _framed(texts[text].ids, window) if len(found) > 1 else texts[text].ids}
            for text, found in ranges.items()
            for window in found
        ]
        made = iter(self.runtime.run(steps, items, wanted))
        states: dict[str, Sequence[Rows]] = {}
        for text, found in ranges.items():
            parts = [next(made) for _ in found]
            inner = len(texts[text].ids) - _SPECIAL_TOKENS
            states[text] = parts[0] if len(found) == 1 else self._joined(found, parts, inner)
        return states

    def _joined(self, found: Sequence[Window], parts: Sequence[Sequence[Rows]], inner: int) -> list[Rows]:
        """Put the kept parts of a long text's windows together, at each layer."""
        joined = []
        for number in range(len(parts[0])):
            kept = []
            for window, part in zip(found, parts, strict=True):
                # The first window also gives the special token before the text, the last one that after it.
                low = window.kept_from + (window.kept_from > 0)
                high = window.kept_to + 1 + (window.kept_to == inner)
                kept.append(part[number][low - window.start : high - window.start])
            joined.append(self.runtime.join(kept))
        return joined

    def _continued(self, texts: Mapping[str, TokenEmbeddings], stops: Sequence[int]) -> dict[str, Sequence[Rows]]:
        """Go on from known states at the first of the layers; a text that is read in windows begins again."""
        longest = self.model.longest
        again = self._states({text: each for text, each in texts.items() if len(each.ids) > longest}, stops)
        known = {text: each.states for text, each in texts.items() if text not in again}
        higher = [self._step(stop)._replace(gives=("states",)) for stop in stops[1:]]
        if not higher:
            return again | {text: [rows] for text, rows in known.items()}
        made = self.runtime.run(higher, [{BELOW: rows} for rows in known.values()], ["states"])
        return again | {text: [rows, *found] for (text, rows), found in zip(known.items(), made, strict=True)}

    def _cut(self, texts: Sequence[str]) -> dict[str, TokenEmbeddings]:
        """Cut texts into word pieces, which have no states yet."""
        nothing = np.zeros((0, self.model.width), np.float32)
        pieces = dict(zip(texts, self._cutter.cut(texts), strict=True))
        lengths = {text: len(cut.ids) - _SPECIAL_TOKENS for text, cut in pieces.items()}
        if beyond := [text for text, length in lengths.items() if length > MOST_PIECES]:
            raise TextTooLongError(beyond, lengths[beyond[0]], MOST_PIECES)
        return {text: TokenEmbeddings(cut.ids, cut.spans, nothing, cut.special) for text, cut in pieces.items()}

    @property
    def _room(self) -> int:
        return self.model.longest - _SPECIAL_TOKENS

    @cached_property
    def _cutter(self) -> PieceCutter:
        return PieceCutter(self._tokenizer)

    def _stops(self, layer: int) -> list[int]:
        """Return the layers where graphs end on the way to a layer: itself, and before it the default if lower."""
        return sorted({min(layer, self.default_layer), layer})

    def _step(self, layer: int) -> Step:
        """Return the graph that ends at a layer, after checking what it gives."""
        if layer not in self._checked:
            step = Step(self.model.graphs[layer], self.model.weights, ("states",))
            (width,) = self.runtime.widths(step.graph, step.weights).values()
            if width != self.model.width:
                raise ModelError(
                    f"{self.runtime.folder / step.graph}: gives vectors of {width} numbers, where "
                    f"{DESCRIPTION} says {self.model.width}; export the model again"
                )
            self._checked[layer] = step
        return self._checked[layer]

    def _recall(self, text: str, layer: int) -> TokenEmbeddings | None:
        known = self._recent.get((text, layer))
        if known is not None:
            self._recent.move_to_end((text, layer))
        return known

    def _remember(self, text: str, layer: int, made: TokenEmbeddings) -> None:
        self._recent[text, layer] = made
        self._recent_bytes += made.states.nbytes

    def _forget(self) -> None:
        """Make room in the cache for the next texts, which other metrics will need again."""
        while self._recent_bytes > self.runtime.kept_bytes:
            _, oldest = self._recent.popitem(last=False)
            self._recent_bytes -= oldest.states.nbytes


def _framed(ids: Ints, window: Window) -> Ints:
    """Return the word pieces of a window between the text's special tokens."""
    return np.concatenate([ids[:1], ids[1 + window.start : 1 + window.end], ids[-1:]])
