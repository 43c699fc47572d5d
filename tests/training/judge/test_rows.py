from pathlib import Path

import pytest

from qassay.errors import DataError
from qassay.training.answer_text import group_of, token_f1
from qassay.training.files import write_rows
from qassay.training.judge.rows import JudgeRow, read_rows, side_of, single_references
from qassay.training.splits import DEV, TEST, TRAIN, held_back


def row(question="who wrote it", references=("Jane Austen",), candidate="Austen", label=1.0, source="sas"):
    return JudgeRow(question, references, candidate, label, source, group_of(question))


def test_rows_come_back_as_they_were_written(tmp_path: Path):
    """What is written is read again, context and all."""
    rows = [row(), JudgeRow("", ("a", "b"), "c", 0.5, "made", "group", "a passage")]

    write_rows(tmp_path / "rows.jsonl", rows)

    assert list(read_rows(tmp_path / "rows.jsonl")) == rows


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"question": "q"', "not a row of judge data"),
        (
            '{"question":"q","references":[],"candidate":"c","label":1,"source":"s","group":"g"}',
            '"references" is empty',
        ),
        ('{"question":"q","references":["r"],"candidate":"c","label":4,"source":"s","group":"g"}', "from 0"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(tmp_path: Path, line: str, problem: str):
    """A row that cannot be used stops the reading and says where."""
    path = tmp_path / "rows.jsonl"
    write_rows(path, [row()])
    path.write_text(path.read_text() + line + "\n")

    with pytest.raises(DataError, match=problem) as refused:
        list(read_rows(path))

    assert "rows.jsonl:2" in str(refused.value)


def test_a_missing_file_names_the_command_that_makes_one(tmp_path: Path):
    """Without the file, the way to make it is said."""
    with pytest.raises(DataError, match="qassay build judge"):
        list(read_rows(tmp_path / "none.jsonl"))


def test_a_right_answer_is_held_against_the_reference_most_like_it():
    """Being right by one reference says nothing about the others."""
    found = list(single_references([row(references=("Charlotte Brontë", "Jane Austen", "Austen"), candidate="Austen")]))

    assert [each.references for each in found] == [("Austen",)]


def test_a_wrong_answer_is_wrong_against_two_references():
    """A wrong answer is held against the two references most like it."""
    found = list(single_references([row(references=("x", "Jane Austen", "Austen"), candidate="Austen", label=0.0)]))

    assert [each.references for each in found] == [("Austen",), ("Jane Austen",)]


def test_held_back_questions_stand_on_the_test_side_only():
    """EVOUNA's held-back questions are never trained on; the same text from another source is not EVOUNA's."""
    questions = [f"question number {number}" for number in range(60)]
    kept = next(question for question in questions if held_back(question))

    assert side_of(row(kept, source="evouna_sentences")) == TEST
    assert side_of(row(kept, source="sas")) in {TRAIN, DEV}


def test_a_question_has_one_side_whatever_its_source():
    """Sources that share a question share its side."""
    questions = [f"question number {number}" for number in range(50)]

    sides = [{side_of(row(question, source=source)) for source in ("sas", "efficientqa")} for question in questions]

    assert all(len(side) == 1 for side in sides)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("the red car", "a red car", 1.0),  # articles are left out
        ("red car", "blue car", 0.5),  # one of two tokens each
        ("", "car", 0.0),
    ],
)
def test_token_f1_counts_shared_words(left: str, right: str, expected: float):
    """Token F1 is 2 · shared / (left + right)."""
    assert token_f1(left, right) == pytest.approx(expected)
