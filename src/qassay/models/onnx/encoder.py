"""The embedded runtime: models in ONNX on the CPU, without torch.

Texts run one by one, in parallel threads. On a CPU that is as fast as batches, wastes nothing on padding, and makes a
text's result independent of its neighbours (dynamic quantisation takes its ranges from all that runs together).
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from threading import Event, Lock, local
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qassay.errors import ModelError, TextTooLongError
from qassay.models.base import WINDOWED, ModelNotes, TokenEmbeddings, windows
from qassay.models.folder import BELOW, DESCRIPTION, IDS, TOKENIZER, OnnxModel, fingerprint
from qassay.models.onnx.library import onnxruntime_library
from qassay.models.onnx.weight_file import read_weights
from qassay.models.onnx.word_pieces import PieceCutter
from qassay.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from qassay.arrays import Ints
    from qassay.models.base import Vectors

Item = TypeVar("Item")
Result = TypeVar("Result")

_KEPT_BYTES = 96 << 20
_SPECIAL_TOKENS = 2
MOST_PIECES = 500_000
"""The most characters of one text: a long book, whose states take two gigabytes with what metrics compute on them."""


_thread = local()
"""What this thread works for: the event that ends the work, where it is one of many threads."""


class _ThreadStopped(BaseException):
    """Ends the work of a thread when another one, or Ctrl-C, has ended the whole."""


@contextmanager
def _setting(stopped: Event) -> Iterator[None]:
    """Set an event when something ends the block early."""
    try:
        yield
    except BaseException:
        stopped.set()
        raise


class Session:
    """An open graph. Where it does not run, the error names its folder, which may mix files of several models."""

    def __init__(self, path: Path, session: Any) -> None:  # noqa: ANN401 - the library's class is not typed
        self._path = path
        self._session = session
        self.get_outputs = session.get_outputs

    def run(self, outputs: Sequence[str] | None, given: dict[str, Any]) -> list[Any]:
        """Run the graph as the library does, unless the work of this thread has been interrupted."""
        if (stopped := getattr(_thread, "stopped", None)) and stopped.is_set():
            raise _ThreadStopped
        try:
            return list(self._session.run(outputs, given))
        except Exception as problem:  # onnxruntime raises a class of its own for every kind of trouble
            raise ModelError(
                f"{self._path}: does not run with the files beside it: {problem}; export the model again"
            ) from problem


class Runtime:
    """Sessions over the graphs of one folder, opened when first needed, and the threads that run them."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        self.folder = folder
        self.model = OnnxModel.read(folder)
        self.threads = threads or default_threads()
        self._sessions: dict[str, Session] = {}
        self._opening = Lock()

    def session(self, graph: str, weights: str) -> Session:
        """Open a graph over the file of its weights."""
        if graph not in self._sessions:
            with self._opening:
                if graph not in self._sessions:
                    self._sessions[graph] = self._open(self.folder / graph, self.folder / weights)
        return self._sessions[graph]

    def _open(self, graph: Path, weights: Path) -> Session:
        onnxruntime = onnxruntime_library()
        options = onnxruntime.SessionOptions()
        # Parallel over texts: each run uses one thread, and waiting threads do not spin.
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        # What goes wrong is raised, and said once.
        options.log_severity_level = 4
        # Of the higher levels' fusions only the one of adding and normalising applies, and it is slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        arrays = read_weights(weights, graph.read_bytes())
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
        options.add_external_initializers(list(arrays), values)
        try:
            return Session(graph, onnxruntime.InferenceSession(graph, options, ["CPUExecutionProvider"]))
        except Exception as problem:  # onnxruntime raises a class of its own for every kind of damage
            raise ModelError(f"{graph}: damaged, or not a graph that this onnxruntime reads: {problem}") from problem

    def parallel(self, work: Callable[[Item], Result], items: Sequence[Item], sizes: Sequence[int]) -> list[Result]:
        """Do the work for all items, the largest first, and return the results in the items' order.

        A thread takes the next item when it is done with one, so that one on a busy processor holds up no other. On
        Ctrl-C threads end when a graph has run, and do not finish a long text first.
        """
        stopped = Event()
        waiting = iter(sorted(range(len(items)), key=lambda index: -sizes[index]))
        results: dict[int, Result] = {}

        def share(_: int) -> None:
            _thread.stopped = stopped
            with suppress(_ThreadStopped), _setting(stopped):
                for index in waiting:
                    results[index] = work(items[index])

        if self.threads == 1 or len(items) == 1:
            return [work(item) for item in items]
        with ThreadPoolExecutor(self.threads) as pool, _setting(stopped):
            list(pool.map(share, range(self.threads)))
        return [results[index] for index in range(len(items))]


class OnnxEncoder:
    """Token embeddings from an ONNX model folder."""

    english = True

    def __init__(self, ref: str, folder: Path, threads: int | None = None) -> None:
        self.ref = ref
        self.runtime = Runtime(folder, threads)
        self.model = self.runtime.model
        self.layers = max(self.model.graphs)
        self.default_layer = self.model.default_layer
        self.notes = ModelNotes()
        self._recent: OrderedDict[tuple[str, int], TokenEmbeddings] = OrderedDict()
        self._recent_bytes = 0
        self._checked: dict[int, Session] = {}

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

    def states(self, ids: Ints, layer: int) -> Vectors:
        """Run word pieces with their special tokens, at most as many as the model reads at once, up to a layer."""
        return _climb(ids, [self._session(stop) for stop in self._stops(layer)])[-1]

    def _run(self, texts: Sequence[str], layer: int) -> dict[str, TokenEmbeddings]:
        """Run texts up to a layer; the default one, for which most metrics ask, is remembered in passing."""
        stops = self._stops(layer)
        begun = {text: known for text in texts if (known := self._recall(text, stops[0]))}
        self._forget()
        cut = begun | self._cut([text for text in texts if text not in begun])
        chosen = [cut[text] for text in texts]
        sessions = [self._session(stop) for stop in stops]
        states = self.runtime.parallel(
            lambda one: self._run_sessions(one, sessions), chosen, [len(one.ids) for one in chosen]
        )
        # What was asked for is remembered last, and so is forgotten last.
        for number, stop in enumerate(stops):
            made = {
                text: TokenEmbeddings(one.ids, one.spans, vectors[number], one.special)
                for text, one, vectors in zip(texts, chosen, states, strict=True)
            }
            for text, one in made.items():
                if stop == layer or text not in begun:
                    self._remember(text, stop, one)
        return made

    def _cut(self, texts: Sequence[str]) -> dict[str, TokenEmbeddings]:
        """Cut texts into word pieces, which have no vectors yet."""
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

    def _session(self, layer: int) -> Session:
        if layer not in self._checked:
            self._checked[layer] = self._open_session(layer)
        return self._checked[layer]

    def _open_session(self, layer: int) -> Session:
        session = self.runtime.session(self.model.graphs[layer], self.model.weights)
        width = session.get_outputs()[0].shape[-1]
        if width != self.model.width:
            raise ModelError(
                f"{self.runtime.folder / self.model.graphs[layer]}: gives vectors of {width} numbers, where "
                f"{DESCRIPTION} says {self.model.width}; export the model again"
            )
        return session

    def _run_sessions(self, text: TokenEmbeddings, sessions: Sequence[Session]) -> list[Vectors]:
        """Return a text's states after each session, going on from those that it has, which are of the first."""
        ids, inner = text.ids, len(text.ids) - _SPECIAL_TOKENS
        if len(ids) <= self.model.longest:
            return _climb(ids, sessions, text.vectors if len(text.vectors) else None)
        states = [np.empty((len(ids), self.model.width), np.float32) for _ in sessions]
        for window in windows(inner, self._room):
            made = _climb(np.concatenate([ids[:1], ids[1 + window.start : 1 + window.end], ids[-1:]]), sessions)
            # The first window also gives the special token before the text, the last one that after it.
            low = window.kept_from + (window.kept_from > 0)
            high = window.kept_to + 1 + (window.kept_to == inner)
            for whole, part in zip(states, made, strict=True):
                whole[low:high] = part[low - window.start : high - window.start]
        return states

    def _recall(self, text: str, layer: int) -> TokenEmbeddings | None:
        known = self._recent.get((text, layer))
        if known is not None:
            self._recent.move_to_end((text, layer))
        return known

    def _remember(self, text: str, layer: int, made: TokenEmbeddings) -> None:
        self._recent[text, layer] = made
        self._recent_bytes += made.vectors.nbytes

    def _forget(self) -> None:
        """Make room in the cache for the next texts, which other metrics will need again."""
        while self._recent_bytes > _KEPT_BYTES:
            _, oldest = self._recent.popitem(last=False)
            self._recent_bytes -= oldest.vectors.nbytes


def _climb(ids: Ints, sessions: Sequence[Session], begun: Vectors | None = None) -> list[Vectors]:
    """Return the states after each session; the first one takes word pieces, unless its states are known already."""
    first, *higher = sessions
    if begun is None:
        begun = first.run(None, {IDS: ids[None]})[0][0]
    return [begun, *[session.run(None, {BELOW: begun[None]})[0][0] for session in higher]]
