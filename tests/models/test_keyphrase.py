import numpy as np
import pytest

from qassay.errors import ModelError
from qassay.models.base import CUT_QUESTION, WINDOWED
from qassay.models.load import load_encoder, load_weigher
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.keyphrase import OnnxWeigher

QUESTION = "How many steps are involved in a hypothesis test?"
REFERENCE = "Four steps are involved in a hypothesis test."


@pytest.fixture
def weigher():
    found = load_weigher("mini")
    found.notes.take()
    return found


def words(answer, weighed):
    return {answer[start:end]: weight for (start, end), weight in zip(weighed.spans, weighed.weights, strict=True)}


def test_the_answering_word_weighs_most(weigher):
    """Seed 000, figure 1: "Four" carries the reference, "seven" the wrong candidate."""
    candidate = "There are seven steps involved in a hypothesis test ."

    right, wrong = weigher.weigh([(QUESTION, REFERENCE), (QUESTION, candidate)])

    assert max(words(REFERENCE, right), key=words(REFERENCE, right).get) == "Four"
    assert max(words(candidate, wrong), key=words(candidate, wrong).get) == "seven"


def test_the_question_decides(weigher):
    """Seed 000, section 3.1: the same sentence has other key words for another question."""
    answer = "Marie Curie discovered polonium in 1898."

    who, when = weigher.weigh([("Who discovered polonium?", answer), ("When was polonium discovered?", answer)])

    assert words(answer, who)["Marie"] > words(answer, when)["Marie"]
    assert words(answer, when)["1898"] > words(answer, who)["1898"]


def test_yes_and_no_carry_their_answers(weigher):
    """In an answer to a yes-no question the yes or no weighs most."""
    answer = "no, he is not in the kitchen"

    (found,) = weigher.weigh([("is he in the kitchen?", answer)])

    assert max(words(answer, found), key=words(answer, found).get) == "no"


def test_weights_depend_on_no_other_answer(weigher):
    """To the last bit: an answer beside others, of its length and of other lengths, weighs as it does alone."""
    answers = ["Four steps.", "", "Seven steps.", REFERENCE, " ".join([REFERENCE] * 9)]

    together = weigher.weigh([(QUESTION, answer) for answer in answers])

    alone = [load_weigher("mini").weigh([(QUESTION, answer)])[0] for answer in answers]
    assert [each.weights.tolist() for each in together] == [each.weights.tolist() for each in alone]


def test_weights_are_shares(weigher):
    """The weights of an answer add up to 1, with a question and without."""
    asked, unasked = weigher.weigh([(QUESTION, REFERENCE), (None, REFERENCE)])

    assert asked.weights.sum() == pytest.approx(1)
    assert unasked.weights.sum() == pytest.approx(1)
    assert not np.allclose(asked.weights, unasked.weights)


@pytest.mark.parametrize("answer", ["?!", "🙂", "北京", "x", " . "])
def test_odd_answers_are_weighed(weigher, answer):
    """Punctuation, emoji and other scripts get weights that add up."""
    (found,) = weigher.weigh([(QUESTION, answer)])

    assert found.weights.sum() == pytest.approx(1)


def test_an_empty_answer_has_no_weights(weigher):
    """Nothing to weigh is no error."""
    (found,) = weigher.weigh([(QUESTION, "")])

    assert found.weights.shape == (0,)
    assert found.spans.shape == (0, 2)


def test_an_empty_question_is_a_question(weigher):
    """An empty question is weighed as asked, not refused."""
    (found,) = weigher.weigh([("", REFERENCE)])

    assert found.weights.sum() == pytest.approx(1)


def test_long_answers_share_one_whole(weigher):
    """Weights over several windows are one distribution with a weight for every token."""
    answer = " ".join(["the test has four steps"] * 300)

    (found,) = weigher.weigh([(QUESTION, answer)])

    assert len(found.weights) == 1500
    assert found.weights.sum() == pytest.approx(1)


def test_a_question_beyond_measure_is_cut_and_counted(weigher):
    """A question longer than the model reads is cut, which the notes tell."""
    weigher.weigh([("why " * 700, REFERENCE)])

    assert weigher.notes.take()[CUT_QUESTION] == {"why " * 700}


def test_neighbours_do_not_matter():
    """A pair has the same weights, bit for bit, alone and among others, on one thread and on three."""
    folder = load_encoder("mini").runtime.folder
    alone, among = (OnnxWeigher(OnnxEncoder("mini", folder, threads)) for threads in (1, 3))

    (left,) = alone.weigh([(QUESTION, REFERENCE)])
    right = among.weigh([("who?", "he " * 50), (QUESTION, REFERENCE), (None, "x")])[1]

    np.testing.assert_array_equal(left.weights, right.weights)


def test_a_long_answer_is_noted_every_time(weigher):
    """What is known from before is noted as what is new."""
    weigher.weigh([(QUESTION, "word " * 600)])
    first = weigher.notes.take()

    weigher.weigh([(QUESTION, "word " * 600)])

    assert first == weigher.notes.take() == {WINDOWED: {"word " * 600}}


def test_a_model_without_head_says_so(tmp_path):
    """An encoder's folder alone cannot weigh; the message names the command that trains a head."""
    source = load_encoder("mini").runtime.folder
    for file in source.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    description = (tmp_path / "model.json").read_text(encoding="utf-8")
    (tmp_path / "model.json").write_text(description[: description.index(',\n "keyphrase"')] + "}", encoding="utf-8")

    with pytest.raises(ModelError, match="qassay train keyphrase"):
        load_weigher(str(tmp_path))


def test_answers_alone_have_a_head_of_their_own(weigher):
    """Trained without questions, it reads none; its weights are not those of the other head without a question."""
    alone = load_weigher("mini", with_question=False)

    asked, unasked = alone.weigh([(QUESTION, REFERENCE), (None, REFERENCE)])

    assert alone.fingerprint != weigher.fingerprint
    assert unasked.weights.sum() == pytest.approx(1)
    np.testing.assert_array_equal(asked.weights, unasked.weights)
    assert not np.allclose(unasked.weights, weigher.weigh([(None, REFERENCE)])[0].weights)


def test_without_a_question_what_is_told_weighs_most():
    """Names, numbers and opinions carry an answer, whatever was asked; the words that join them do not."""
    alone = load_weigher("mini", with_question=False)
    answer, opinion = "It was discovered by Marie Curie in 1898.", "no, he is not in the kitchen"

    told, denied = alone.weigh([(None, answer), (None, opinion)])

    shares = words(answer, told)
    assert min(shares["Marie"], shares["1898"]) > max(shares["It"], shares["was"], shares["by"], shares["."])
    assert max(words(opinion, denied), key=words(opinion, denied).get) == "no"


def test_recent_pairs_are_not_weighed_again(weigher):
    """A reference that comes back with another system's answer keeps its weights."""
    (first,) = weigher.weigh([(QUESTION, REFERENCE)])

    _, again = weigher.weigh([(QUESTION, "Four."), (QUESTION, REFERENCE)])

    assert again is first


def test_only_so_many_pairs_are_kept(weigher, monkeypatch):
    """What was weighed longest ago is forgotten, and weighed anew to the same weights."""
    monkeypatch.setattr("qassay.models.onnx.keyphrase._KEPT_PIECES", 4)
    (first,) = weigher.weigh([(QUESTION, REFERENCE)])

    (again,) = weigher.weigh([(QUESTION, REFERENCE)])

    assert again is not first
    np.testing.assert_array_equal(again.weights, first.weights)
