"""Adding the judge to an exported model folder: an int8 graph over the trunk's states of a pair's texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from onnx import TensorProto

from qassay.models.folder import OnnxModel
from qassay.models.onnx import judge
from qassay.models.onnx.judge import JudgeHead
from qassay.models.onnx.judge_segments import LONGEST
from qassay.training.encoder_layers import HEADS
from qassay.training.export.graph import Graph, Layer, WeightFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.float32]]

_FILE, _GRAPH = "judge.npz", "judge.onnx"


def export_judge(weights: Arrays, folder: Path, *, layer: int, int8: bool = True) -> None:
    """Write the judge's graph: states of the trunk's `layer` and each piece's mark in, one logit out."""
    width = OnnxModel.read(folder).width
    file = WeightFile(folder / _FILE)
    graph = Graph(file, int8=int8, heads=HEADS)
    marks = graph.one("Gather", graph.weight("marks", weights["marks.weight"]), "marks_of_pieces")
    states = graph.one("Add", "states", marks)
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for number in range(depth):
        parts = (
            (weights[f"layers.{number}.{name}.weight"], weights[f"layers.{number}.{name}.bias"])
            for name in Layer._fields
        )
        states = graph.layer(states, f"layer{number}", Layer(*parts))
    zero, one = (graph.weight(f"integer{number}", np.array([number], np.int64)) for number in (0, 1))
    first = graph.one("Slice", states, zero, one, one)
    dense = graph.one("MatMul", first, graph.weight("dense.weight", np.ascontiguousarray(weights["dense.weight"].T)))
    hidden = graph.one("Tanh", graph.one("Add", dense, graph.weight("dense.bias", weights["dense.bias"])))
    product = graph.one("MatMul", hidden, graph.weight("out.weight", np.ascontiguousarray(weights["out.weight"].T)))
    logit = graph.one("Add", product, graph.weight("out.bias", weights["out.bias"]))
    graph.save(
        folder / _GRAPH,
        {
            "states": (TensorProto.FLOAT, [1, "pieces", width]),
            "marks_of_pieces": (TensorProto.INT64, [1, "pieces"]),
        },
        {"logit": (logit, [1, 1, 1])},
    )
    file.write()
    head = JudgeHead(layer=layer, graph=_GRAPH, weights=_FILE, longest=LONGEST)
    (folder / judge.DESCRIPTION).write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
