"""`qassay build` as a user meets it."""

import pytest

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
