"""What the heads of a model folder need from what runs their graphs: onnxruntime on the CPU, or torch on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.arrays import Ints
    from qassay.models.base import Vectors
    from qassay.models.folder import OnnxModel


class Rows(Protocol):
    """One row per word piece, where the runtime keeps it: an array of numpy's, or memory of a device."""

    def __len__(self) -> int: ...
    def __getitem__(self, rows: Any, /) -> Any: ...  # noqa: ANN401 - a slice or rows' numbers; more rows come out
    @property
    def nbytes(self) -> int:
        """The memory that they take."""


class Step(NamedTuple):
    """A graph to be run, with names for what it takes and gives among the values of an item."""

    graph: str
    weights: str
    gives: tuple[str, ...]
    """Names of its outputs."""
    takes: tuple[tuple[str, str], ...] = ()
    """Inputs that have another name among the values."""

    def source(self, name: str) -> str:
        """Return the name among the values that an input of the graph has."""
        return next((given for own, given in self.takes if own == name), name)


class Runtime(Protocol):
    """Runs the graphs of a model folder."""

    folder: Path
    model: OnnxModel
    kept_bytes: int
    """How much of recent states is worth remembering."""

    def run(
        self, steps: Sequence[Step], items: Sequence[Mapping[str, Rows]], wanted: Sequence[str]
    ) -> list[tuple[Rows, ...]]:
        """Run graphs one after the other for each item, and return the wanted values of each.

        Nothing of an item's results depends on the other items.
        """

    def fetch(self, rows: Sequence[Rows]) -> list[NDArray[Any]]:
        """Return rows as arrays."""

    def join(self, parts: Sequence[Rows]) -> Rows:
        """Put rows one behind the other."""

    def match(self, texts: Sequence[Rows], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
        """Return each token's highest cosine similarity with a token of the other text of its pair.

        `left` and `right` name the texts of each pair. The tokens of the left texts come first, pair after pair, then
        those of the right ones.
        """

    def widths(self, graph: str, weights: str) -> dict[str, int]:
        """Return how many numbers each row of a graph's outputs has, by their names."""


def single_values(rows: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Return the first number of each item's rows."""
    return np.array([each.flat[0] for each in rows], np.float64)
