"""Small files of every format, and a way to read what a test writes."""

from pathlib import Path

import pytest

from qassay.io.input_stream import Reader, ReadOptions


@pytest.fixture
def fixtures():
    return Path(__file__).parent / "fixtures"


@pytest.fixture
def read(tmp_path):
    """Write bytes to a file and read them as examples."""

    def reading(content, name="answers.jsonl", **options):
        path = tmp_path / name
        path.write_bytes(content)
        return list(Reader([path], ReadOptions(**options)))

    return reading
