"""The embedded runtime: models in ONNX on the CPU, without torch.

Texts run one by one, in parallel threads. On a CPU that is as fast as batches, wastes nothing on padding, and makes a
text's result independent of its neighbours (dynamic quantisation takes its ranges from all that runs together).
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qassay.errors import ModelError
from qassay.models.base import FOREIGN, WINDOWED, TokenEmbeddings, is_foreign, windows
from qassay.models.folder import TOKENIZER, OnnxModel, fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from qassay.arrays import Bools, Ints
    from qassay.models.base import Vectors

    Session = Any

Item = TypeVar("Item")
Result = TypeVar("Result")

_MOST_THREADS = 32
_KEPT_BYTES = 96 << 20
_MARKS = 2
_NOWHERE = (0, 0)


def default_threads() -> int:
    """Count the processors that this process may use, up to a number beyond which Python itself is the limit."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _MOST_THREADS)


class Runtime:
    """Sessions over the graphs of one folder, opened when first needed, and the threads that run them."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        self.folder = folder
        self.model = OnnxModel.read(folder)
        self.threads = threads or default_threads()
        self._sessions: dict[str, Session] = {}

    def session(self, graph: str) -> Session:
        """Open a graph."""
        if graph not in self._sessions:
            import onnxruntime  # type: ignore[import-untyped]  # noqa: PLC0415 - heavy, loaded when a model runs

            options = onnxruntime.SessionOptions()
            # Parallel over texts: each run uses one thread, and waiting threads do not spin.
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.log_severity_level = 3
            # Of the higher levels' fusions only the one of adding and normalising applies, and it is slower.
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
            path = self.folder / graph
            try:
                self._sessions[graph] = onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])
            except Exception as problem:  # onnxruntime raises a class of its own for every kind of damage
                raise ModelError(f"{path}: damaged, or not a graph that this onnxruntime reads: {problem}") from problem
        return self._sessions[graph]

    def parallel(self, work: Callable[[Item], Result], items: Sequence[Item], sizes: Sequence[int]) -> list[Result]:
        """Do the work for all items, the largest first, and give the results in the items' order.

        A thread takes the next item when it is done with one, so that one on a busy processor holds up no other.
        """
        waiting = iter(sorted(range(len(items)), key=lambda index: -sizes[index]))
        results: dict[int, Result] = {}

        def share(_: int) -> None:
            for index in waiting:
                results[index] = work(items[index])

        if self.threads == 1 or len(items) == 1:
            return [work(item) for item in items]
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(share, range(self.threads)))
        return [results[index] for index in range(len(items))]


class OnnxEncoder:
    """Token embeddings from an ONNX model folder."""

    def __init__(self, ref: str, folder: Path, threads: int | None = None) -> None:
        self.ref = ref
        self.runtime = Runtime(folder, threads)
        self.model = self.runtime.model
        self.layers = max(self.model.layers)
        self.default_layer = self.model.default_layer
        self.notes: Counter[str] = Counter()
        self._recent: OrderedDict[tuple[str, int], TokenEmbeddings] = OrderedDict()
        self._recent_bytes = 0

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
        """Cut a text into the model's word pieces, without the marks around it."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def cut(self, texts: Sequence[str]) -> list[Ints]:
        """Cut texts into the numbers of the model's word pieces, without the marks around them."""
        return [
            np.array(each.ids, np.int64) for each in self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        ]

    @property
    def vocabulary(self) -> dict[str, int]:
        """The model's word pieces with their numbers."""
        return dict(self._tokenizer.get_vocab())

    @property
    def marks(self) -> tuple[int, int]:
        """The numbers of the marks that open and close a text."""
        return self._marks

    def encode(self, texts: Sequence[str], layer: int) -> list[TokenEmbeddings]:
        """Give each text's embeddings at a layer; equal texts run once, and recent ones not again."""
        if layer not in self.model.layers:
            raise ModelError(f"{self.ref} has layers {min(self.model.layers)} to {self.layers}, not {layer}")
        found = {text: self._recall(text, layer) for text in dict.fromkeys(texts)}
        new = [text for text, known in found.items() if known is None]
        if new:
            for text, made in zip(new, self._run(new, layer), strict=True):
                found[text] = made
                self._remember(text, layer, made)
        return [known for text in texts if (known := found[text]) is not None]

    def _run(self, texts: Sequence[str], layer: int) -> list[TokenEmbeddings]:
        cut = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        opening, closing = self._marks
        ids = [np.array([opening, *each.ids, closing], np.int64) for each in cut]
        spans = [np.array([_NOWHERE, *each.offsets, _NOWHERE], np.int64) for each in cut]
        self.notes += Counter(
            {FOREIGN: sum(map(is_foreign, texts)), WINDOWED: sum(len(each) > self.model.longest for each in ids)}
        )
        session = self.runtime.session(self.model.layers[layer])
        vectors = self.runtime.parallel(lambda row: self._states(session, row), ids, [len(row) for row in ids])
        return [
            TokenEmbeddings(row, places, states, _at_the_ends(len(row)))
            for row, places, states in zip(ids, spans, vectors, strict=True)
        ]

    @property
    def _room(self) -> int:
        return self.model.longest - _MARKS

    @cached_property
    def _marks(self) -> tuple[int, int]:
        return self._tokenizer.token_to_id("[CLS]"), self._tokenizer.token_to_id("[SEP]")

    def _states(self, session: Session, ids: Ints) -> Vectors:
        if len(ids) <= self.model.longest:
            (made,) = session.run(None, {"ids": ids[None]})
            return np.asarray(made[0], np.float32)
        inner = len(ids) - _MARKS
        states = np.empty((len(ids), self.model.width), np.float32)
        for window in windows(inner, self._room):
            row = np.concatenate([ids[:1], ids[1 + window.start : 1 + window.end], ids[-1:]])[None]
            (made,) = session.run(None, {"ids": row})
            # The first window also gives the opening mark, the last one the closing mark.
            low = window.kept_from + (window.kept_from > 0)
            high = window.kept_to + 1 + (window.kept_to == inner)
            states[low:high] = made[0, low - window.start : high - window.start]
        return states

    def _recall(self, text: str, layer: int) -> TokenEmbeddings | None:
        known = self._recent.get((text, layer))
        if known is not None:
            self._recent.move_to_end((text, layer))
        return known

    def _remember(self, text: str, layer: int, made: TokenEmbeddings) -> None:
        self._recent[text, layer] = made
        self._recent_bytes += made.vectors.nbytes
        while self._recent_bytes > _KEPT_BYTES:
            _, oldest = self._recent.popitem(last=False)
            self._recent_bytes -= oldest.vectors.nbytes


def _at_the_ends(length: int) -> Bools:
    special = np.zeros(length, bool)
    special[0] = special[-1] = True
    return special
