"""The layers of an exported reader, from which other heads begin: they can hold texts against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.training.export.stored import stored_layers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.training.export.graph import LayerWeights


def reader_layers(path: Path) -> tuple[list[LayerWeights], NDArray[np.float32]]:
    """Return the layers of an exported reader in full precision, and what it adds to the two texts."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    return stored_layers(arrays), np.concatenate([arrays["sides.question"][None], arrays["sides.passage"]])
