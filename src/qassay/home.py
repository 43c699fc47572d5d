"""Folders below the user's home, which an account without a name may not have."""

import tempfile
from pathlib import Path


def below_home(path: str) -> Path:
    """Return a path in which `~` is the user's home; without one, the folder for temporary files."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(tempfile.gettempdir()) / path.removeprefix("~").lstrip("/")
