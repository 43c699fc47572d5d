"""Answers without references, for metrics that need none."""

import json

import pytest

from qassay import score
from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.io.readers.row_files.summaries import SUMMARY_FIELDS

ROW = {"id": "1", "candidate": "Anna won.", "contexts": ["Anna won the race.", "It rained."]}


def _written(folder, name):
    path = folder / f"answers.{name}"
    if name == "jsonl":
        path.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    elif name == "json":
        path.write_text(json.dumps([ROW]), encoding="utf-8")
    else:
        path.write_text("id,candidate,contexts\n1,Anna won.,Anna won the race.\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["jsonl", "json", "csv"])
def test_bare_answers_are_read_where_no_metric_needs_references(tmp_path, name):
    """What was retrieved stays with the answer."""
    (example,) = Reader([_written(tmp_path, name)], ReadOptions(bare=True))
    assert example.references == ()
    assert "Anna won the race." in example.extra["contexts"]


@pytest.mark.parametrize("name", ["jsonl", "json", "csv"])
def test_bare_answers_are_an_error_otherwise(tmp_path, name):
    """A metric that compares with references says what is missing."""
    path = _written(tmp_path, name)
    with pytest.raises(DataError, match='"references" is missing'):
        score(path, ["rouge_l"])
    with pytest.raises(DataError, match='"references" is missing'):
        score(path, ["rouge_l", "is_answered"])


def test_references_that_are_there_are_kept_and_checked(tmp_path):
    """A bare answer may have none; one with a wrong shape is still an error."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(ROW | {"references": ["Anna"]}) + "\n", encoding="utf-8")
    (example,) = Reader([path], ReadOptions(bare=True))
    assert [each.text for each in example.references] == ["Anna"]
    path.write_text(json.dumps(ROW | {"references": "Anna"}) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match='"references" must be a list'):
        list(Reader([path], ReadOptions(bare=True)))


def test_rows_in_memory_may_be_bare_too():
    """`is_answered` looks at the answer alone."""
    assert score([ROW], ["is_answered"])["is_answered"].tolist() == [1.0]


def test_contexts_can_be_named(tmp_path):
    """Another tool's field becomes ours; summaries have no such field."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"candidate": "a", "retrieved": ["b"]}) + "\n", encoding="utf-8")
    (example,) = Reader([path], ReadOptions(mapping={"contexts": "retrieved"}, bare=True))
    assert example.extra["contexts"] == ["b"]
    assert "contexts" not in SUMMARY_FIELDS
