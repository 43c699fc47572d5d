"""A run over shards, with all of it but Ray: what a cluster would do is done here, one thing after the other."""

import json
from contextlib import nullcontext
from itertools import chain
from pathlib import Path

import pytest

from commands import answers, qassay, qassay_json, write_rows
from qassay.api.scoring import cluster_scoring
from qassay.errors import DataError, OutputError, SpecError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.io.locations import Location
from qassay.io.scores.scores_folder import ScoresFolder
from qassay.scoring import shards as scoring_of_shards
from qassay.scoring.cluster_run import ClusterRun
from qassay.scoring.scorer import Scorer, score_examples

METRICS = ("rouge_l", "bleu")


class OneMachine:
    """A cluster of one machine, which counts the shards that it was given."""

    def __init__(self, most=None):
        self.given = 0
        self._most = most

    def score(self, make_scorer, tasks):
        """Score shards, last first, until there were as many as may be."""
        scorer = make_scorer()
        for task in reversed(tasks):
            if self._most is not None and self.given >= self._most:
                raise KeyboardInterrupt
            self.given += 1
            yield scorer.score(task)

    def map(self, work, items):
        """Do some work on numbers."""
        return map(work, items)


@pytest.fixture
def shards(tmp_path):
    """Five files of answers."""
    rows = [answers(40, system) for system in "ABCDE"]
    return [str(write_rows(tmp_path / f"{i}.jsonl", some)) for i, some in enumerate(rows)]


def run_of(shards, folder, *, cluster=None, metrics=METRICS, **more):
    """Return a run over shards."""
    options = ReadOptions(on_error=more.pop("on_error", "stop"))
    scorer = Scorer(metrics, on_error=options.on_error)
    folder = ScoresFolder(Location(str(folder)))
    return ClusterRun(shards, options, scorer, cluster or OneMachine(), folder, batch=16, **more)


def written(folder):
    """Return all rows of a folder."""
    return list(chain.from_iterable(each.read_bytes().splitlines() for each in sorted((folder / "rows").iterdir())))


def test_shards_add_up_to_the_whole(shards, tmp_path):
    """Aggregates are those of all answers at once, in the order of the input, and so are the rows."""
    finished = run_of(shards, tmp_path / "scores").score()
    whole = score_examples(chain.from_iterable(map(_read, shards)), METRICS, seed=1)
    assert finished.totals.aggregates(1) == list(whole.aggregates)
    assert [json.loads(row) for row in written(tmp_path / "scores")] == list(whole.rows())


def _read(path):
    return Reader([path])


def test_a_stopped_run_goes_on_where_it_was(shards, tmp_path):
    """What is written stays as it is."""
    folder = tmp_path / "scores"
    with pytest.raises(KeyboardInterrupt):
        run_of(shards, folder, cluster=OneMachine(most=2)).score()
    before = {each: each.stat().st_mtime_ns for each in folder.rglob("*/*")}
    finished = run_of(shards, folder, resume=True).score()
    assert finished.totals.examples == 200
    assert all(each.stat().st_mtime_ns == at for each, at in before.items())


def test_what_a_killed_worker_leaves_is_no_file_of_rows(shards, tmp_path, monkeypatch):
    """It stays outside `rows/`, where every file counts, and is gone when the run is finished."""
    folder = tmp_path / "scores"
    with monkeypatch.context() as killed:
        killed.setattr(scoring_of_shards.HashingFile, "write", _killed)
        killed.setattr(Path, "unlink", lambda _: None)
        with pytest.raises(KeyboardInterrupt):
            run_of(shards, folder).score()
    assert [each.suffix for each in folder.rglob("*/*")] == [".part"]
    assert not list(folder.glob("rows/*"))
    run_of(shards, folder, resume=True).score()
    assert not list(folder.rglob("*.part"))
    assert len(written(folder)) == 200


def _killed(*_):
    raise KeyboardInterrupt


def test_an_unfinished_folder_is_not_read(shards, tmp_path):
    """The message says how to finish it."""
    folder = tmp_path / "scores"
    with pytest.raises(KeyboardInterrupt):
        run_of(shards, folder, cluster=OneMachine(most=1)).score()
    for command in ("compare", "correlate", "accuracy"):
        assert "not finished; finish it with --resume" in qassay(command, folder, check=2).stderr


@pytest.mark.parametrize("change", [lambda lines: lines[:-1], lambda lines: [lines[0].replace(b"1", b"0"), *lines[1:]]])
def test_changed_rows_are_not_read(change, shards, tmp_path):
    """Rows that are lost or changed are named, and not taken for the run's."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    file = folder / "rows" / "000003.jsonl"
    file.write_bytes(b"".join(change(file.read_bytes().splitlines(keepends=True))))
    for command in ("compare", "correlate"):
        said = qassay(command, folder, check=2).stderr
        assert "rows/000003.jsonl: is gone, or not what the run wrote" in said
        assert "--resume" in said


def test_missing_rows_are_not_read(shards, tmp_path):
    """A file of rows that was removed is named."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    (folder / "rows" / "000002.jsonl").unlink()
    assert "rows/000002.jsonl: is gone" in qassay("compare", folder, check=2).stderr


@pytest.mark.parametrize("part", ["rows/000003.jsonl", "statistics/000003.msgpack", "ids/000003.bin"])
def test_a_damaged_shard_is_scored_again(part, shards, tmp_path):
    """By the hashes that its record has."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    content = (folder / part).read_bytes()
    (folder / part).write_bytes(content[:-1] + b"?")
    run_of(shards, folder, resume=True).score()
    assert (folder / part).read_bytes() == content


@pytest.mark.parametrize("change", [{"hashes": {}}, {"hashes": {"rows": ""}}, {"shard": 3}, {"examples": "many"}])
def test_a_damaged_record_is_written_again(change, shards, tmp_path):
    """Its shard is scored once more, with the same record."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    file = folder / "shards" / "000002.json"
    before = file.read_bytes()
    file.write_bytes(json.dumps(json.loads(before) | change).encode())
    run_of(shards, folder, resume=True).score()
    assert file.read_bytes() == before


def test_a_record_that_counts_other_answers_is_refused(shards, tmp_path):
    """What it says of the shard cannot be believed."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    file = folder / "shards" / "000002.json"
    file.write_bytes(json.dumps(json.loads(file.read_bytes()) | {"examples": 41}).encode())
    with pytest.raises(
        DataError, match=r"000002\.json: is damaged \(it counts 41 answers, and the statistics 40\); remove"
    ):
        run_of(shards, folder, resume=True).score()


def _without_hashes(manifest):
    manifest["shards"][0]["hashes"] = {}


def _shard_dropped(manifest):
    del manifest["shards"][2]


def _shard_twice(manifest):
    manifest["shards"].insert(2, manifest["shards"][2])


def _shards_exchanged(manifest):
    manifest["shards"][1:3] = reversed(manifest["shards"][1:3])


def _one_answer_more(manifest):
    manifest["examples"] += 1


@pytest.mark.parametrize("damage", [_without_hashes, _shard_dropped, _shard_twice, _shards_exchanged, _one_answer_more])
def test_a_damaged_manifest_is_not_read(damage, shards, tmp_path):
    """One message says what is wrong; resuming the run writes the manifest again."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    file = folder / "manifest.json"
    before = file.read_bytes()
    manifest = json.loads(before)
    damage(manifest)
    file.write_text(json.dumps(manifest))
    assert "manifest.json: is damaged (" in qassay("compare", folder, check=2).stderr
    run_of(shards, folder, resume=True).score()
    assert file.read_bytes() == before


def test_a_shard_whose_input_changed_is_scored_again(shards, tmp_path):
    """By size and time; the others stay."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    before = {each.name: each.stat().st_mtime_ns for each in (folder / "shards").iterdir()}
    write_rows(tmp_path / "1.jsonl", answers(30, "B"))
    finished = run_of(shards, folder, resume=True).score()
    now = {each.name: each.stat().st_mtime_ns for each in (folder / "shards").iterdir()}
    assert finished.totals.examples == 190
    assert [name for name in sorted(before) if now[name] != before[name]] == ["000001.json"]


def test_without_resume_an_unfinished_run_starts_over(shards, tmp_path):
    """Nothing of a run over more shards is left."""
    folder = tmp_path / "scores"
    with pytest.raises(KeyboardInterrupt):
        run_of(shards, folder, cluster=OneMachine(most=3)).score()
    run_of(shards[:2], folder).score()
    assert len(list((folder / "rows").iterdir())) == 2


@pytest.mark.parametrize("inputs", [slice(0, 5), slice(0, 2)])
def test_finished_scores_are_not_replaced(inputs, shards, tmp_path):
    """A run that may fail leaves those of another, and of the same, as they are."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    before = contents(folder)
    write_rows(tmp_path / "1.jsonl", [{"id": "x", "candidate": "y"}])
    with pytest.raises(OutputError, match="holds the scores of a finished run; give a new folder"):
        run_of(shards[inputs], folder).score()
    assert contents(folder) == before


def test_finished_scores_are_refused_before_ray_is_started(shards, tmp_path):
    """The command knows without a cluster."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    done = qassay("score", *shards, "-o", folder, "-m", "bleu", "--engine", "ray", check=2)
    assert "holds the scores of a finished run; give a new folder" in done.stderr


def test_a_finished_run_that_fails_when_resumed_stays_finished(shards, tmp_path):
    """An input that is gone takes no scores with it."""
    folder = tmp_path / "scores"
    run_of(shards, folder).score()
    before = contents(folder)
    Path(shards[4]).unlink()
    with pytest.raises(DataError, match="there is no such file"):
        run_of(shards, folder, resume=True).score()
    assert contents(folder) == before


def contents(folder):
    """Return all files of a folder by name."""
    return {each: each.read_bytes() for each in folder.rglob("*") if each.is_file()}


@pytest.mark.parametrize(
    ("more", "message"),
    [({"metrics": ("rouge_l",)}, "belongs to another run"), ({"seed": 7}, "belongs to another run")],
)
def test_another_run_is_not_resumed(more, message, shards, tmp_path):
    """The message says what differs."""
    run_of(shards, tmp_path / "scores").score()
    with pytest.raises(DataError, match=message):
        run_of(shards, tmp_path / "scores", resume=True, **more).score()


def test_other_inputs_are_not_resumed(shards, tmp_path):
    """Shards are told apart by their order."""
    run_of(shards, tmp_path / "scores").score()
    with pytest.raises(DataError, match="over other inputs"):
        run_of(shards[1:], tmp_path / "scores", resume=True).score()


def test_a_folder_with_other_files_is_left_alone(shards, tmp_path):
    """Nothing that Qassay did not write is removed."""
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "notes.txt").write_text("mine")
    with pytest.raises(OutputError, match=r'holds "notes\.txt", which no run of Qassay wrote'):
        run_of(shards, tmp_path / "scores").score()
    assert (tmp_path / "scores" / "notes.txt").read_text() == "mine"


def test_ids_of_several_shards_are_found(shards, tmp_path):
    """The later answer is at fault, wherever the shards were scored first."""
    write_rows(tmp_path / "4.jsonl", [*answers(3, "E"), *answers(5, "B")[4:]])
    with pytest.raises(DataError, match=r'4\.jsonl:4: the id "q4" of system "B" appears twice'):
        run_of(shards, tmp_path / "scores").score()


def test_repeated_answers_can_be_left_out(shards, tmp_path):
    """Also those that a shard has itself; a resumed run finds them again without scoring anything again."""
    write_rows(tmp_path / "4.jsonl", [*answers(3, "E"), *answers(5, "B")[4:] * 2])
    folder = tmp_path / "scores"
    finished = run_of(shards, folder, on_error="skip").score()
    assert finished.totals.examples == 163
    assert [each.place.rsplit("/")[-1] for each in finished.reader.skipped] == ["4.jsonl:4", "4.jsonl:5"]
    before = {each: each.stat().st_mtime_ns for each in folder.glob("shards/*")}
    again = run_of(shards, folder, on_error="skip", resume=True).score()
    assert again.reader.skipped == finished.reader.skipped
    assert all(each.stat().st_mtime_ns == at for each, at in before.items())


def test_what_was_skipped_stops_a_stricter_run(shards, tmp_path):
    """Resuming without skipping does not pass over bad rows."""
    write_rows(tmp_path / "2.jsonl", [*answers(3, "C"), {"id": "x", "candidate": "y"}])
    run_of(shards, tmp_path / "scores", on_error="skip").score()
    with pytest.raises(DataError, match=r"2\.jsonl:4: "):
        run_of(shards, tmp_path / "scores", resume=True).score()


def test_metrics_of_the_whole_run_are_refused(shards, tmp_path):
    """The message names the way: frequencies counted before."""
    with pytest.raises(SpecError, match=r"cider reads the whole run .* `qassay frequencies`"):
        run_of(shards, tmp_path / "scores", metrics=("cider", "bleu"))


def sampled(system, numbers):
    """Return a system's answers, each once per number of a sample."""
    return [{**row, "sample": number} for row in answers(10, system) for number in numbers]


def test_samples_of_a_question_are_counted_over_shards(tmp_path):
    """As one reader of all shards counts them, also where answers that repeat an id are left out."""
    parts = [sampled("A", range(3)), sampled("A", range(2, 5)), answers(4, "B")]
    shards = [str(write_rows(tmp_path / f"{i}.jsonl", rows)) for i, rows in enumerate(parts)]
    finished = run_of(shards, tmp_path / "scores", on_error="skip").score()
    again = run_of(shards, tmp_path / "scores", on_error="skip", resume=True).score()
    reader = Reader(shards, ReadOptions(on_error="skip"))
    assert len(list(reader)) == finished.totals.examples == 54
    assert [each.samples for each in (finished.reader, again.reader, reader)] == [50, 50, 50]


def test_samples_of_a_question_are_noted_as_in_one_process(tmp_path, monkeypatch):
    """What is printed is the same, notes included."""
    monkeypatch.setattr(cluster_scoring, "RayCluster", lambda *_: nullcontext(OneMachine()))
    shards = [write_rows(tmp_path / f"{system}.jsonl", sampled(system, range(5))) for system in "AB"]
    local = qassay_json("score", *shards, "-m", "rouge_l")
    assert list(local["notes"].values()) == [100]
    assert qassay_json("score", *shards, "-m", "rouge_l", "--engine", "ray", "-o", tmp_path / "scores") == local
