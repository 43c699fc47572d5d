import numpy as np
import pytest
import torch
from transformers import AutoModelForQuestionAnswering, AutoTokenizer, BertConfig, BertForQuestionAnswering

from qassay.errors import ModelError
from qassay.models.base import CUT_QUESTION
from qassay.models.load_readers import load_reader
from tiny_bert import write_tiny_bert

PASSAGE = "Paris is the capital of France. Rome is the city of the red car."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = write_tiny_bert(tmp_path_factory.mktemp("qa"))
    torch.manual_seed(3)
    BertForQuestionAnswering(BertConfig.from_pretrained(folder)).save_pretrained(folder)
    return folder


@pytest.fixture
def reader(folder):
    return load_reader(str(folder), "cpu")


def test_the_answer_is_the_span_that_scores_highest(folder, reader):
    """Listing all spans of the passage with the library's own scores finds the same one."""
    model, tokenizer = (
        AutoModelForQuestionAnswering.from_pretrained(folder).eval(),
        AutoTokenizer.from_pretrained(folder),
    )
    made = tokenizer("where is rome?", PASSAGE, return_tensors="pt", return_offsets_mapping=True)
    places = made.pop("offset_mapping")[0].numpy()
    with torch.no_grad():
        out = model(**made)
    starts, ends = out.start_logits[0].numpy(), out.end_logits[0].numpy()
    inside = np.flatnonzero([which == 1 for which in made.sequence_ids(0)])
    scores = {(i, j): float(starts[i] + ends[j]) for i in inside for j in inside if i <= j < i + 30}
    first, last = max(scores, key=scores.get)
    weights = np.exp([starts[0] + ends[0], *scores.values()])

    (found,) = reader.answer([("where is rome?", PASSAGE)])

    assert (found.start, found.end) == (places[first, 0], places[last, 1])
    assert found.text == PASSAGE[found.start : found.end]
    assert found.none == pytest.approx(weights[0] / weights.sum(), rel=1e-4)


def test_a_passage_longer_than_the_model_reads_is_answered(reader):
    """It is read in windows, and the answer's place is in the whole of it."""
    long = "the red car is in paris. " * 40
    (found,) = reader.answer([("who?", long)])
    assert long[found.start : found.end] == found.text != ""


def test_an_empty_passage_answers_nothing(reader):
    """There is no span to give."""
    assert reader.answer([("who?", " ")])[0] == ("", 0, 0, 1.0, ())


def test_a_question_too_long_leaves_room_for_the_passage(reader):
    """It is cut, and that is noted."""
    (found,) = reader.answer([("what is the answer " * 30, PASSAGE)])
    assert found.text
    assert reader.notes[CUT_QUESTION] == 1


def test_a_model_without_a_head_for_questions_is_refused(tmp_path):
    """Random scores would look like answers."""
    plain = write_tiny_bert(tmp_path / "plain")
    with pytest.raises(ModelError, match="not trained to answer questions"):
        load_reader(str(plain), "cpu")
