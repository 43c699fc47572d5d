"""`qassay build` as a user meets it."""

import json
import sys

import pytest

from commands import qassay, qassay_json, write_rows
from qassay.cli.main import run

ANSWER = {"text": "w", "answer_start": 6}
ROWS = '{"id": "q1", "question": "Who?", "references": [], "candidate": "x", "judgement": 1}\n'
TABLE = "QuestionID\tQuestion\tSentenceID\tSentence\tLabel\nQ1\tWho?\tS1\tThey .\tperhaps\n"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [("a.jsonl", ROWS, '"references" is empty'), ("a.tsv", TABLE, "it must be 0 or 1")],
)
def test_a_bad_row_names_no_option_that_is_not_there(refused, tmp_path, name, content, problem):
    """`build ava` has no --on-error, whatever it reads."""
    (tmp_path / name).write_text(content, encoding="utf-8")
    message = refused("build", "ava", name, "-o", "pairs")
    assert problem in message
    assert "--on-error" not in message


def test_a_set_without_development_rows_is_told_of(tmp_path, capsys, monkeypatch):
    """Three articles cannot be split nine to one, and training would miss the tenth."""
    paragraphs = [
        {"context": f"It is w{n} here.", "qas": [{"id": str(n), "question": f"What is {n}?", "answers": [ANSWER]}]}
        for n in range(9)
    ]
    articles = [{"title": f"t{n}", "paragraphs": paragraphs[3 * n : 3 * n + 3]} for n in range(3)]
    (tmp_path / "squad.json").write_text(json.dumps({"data": articles}), encoding="utf-8")
    words = ["qassay", "build", "keyphrase", "--data", f"squad:{tmp_path / 'squad.json'}", "-o", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", words)

    with pytest.raises(SystemExit) as stop:
        run()

    assert stop.value.code == 0
    assert "no row is for dev, which training needs" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("kind", ["judge", "keyphrase"])
def test_an_empty_set_is_not_built(refused, tmp_path, kind):
    """Where every file is left out for its licence, nothing is written."""
    (tmp_path / "boolq.jsonl").write_text("")
    message = refused("build", kind, "--data", "boolq:boolq.jsonl", "--licensed-only", "-o", "out")
    assert "left out: file without a stated licence: 1" in message
    assert not (tmp_path / "out").exists()


PAIRS = """instance_id,question,answer,prediction,is_correct,is_intended_answer
a,what was planted?,x,y,,
a,why?,x,y,,
"""


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "misplaced.csv",
            "question,answer,reference1,reference2\nWhat  was planted,a bush,a tree/tree,2.5\nWhy?,x,y,1\n",
        ),
        ("pairs.csv", PAIRS),
        (
            "mocha.json",
            json.dumps({"mcscript": {"x": {"question": "What was planted ?"}, "y": {"question": "Why?"}}}),
        ),
    ],
)
def test_questions_of_evaluation_files_are_left_out_however_spelt(tmp_path, name, content):
    """The command says how many of a file's questions the sources have, whatever kind of file it is."""
    rows = [
        {
            "question": f"What was planted{mark}",
            "answer": ["a tree"],
            "def_correct_predictions": ["tree", "an oak tree"],
        }
        for mark in ("?", " in May?", " in June?")
    ]
    write_rows(tmp_path / "judged.jsonl", rows)
    held = tmp_path / name
    held.write_text(content, encoding="utf-8")
    words = ("build", "judge", "--data", f"efficientqa:{tmp_path / 'judged.jsonl'}", "--held-out", held)

    document = qassay_json(*words, "-o", tmp_path / "judge")
    told = qassay(*words, "-o", tmp_path / "again", check=0).stderr

    assert document["held_out"] == {str(held): {"questions": 2, "left_out": 1}}
    assert document["left_out"] == {"question of an evaluation set": 2}
    assert "1 of 2 questions are in the sources and left out" in " ".join(told.split())


@pytest.mark.parametrize("words", [(), ("a.jsonl", "--recipe", "train")])
def test_avas_pairs_come_from_files_or_from_a_recipe(refused, tmp_path, words):
    """Neither and both are refused."""
    (tmp_path / "a.jsonl").write_text(ROWS)
    assert "either files of answers or --recipe FOLDER" in refused("build", "ava", *words, "-o", "pairs")
