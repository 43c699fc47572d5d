"""Public files arrive whole, checked and resumable, from a real server that misbehaves in every way it can."""

import hashlib
import threading
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from qassay.errors import QassayError
from qassay.io.fetch import FetchError, data_folder, fetch
from qassay.io.manifest import DataFile, DataSet, find_set, list_sets
from shared import DATA, bench

CONTENT = bytes(range(256)) * 4096
FILE = DataFile(
    "bench/toy/answers file.bin",
    "who/what",
    "data/a b+c [1].bin",
    "c0ffee",
    len(CONTENT),
    hashlib.sha256(CONTENT).hexdigest(),
)
TOY = DataSet("toy", "a set made for tests", "none", (FILE,))


@dataclass
class Server:
    """A web server whose answers a test writes: each request takes the next behaviour, the last one stays."""

    url: str = ""
    content: dict = field(default_factory=dict)
    behaviours: list = field(default_factory=list)
    ranges: list = field(default_factory=list)
    paths: list = field(default_factory=list)


def proper(handler, content, limit=None):
    """Answer with the whole file or the wanted range; with a limit, end early."""
    wanted = handler.headers.get("Range")
    start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted else 0
    handler.send_response(206 if wanted else 200)
    if wanted:
        handler.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
    handler.send_header("Content-Length", str(len(content) - start))
    handler.end_headers()
    handler.wfile.write(content[start:][:limit])


def without_ranges(handler, content):
    """Answer with the whole file whatever was asked for."""
    del handler.headers["Range"]
    proper(handler, content)


def wrong_range(handler, content):
    """Answer a wanted range with the file's beginning."""
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes 0-{len(content) - 1}/{len(content)}")
    handler.end_headers()
    handler.wfile.write(content)


def cut_after(size):
    """Promise all that was asked for, and drop the connection after some bytes of it."""
    return partial(proper, limit=size)


def status(code):
    """Answer with an error."""
    return lambda handler, _content: handler.send_error(code)


def hang_up(handler, _content):
    """Close the connection without a word."""
    handler.connection.close()


def endless(handler, content):
    """Send the file and go on, without saying how long it is."""
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(content + b"more")


@pytest.fixture
def server():
    state = Server(content={"/who/what/c0ffee/data/a%20b%2Bc%20%5B1%5D.bin": CONTENT})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            state.paths.append(self.path)
            state.ranges.append(self.headers.get("Range"))
            behaviour = state.behaviours.pop(0) if len(state.behaviours) > 1 else (state.behaviours or [proper])[0]
            if self.path in state.content:
                behaviour(self, state.content[self.path])
            else:
                self.send_error(404)

        def log_message(self, *_arguments):
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, _request, _client):
            """Log nothing: the tests break connections on purpose."""

    running = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{running.server_port}"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,))
    thread.start()
    yield state
    running.shutdown()
    thread.join()
    running.server_close()


def bring(server, folder, **options):
    return fetch(TOY, folder, base_url=server.url, **{"pause": 0.001, **options})


def files_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_file_arrives_under_its_name(server, tmp_path):
    """The file lies where the manifest says, from an address with its odd characters quoted, and nothing else."""
    [fetched] = bring(server, tmp_path)
    assert fetched.fresh
    assert files_in(tmp_path) == {FILE.name: CONTENT}


def test_present_file_is_kept(server, tmp_path):
    """A second fetch asks the server for nothing."""
    bring(server, tmp_path)
    server.paths.clear()
    [fetched] = bring(server, tmp_path)
    assert not fetched.fresh
    assert server.paths == []


def test_changed_file_is_not_overwritten(server, tmp_path):
    """A file that differs from the published one is the user's: it stays, and an error says so."""
    bring(server, tmp_path)
    (tmp_path / FILE.name).write_bytes(b"mine")
    with pytest.raises(FetchError, match="not the published file, its sha256 differs; delete or rename it"):
        bring(server, tmp_path)
    assert files_in(tmp_path) == {FILE.name: b"mine"}


def test_continues_what_an_earlier_run_left(server, tmp_path):
    """Only the missing bytes are asked for."""
    part = tmp_path / f"{FILE.name}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:1000])
    bring(server, tmp_path)
    assert server.ranges == ["bytes=1000-"]
    assert files_in(tmp_path) == {FILE.name: CONTENT}


@pytest.mark.parametrize(
    "left",
    [b"", b"x" * 1000, CONTENT, CONTENT[:-1] + b"x", CONTENT + b"x"],
    ids=["empty", "foreign", "whole", "whole but wrong", "too long"],
)
def test_whatever_an_earlier_run_left(server, tmp_path, left):
    """A part that is empty, foreign, whole, damaged or too long never ends up in the file."""
    part = tmp_path / f"{FILE.name}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(left)
    bring(server, tmp_path)
    assert files_in(tmp_path) == {FILE.name: CONTENT}


@pytest.mark.parametrize(
    ("behaviours", "ranges"),
    [
        ([cut_after(300_000), proper], [None, "bytes=300000-"]),
        ([cut_after(300_000), without_ranges], [None, "bytes=300000-"]),
        ([cut_after(300_000), wrong_range, proper], [None, "bytes=300000-", None]),
        ([cut_after(300_000), status(416), proper], [None, "bytes=300000-", None]),
        ([status(503), proper], [None, None]),
        ([status(429), proper], [None, None]),
        ([hang_up, hang_up, proper], [None, None, None]),
    ],
    ids=["dropped", "no ranges", "wrong range", "range refused", "busy", "too many requests", "hung up"],
)
def test_failures_that_pass(server, tmp_path, behaviours, ranges):
    """Dropped connections and busy servers are tried again, from where the last attempt ended."""
    server.behaviours = list(behaviours)
    bring(server, tmp_path)
    assert server.ranges == ranges
    assert files_in(tmp_path) == {FILE.name: CONTENT}


def test_many_drops_with_progress(server, tmp_path):
    """Attempts that bring new bytes do not use up the patience."""
    server.behaviours = [cut_after(200_000)]
    bring(server, tmp_path, attempts=2)
    assert len(server.ranges) == 6
    assert files_in(tmp_path) == {FILE.name: CONTENT}


@pytest.mark.parametrize(
    ("content", "behaviour"),
    [(CONTENT[:-1] + b"x", proper), (CONTENT[:-1], proper), (CONTENT + b"x", proper), (CONTENT, endless)],
    ids=["other bytes", "shorter", "longer", "endless"],
)
def test_wrong_content_is_deleted(server, tmp_path, content, behaviour):
    """What does not have the published size and hash is deleted and reported with its address."""
    server.content = dict.fromkeys(server.content, content)
    server.behaviours = [behaviour]
    with pytest.raises(FetchError, match=rf"{server.url}/who/what/c0ffee/.*is not the published file"):
        bring(server, tmp_path)
    assert files_in(tmp_path) == {}


def test_file_that_is_gone(server, tmp_path):
    """A 404 is not tried again."""
    server.content.clear()
    with pytest.raises(FetchError, match="the server answers 404 Not Found"):
        bring(server, tmp_path)
    assert len(server.paths) == 1


def test_server_that_stays_busy(server, tmp_path):
    """After the last attempt an error names the address, the reason and the way out."""
    server.behaviours = [status(503)]
    with pytest.raises(FetchError, match=r"/c0ffee/.*\(the server answers 503 .*check the network connection"):
        bring(server, tmp_path, attempts=3)
    assert len(server.paths) == 3


def test_server_that_ends_at_the_same_byte(server, tmp_path):
    """A download that never gets further ends, and keeps what it has for the next run."""
    part = tmp_path / f"{FILE.name}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:1000])
    server.behaviours = [cut_after(0)]
    with pytest.raises(FetchError, match=r"the connection ended after 1,000 of 1,048,576 bytes"):
        bring(server, tmp_path, attempts=3)
    assert files_in(tmp_path) == {f"{FILE.name}.part": CONTENT[:1000]}


def test_no_network(tmp_path):
    """Without a connection the message says which address and what to do, and no file is left."""
    with pytest.raises(FetchError, match=r"http://127\.0\.0\.1:9/who.*Connection refused.*put the file at"):
        fetch(TOY, tmp_path, base_url="http://127.0.0.1:9", attempts=2, pause=0.001)
    assert files_in(tmp_path) == {}


def test_folder_that_cannot_be_written(server, tmp_path):
    """A file in the folder's place is an error with a remedy."""
    (tmp_path / "bench").write_text("in the way")
    with pytest.raises(FetchError, match=r"bench.*: cannot be written .*choose another folder"):
        bring(server, tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc",
        "ftp://host",
        "",
        "http://",
        "http://[",
        "http://a:99999",
        "http://a b",
        "http://a\nb",
        "http://..",
    ],
)
def test_only_web_addresses(tmp_path, address):
    """Nothing but http and https is opened."""
    with pytest.raises(FetchError, match="is no web address"):
        fetch(TOY, tmp_path, base_url=address)


def test_progress_reaches_the_size(server, tmp_path):
    """Progress grows to the file's size, across a resumed download."""
    seen = []
    server.behaviours = [cut_after(300_000), proper]
    bring(server, tmp_path, progress=lambda file, received: seen.append((file.name, received)))
    assert seen == sorted(seen)
    assert seen[-1] == (FILE.name, FILE.size)


def test_real_set_from_the_packaged_manifest(server, tmp_path):
    """The packaged manifest brings QAGS' votes as they are published."""
    qags = find_set("qags")
    server.content = {
        f"/{file.repository}/{file.commit}/{file.path}": bench(file.name.removeprefix("bench/")).read_bytes()
        for file in qags.files
    }
    assert qags.missing(tmp_path) == qags.files
    fetched = fetch("qags", tmp_path, base_url=server.url)
    assert len(fetched) == 2
    assert qags.missing(tmp_path) == ()


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("kpqa_human", {"nrqa_mhpgm.csv": 92_231, "semeval_mhpgm.csv": 35_282}),
        ("answer_verification", {"tac2008_labeled-answers.csv": 1_007_158}),
    ],
)
def test_sets_that_are_fetched_and_not_at_hand(name, files):
    """The further files of KPQA and QAEval come from the commit of those beside them, with their published sizes."""
    found = find_set(name)
    sizes = {file.name.rpartition("/")[2]: file.size for file in found.files}
    assert files.items() <= sizes.items()
    assert len({file.commit for file in found.files}) == 1


def test_manifest_against_the_files_at_hand():
    """Each file of the manifest has the hash of the copy at hand; SQuAD's dev sets are rebuilt in that copy."""
    if not DATA.is_dir():
        pytest.skip("needs the public data; set QASSAY_DATA to the folder that holds it")
    files = [file for each in list_sets() for file in each.files if (DATA / file.name).exists()]
    different = {
        file.name for file in files if hashlib.sha256((DATA / file.name).read_bytes()).hexdigest() != file.sha256
    }
    assert len(files) >= 90
    assert different <= {"train/squad/dev-v1.1.json", "train/squad/dev-v2.0.json"}


@pytest.mark.parametrize("each", list_sets(), ids=lambda each: each.name)
def test_every_set_is_described(each):
    """A set says what it is, under which licence and for what; each file has a full commit and hash."""
    assert each.about
    assert each.licence
    assert set(each.roles) <= {"bench", "train", "resources"}
    assert each.files or each.left_out
    assert all(len(file.commit) == 40 and len(file.sha256) == 64 and file.size > 0 for file in each.files)
    assert all(left.reason for left in each.left_out)


def test_set_of_which_nothing_is_fetched(tmp_path):
    """A set that is published in no form Qassay opens says why."""
    with pytest.raises(FetchError, match="summeval cannot be fetched: published as a pickle"):
        fetch("summeval", tmp_path)


def test_unknown_set():
    """A mistyped name is an error that names the nearest set."""
    with pytest.raises(QassayError, match='there is no data set "kpqa"; did you mean "kpqa_human"'):
        find_set("kpqa")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"QASSAY_DATA": "/somewhere", "XDG_CACHE_HOME": "/cache"}, "/somewhere"),
        ({"XDG_CACHE_HOME": "/cache"}, "/cache/qassay/data"),
        ({"HOME": "/home/me"}, "/home/me/.cache/qassay/data"),
    ],
)
def test_default_folder(monkeypatch, environment, expected):
    """QASSAY_DATA decides, then the user's cache."""
    monkeypatch.delenv("QASSAY_DATA", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("os.environ", environment)
    assert data_folder().as_posix() == expected
