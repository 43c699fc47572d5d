"""AVA's designs as int8 graphs over the trunk's states: one graph per design, all over one file of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from onnx import TensorProto

from qassay.models.folder import OnnxModel
from qassay.models.hf.judge_design import DESIGNS, readings_of
from qassay.models.onnx.ava import DESCRIPTION, AvaHead, AvaHeads, read_heads
from qassay.training.ava.trunk_network import HALF, LONGEST
from qassay.training.encoder_layers import HEADS, WIDTH
from qassay.training.export.graph import Graph, LayerWeights, WeightFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.models.hf.judge_design import Design

    Arrays = Mapping[str, NDArray[np.float32]]


def export_ava(
    weights: Arrays,
    folder: Path,
    *,
    layer: int,
    file: str,
    scales: Mapping[str, float] | None = None,
    int8: bool = True,
) -> None:
    """Write the graphs of the designs that the weights have outputs for, with the weights in `file`.

    `scales` are what logits are multiplied with, by design. Other designs that the folder describes stay as they are.
    """
    stored, width = WeightFile(folder / file), OnnxModel.read(folder).width
    heads = dict(read_heads(folder).designs)
    for name, design in DESIGNS.items():
        if f"out.{name}.weight" not in weights:
            continue
        scale = (scales or {}).get(name, 1.0)
        head = AvaHead(layer=layer, graph=f"ava_{name}.onnx", weights=file, longest=LONGEST, scale=scale)
        graph = Graph(stored, int8=int8, heads=HEADS)
        parts = _Builder(graph, weights).parts(name, design)
        inputs: dict[str, tuple[int, list[str | int]]] = {}
        for number, _ in enumerate(design.pairs):
            inputs[f"states{number}"] = (TensorProto.FLOAT, [1, f"pieces{number}", width])
            inputs[f"marks{number}"] = (TensorProto.INT64, [1, f"pieces{number}"])
        graph.save(folder / head.graph, inputs, {"parts": (parts, [1, 1 + len(readings_of(design))])})
        heads[name] = head
    stored.write()
    described = msgspec.json.encode(AvaHeads({name: heads[name] for name in DESIGNS if name in heads}))
    (folder / DESCRIPTION).write_bytes(msgspec.json.format(described, indent=1) + b"\n")


class _Builder:
    """Adds the nodes of one design to its graph."""

    def __init__(self, graph: Graph, weights: Arrays) -> None:
        self._graph = graph
        self._weights = weights
        self._depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))

    def parts(self, name: str, design: Design) -> str:
        """Return the node that has what the bias and each reading add to the logit."""
        graph = self._graph
        entered = [self._entered(number) for number, _ in enumerate(design.pairs)]
        if design.peer:
            half = [self._read(states, 0, HALF) for states in entered]
            readings = [graph.first_piece(states) for states in half]
            readings.append(self._together(half))
        else:
            readings = [self._read(states, 0, self._depth, graph.first_piece) for states in entered]
        states = graph.one("Concat", *readings, axis=1) if len(readings) > 1 else readings[0]
        dense = graph.one("MatMul", states, graph.weight("dense.weight", self._weights["dense.weight"].T))
        pooled = graph.one("Tanh", graph.one("Add", dense, graph.weight("dense.bias", self._weights["dense.bias"])))
        rows = self._weights[f"out.{name}.weight"].reshape(len(readings_of(design)), WIDTH)
        products = graph.one("Mul", pooled, graph.weight(f"out.{name}.weight", rows))
        last = graph.weight("last_axis", np.array([-1], np.int64))
        bias = graph.weight(f"out.{name}.bias", self._weights[f"out.{name}.bias"].reshape(1, 1))
        return graph.one("Concat", bias, graph.one("ReduceSum", products, last, keepdims=0), axis=1)

    def _entered(self, number: int) -> str:
        """Return the states of a pair with their marks, as the tuned layers take them."""
        marks = self._graph.weight("marks", self._weights["marks.weight"])
        return self._graph.one("Add", f"states{number}", self._graph.one("Gather", marks, f"marks{number}"))

    def _read(self, states: str, start: int, end: int, only: Callable[[str], str] | None = None) -> str:
        """Apply some of the tuned layers, the last of them for some pieces only."""
        for number in range(start, end):
            parts = (
                (self._weights[f"layers.{number}.{name}.weight"], self._weights[f"layers.{number}.{name}.bias"])
                for name in LayerWeights._fields
            )
            last = number == end - 1
            states = self._graph.layer(states, f"layer{number}", LayerWeights(*parts), only=only if last else None)
        return states

    def _together(self, half: list[str]) -> str:
        """Read two pairs on together, and return the states where each begins."""
        graph = self._graph
        zero, one, two = (graph.weight(f"piece{place}", np.array([place], np.int64)) for place in (0, 1, 2))
        second = graph.one("Slice", graph.one("Shape", half[0]), one, two)
        places = graph.one("Concat", zero, second, axis=0)
        joined = graph.one("Concat", *half, axis=1)
        return self._read(joined, HALF, self._depth, lambda states: graph.one("Gather", states, places, axis=1))
