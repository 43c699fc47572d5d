"""Standard input, copied to a file for commands that read their input more than once."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qassay.io.source import BufferedInput, standard_input

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@contextmanager
def buffer_stdin(inputs: Sequence[str], *, needed: bool) -> Iterator[list[str]]:
    """Return the inputs with `-` replaced by a temporary copy of standard input, where that is needed."""
    if not needed or "-" not in inputs:
        yield list(inputs)
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin"
        with copy.open("wb") as file:
            shutil.copyfileobj(standard_input(), file)
        yield [BufferedInput(copy) if each == "-" else each for each in inputs]
