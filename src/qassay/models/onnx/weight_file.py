"""The file that holds the weights of a model's graphs: named arrays in NumPy's `.npz` format, compressed.

Quantised matrices shrink by a fifth, to within a hundredth of their entropy; the few arrays in full precision by a
third, since tables of marks hold many zeros.
"""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

SUFFIX = ".npz"
_MEMBER = ".npy"
_NAME_FIELD = 0x42
"""The tag before an ONNX tensor's name in a protocol buffer: field 8, a string, whose length follows."""


def write_weights(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays under their names; equal arrays give equal files."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            content = BytesIO()
            np.lib.format.write_array(content, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}{_MEMBER}"), content.getbuffer(), zipfile.ZIP_DEFLATED)


def read_weights(path: Path, graph: bytes) -> dict[str, NDArray[Any]]:
    """Read the arrays that a graph, as it lies on the disk, leaves to this file."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name.removesuffix(_MEMBER) for name in archive.namelist()]
            return {name: _array(archive, name) for name in names if _is_named(name, graph)}
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error) as problem:
        raise _damaged(path, problem) from problem


def weights_identity(path: Path) -> str:
    """Return the names and checksums of all arrays, which do not depend on how well they were compressed."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "".join(sorted(f"{each.filename} {each.file_size} {each.CRC:08x}\n" for each in archive.infolist()))
    except (OSError, ValueError, zipfile.BadZipFile) as problem:
        raise _damaged(path, problem) from problem


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(f"{name}{_MEMBER}") as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _is_named(name: str, graph: bytes) -> bool:
    coded = name.encode()
    return bytes([_NAME_FIELD, len(coded)]) + coded in graph


def _damaged(path: Path, problem: Exception) -> ModelError:
    return ModelError(f"{path}: damaged, or not a file of weights: {problem}; install or export the model again")
