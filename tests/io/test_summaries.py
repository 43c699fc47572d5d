"""Summaries and pairs of answers as rows of JSON lines."""

import json

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.io.readers.row_files.summaries import ANSWER_CONTEXT
from qassay.records import Reference


def _read(tmp_path, *rows, **options):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return list(Reader([path], ReadOptions(**options)))


def test_a_summary_becomes_the_candidate_and_the_document_the_context(fixtures):
    """What other metrics score is the summary, and unknown fields stay."""
    first, *_ = Reader([fixtures / "summaries.jsonl"])
    assert first.candidate == "Anna Berg won the race in Oslo."
    assert first.references == (Reference("Anna Berg won in Oslo."), Reference("A Norwegian won."))
    assert (first.context, first.judgement, dict(first.extra)) == (
        "Anna Berg of Norway won the race in Oslo on Sunday.",
        4.5,
        {"length": "short"},
    )


def test_a_missing_summary_and_missing_references_are_kept_as_such(fixtures):
    """Null is no empty summary, and a document may stand without references."""
    _, missing, bare = Reader([fixtures / "summaries.jsonl"])
    assert (missing.candidate, bare.references) == (None, ())


def test_an_answer_becomes_the_reference_and_its_context_goes_along(fixtures):
    """The prediction's context is the example's own, as for LERC."""
    first, second = Reader([fixtures / "pairs.jsonl"])
    assert (first.references, first.candidate) == ((Reference("emergency responders"),), "paramedics")
    assert (first.context, first.extra[ANSWER_CONTEXT]) == ("Then paramedics came.", "The emergency responders came.")
    assert second.candidate is None


def test_fields_of_summaries_can_be_renamed(tmp_path):
    """`--map summary=text` names the field that holds the summary."""
    row = {"text": "It rained.", "document": "It rained all week.", "score": 3}
    (example,) = _read(tmp_path, row, format="summaries", mapping={"summary": "text", "judgement": "score"})
    assert (example.candidate, example.judgement) == ("It rained.", 3)


def test_answers_and_predictions_alone_are_not_taken_for_pairs(tmp_path):
    """They may be a system's answers, whose fields are named and never guessed."""
    with pytest.raises(DataError, match=r'"references" is missing; use columns=\{.references.: .answer.\}'):
        _read(tmp_path, {"question": "Who?", "answer": "Anna", "prediction": "Ida"})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"references": ["a"]}, '"summary" is missing; .*columns=.*summary.*NAME'),
        ({"summary": 3, "references": ["a"]}, '"summary" is 3; write it as a string, or null'),
        ({"summary": "a"}, 'neither "references" nor "document"'),
        ({"summary": "a", "document": ["b"]}, r'"document" is \[\'b\'\]; write it as a string'),
        ({"summary": "a", "references": "b"}, '"references" must be a list'),
    ],
)
def test_bad_summaries_are_refused_with_a_remedy(tmp_path, row, message):
    """Every message has the place and speaks of the fields by the names they have in the file."""
    with pytest.raises(DataError, match=f"rows.jsonl:1: .*{message}"):
        _read(tmp_path, row, format="summaries")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answer": "a"}, '"prediction" is missing'),
        ({"answer": None, "prediction": "b"}, '"answer" is None; write it as a string'),
        ({"answer": " ", "prediction": "b"}, '"answer" is empty'),
        ({"answer": "a", "prediction": "b", "answer_context": 1}, '"answer_context" is 1'),
    ],
)
def test_bad_pairs_are_refused_with_a_remedy(tmp_path, row, message):
    """A pair needs an answer; a prediction may be null."""
    with pytest.raises(DataError, match=f"rows.jsonl:1: .*{message}"):
        _read(tmp_path, row, format="pairs")


def test_the_same_summary_twice_is_refused(tmp_path):
    """One id of one system stands for one summary."""
    row = {"id": "d1", "system": "A", "summary": "It rained.", "document": "It rained."}
    with pytest.raises(DataError, match=r"rows.jsonl:2: .*d1"):
        _read(tmp_path, row, row)
