import numpy as np
import pytest

from qassay.models.base import ModelRef, TokenWeights
from qassay.models.hf.encoder import HFBackbone, open_encoder
from qassay.training.keyphrase.inputs import Examples, JudgedExamples, closest
from qassay.training.keyphrase.rows import JudgedPair, KeyphraseRow
from tiny_bert import write_tiny_bert

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_bert(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def backbone(folder):
    return HFBackbone(ModelRef("folder", str(folder)), "cpu")


def row(answer, *spans):
    return KeyphraseRow("what is it", answer, spans, "test", "g")


def test_key_words_become_key_pieces(backbone):
    """The pieces that a marked span touches share the whole equally."""
    made = Examples.of([row("it is red", (6, 9)), row("paris is it", (0, 8))], backbone.pieces, 100)

    assert [marks.tolist() for marks in made.marked] == [[0, 0, 1], [0.5, 0.5, 0]]


def test_a_key_part_beyond_reach_leaves_the_row_out(backbone):
    """An answer that is cut before its key part teaches nothing."""
    made = Examples.of([row("it is red", (6, 9)), row("red is it", (0, 3))], backbone.pieces, 2)

    assert [text for _, text in made.texts] == ["red is it"]


def test_teachers_are_averaged(backbone):
    """The target is the mean of the teachers' weights, as shares."""

    class Fixed:
        def __init__(self, weights):
            self.weights = np.array(weights)

        def weigh(self, pairs):
            return [TokenWeights(np.zeros((3, 2), int), self.weights) for _ in pairs]

    made = Examples.of([row("it is red", (6, 9))], backbone.pieces, 100)

    made.learn_from([Fixed([1.0, 0.0, 0.0]), Fixed([0.0, 0.0, 1.0])])

    assert made.taught[0].tolist() == [0.5, 0, 0.5]


def test_the_closest_reference_is_taken():
    """Of several references the one that shares the largest part of its words."""
    pair = JudgedPair("q", ("blue car", "a red car", "city"), "the red car", 1.0, "s")

    assert closest(pair) == "a red car"


def test_shared_words_are_held_by_both_sides(folder, backbone):
    """Counted by hand: `red` stands twice here and once there, so that each counts half; `car` counts on both sides."""
    pair = JudgedPair("what", ("red car",), "red red car city", 1.0, "s")

    made = JudgedExamples.of([pair], backbone.pieces, 100, open_encoder(ModelRef("folder", str(folder)), "cpu"))

    assert made.exact[0][0].tolist() == [0.5, 0.5, 1, 0]
    assert made.exact[1][0].tolist() == [1, 1]


def test_equal_texts_are_near_in_every_piece(folder, backbone):
    """A text beside itself has similarity 1 throughout."""
    pair = JudgedPair("what", ("paris is red",), "paris is red", 1.0, "s")

    made = JudgedExamples.of([pair], backbone.pieces, 100, open_encoder(ModelRef("folder", str(folder)), "cpu"))

    np.testing.assert_allclose(made.soft[0][0], np.ones(3), atol=1e-5)


def test_pairs_with_an_empty_side_are_left_out(folder, backbone):
    """An answer without a piece cannot be weighed, and one such pair would make every weight undefined."""
    pairs = [
        JudgedPair("Who?", ("Anna",), "", 0.0, "mine"),
        JudgedPair("Who?", ("Anna",), "Anna", 1.0, "mine"),
        JudgedPair("Who?", (" ",), "Anna", 0.0, "mine"),
        JudgedPair("Who?", (), "Anna", 0.0, "mine"),
    ]

    judged = JudgedExamples.of(pairs, backbone.pieces, 20, open_encoder(ModelRef("folder", str(folder)), "cpu"))

    assert judged.label.tolist() == [1.0]
    assert [len(side) for side in (judged.candidate, judged.reference, judged.exact[0], judged.soft[1])] == [1, 1, 1, 1]
