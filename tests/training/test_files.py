"""Files of published data sets that cannot be read."""

from pathlib import Path

import pytest

from qassay.errors import DataError
from qassay.training.files import read_archive, read_text


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path: Path):
    """The message says what it is and what to give."""
    with pytest.raises(DataError, match="is a folder; give a file inside it"):
        read_text(tmp_path)
    with pytest.raises(DataError, match="is a folder; give a file inside it; an archive is needed"):
        read_archive(tmp_path, bool, "an archive")


def test_a_missing_file_is_told(tmp_path: Path):
    """The message has the path."""
    with pytest.raises(DataError, match=r"absent\.json: there is no such file"):
        read_text(tmp_path / "absent.json")


def test_a_name_that_no_file_can_have_is_told(tmp_path: Path):
    """The system's reason is given."""
    with pytest.raises(DataError, match="cannot be read: File name too long"):
        read_text(tmp_path / ("a" * 300))
