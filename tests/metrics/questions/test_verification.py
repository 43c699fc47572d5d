import numpy as np
import pytest

from qassay.metrics.embedding.score_range import bounds, rescaled
from qassay.metrics.phrase_in_context import NOT_IN_CONTEXT, surroundings
from qassay.metrics.questions.verification import Pair, Verifier


@pytest.fixture(scope="module")
def in_context():
    return Verifier(["bert_score"])


def test_phrases_are_encoded_in_their_contexts(in_context):
    """The same two words are nearer where their sentences say the same thing."""
    river = Pair("", "the bank", "the bank", "They sat on the bank of the river.", "The bank of the river was wet.")
    money = river._replace(prediction_context="She took her money to the bank and opened an account.")
    near, far = in_context.verify([river, money])["bert_score"]
    assert near > far


def test_the_same_phrase_in_the_same_context_is_as_near_as_can_be(in_context):
    """The cosine of a vector with itself is 1."""
    pair = Pair("", "Oslo", "Oslo", "She lives in Oslo now.", "She lives in Oslo now.")
    assert in_context.verify([pair])["bert_score"][0] == pytest.approx(1)


def test_a_phrase_that_is_not_in_its_context_stands_alone():
    """It is compared by itself, which is noted."""
    verifier = Verifier(["bert_score"])
    alone, lost = verifier.verify([Pair("", "Oslo", "Oslo"), Pair("", "Oslo", "Oslo", "In Rome.", "In Bergen.")])[
        "bert_score"
    ]
    assert lost == pytest.approx(alone)
    assert verifier.notes[NOT_IN_CONTEXT] == 2


def test_equal_pairs_get_equal_scores():
    """The order of pairs and their repetition change nothing."""
    verifier = Verifier(["exact_match", "token_f1", "lerc"])
    a, b = Pair("Where?", "in Oslo", "Oslo"), Pair("Who?", "Anna", "Ida")
    scores = verifier.verify([a, b, a])
    assert [scores["exact_match"].tolist(), scores["token_f1"].round(4).tolist()] == [[0, 0, 0], [0.6667, 0, 0.6667]]
    assert scores["lerc"][0] == scores["lerc"][2] > scores["lerc"][1]


@pytest.mark.parametrize("prediction", ["The 1939 movie", "1939 movie.", "the 1939 Movie"])
def test_answers_that_are_equal_after_normalisation_are_the_same(prediction):
    """Case, articles and marks make no other answer."""
    assert Verifier(["lerc"]).verify([Pair("What?", "the 1939 movie", prediction)])["lerc"].tolist() == [1.0]


def test_outliers_do_not_stretch_the_scale():
    """The percentiles are numpy's, linear between neighbours: of 0 … 100 they are 2.5 and 97.5."""
    scores = np.arange(101.0)
    assert bounds(scores) == (2.5, 97.5)
    assert rescaled(scores, *bounds(scores))[[0, 50, 100]].tolist() == [0.0, 0.5, 1.0]


def test_one_score_counts_as_the_highest():
    """Where there is no range to go by, nothing is called different."""
    assert rescaled(np.array([0.4, np.nan]), *bounds(np.array([0.4]))).tolist()[0] == 1.0


def test_of_a_document_lerc_reads_the_part_around_the_prediction():
    """What stands far from the prediction does not matter."""
    near = "Anna Berg of Norway won the race in Oslo. "
    far = "The weather stayed as it had been for days. " * 200
    pair = Pair("Who won?", "the Norwegian skier", "Anna Berg", None, near + far)
    scores = Verifier(["lerc"]).verify([pair, pair._replace(prediction_context=near + far + "Nobody won. " * 50)])
    assert scores["lerc"][0] == scores["lerc"][1]


@pytest.mark.parametrize("place", [0, 5000, 50_000, 199_990])
def test_of_a_long_context_only_the_part_around_the_phrase_is_encoded(place):
    """A document of any length costs no more than a page."""
    words = ["word"] * 40_000
    words[place // 5] = "Oslo"
    context = " ".join(words)
    span = (context.index("Oslo"), context.index("Oslo") + 4)
    part, (start, end), _ = surroundings(context, span)
    assert part[start:end] == "Oslo"
    assert len(part) <= 6000
