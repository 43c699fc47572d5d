import numpy as np
import pytest

from qassay.errors import ModelError
from qassay.models.base import EMBEDDED
from qassay.models.load import load_encoder, load_judge
from qassay.models.onnx.judge import NEAREST, JudgeInput, OnnxJudge

QUESTION = "How many steps are involved in a hypothesis test?"
REFERENCE = "Four steps are involved in a hypothesis test."


@pytest.fixture(scope="module")
def judge():
    return load_judge(EMBEDDED)


def test_a_right_answer_is_likelier_than_a_wrong_one(judge):
    """The paraphrase beats the answer that repeats the reference but for its number (Lee et al. 2021, Figure 1)."""
    right, wrong = judge.judge(
        [
            JudgeInput(QUESTION, REFERENCE, "There are four."),
            JudgeInput(QUESTION, REFERENCE, "There are seven steps involved in a hypothesis test ."),
        ]
    )

    assert right > wrong


def test_the_vocabulary_is_looked_at_once_a_model(judge, monkeypatch):
    """A judge that is opened again, as for every single answer, finds what the first one made of it."""
    judge.judge([JudgeInput("", "Paris", "It is Paris.")])
    monkeypatch.setattr("qassay.models.onnx.judge.piece_kinds", None)
    assert np.isfinite(load_judge(EMBEDDED).judge([JudgeInput("", "Paris", "It is Rome.")])).all()


def test_equal_pairs_are_judged_alike_wherever_they_stand(judge):
    """A pair's logit does not depend on its neighbours."""
    pair, other = JudgeInput(QUESTION, REFERENCE, "four"), JudgeInput("", "Paris", "It is Paris.")

    alone = judge.judge([pair])
    among = judge.judge([other, pair, other, pair])

    np.testing.assert_array_equal(among[[1, 3]], np.repeat(alone, 2))


def test_the_question_can_be_left_out(judge):
    """Without a question reference and candidate are read alone."""
    right, wrong = judge.judge([JudgeInput("", "Paris", "It is Paris."), JudgeInput("", "Paris", "It is Rome.")])

    assert right > wrong


def test_a_context_is_read(judge):
    """With a context the verdict may differ."""
    bare, within = (
        JudgeInput(QUESTION, REFERENCE, "a few", context) for context in ("", "A test has four steps, a few.")
    )

    assert judge.judge([bare])[0] != judge.judge([within])[0]


def test_of_a_long_answer_the_part_nearest_to_the_reference_is_read(judge):
    """The answer is found also behind a thousand words, and the cut is counted."""
    judge.notes.take()
    long = "It is a long story about something else. " * 150 + "The capital of France is Paris."

    right, wrong = judge.judge(
        [
            JudgeInput("What is the capital of France?", "Paris", long),
            JudgeInput("What is the capital of France?", "Paris", long.replace("Paris", "Rome")),
        ]
    )

    assert right > wrong
    assert judge.notes.take()[NEAREST] == {long, long.replace("Paris", "Rome")}


@pytest.mark.parametrize("text", ["\x00", "秦始皇", "👍", "\u0301"])
def test_any_text_can_be_judged(judge, text: str):
    """Texts that the tokenizer hardly knows still give a finite logit."""
    assert np.isfinite(judge.judge([JudgeInput(text, text + "a", text)])).all()


def test_words_that_run_together_are_parted(judge):
    """Answers whose citations are glued to words are read as if they were not."""
    glued, plain = judge.judge(
        [
            JudgeInput("Who made it?", "James Prochaska", "It was made byJames Prochaska."),
            JudgeInput("Who made it?", "James Prochaska", "It was made by James Prochaska."),
        ]
    )

    assert glued == plain


def test_a_model_without_a_judge_says_how_to_get_one():
    """A Hugging Face encoder is no judge."""
    with pytest.raises(ModelError, match="qassay train judge"):
        load_judge("roberta-large")


def test_a_damaged_description_is_refused(tmp_path, monkeypatch):
    """A judge.json of another form is named."""
    encoder = load_encoder(EMBEDDED)
    (tmp_path / "judge.json").write_text('{"layer": "two"}')
    monkeypatch.setattr(encoder.runtime, "folder", tmp_path)

    with pytest.raises(ModelError, match=r"judge\.json"):
        OnnxJudge(encoder)
