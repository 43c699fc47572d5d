import msgspec
import pytest

from fake_pipeline import interrupted
from qassay.errors import DataError, OutputError
from qassay.metrics.questions.question_pass import Verdicts, decode_records, write_questions
from qassay.metrics.questions.question_records import QuestionRecord, SourceRecord, SummaryRecord
from qassay.records import Example, Reference
from qassay.scoring.first_pass_log import QuestionLog


def _example(name, summary="then Bob sang"):
    return Example(name, "", (Reference("so Anna sang"),), summary, "a")


def _record(name):
    question = QuestionRecord("Who?", "person", "s", "Anna", (0, 4), "Bob", (5, 8), 0.1, answered=True)
    return SummaryRecord(name, "a", "qaeval", [SourceRecord("reference 1", [question])])


def _resumed(path, run="run"):
    return QuestionLog(path, run, resume=True)


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "scores.jsonl.questions.part"
    interrupted(QuestionLog(place, "run"), [_example("1"), _example("2")], [[_record("1")], [_record("2")]])
    return place


def test_an_interrupted_run_leaves_its_records(path):
    """They come back in order, each with the summary it is about."""
    with _resumed(path) as log:
        assert [decode_records(log.known(_example(name)))[0].id for name in ("1", "2")] == ["1", "2"]


def test_a_finished_run_leaves_nothing(path):
    """The records were for the case of a kill."""
    with _resumed(path):
        pass
    assert not path.exists()


def test_a_run_that_fails_on_its_input_leaves_nothing(tmp_path):
    """There is nothing to carry on with."""
    path = tmp_path / "kept"
    with pytest.raises(DataError), QuestionLog(path, "run"):
        raise DataError("bad row")
    assert not path.exists()


def test_a_line_that_a_kill_cut_is_left_out(path):
    """The summary it was about is asked about again."""
    path.write_bytes(path.read_bytes()[:-10])
    with _resumed(path) as log:
        assert log.known(_example("1")) is not None
        assert log.known(_example("2")) is None
        log.add([_example("2")], [msgspec.json.encode([_record("2")])])
        assert [decode_records(found)[0].id for found in log] == ["1", "2"]


def test_another_run_does_not_take_the_records_up(path):
    """Other metrics or models would ask something else."""
    with pytest.raises(DataError, match="belongs to another run"), _resumed(path, "-m feqa"):
        pass


def test_without_resume_a_run_begins_anew(path):
    """What an earlier run left is overwritten."""
    with QuestionLog(path, "run") as log:
        assert log.known(_example("1")) is None
        assert list(log) == []


def test_another_summary_under_the_same_id_is_noticed(path):
    """The input was changed between the runs."""
    with _resumed(path) as log, pytest.raises(DataError, match="not the one that the unfinished run read"):
        log.known(_example("1", "then Eve sang"))


def test_questions_are_written_as_they_are_to_be_read(path, tmp_path):
    """One record a line, without what only a resumed run needs."""
    with _resumed(path) as log:
        write_questions(tmp_path / "questions.jsonl", log, Verdicts())
    lines = (tmp_path / "questions.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line, type=SummaryRecord).id for line in lines] == ["1", "2"]


def test_a_foreign_file_is_not_written_over(tmp_path):
    """What no log began stays as it is."""
    path = tmp_path / "scores.jsonl.questions.part"
    path.write_text("a diary", encoding="utf-8")
    with pytest.raises(OutputError, match="is in the way"), QuestionLog(path, "run"):
        pass
    assert path.read_text(encoding="utf-8") == "a diary"


def test_a_changed_record_is_noticed(path):
    """A record that is not what was written does not go into the result."""
    path.write_bytes(path.read_bytes().replace(b"Anna", b"Anne", 1))
    with _resumed(path) as log, pytest.raises(DataError, match="is not what the unfinished run wrote"):
        log.known(_example("1"))
