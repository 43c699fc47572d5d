"""Parquet: the same rows in columns."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Opinion, Reference


@pytest.fixture
def written(tmp_path):
    def writing(rows, **options):
        path = tmp_path / "answers.parquet"
        parquet.write_table(pa.Table.from_pylist(rows), path, **options)
        return path

    return writing


def test_rows_are_read(written):
    """Columns become fields, nulls are missing, and other columns are kept."""
    path = written(
        [
            {"id": 1, "references": ["a", "b"], "candidate": "c", "opinion": "no", "judgement": 2, "note": "x"},
            {"id": None, "references": ["d"], "candidate": None, "opinion": None, "judgement": None, "note": None},
        ]
    )
    first, second = Reader([path])
    assert first == Example(
        "1", "", (Reference("a"), Reference("b")), "c", opinion=Opinion.NO, judgement=2.0, extra={"note": "x"}
    )
    assert second == Example("answers.parquet:2", "", (Reference("d"),), None, extra={"note": None})


def test_references_with_opinions_are_read(written):
    """A column of structures holds references with their opinions."""
    path = written(
        [{"references": [{"text": "a", "opinion": "yes"}, {"text": "b", "opinion": None}], "candidate": "c"}]
    )
    (example,) = Reader([path])
    assert example.references == (Reference("a", Opinion.YES), Reference("b"))


def test_row_groups_are_streamed_in_order(written):
    """All groups are read, and progress ends at the file's size."""
    rows = [{"id": str(number), "references": ["a"], "candidate": "b"} for number in range(5000)]
    reader = Reader([written(rows, row_group_size=700)])
    assert [example.id for example in reader] == [row["id"] for row in rows]
    assert reader.bytes_read == reader.total_bytes


def test_columns_are_renamed(written):
    """A mapping names their columns."""
    (example,) = Reader([written([{"gold": ["a"], "candidate": "b"}])], ReadOptions(mapping={"references": "gold"}))
    assert example.references == (Reference("a"),)


def test_a_bad_row_has_its_number(written):
    """The place of a row is its number in the file."""
    path = written([{"references": ["a"], "candidate": "b"}, {"references": [], "candidate": "b"}])
    with pytest.raises(DataError, match='"references" is empty') as caught:
        list(Reader([path]))
    assert caught.value.line == 2


@pytest.mark.parametrize("keep", [8, 100, -1, -200])
def test_a_damaged_file_is_refused(written, keep):
    """A file that is cut short is a message."""
    path = written([{"references": ["a"], "candidate": "b"}])
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match="is not a Parquet file that can be read"):
        list(Reader([path]))


def test_a_file_that_may_not_be_opened_is_not_called_damaged(written, monkeypatch):
    """The message is that of any other file."""
    path = written([{"references": ["a"], "candidate": "b"}])
    monkeypatch.setattr("pathlib.Path.open", _forbidden)
    with pytest.raises(DataError, match="cannot be read: no permission; check the file's permissions"):
        list(Reader([path], ReadOptions(format="parquet")))


def _forbidden(*_args, **_options):
    raise PermissionError(13, "Permission denied")


def test_a_pipe_is_refused(written, tmp_path):
    """Parquet is read from its end, which a pipe does not give."""
    content, pipe = written([{"references": ["a"], "candidate": "b"}]).read_bytes(), tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as writer:
        writer.submit(pipe.write_bytes, content)
        with pytest.raises(DataError, match="cannot be read from a pipe"):
            list(Reader([pipe]))


def test_without_pyarrow_it_says_what_to_install(written, monkeypatch):
    """The optional package is named when it is needed."""
    path = written([{"references": ["a"], "candidate": "b"}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match="pip install"):
        list(Reader([path]))


def test_two_columns_of_one_name_are_refused(tmp_path):
    """Nobody can tell which of them is meant."""
    path = tmp_path / "answers.parquet"
    names = ["references", "candidate", "candidate"]
    parquet.write_table(pa.table([[["a"]], ["b"], ["c"]], names=names), path)
    with pytest.raises(DataError, match='has the column "candidate" twice; rename one column'):
        list(Reader([path]))


def test_a_time_that_python_cannot_hold_is_refused(tmp_path):
    """A timestamp beyond the year 9999 is named, not a traceback."""
    path = tmp_path / "answers.parquet"
    when = pa.array([1 << 58], pa.timestamp("us"))
    parquet.write_table(pa.table({"references": [["a"]], "candidate": ["b"], "when": when}), path)
    with pytest.raises(DataError, match="is not a Parquet file that can be read"):
        list(Reader([path]))
