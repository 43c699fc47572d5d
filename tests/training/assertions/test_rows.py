"""Relations, opinions, abstentions and written answers as training rows."""

import gzip
import json
import lzma

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.training.assertions.opinions import abstention_rows, opinion_rows, statement
from qassay.training.assertions.relations import direction_rows, relation_rows
from qassay.training.assertions.written import read_marks, written_rows
from qassay.training.corpora.squad import SquadAnswer, SquadRow
from qassay.training.corpora.yes_no import YesNoRow


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator that draws the same in every run."""
    return np.random.default_rng(5)


def test_a_relation_with_the_names_exchanged_is_wrong(rng):
    """Each pair of names gives one right and one wrong row, which assert different names."""
    right, wrong = relation_rows([("Disney", "Pixar")], rng)
    assert (right.label, wrong.label) == (1.0, 0.0)
    assert [row.said.text[slice(*row.said.spans[0])] for row in (right, wrong)] == ["Disney", "Pixar"]


def test_a_comparison_is_said_of_either_one(rng):
    """A is older, B is younger: right; the other way round: wrong."""
    rows = list(direction_rows([("Rome", "Paris")], rng))
    assert [row.label for row in rows] == [1.0, 1.0, 0.0, 0.0]
    assert all(row.said.spans for row in rows)


def test_opinions_meet_in_other_wordings(rng):
    """The same opinion is right, the opposite one wrong; without a verdict there is no row."""
    asked = [YesNoRow("is it", yes, "", "", "") for yes in (True, None)]
    rows = list(opinion_rows(asked, rng, "test"))
    assert [row.label for row in rows] == [1.0, 0.0]


@pytest.mark.parametrize(
    ("question", "yes", "expected"),
    [
        ("is it raining", True, "It is raining."),
        ("did Rome fall", False, "Rome did not fall."),
        ("can the cat swim well", True, "The cat can swim well."),
        ("why not", True, None),
    ],
)
def test_yes_no_questions_become_statements(question, yes, expected):
    """The subject goes before the verb; no is said with not."""
    assert statement(question, yes=yes) == expected


def test_abstaining_is_right_where_nothing_is_told():
    """For an unanswerable question a refusal is right and an answer wrong; for an answerable one a refusal is wrong."""
    rng = np.random.default_rng(0)
    told = [SquadRow(str(i), f"q{i}", [SquadAnswer("Paris", 0)], "Paris", "", 0, "") for i in range(60)]
    untold = [SquadRow(f"u{i}", f"u{i}", [], "Paris", "", 0, "") for i in range(60)]
    rows = list(abstention_rows([*told, *untold], rng))
    refused = {(row.question[0], row.label) for row in rows if not row.said.spans}
    assert refused == {("q", 0.0), ("u", 1.0)}
    assert {row.label for row in rows if row.said.spans} == {0.0}


def test_marks_are_taken_out_of_written_answers():
    """Double brackets become spans."""
    said = read_marks("Not Gounod: [[Bizet]], with [[Halévy]].")
    assert said.text == "Not Gounod: Bizet, with Halévy."
    assert [said.text[start:end] for start, end in said.spans] == ["Bizet", "Halévy"]


def test_written_items_become_rows(tmp_path):
    """Each answer is a row for the judge and one for the reader."""
    item = {"category": "x", "question": "Who?", "references": ["A", "B"], "right": ["[[A]]"], "wrong": ["no idea"]}
    path = tmp_path / "written.jsonl"
    path.write_text(json.dumps(item) + "\n", encoding="utf-8")
    right, wrong = written_rows(path)
    assert (right.judged().references, right.judged().label, right.read().spans) == (("A", "B"), 1.0, ((0, 1),))
    assert (wrong.judged().label, wrong.read().spans) == (0.0, ())


def test_a_written_item_without_wrong_answers_is_refused(tmp_path):
    """The message has the line."""
    item = {"category": "x", "question": "Who?", "references": ["A"], "right": ["[[A]]"], "wrong": []}
    path = tmp_path / "written.jsonl"
    path.write_text(json.dumps(item) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"written\.jsonl:1: .*must each hold a text"):
        list(written_rows(path))


@pytest.mark.parametrize(("end", "pack"), [("gz", gzip.compress), ("xz", lzma.compress)])
def test_written_items_may_be_packed(tmp_path, end, pack):
    """A file whose name ends in .gz or .xz is read like the one inside."""
    item = {"category": "x", "question": "Who?", "references": ["A"], "right": ["[[A]]"], "wrong": ["[[B]]"]}
    path = tmp_path / f"written.jsonl.{end}"
    path.write_bytes(pack(json.dumps(item).encode() + b"\n"))
    assert [row.label for row in written_rows(path)] == [1.0, 0.0]


@pytest.mark.parametrize(("end", "named", "pack"), [("gz", "gzip", gzip.compress), ("xz", "xz", lzma.compress)])
@pytest.mark.parametrize("cut", [False, True])
def test_a_damaged_packed_file_is_refused(tmp_path, end, named, pack, cut):
    """The message names the file, whether it is of another kind or cut short."""
    path = tmp_path / f"written.jsonl.{end}"
    path.write_bytes(pack(b"{}" * 100)[:-12] if cut else b"not packed at all")
    with pytest.raises(DataError, match=rf"written\.jsonl\.{end}: not an? {named} file"):
        list(written_rows(path))
