"""Where the public data lies that some tests measure on; without it they skip and say so."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))


def _existing(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"needs the public data file {path.name}; set QASSAY_DATA to the folder that holds it")
    return path


def bench(path: str) -> Path:
    """Return a file of the measuring sets, or skip the test."""
    return _existing(DATA / "bench" / path)


def train(path: str) -> Path:
    """Return a file of the training sets, or skip the test."""
    return _existing(DATA / "train" / path)
