"""What models found is stored and found again: equal to the last digit, and never for another model or text."""

import multiprocessing
import shutil
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

import qassay
from commands import qassay as command
from commands import qassay_process
from qassay.api.inputs import read_options, rows_in_memory
from qassay.errors import OutputError, SpecError
from qassay.features.resources import Resources
from qassay.metrics.registry import create
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.runtime import OnnxRuntime, Session
from qassay.scoring.score_cache import FILE, ScoreCache, StoredScore, metric_key

SPECS = ["ava", "bert_score:kpqa", "token_f1:kp", "bleu"]
FOREIGN = "Das weiß ich leider nicht, mein Herr, und niemand sonst."


def rows_of(system, *candidates):
    """Return answers of one system, some without what metrics need."""
    return [
        {
            "id": str(i),
            "system": system,
            "question": "" if i == 2 else "Who composed the opera Manon?",
            "references": ["Jules Massenet", FOREIGN] if i % 2 else ["Massenet"],
            "candidate": candidate,
            "query": "Who composed Manon?",
        }
        for i, candidate in enumerate(candidates)
    ]


FIRST = rows_of("first", "It was Massenet.", "Puccini", "Massenet, in 1884", None, "", "Massenet")
SECOND = rows_of("second", "Jules Massenet wrote it", FOREIGN, "no idea")


@pytest.fixture
def graph_runs(monkeypatch):
    """Count how often a network runs."""
    runs, run = [], Session.run

    def counted(session, outputs, given):
        runs.append(session)
        return run(session, outputs, given)

    monkeypatch.setattr(Session, "run", counted)
    return runs


def found(rows, specs=SPECS, **options):
    """Return all that a run says."""
    result = qassay.score(rows, specs, on_error="skip", **options)
    return result.aggregates, result.notes, list(result.scored_rows())


def test_second_run_runs_no_model(tmp_path, graph_runs):
    """A second run gives what the first gave, notes and reasons included, and no network runs."""
    plain = found(FIRST)
    first = found(FIRST, cache=tmp_path)
    graph_runs.clear()
    again = found(FIRST, cache=tmp_path)
    assert not graph_runs
    assert plain == first == again
    assert plain[1]


def test_another_system_alone_is_scored(tmp_path, graph_runs):
    """With one system more, networks run for that one only, and all is as without a cache, whatever the batches."""
    plain = found([*FIRST, *SECOND])
    found(FIRST, cache=tmp_path)
    graph_runs.clear()
    alone = found(SECOND, cache=tmp_path / "other")
    runs = len(graph_runs)
    graph_runs.clear()
    assert found([*FIRST, *SECOND], cache=tmp_path, batch=4) == plain
    assert 0 < len(graph_runs) <= runs
    assert alone == found(SECOND)


def test_fresh_process_opens_no_graph(tmp_path, monkeypatch):
    """Where all is stored, graphs are not even opened."""
    found(FIRST, cache=tmp_path)
    monkeypatch.setattr(OnnxRuntime, "session", lambda *_: pytest.fail("a graph was opened"))
    assert found(FIRST, cache=tmp_path)[0][0].n == 5


def test_changed_model(tmp_path):
    """The scores of a model whose fingerprint changed are not found."""
    folder = tmp_path / "model"
    shutil.copytree(EMBEDDED_FOLDER, folder)
    spec = f"ava,model={folder}"
    before = metric_key(create(spec), Resources())
    layer = next(folder.glob("judge_layer.json"), None) or next(folder.glob("*layer*.json"))
    layer.write_bytes(layer.read_bytes() + b"\n")
    after = metric_key(create(spec), Resources())
    assert before is not None
    assert after is not None
    assert before != after
    assert metric_key(create("ava"), Resources()) != metric_key(create("ava,rules=off"), Resources())


@pytest.mark.parametrize("spec", ["bleu", "cider", "bert_score:idf", "bert_score,rescale=run", "token_f1:idf"])
def test_not_stored(spec):
    """What needs no model or depends on the whole run has no key."""
    assert metric_key(create(spec), Resources()) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("candidate", "Bizet"), ("question", "Who wrote it?"), ("references", ["Bizet"]), ("context", "A text.")],
)
def test_another_text(tmp_path, field, value):
    """Another text of an answer is another answer."""
    cache, metric = ScoreCache(tmp_path), create("ava")
    keys = [
        cache.keys(metric, Resources(), rows_in_memory([row], read_options()), {})
        for row in (FIRST[0], {**FIRST[0], field: value}, {**FIRST[0], "id": "other", "system": "x"})
    ]
    assert keys[0] != keys[1]
    assert keys[0] == keys[2]


def test_damaged_file(tmp_path):
    """A file that is no database is refused in one line before anything is scored."""
    (tmp_path / FILE).write_bytes(b"no database at all " * 1000)
    with pytest.raises(OutputError, match=r"scores\.sqlite: cannot be used as a cache \(file is not a database\); del"):
        qassay.score(FIRST, ["ava"], cache=tmp_path)


def test_other_database(tmp_path):
    """A database of something else is left alone."""
    with sqlite3.connect(tmp_path / FILE) as other:
        other.execute("CREATE TABLE t (x)")
    with pytest.raises(OutputError, match="database of something else"):
        ScoreCache(tmp_path)


def test_damaged_score(tmp_path):
    """A score whose bytes changed on disk is calculated anew and stored anew."""
    plain = found(FIRST, ["ava"], cache=tmp_path)
    with sqlite3.connect(tmp_path / FILE) as database:
        stored = dict(database.execute("SELECT key, value FROM scores").fetchall())
        wrong = [(value[:12] + bytes([value[12] ^ 1]) + value[13:], key) for key, value in stored.items()]
        database.executemany("UPDATE scores SET value = ? WHERE key = ?", wrong)
    assert found(FIRST, ["ava"], cache=tmp_path) == plain
    with sqlite3.connect(tmp_path / FILE) as database:
        assert dict(database.execute("SELECT key, value FROM scores").fetchall()) == stored


def score_of(number):
    """Return something to be stored."""
    return StoredScore([float(number), 1.0], None, None, notes_answers=False, notes=[])


def test_oldest_used_go_first(tmp_path):
    """Beyond the bound, what was not used for longest is dropped, and the file stays within the bound."""
    cache, text = ScoreCache(tmp_path, 1), "x" * 1000
    often = b"often".ljust(16)
    for number in range(30):
        part = {
            f"{number} {i}".encode().ljust(16): StoredScore([1.0], text, None, notes_answers=False, notes=[])
            for i in range(100)
        }
        cache.store({**part, **({often: score_of(7)} if number == 0 else {})})
        assert cache.find([often]) == {often: score_of(7)}
    assert not cache.find([b"0 1".ljust(16)])
    assert cache.find([b"29 99".ljust(16)])
    cache.close()
    assert (tmp_path / FILE).stat().st_size <= 1 << 20


def test_journal_stays_short(tmp_path):
    """While it is written, a full cache takes little more room than its bound."""
    cache, most = ScoreCache(tmp_path, 1), 0
    for number in range(60):
        cache.store({f"{number} {i}".encode().ljust(16): score_of(i) for i in range(500)})
        most = max(most, sum(each.stat().st_size for each in tmp_path.iterdir()))
    assert most < 2.5 * (1 << 20)


def write_on(folder, begun):
    """Store pairs of scores until killed."""
    cache = ScoreCache(folder)
    for number in range(1_000_000):
        cache.store({f"{name} {number}".encode().ljust(16): score_of(number) for name in "ab"})
        if number == 20:
            begun.set()


def test_killed_while_writing(tmp_path):
    """What a killed process stored is whole, and the file can be used on."""
    processes = multiprocessing.get_context("fork")
    begun = processes.Event()
    writing = processes.Process(target=write_on, args=(tmp_path, begun))
    writing.start()
    assert begun.wait(60)
    writing.kill()
    writing.join()
    cache = ScoreCache(tmp_path)
    stored = [len(cache.find([f"{name} {number}".encode().ljust(16) for name in "ab"])) for number in range(100)]
    assert stored[:20] == [2] * 20
    assert 1 not in stored
    cache.store({b"more".ljust(16): score_of(5)})
    assert cache.find([b"more".ljust(16)])


def write_many(folder, name):
    """Store and find scores, one batch after the other."""
    cache = ScoreCache(folder)
    for number in range(60):
        key = f"{name} {number}".encode().ljust(16)
        cache.store({key: score_of(number), b"shared".ljust(16): score_of(1)})
        if cache.find([key]) != {key: score_of(number)}:
            sys.exit(3)


def test_processes_write_at_once(tmp_path):
    """Several processes write to one new file at once, and nothing is lost."""
    processes = multiprocessing.get_context("fork")
    started = [processes.Process(target=write_many, args=(tmp_path, name)) for name in "abc"]
    for each in started:
        each.start()
    for each in started:
        each.join(60)
    assert [each.exitcode for each in started] == [0, 0, 0]
    wanted = [f"{name} {number}".encode().ljust(16) for name in "abc" for number in range(60)]
    assert len(ScoreCache(tmp_path).find(wanted)) == 180


def test_two_runs_at_once(tmp_path):
    """Two runs of the program with one cache, one of them with workers, write what runs without it write."""
    answers = tmp_path / "answers.jsonl"
    answers.write_bytes(msgspec.json.Encoder().encode_lines([*FIRST, *SECOND]))
    words = ["score", answers, "-m", "bert_score", "--batch", "2"]
    command(*words, "-o", tmp_path / "plain.jsonl", check=0)

    def run(name, *more):
        qassay_process(*words, *more, "--cache", tmp_path / "c", "-o", tmp_path / f"{name}.jsonl", check=0)
        return (tmp_path / f"{name}.jsonl").read_bytes()

    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(run, "one"), pool.submit(run, "two", "--workers", "2")]
    plain = (tmp_path / "plain.jsonl").read_bytes()
    assert [each.result() for each in runs] == [plain, plain]


def test_size_without_cache():
    """A bound without a cache is refused."""
    with pytest.raises(SpecError, match="cache_size= bounds cache="):
        qassay.score(FIRST, ["ava"], cache_size=5)


def test_never_by_default(tmp_path, monkeypatch):
    """Without a folder nothing is written."""
    monkeypatch.chdir(tmp_path)
    found(FIRST, ["bert_score"])
    assert not list(tmp_path.iterdir())
