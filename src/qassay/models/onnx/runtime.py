"""The embedded runtime: models in ONNX on the CPU, without torch.

Texts run one by one, in parallel threads. On a CPU that is as fast as batches, wastes nothing on padding, and makes a
text's result independent of its neighbours (dynamic quantisation takes its ranges from all that runs together).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Event, Lock, local
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from qassay.errors import ModelError
from qassay.models.folder import OnnxModel
from qassay.models.matching import Units, best_similarities
from qassay.models.onnx.library import onnxruntime_library
from qassay.models.onnx.weight_file import read_weights
from qassay.threads import default_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.arrays import Ints
    from qassay.models.base import Vectors
    from qassay.models.runtime import Rows, Step

Item = TypeVar("Item")
Result = TypeVar("Result")

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
        self.inputs = tuple(each.name for each in session.get_inputs())

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


class OnnxRuntime:
    """Sessions over the graphs of one folder, opened when first needed, and the threads that run them."""

    kept_bytes = 96 << 20

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        self.folder = folder
        self.model = OnnxModel.read(folder)
        self.threads = threads or default_threads()
        self._sessions: dict[str, Session] = {}
        self._opening = Lock()

    def run(
        self, steps: Sequence[Step], items: Sequence[Mapping[str, Rows]], wanted: Sequence[str]
    ) -> list[tuple[Rows, ...]]:
        """Run graphs one after the other for each item, and return the wanted values of each."""
        sessions = [self.session(step.graph, step.weights) for step in steps]

        def work(item: Mapping[str, Any]) -> tuple[Rows, ...]:
            values = dict(item)
            for step, session in zip(steps, sessions, strict=True):
                known = {name: values.get(step.source(name)) for name in session.inputs}
                given = {name: rows[None] for name, rows in known.items() if rows is not None}
                values.update(zip(step.gives, (each[0] for each in session.run(None, given)), strict=True))
            return tuple(values[name] for name in wanted)

        return self.parallel(work, items, [sum(len(rows) for rows in item.values()) for item in items])

    def fetch(self, rows: Sequence[Rows]) -> list[NDArray[Any]]:
        """Return the rows, which are arrays already."""
        return [np.asarray(each) for each in rows]

    def join(self, parts: Sequence[Rows]) -> Rows:
        """Put rows one behind the other."""
        return np.concatenate(self.fetch(parts))

    def match(self, texts: Sequence[Rows], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
        """Return each token's highest similarity with a token of the other text of its pair."""
        return best_similarities(Units(self.fetch(texts)), left, right)

    def widths(self, graph: str, weights: str) -> dict[str, int]:
        """Return how many numbers each row of a graph's outputs has, by their names."""
        return {each.name: each.shape[-1] for each in self.session(graph, weights).get_outputs()}

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

        if self.threads == 1 or len(items) <= 1:
            return [work(item) for item in items]
        with ThreadPoolExecutor(self.threads) as pool, _setting(stopped):
            list(pool.map(share, range(self.threads)))
        return [results[index] for index in range(len(items))]
