"""Files and folders by URL."""

import pyarrow as pa
import pytest
from pyarrow import parquet

from commands import answers, qassay, qassay_json, write_rows
from qassay.errors import DataError, OutputError
from qassay.io import locations
from qassay.io.input_stream import Reader
from qassay.io.locations import Location, expand, is_url


@pytest.fixture
def url(tmp_path):
    """A folder that is reached through Arrow's file systems, as a bucket is."""
    return f"file://{tmp_path}"


def test_only_addresses_are_urls():
    """A path of this machine is none, and neither is a drive."""
    assert is_url("s3://bucket/a.jsonl")
    assert not is_url("folder/a.jsonl")
    assert not is_url("C:/a.jsonl")


@pytest.mark.parametrize("kind", ["path", "url"])
def test_what_is_written_is_read_back(kind, tmp_path, url):
    """Folders come with the files in them, on this machine as elsewhere."""
    place = Location({"path": str(tmp_path), "url": url}[kind]) / "new" / "a.bin"
    assert place.status() is None
    place.write(b"one\ntwo")
    assert place.read() == b"one\ntwo"
    assert (place.status().size, place.status().is_folder) == (7, False)
    folder = Location(place.url.rsplit("/", 1)[0])
    assert (folder.names(), folder.status().is_folder) == (["a.bin"], True)
    folder.clear()
    assert folder.names() == []


def test_a_file_appears_when_it_is_complete(tmp_path):
    """What fails in between leaves the older file as it was."""
    place = Location(str(tmp_path / "a.txt"))
    place.write(b"old")
    with pytest.raises(TypeError), place.writing() as file:
        file.writelines([b"new", None])
    assert place.read() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    """The message has the place and the remedy."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match=r"file/a\.txt: cannot be written: .*choose another place"):
        Location(str(tmp_path / "file" / "a.txt")).write(b"")


@pytest.mark.parametrize("kind", ["path", "url"])
def test_patterns_and_folders_become_files_in_order(kind, tmp_path, url):
    """Hidden files and the notes of other programs are left out."""
    root = {"path": str(tmp_path), "url": url}[kind]
    for name in ("b.jsonl", "a.jsonl", "c.csv", "_SUCCESS", ".hidden.jsonl", "sub/d.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert expand([f"{root}/*.jsonl"]) == [f"{root}/a.jsonl", f"{root}/b.jsonl"]
    assert expand([f"{root}/*/*.jsonl"]) == [f"{root}/sub/d.jsonl"]
    assert expand([root]) == [f"{root}/{name}" for name in ("a.jsonl", "b.jsonl", "c.csv")]
    assert expand([f"{root}/c.csv", "-"]) == [f"{root}/c.csv", "-"]


def test_relative_patterns_stay_relative(tmp_path, monkeypatch):
    """The names of rows without ids do not change with the folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.jsonl").write_bytes(b"x")
    assert expand(["*.jsonl"]) == ["a.jsonl"]


def test_a_pattern_without_files_is_an_error(url):
    """The message says which."""
    with pytest.raises(DataError, match=r"\*\.parquet: there is no file that matches"):
        expand([f"{url}/*.parquet"])


def test_a_file_that_is_literally_called_so_is_no_pattern(tmp_path):
    """Brackets occur in names."""
    (tmp_path / "a[1].jsonl").write_bytes(b"x")
    assert expand([str(tmp_path / "a[1].jsonl")]) == [str(tmp_path / "a[1].jsonl")]


def test_answers_are_read_by_url(tmp_path, url):
    """JSON lines and Parquet give the same answers as from a path."""
    rows = answers(5)
    write_rows(tmp_path / "a.jsonl", rows)
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert list(Reader([f"{url}/a.jsonl"])) == list(Reader([tmp_path / "a.jsonl"]))
    assert list(Reader([f"{url}/a.parquet"])) == list(Reader([tmp_path / "a.parquet"]))


def test_score_takes_patterns_and_urls(tmp_path, url):
    """One process reads them as well."""
    write_rows(tmp_path / "a.jsonl", answers(5))
    write_rows(tmp_path / "b.jsonl", answers(5, system="B"))
    by_url = qassay_json("score", f"{url}/*.jsonl", "-m", "rouge_l")
    assert by_url == qassay_json("score", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "-m", "rouge_l")


@pytest.mark.parametrize(
    ("address", "message"),
    [("nowhere://host/a.jsonl", "unknown kind|needs fsspec"), ("file:///none/a.jsonl", "there is no such file")],
)
def test_an_address_that_leads_nowhere_is_an_error(address, message):
    """One message, no traceback."""
    done = qassay("score", address, "-m", "rouge_l", check=2)
    assert any(each in done.stderr for each in message.split("|"))


class Unreachable:
    """A file system of Arrow's whose server does not answer."""

    type_name = "s3"

    def __getattr__(self, _):
        return self._fail

    def _fail(self, *_, **__):
        message = "AWS Error NETWORK_CONNECTION: could not connect\nwith details"
        raise OSError(message)


@pytest.fixture
def unreachable(monkeypatch):
    """A place on a server that does not answer."""
    files = locations._ArrowFiles(Unreachable())
    monkeypatch.setattr(locations, "_file_system", lambda _: (files, "bucket"))
    return Location("s3://bucket/scores")


@pytest.mark.parametrize("asking", [Location.status, Location.names, Location.read, Location.clear])
def test_a_server_that_does_not_answer_is_named(asking, unreachable):
    """The message has the place, the reason in one line, and the remedy."""
    with pytest.raises(
        DataError, match=r"scores: cannot be \w+ \(AWS Error .* connect\); check the address and the acc"
    ):
        asking(unreachable)


def test_an_output_that_cannot_be_reached_is_an_error(unreachable, tmp_path):
    """Before a cluster is started: one message, no traceback."""
    file = write_rows(tmp_path / "a.jsonl", answers(5))
    done = qassay("score", file, "-m", "rouge_l", "--engine", "ray", "-o", unreachable, check=2)
    assert "s3://bucket/scores/manifest.json: cannot be read (AWS Error" in done.stderr
    assert "Traceback" not in done.stderr
