"""The layers of an exported reader, from which other heads begin: they can hold texts against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.training.export.graph import LayerWeights

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def reader_layers(path: Path) -> tuple[list[LayerWeights], NDArray[np.float32]]:
    """Return the layers of an exported reader in full precision, and what it adds to the two texts."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}

    def dense(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        whole = arrays[f"{name}.weight"].astype(np.float32) * arrays[f"{name}.scale"]
        return np.asarray(whole.T, np.float32), arrays[f"{name}.bias"]

    def norm(name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        return arrays[f"{name}.scale"], arrays[f"{name}.shift"]

    depth = len({name.partition(".")[0] for name in arrays if name.startswith("layer")})
    layers = [
        LayerWeights(
            *(
                norm(f"layer{i}.{part}") if "norm" in part else dense(f"layer{i}.{part}")
                for part in LayerWeights._fields
            )
        )
        for i in range(depth)
    ]
    return layers, np.concatenate([arrays["sides.question"][None], arrays["sides.passage"]])
