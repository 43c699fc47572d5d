"""Files that tests of readers write."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Return what writes a text into a file of the test's own, and gives its path."""

    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
