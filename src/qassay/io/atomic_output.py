"""Files that appear whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from qassay.errors import OutputError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Return a neighbouring path to write to, which takes the file's name when all went well."""
    # By process: two programs that write the same file do not mix what they write.
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise OutputError(
            f"cannot be written ({error.strerror or error}); check the folder and the room left", path
        ) from error
    finally:
        partial.unlink(missing_ok=True)
