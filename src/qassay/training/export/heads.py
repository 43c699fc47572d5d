"""Adding heads to an exported model folder: int8 graphs over the trunk's states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
from onnx import TensorProto

from qassay.models.folder import OnnxModel
from qassay.models.onnx import chunker, consistency, judge, reader
from qassay.models.onnx.judge_segments import LONGEST
from qassay.training.encoder_layers import HEADS
from qassay.training.export.graph import Graph, LayerWeights, WeightFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.float32]]
    Shape = list[str | int]

_FLOATS, _INTEGERS = TensorProto.FLOAT, TensorProto.INT64
_TEXTS = ("claim", "document")


def export_chunker(weights: Arrays, folder: Path, *, layer: int, int8: bool = True) -> None:
    """Write the chunker's graph: states of the trunk's `layer` in, scores of all labels out."""
    head = chunker.ChunkerHead(layer=layer, graph="chunker.onnx", weights="chunker.npz")
    graph, file, width = _begin(folder / head.weights, int8=int8)
    scores = _linear(graph, _tuned(graph, "states", weights), weights, "out")
    inputs = {"states": (_FLOATS, _states("pieces", width))}
    graph.save(folder / head.graph, inputs, {"scores": (scores, [1, "pieces", len(weights["out.bias"])])})
    _finish(file, folder / chunker.DESCRIPTION, head)


def export_reader(weights: Arrays, folder: Path, head: reader.ReaderHead, *, int8: bool = True) -> None:
    """Write the reader's graph: states of question and passage and common pieces in, two scores per piece out.

    `head` says how the reader is used.
    """
    graph, file, width = _begin(folder / head.weights, int8=int8)
    question = graph.one("Add", "question", graph.weight("sides.question", weights["sides"][0]))
    sides = graph.one("Gather", graph.weight("sides.passage", weights["sides"][1:]), "shared")
    passage = graph.one("Add", "passage", sides)
    states = _tuned(graph, graph.one("Concat", question, passage, axis=1), weights)
    one, two = (_integer(graph, number) for number in (1, 2))
    asked = graph.one("Slice", graph.one("Shape", "question"), one, two)
    end = graph.weight("end", np.array([np.iinfo(np.int64).max], np.int64))
    scores = _linear(graph, graph.one("Slice", states, asked, end, one), weights, "out")
    inputs: dict[str, tuple[int, Shape]] = {
        "question": (_FLOATS, _states("asked", width)),
        "passage": (_FLOATS, _states("pieces", width)),
        "shared": (_INTEGERS, [1, "pieces"]),
    }
    graph.save(folder / head.graph, inputs, {"scores": (scores, [1, "pieces", 2])})
    _finish(file, (folder / head.graph).with_suffix(".json"), head)


def export_judge(
    weights: Arrays, folder: Path, *, layer: int, output: judge.JudgeOutput = judge.LOGIT, int8: bool = True
) -> None:
    """Write the judge's graph: states of the trunk's `layer` and each piece's mark in, one logit or rating out."""
    head = judge.JudgeHead(
        layer=layer, graph="judge.onnx", weights="judge.npz", longest=LONGEST, output=output, asserted=True
    )
    graph, file, width = _begin(folder / head.weights, int8=int8)
    marks = graph.one("Gather", graph.weight("marks", weights["marks.weight"]), "marks_of_pieces")
    # The verdict is read from the first piece, and the last layer computes nothing else.
    first = _tuned(graph, graph.one("Add", "states", marks), weights, graph.first_piece)
    hidden = graph.one("Tanh", _linear(graph, first, weights, "dense"))
    inputs: dict[str, tuple[int, Shape]] = {
        "states": (_FLOATS, _states("pieces", width)),
        "marks_of_pieces": (_INTEGERS, [1, "pieces"]),
    }
    graph.save(folder / head.graph, inputs, {"logit": (_linear(graph, hidden, weights, "out"), [1, 1, 1])})
    _finish(file, folder / judge.DESCRIPTION, head)


def export_consistency(weights: Arrays, folder: Path, head: consistency.ConsistencyHead, *, int8: bool = True) -> None:
    """Write the consistency head's graph: states of claim and document and common pieces in, logit and spans out.

    `head` says how it is used.
    """
    graph, file, width = _begin(folder / head.weights, int8=int8)
    sides = [graph.weight(f"sides.{name}", weights["sides"][2 * i : 2 * i + 2]) for i, name in enumerate(_TEXTS)]
    marked = [
        graph.one("Add", name, graph.one("Gather", side, f"{name}_shared"))
        for name, side in zip(_TEXTS, sides, strict=True)
    ]
    states = _tuned(graph, graph.one("Concat", *marked, axis=1), weights)
    zero, one, two = (_integer(graph, number) for number in (0, 1, 2))
    claimed = graph.one("Slice", graph.one("Shape", "claim"), one, two)
    end = graph.weight("end", np.array([np.iinfo(np.int64).max], np.int64))
    hidden = graph.one("Tanh", _linear(graph, graph.first_piece(states), weights, "dense"))
    outputs: dict[str, tuple[str, Shape]] = {
        "logit": (_linear(graph, hidden, weights, "out"), [1, 1, 1]),
        "wrong": (_linear(graph, graph.one("Slice", states, zero, claimed, one), weights, "wrong"), [1, "said", 2]),
        "support": (
            _linear(graph, graph.one("Slice", states, claimed, end, one), weights, "support"),
            [1, "pieces", 2],
        ),
    }
    inputs: dict[str, tuple[int, Shape]] = {
        "claim": (_FLOATS, _states("said", width)),
        "document": (_FLOATS, _states("pieces", width)),
        "claim_shared": (_INTEGERS, [1, "said"]),
        "document_shared": (_INTEGERS, [1, "pieces"]),
    }
    graph.save(folder / head.graph, inputs, outputs)
    _finish(file, folder / consistency.DESCRIPTION, head)


def _begin(weights: Path, *, int8: bool) -> tuple[Graph, WeightFile, int]:
    file = WeightFile(weights)
    return Graph(file, int8=int8, heads=HEADS), file, OnnxModel.read(weights.parent).width


def _states(pieces: str, width: int) -> Shape:
    return [1, pieces, width]


def _integer(graph: Graph, number: int) -> str:
    return graph.weight(f"integer{number}", np.array([number], np.int64))


def _linear(graph: Graph, states: str, weights: Arrays, name: str) -> str:
    """Apply a dense layer in full precision."""
    product = graph.one("MatMul", states, graph.weight(f"{name}.weight", weights[f"{name}.weight"].T))
    return graph.one("Add", product, graph.weight(f"{name}.bias", weights[f"{name}.bias"]))


def _tuned(graph: Graph, states: str, weights: Arrays, only: Callable[[str], str] | None = None) -> str:
    """Apply the trained layers, the last one for some pieces only."""
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    for number in range(depth):
        parts = (
            (weights[f"layers.{number}.{name}.weight"], weights[f"layers.{number}.{name}.bias"])
            for name in LayerWeights._fields
        )
        last = number == depth - 1
        states = graph.layer(states, f"layer{number}", LayerWeights(*parts), only=only if last else None)
    return states


def _finish(file: WeightFile, description: Path, head: msgspec.Struct) -> None:
    file.write()
    description.write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
