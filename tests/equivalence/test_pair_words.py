"""What the words of many pairs let rules change, found for all pairs at once."""

import numpy as np
import pytest

from qassay.equivalence.pair_words import PairWords, exchange_keys
from qassay.equivalence.rule import AnswerPair
from qassay.text.traits import FIGURE, find_traits

EXCHANGES = exchange_keys([("rise", "fall"), ("north", "south")])


def words_of(*pairs):
    """Return the words of pairs of a reference and a candidate, and of a question where there is a third text."""
    made = [AnswerPair(pair[2] if pair[2:] else "", *pair[:2]) for pair in pairs]
    return PairWords(made, find_traits([pair.candidate for pair in made]))


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("the back yard", "a backyard", True),
        ("backyard", "Back-Yard", True),
        ("e-mail", "e mail", True),
        ("back yard", "my back yard", False),
        ("back yard", "back  yard", False),  # not by one space
        ("back yard", "back, yard", False),
        ("back yard", "back back", False),
        ("my backyard", "a garden", False),
        ("to day in to town", "into", True),
        ("", "", False),
        ("caf\u00e9", "garden", True),  # nothing is known
    ],
)
def test_words_that_are_joined_otherwise(reference, candidate, expected):
    """One word here and two there, or two with another mark between them."""
    assert words_of((reference, candidate)).may_join_otherwise().tolist() == [expected]


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("Prices rise.", "the prices FALL", True),
        ("Prices fall", "a price may rise", False),
        ("prices rise, rates fall", "prices fall, rates rise", False),  # both are exchanged
        ("prices rise", "prices rise", False),
        ("it's north of 5", "It's 5, south of", True),
        ("rise", "rise caf\u00e9", True),  # nothing is known
    ],
)
def test_an_exchange_of_one_word(reference, candidate, expected):
    """All other words are the same, but for articles and order."""
    assert words_of((reference, candidate)).may_differ_by(EXCHANGES).tolist() == [expected]


def test_the_same_words_in_another_order():
    """Articles do not count, nor do capitals."""
    words = words_of(("Rome beat the Gauls", "Gauls beat a Rome"), ("Rome beat Gaul", "Rome beat Gauls"), ("", "1"))
    assert words.may_have_same_words().tolist() == [True, False, True]


def test_candidates_that_repeat_the_question():
    """Whatever the reference is."""
    words = words_of(("Goethe", "who wrote faust", "Who wrote Faust?"), ("Who wrote Faust?", "Goethe", "Who?"))
    assert words.may_repeat_question().tolist() == [True, False]


def test_traits_and_lengths():
    """Traits are those of candidates; a text beyond ASCII has its own length."""
    words = words_of(("in 1990", "soon"), ("caf\u00e9", "in 5"))
    assert words.candidates_have(FIGURE).tolist() == [False, True]
    assert [side.tolist() for side in words.lengths] == [[7, 4], [4, 4]]


def test_pairs_do_not_touch_each_other():
    """A pair's words are held against those of its other text alone."""
    words = words_of(("backyard", "a garden"), ("garden", "back yard"))
    np.testing.assert_array_equal(words.may_join_otherwise(), [False, False])


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("It's safe", "It is safe", True),
        ("safe", "it's", True),
        ("safe", "It is safe", False),
        ("safe", "it\u2019s", True),  # nothing is known
    ],
)
def test_pairs_with_an_apostrophe_are_found(reference, candidate, expected):
    """On either side; what is contracted in one text may be spelt out in the other."""
    assert words_of((reference, candidate)).have_apostrophe().tolist() == [expected]
