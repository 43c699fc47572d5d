"""Writing transformer layers as ONNX graphs whose weights lie in one file beside them.

Every graph takes one text at a time, without padding: on a CPU that is as fast as batches, and a text's result never
depends on its neighbours, which dynamic quantisation over a batch would make it do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper

from qassay.models.onnx.weight_file import write_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

OPSET = 18
IR_VERSION = 9
LARGEST_FACTOR = 63
"""Two products of an unsigned 8-bit input and a factor this large fit into 16 bits. With larger factors, processors
that add pairs in 16 bits (AVX2 without VNNI) would saturate, and the same text would score otherwise there."""
_INLINE = 1024
_TYPES = {
    np.dtype(np.float32): TensorProto.FLOAT,
    np.dtype(np.float16): TensorProto.FLOAT16,
    np.dtype(np.int8): TensorProto.INT8,
    np.dtype(np.int64): TensorProto.INT64,
}


class LayerWeights(NamedTuple):
    """The weights of one BERT layer; matrices are (out, in), query, key and value one above the other."""

    attention_in: tuple[NDArray[np.float32], NDArray[np.float32]]
    attention_out: tuple[NDArray[np.float32], NDArray[np.float32]]
    attention_norm: tuple[NDArray[np.float32], NDArray[np.float32]]
    widen: tuple[NDArray[np.float32], NDArray[np.float32]]
    narrow: tuple[NDArray[np.float32], NDArray[np.float32]]
    norm: tuple[NDArray[np.float32], NDArray[np.float32]]

    @classmethod
    def from_bert(cls, weights: Mapping[str, NDArray[np.float32]], number: int) -> LayerWeights:
        """Take one layer out of a BERT's weights, as Hugging Face names them."""
        prefix = f"encoder.layer.{number}."
        attention = [f"{prefix}attention.self.{name}" for name in ("query", "key", "value")]
        joined = [np.concatenate([weights[f"{name}.{kind}"] for name in attention]) for kind in ("weight", "bias")]
        parts = (
            "attention.output.dense",
            "attention.output.LayerNorm",
            "intermediate.dense",
            "output.dense",
            "output.LayerNorm",
        )
        rest = [(weights[f"{prefix}{part}.weight"], weights[f"{prefix}{part}.bias"]) for part in parts]
        return cls((joined[0], joined[1]), *rest)


class WeightFile:
    """The one file that holds the weights of several graphs; an array stored twice under a name is written once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._arrays: dict[str, NDArray[Any]] = {}

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Take in an array, unless there is one of this name."""
        self._arrays.setdefault(name, array)

    def write(self) -> None:
        """Write all arrays."""
        write_weights(self.path, self._arrays)


class Graph:
    """A graph under construction. Methods add nodes and give the names of their outputs."""

    def __init__(self, file: WeightFile, *, int8: bool, heads: int, epsilon: float = 1e-12) -> None:
        self._file = file
        self._int8 = int8
        self._heads = heads
        self._epsilon = epsilon
        self._nodes: list[onnx.NodeProto] = []
        self._weights: dict[str, onnx.TensorProto] = {}
        self._attention_inputs: dict[tuple[str, str], tuple[str, str, str]] = {}

    def weight(self, name: str, array: NDArray[Any]) -> str:
        """Bring in an array: small ones lie in the graph, large ones in the file."""
        if name not in self._weights:
            tensor = TensorProto(name=name, data_type=_TYPES[array.dtype], dims=array.shape)
            if array.nbytes < _INLINE:
                tensor.raw_data = np.ascontiguousarray(array).tobytes()
            else:
                # The runtime hands the array over by its name; nothing is read from the location.
                self._file.add(name, array)
                tensor.data_location = TensorProto.EXTERNAL
                tensor.external_data.add(key="location", value=self._file.path.name)
            self._weights[name] = tensor
        return name

    def one(self, kind: str, *inputs: str, domain: str = "", **attributes: float) -> str:
        """Add an operator with one output, whose name it gives."""
        return self._add(kind, inputs, 1, domain, attributes)[0]

    def split(self, states: str, parts: int) -> list[str]:
        """Cut the last axis into equal parts."""
        return self._add("Split", (states,), parts, "", {"axis": -1, "num_outputs": parts})

    def _add(
        self, kind: str, inputs: Sequence[str], outputs: int, domain: str, attributes: Mapping[str, Any]
    ) -> list[str]:
        names = [f"n{len(self._nodes)}_{index}" for index in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **attributes))
        return names

    def linear(self, states: str, name: str, weight: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """Apply a dense layer; in int8 the weights are scaled by column and the input by its own range."""
        if not self._int8:
            product = self.one("MatMul", states, self.weight(f"{name}.weight", weight.T))
            return self.one("Add", product, self.weight(f"{name}.bias", bias))
        small, scale = quantise(weight.T, axis=0, largest=LARGEST_FACTOR)
        inputs = (
            states,
            self.weight(f"{name}.weight", small),
            self.weight(f"{name}.scale", scale),
            "",
            self.weight(f"{name}.bias", bias),
        )
        return self.one("DynamicQuantizeMatMul", *inputs, domain="com.microsoft")

    def add_and_norm(self, states: str, change: str, name: str, norm: tuple[NDArray[np.float32], ...]) -> str:
        """Add a change to states and normalise the sum."""
        scale, shift = (
            self.weight(f"{name}.{part}", array) for part, array in zip(("scale", "shift"), norm, strict=True)
        )
        return self.one("LayerNormalization", self.one("Add", states, change), scale, shift, epsilon=self._epsilon)

    def layer(
        self,
        states: str,
        name: str,
        layer: LayerWeights,
        beside: tuple[str, str] | None = None,
        only: Callable[[str], str] | None = None,
    ) -> str:
        """Apply one transformer layer; `beside` holds keys and values of another text that is attended to as well.

        With `only`, which takes some pieces, all are attended to, but nothing is computed for the others.
        """
        query, key, value = self.attention_inputs(states, name, layer)
        if only:
            query, states = only(query), only(states)
        if beside:
            key = self.one("Concat", beside[0], key, axis=1)
            value = self.one("Concat", beside[1], value, axis=1)
        # A layer may have fewer heads than its width has room for.
        heads = self._heads * layer.attention_out[0].shape[1] // layer.attention_out[0].shape[0]
        mixed = self.one("MultiHeadAttention", query, key, value, domain="com.microsoft", num_heads=heads)
        mixed = self.linear(mixed, f"{name}.attention_out", *layer.attention_out)
        states = self.add_and_norm(states, mixed, f"{name}.attention_norm", layer.attention_norm)
        wide = self.one("Gelu", self.linear(states, f"{name}.widen", *layer.widen), domain="com.microsoft")
        narrow = self.linear(wide, f"{name}.narrow", *layer.narrow)
        return self.add_and_norm(states, narrow, f"{name}.norm", layer.norm)

    def attention_inputs(self, states: str, name: str, layer: LayerWeights) -> tuple[str, str, str]:
        """Return a layer's query, key and value; asked for again, those that there are."""
        if (states, name) not in self._attention_inputs:
            packed = self.linear(states, f"{name}.attention_in", *layer.attention_in)
            query, key, value = self.split(packed, 3)
            self._attention_inputs[states, name] = query, key, value
        return self._attention_inputs[states, name]

    def first_piece(self, states: str) -> str:
        """Take the first piece alone."""
        zero, one = (self.weight(f"piece{place}", np.array([place], np.int64)) for place in (0, 1))
        return self.one("Slice", states, zero, one, one)

    def between_marks(self, states: str) -> str:
        """Leave out the first and the last piece."""
        one, last = (self.weight(f"piece{place}", np.array([place], np.int64)) for place in (1, -1))
        return self.one("Slice", states, one, last, one)

    def save(
        self,
        path: Path,
        inputs: Mapping[str, tuple[int, list[str | int]]],
        outputs: Mapping[str, tuple[str, list[str | int]]],
    ) -> None:
        """Write the graph; inputs by name with type and shape, outputs by name with the node's output and shape."""
        nodes = [*self._nodes]
        for name, (source, _) in outputs.items():
            nodes.append(helper.make_node("Identity", [source], [name]))
        graph = helper.make_graph(
            nodes,
            path.stem,
            [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, (_, shape) in outputs.items()],
            list(self._weights.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="qassay")
        path.write_bytes(model.SerializeToString(deterministic=True))


def quantise(array: NDArray[np.float32], axis: int, largest: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round to integers up to `largest` with one scale for each line across `axis`; a line of zeros gets scale 1."""
    peak = np.abs(array).max(axis=axis, keepdims=True)
    scale = np.where(peak > 0, peak / largest, 1).astype(np.float32)
    return np.round(array / scale).astype(np.int8), scale.squeeze(axis)
