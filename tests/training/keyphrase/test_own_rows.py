"""Keyphrase rows of one's own: `qassay build keyphrase --data rows:FILE`, and files written by hand."""

import json

import pytest

from commands import qassay, qassay_json, write_rows
from qassay.errors import DataError
from qassay.training.keyphrase.rows import read_rows
from qassay.training.keyphrase.sources import own_rows

ANSWER = "They gave up just 308 points."


@pytest.mark.parametrize("key", [{"phrases": ["308 points"]}, {"spans": [[18, 28]]}])
def test_key_words_are_given_as_phrases_or_as_spans(tmp_path, key):
    """Both name the same characters."""
    path = write_rows(tmp_path / "mine.jsonl", [{"question": "How many?", "answer": ANSWER, **key}])

    (row,) = own_rows(path, "rows")

    assert (row.spans, row.source, row.group) == (((18, 28),), "rows", "question:how many")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"phrases": ["309"]}, '"phrases" has "309", which "answer" does not hold'),
        ({"spans": [[18, 99]]}, '"spans" must hold character ranges'),
        ({}, 'give the key words, as "spans" or as "phrases"'),
        ({"spans": "308"}, "not a row of keyphrase data"),
    ],
)
def test_a_bad_row_is_named(tmp_path, row, message):
    """The message has the file, the line and what is wrong."""
    path = write_rows(tmp_path / "mine.jsonl", [{"question": "How many?", "answer": ANSWER, **row}])

    with pytest.raises(DataError, match=message) as told:
        list(own_rows(path, "rows"))

    assert "mine.jsonl:1" in told.value.message


def test_own_rows_are_built_like_any_others(tmp_path):
    """They are split, and `sources.json` says whose they are."""
    rows = [{"question": f"How many {n}?", "answer": ANSWER, "phrases": ["308"]} for n in range(40)]
    path = write_rows(tmp_path / "mine.jsonl", rows)

    found = qassay_json("build", "keyphrase", "--data", f"rows:{path}", "-o", tmp_path / "data")

    assert sum(found["rows"]["rows"].values()) == 40
    listed = json.loads((tmp_path / "data" / "sources.json").read_text())["files"]
    assert [file["licence"] for file in listed] == ["your own"]
    assert len(list(read_rows(tmp_path / "data" / "train.jsonl"))) == found["rows"]["rows"]["train"]


def test_an_unknown_format_names_those_there_are(tmp_path):
    """`rows` is among them."""
    done = qassay("build", "keyphrase", "--data", "mine:rows.jsonl", "-o", tmp_path / "data", check=2)

    assert "rows" in done.stderr
