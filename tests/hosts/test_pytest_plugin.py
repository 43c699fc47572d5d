"""The gate for pytest, run by pytest itself."""

import json
import subprocess
import sys

import pytest

from host_rows import ROWS

TEST = """
import json, pathlib
read = lambda name: [json.loads(line) for line in pathlib.Path(name).read_text().splitlines()]

def test_rows(qassay_gate):
    qassay_gate(read("new.jsonl"), read("old.jsonl"), "token_f1")

def test_files(qassay_gate):
    qassay_gate("new.jsonl", "old.jsonl", "token_f1", margin=0.02)
"""


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.fixture
def run(tmp_path):
    """Run pytest, which finds the plugin by its entry point, on tests that compare two files."""

    def run(new, old, test=TEST):
        write(tmp_path / "new.jsonl", new)
        write(tmp_path / "old.jsonl", old)
        (tmp_path / "test_answers.py").write_text(test, encoding="utf-8")
        # Without the short summary, which repeats whole messages where the variable CI is set.
        command = [sys.executable, "-m", "pytest", "-q", "-rN", "-p", "no:cacheprovider"]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)  # noqa: S603 - our own

    return run


RIGHT = [{**row, "candidate": row["references"][0]} for row in ROWS[::5]]
WRONG = [{**row, "candidate": "Atlantis, I think" if i % 4 == 0 else row["candidate"]} for i, row in enumerate(RIGHT)]


def test_worse_answers_fail_and_are_explained(run):
    """A quarter of wrong answers fails every gate; the failure names the drop and explains the worst answers."""
    found = run(WRONG, RIGHT)
    assert found.returncode == 1
    assert "2 failed" in found.stdout
    assert "new is worse than baseline by more than 0.02 under token_f1 (difference -0.2500, p = " in found.stdout
    assert found.stdout.count("against the baseline") == 6
    assert "Atlantis, I think" in found.stdout


def test_equal_and_better_answers_pass(run):
    """Neither the same answers nor better ones fail."""
    assert "2 passed" in run(RIGHT, RIGHT).stdout
    assert "2 passed" in run(RIGHT, WRONG).stdout


def test_no_shared_question_fails(run):
    """A baseline of other questions is no pass."""
    found = run(RIGHT[:10], [{**row, "id": f"other-{row['id']}"} for row in RIGHT])
    assert "2 failed" in found.stdout
    assert "qassay_gate: " in found.stdout
    assert "Traceback" not in found.stdout
    assert "another exception" not in found.stdout


FAULTS = """
import json, pathlib
read = lambda name: [json.loads(line) for line in pathlib.Path(name).read_text().splitlines()]
new, old = read("new.jsonl"), read("old.jsonl")

def test_empty(qassay_gate):
    qassay_gate([], old, "token_f1")

def test_unknown(qassay_gate):
    qassay_gate(new, old, "nope")

def test_reference(qassay_gate):
    qassay_gate([{"id": "1", "candidate": "Paris"}], old, "token_f1")

def test_candidates(qassay_gate):
    qassay_gate([{**row, "candidate": None} for row in new], old, "token_f1")

def test_script(qassay_gate):
    qassay_gate([{**row, "candidate": "柏林"} for row in new], old, "ava")

def test_second(qassay_gate):
    qassay_gate(new, old, ["exact_match", "token_f1"])
"""


def test_each_fault_is_one_line(run):
    """What cannot be compared fails with its place or reason, and so does the second of two metrics."""
    lost = [{**row, "candidate": row["candidate"] + " and more words"} for row in RIGHT]
    # Both are wrong by `exact_match`; by `token_f1` the new answers are worse.
    found = run([{**row, "candidate": "none"} for row in lost], lost, FAULTS).stdout
    assert "6 failed" in found
    assert "qassay_gate: new: there are no rows; give at least one" in found
    assert 'qassay_gate: there is no metric "nope"' in found
    assert 'qassay_gate: new: row 1: "references" is missing' in found
    assert "40 answers of new have no score (no candidate)" in found
    assert "40 answers of new have no score (in a script that the model cannot read)" in found
    assert "new is worse than baseline under token_f1" in found
    assert "another exception" not in found


WARNED = """
import json, pathlib
rows = [json.loads(line) for line in pathlib.Path("new.jsonl").read_text().splitlines()]

def test_left_out(qassay_gate):
    qassay_gate([*({**row, "candidate": None} for row in rows[:5]), *rows[5:]], rows, "token_f1")

def test_questions(qassay_gate):
    bare = [{**row, "question": ""} for row in rows]
    qassay_gate(bare, bare, "ava")
"""


def test_what_was_left_out_is_a_warning(run):
    """Answers that a passing gate did not compare, and a judge without questions, are told."""
    found = run(RIGHT, RIGHT, WARNED).stdout
    assert "2 passed, 2 warnings" in found
    assert "token_f1: questions left out: 5; 5 answers of new have no score (no candidate)" in found
    assert "answers without a question, judged by their references alone: 80" in found


FURTHER = """
def test_contexts(qassay_gate):
    qassay_gate("old.jsonl", "old.jsonl", "faithful")

def test_copies(qassay_gate):
    qassay_gate("new.jsonl", "old.jsonl", "token_f1", cluster="question")

def test_independent(qassay_gate):
    qassay_gate("new.jsonl", "old.jsonl", "token_f1")
"""


def test_all_fields_of_a_file_are_read(run):
    """Metrics find the contexts of answers in files, and samples of a question are no further questions."""
    passages = ["Paris is the capital of France."]
    rows = [{**row, "contexts": passages, "sample": i} for row in RIGHT[:8] for i in range(1, 11)]
    # One question is lost in all of its samples: of eight questions that is chance, of eighty it is not.
    lost = [{**row, "candidate": "Atlantis"} if row["id"] == RIGHT[0]["id"] else row for row in rows]
    found = run(lost, rows, FURTHER).stdout
    assert "cannot be tested" not in found
    assert "1 failed, 2 passed" in found
    assert "new is worse than baseline under token_f1 (difference -0.1250, p = " in found
