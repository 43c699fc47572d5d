"""Bytes come from files, compressed or not, and from standard input; trouble is a DataError."""

import gzip
import io
import os
import re
import sys

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.io import source as source_module
from qassay.io.input_stream import Reader
from qassay.io.source import Source

ROW = b'{"id": "1", "references": ["a"], "candidate": "b"}\n'


def compressed(kind, content):
    return {"gz": gzip.compress, "zst": zstandard.compress, "plain": bytes}[kind](content)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line), min_size=1, max_size=12),
    chunk=st.integers(1, 50),
    head=st.integers(0, 60),
    kind=st.sampled_from(["plain", "gz", "zst"]),
)
def test_lines_do_not_depend_on_the_chunks(tmp_path_factory, monkeypatch, *, lines, chunk, head, kind):
    """Lines come whole and numbered, however short the chunks, peeked at before or not."""
    monkeypatch.setattr(source_module, "CHUNK", chunk)
    path = tmp_path_factory.mktemp("lines") / "file"
    path.write_bytes(compressed(kind, b"x\n" + b"\n".join(lines)))
    source = Source.at(path)
    source.head(head)
    found = {}
    for first, batch in source.line_batches():
        found.update(enumerate(batch, first))
    expected = dict(enumerate([b"x", *lines], 1))
    if not lines[-1]:
        expected.popitem()
    assert found == expected


@pytest.mark.parametrize("kind", ["plain", "gz", "zst"])
def test_a_file_is_read_to_its_end(tmp_path, kind):
    """Compressed or not, the bytes that were read are those of the file."""
    path = tmp_path / "answers"
    path.write_bytes(compressed(kind, ROW))
    reader = Reader([path])
    assert [example.id for example in reader] == ["1"]
    assert reader.bytes_read == reader.total_bytes == path.stat().st_size


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_several_compressed_parts_are_one_file(tmp_path, kind):
    """Members and frames written one after the other are read to the end."""
    path = tmp_path / "answers"
    path.write_bytes(compressed(kind, ROW) + compressed(kind, ROW.replace(b'"1"', b'"2"')))
    assert [example.id for example in Reader([path])] == ["1", "2"]


@pytest.mark.parametrize("kind", ["gz", "zst"])
@pytest.mark.parametrize("cut", [-1, -12, 12])
def test_a_compressed_file_that_is_cut_short_is_refused(tmp_path, kind, cut):
    """A file that lost its end is never taken for whole."""
    path = tmp_path / "answers"
    path.write_bytes(compressed(kind, ROW * 50)[:cut])
    with pytest.raises(DataError, match="damaged or cut short"):
        list(Reader([path]))


@pytest.mark.parametrize("kind", ["gz", "zst"])
def test_a_damaged_compressed_file_is_refused(tmp_path, kind):
    """Changed bytes inside compressed data are noticed."""
    content = bytearray(compressed(kind, ROW * 50))
    content[len(content) // 2] ^= 0xFF
    content[len(content) // 2 + 1] ^= 0xFF
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError):
        list(Reader([path]))


def test_zst_without_zstandard_says_what_to_install(tmp_path, monkeypatch):
    """The optional package is named when it is needed."""
    path = tmp_path / "answers.jsonl.zst"
    path.write_bytes(compressed("zst", ROW))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(DataError, match=re.escape('pip install "qassay[zst]"')):
        list(Reader([path]))


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere.jsonl", "there is no such file"),
        ("", "is a folder"),
        ("file/inside", "cannot be read (Not a directory)"),
        ("nul\0byte", "is not a path"),
        ("x" * 5000, "cannot be read (File name too long)"),
    ],
)
def test_a_path_that_cannot_be_read_is_refused(tmp_path, path, says):
    """Whatever the operating system has against a path becomes a message."""
    (tmp_path / "file").write_bytes(ROW)
    with pytest.raises(DataError, match=re.escape(says)):
        Reader([f"{tmp_path}/{path}"])


def test_a_file_name_that_is_no_text_makes_ids_that_are(tmp_path):
    """Bytes that are not UTF-8 are replaced, for ids and names of systems are written as UTF-8."""
    path = os.fsencode(tmp_path) + b"/a\xff.jsonl"
    with open(path, "wb") as file:  # noqa: PTH123 - a path of bytes
        file.write(b'{"references": ["a"], "candidate": "b"}')
    (example,) = Reader([os.fsdecode(path)])
    assert example.id == "a\ufffd.jsonl:1"


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    """A file that may not be opened is a message, also for users whom the file system does not stop."""
    path = tmp_path / "answers.jsonl"
    path.write_bytes(ROW)
    monkeypatch.setattr("pathlib.Path.open", _forbidden)
    with pytest.raises(DataError, match="cannot be read: no permission; check the file's permissions"):
        list(Reader([path]))


def _forbidden(*_args, **_options):
    raise PermissionError(13, "Permission denied")


def test_a_file_that_fails_while_it_is_read_is_refused():
    """An error of the device in the middle is a message too."""
    with pytest.raises(DataError, match="cannot be read"):
        list(Reader(["/proc/self/mem"]))


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    """A file without line ends does not fill the memory."""
    monkeypatch.setattr(source_module, "CHUNK", 4096)
    monkeypatch.setattr(source_module, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"references": ["' + b"x" * (2 << 20))
    with pytest.raises(DataError, match="longer than 1 MiB"):
        list(Reader([path]))


@pytest.mark.parametrize("kind", ["plain", "gz"])
def test_standard_input_is_read(monkeypatch, kind):
    """A dash reads standard input, whose size is not known."""
    pipe = io.BufferedReader(io.BytesIO(compressed(kind, ROW + b'{"references": ["a"], "candidate": "b"}')))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
    reader = Reader(["-"])
    assert [example.id for example in reader] == ["1", "stdin:2"]
    assert reader.total_bytes is None
    assert reader.bytes_read > 0


def test_standard_input_is_read_once_only():
    """Two dashes cannot both have it."""
    with pytest.raises(DataError, match="give - once"):
        Reader(["-", "-"])
