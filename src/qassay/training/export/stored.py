"""Reading exported weights back, in full precision, so that a training can begin with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, numpy_helper

from qassay.training.export.graph import LayerWeights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]


def stored_arrays(graph: Path, weights: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of an exported head: those in its file of weights, and the small ones in its graph."""
    inside = {
        each.name: numpy_helper.to_array(each).copy()
        for each in onnx.load(graph, load_external_data=False).graph.initializer
        if each.data_location != TensorProto.EXTERNAL
    }
    with np.load(weights) as file:
        return {**inside, **{name: file[name] for name in file.files}}


def stored_layers(arrays: Arrays) -> list[LayerWeights]:
    """Return the transformer layers among an exported head's arrays."""
    depth = len({name.partition(".")[0] for name in arrays if name.startswith("layer")})
    return [
        LayerWeights(
            *(
                (arrays[f"layer{i}.{part}.scale"], arrays[f"layer{i}.{part}.shift"])
                if "norm" in part
                else stored_dense(arrays, f"layer{i}.{part}")
                for part in LayerWeights._fields
            )
        )
        for i in range(depth)
    ]


def stored_dense(arrays: Arrays, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return a dense layer's matrix, (out, in), and its bias; quantised columns are scaled back."""
    scale = arrays.get(f"{name}.scale", np.float32(1))
    matrix = (arrays[f"{name}.weight"].astype(np.float32) * scale).T
    return np.ascontiguousarray(matrix, np.float32), arrays[f"{name}.bias"]


def tuned_layers(layers: Iterable[LayerWeights]) -> dict[str, torch.Tensor]:
    """Return layers under the names that a network's tuned layers have."""
    return {
        f"layers.{number}.{part}.{kind}": torch.from_numpy(np.ascontiguousarray(array))
        for number, layer in enumerate(layers)
        for part, arrays in layer._asdict().items()
        for kind, array in zip(("weight", "bias"), arrays, strict=True)
    }
