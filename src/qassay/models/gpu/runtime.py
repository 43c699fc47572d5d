"""Models of Qassay's folders on a GPU, through torch: the same graphs and weights as on the CPU, in large batches.

Dense layers are computed in the graphs' own 8-bit integers, each text with its own ranges, and the rest with the
arithmetic of onnxruntime's CPU kernels, so that results differ from the CPU's by last bits alone.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from qassay.errors import ModelError, option
from qassay.models.folder import OnnxModel
from qassay.models.gpu.device_rows import DeviceRows, fetched, packed, split_rows
from qassay.models.gpu.graph_file import read_graph
from qassay.models.gpu.matching import best_on_device
from qassay.models.gpu.network import Network
from qassay.models.gpu.ragged import Layout
from qassay.models.onnx.weight_file import read_weights

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.arrays import Ints
    from qassay.models.base import Vectors
    from qassay.models.runtime import Rows, Step

_ROWS_AT_ONCE = {"cpu": 1 << 12, "cuda": 1 << 16}
"""Word pieces of a batch, as if all its items were as long as the longest: torch's own operations pad in attention."""


class TorchRuntime:
    """Networks over the graphs of one folder, opened when first needed, on a device of torch's."""

    kept_bytes = 512 << 20

    def __init__(self, folder: Path, device: str = "cuda") -> None:
        self.folder = folder
        self.model = OnnxModel.read(folder)
        self.device = torch.device(device)
        self._networks: dict[str, Network] = {}
        self._opening = Lock()

    def run(
        self, steps: Sequence[Step], items: Sequence[Mapping[str, Rows]], wanted: Sequence[str]
    ) -> list[tuple[Rows, ...]]:
        """Run graphs one after the other for items of like lengths at once; return the wanted values of each."""
        networks = [self.network(step.graph, step.weights) for step in steps]
        found: list[tuple[Rows, ...]] = [()] * len(items)
        for chosen, values in self._batches(items):
            for step, network in zip(steps, networks, strict=True):
                lacking = [name for name in network.graph.inputs if step.source(name) not in values]
                if lacking:
                    raise ModelError(
                        f"{self.folder / step.graph}: does not run with the files beside it: nothing gives "
                        f"{', '.join(lacking)}; export the model again"
                    )
                given = {name: values[step.source(name)] for name in network.graph.inputs}
                values.update(zip(step.gives, network.run(given), strict=True))
            rows = zip(*(split_rows(values[name]) for name in wanted), strict=True)
            for i, each in zip(chosen, rows, strict=True):
                found[i] = each
        return found

    def _batches(self, items: Sequence[Mapping[str, Rows]]) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield the items' numbers and values, the longest first, as many at once as the device takes well."""
        if not items:
            return
        lengths = {name: np.array([len(item[name]) for item in items], np.int64) for name in items[0]}
        whole = np.sum(list(lengths.values()), axis=0)
        order = np.argsort(-whole, kind="stable")
        room, start = _ROWS_AT_ONCE[self.device.type], 0
        while start < len(order):
            count = max(1, room // max(1, int(whole[order[start]])))
            chosen = order[start : start + count]
            numbers = chosen.tolist()
            values = self._given([items[i] for i in numbers], {name: each[chosen] for name, each in lengths.items()})
            yield numbers, values
            start += count

    def _given(self, items: Sequence[Mapping[str, Rows]], lengths: Mapping[str, Ints]) -> dict[str, Any]:
        """Return the values of a batch's items; those of equal lengths share a layout."""
        layouts: dict[bytes, Layout] = {}
        values = {}
        for name, each in lengths.items():
            key = each.tobytes()
            if key not in layouts:
                layouts[key] = Layout(each, self.device)
            values[name] = packed([item[name] for item in items], layouts[key])
        return values

    def fetch(self, rows: Sequence[Rows]) -> list[NDArray[Any]]:
        """Return rows as arrays, in few large copies."""
        return fetched([each for each in rows if isinstance(each, DeviceRows)])

    def join(self, parts: Sequence[Rows]) -> Rows:
        """Put rows one behind the other."""
        lengths = np.array([len(part) for part in parts], np.int64)
        (joined,) = split_rows(
            packed(parts, Layout(lengths, self.device))._replace(
                layout=Layout(np.array([lengths.sum()], np.int64), self.device)
            )
        )
        return joined

    def match(self, texts: Sequence[Rows], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
        """Return each token's highest similarity with a token of the other text of its pair."""
        return best_on_device(texts, left, right, self.device)

    def widths(self, graph: str, weights: str) -> dict[str, int]:
        """Return how many numbers each row of a graph's outputs has, by their names."""
        found = self.network(graph, weights).graph
        return dict(zip(found.outputs, found.widths, strict=True))

    def network(self, graph: str, weights: str) -> Network:
        """Open a graph over the file of its weights."""
        if graph not in self._networks:
            with self._opening:
                if graph not in self._networks:
                    path = self.folder / graph
                    arrays = read_weights(self.folder / weights, path.read_bytes())
                    self._networks[graph] = Network(read_graph(path), arrays, self.device)
        return self._networks[graph]


def open_gpu(folder: Path) -> TorchRuntime:
    """Open a model folder on the GPU; raise an error where torch finds none."""
    if not torch.cuda.is_available():
        raise ModelError(f"there is no GPU that torch can use; give {option('device', 'cpu')}")
    return TorchRuntime(folder, "cuda")
