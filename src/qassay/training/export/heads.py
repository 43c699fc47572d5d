"""Adding the chunker and the reader to an exported model folder: int8 graphs over the trunk's states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from onnx import TensorProto

from qassay.models.folder import OnnxModel
from qassay.models.onnx import chunker, reader
from qassay.models.onnx.chunker import ChunkerHead
from qassay.training.encoder_layers import HEADS
from qassay.training.export.graph import Graph, Layer, WeightFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.models.onnx.reader import ReaderHead

    Arrays = Mapping[str, NDArray[np.float32]]

_CHUNKER_FILE, _READER_FILE = "chunker.npz", "reader.npz"


def export_chunker(weights: Arrays, folder: Path, *, layer: int, int8: bool = True) -> None:
    """Write the chunker's graph: states of the trunk's `layer` in, scores of all labels out."""
    width = OnnxModel.read(folder).width
    file = WeightFile(folder / _CHUNKER_FILE)
    graph = Graph(file, int8=int8, heads=HEADS)
    states = _tuned(graph, "states", weights)
    product = graph.one("MatMul", states, graph.weight("out.weight", weights["out.weight"].T))
    scores = graph.one("Add", product, graph.weight("out.bias", weights["out.bias"]))
    labels = len(weights["out.bias"])
    graph.save(
        folder / "chunker.onnx",
        {"states": (TensorProto.FLOAT, [1, "pieces", width])},
        {"scores": (scores, [1, "pieces", labels])},
    )
    file.write()
    head = ChunkerHead(layer=layer, graph="chunker.onnx", weights=_CHUNKER_FILE)
    _describe(folder / chunker.DESCRIPTION, head)


def export_reader(weights: Arrays, folder: Path, head: ReaderHead, *, int8: bool = True) -> None:
    """Write the reader's graph: states of question and passage and which pieces they share in, two scores a piece out.

    `head` says how the reader is used; its graph and weights are named here.
    """
    width = OnnxModel.read(folder).width
    file = WeightFile(folder / _READER_FILE)
    graph = Graph(file, int8=int8, heads=HEADS)
    question = graph.one("Add", "question", graph.weight("sides.question", weights["sides"][0]))
    sides = graph.one("Gather", graph.weight("sides.passage", weights["sides"][1:]), "shared")
    passage = graph.one("Add", "passage", sides)
    states = _tuned(graph, graph.one("Concat", question, passage, axis=1), weights)
    one, two = (graph.weight(f"integer{number}", np.array([number], np.int64)) for number in (1, 2))
    asked = graph.one("Slice", graph.one("Shape", "question"), one, two)
    end = graph.weight("end", np.array([np.iinfo(np.int64).max], np.int64))
    states = graph.one("Slice", states, asked, end, one)
    product = graph.one("MatMul", states, graph.weight("out.weight", weights["out.weight"].T))
    scores = graph.one("Add", product, graph.weight("out.bias", weights["out.bias"]))
    graph.save(
        folder / head.graph,
        {
            "question": (TensorProto.FLOAT, [1, "asked", width]),
            "passage": (TensorProto.FLOAT, [1, "pieces", width]),
            "shared": (TensorProto.INT64, [1, "pieces"]),
        },
        {"scores": (scores, [1, "pieces", 2])},
    )
    file.write()
    _describe(folder / reader.DESCRIPTION, head)


def _tuned(graph: Graph, states: str, weights: Arrays) -> str:
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for number in range(depth):
        parts = (
            (weights[f"layers.{number}.{name}.weight"], weights[f"layers.{number}.{name}.bias"])
            for name in Layer._fields
        )
        states = graph.layer(states, f"layer{number}", Layer(*parts))
    return states


def _describe(path: Path, head: msgspec.Struct) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
