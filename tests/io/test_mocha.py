"""MOCHA: rated answers in maps of data sets and ids."""

import json
import re

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Reference

ROW = {"context": "c", "question": "q", "reference": "r", "candidate": "a", "score": 3}


def test_each_rated_answer_is_an_example(fixtures):
    """The data set is the question type, the model that answered the system, and the mean rating the judgement."""
    first, second = Reader([fixtures / "mocha.json"])
    assert first == Example(
        id="a1",
        question="Who wrote?",
        references=(Reference("Anna"),),
        candidate="a brother",
        system="gpt2",
        context="Anna wrote to her brother.",
        question_type="narrativeqa",
        judgement=1.0,
    )
    assert (second.id, second.system, second.question_type) == ("b1", "mhpg", "mcscript")
    assert second.judgement == pytest.approx(13 / 3)


def test_the_candidates_of_a_minimal_pair_are_two_examples(read):
    """Each has its own score; they share question and reference."""
    pair = {"context": "c", "question": "q", "reference": "r", "candidate1": "good", "score1": 5}
    content = json.dumps({"cosmosqa": {"x": pair | {"candidate2": "bad", "score2": 2}}}).encode()
    found = [(each.id, each.candidate, each.judgement) for each in read(content, "pairs.json")]
    assert found == [("x-1", "good", 5.0), ("x-2", "bad", 2.0)]


def test_a_row_without_a_score_has_no_judgement(read):
    """The test set is published without ratings."""
    row = {name: value for name, value in ROW.items() if name != "score"}
    (example,) = read(json.dumps({"drop": {"x": row}}).encode(), "test.json")
    assert example.judgement is None


def test_a_bad_row_is_named_with_its_line(read):
    """A score that is no number is an error at the row."""
    content = json.dumps({"drop": {"x": ROW, "y": ROW | {"score": "high"}}}, indent=1).encode()
    with pytest.raises(DataError, match=re.escape("y of drop is not a row of MOCHA")) as caught:
        read(content, "train.json")
    assert caught.value.line == 10


def test_a_bad_row_is_skipped_when_asked(tmp_path):
    """The rows around it are read."""
    path = tmp_path / "train.json"
    path.write_text(json.dumps({"drop": {"x": ROW, "y": ROW | {"score": "high"}, "z": ROW}}))
    assert [each.id for each in Reader([path], ReadOptions(on_error="skip"))] == ["x", "z"]


def test_a_repeated_id_is_refused(read):
    """Of two rows under one id the first would be lost."""
    row = json.dumps(ROW)
    with pytest.raises(DataError, match='has "x" twice'):
        read(f'{{"drop": {{"x": {row}, "x": {row}}}}}'.encode(), "train.json")


def test_a_file_that_breaks_off_is_refused(read):
    """What is cut off is no JSON."""
    with pytest.raises(DataError, match="not valid JSON"):
        read(json.dumps({"drop": {"x": ROW}})[:-3].encode(), "train.json")
