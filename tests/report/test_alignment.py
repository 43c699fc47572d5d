import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.report.explain.alignment import Match, align, closest, highlights

WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12).map(" ".join)


def matched(text, words, match):
    return [text[word.start : word.end] for word in words if word.match is match]


def test_words_in_order_are_a_longest_common_subsequence():
    """What both sides have in the same order is marked."""
    candidate = "Seven steps lead up to it"
    found = align(candidate, "There are four steps up to it")
    assert matched(candidate, found.candidate, Match.IN_ORDER) == ["steps", "up", "to", "it"]


def test_a_word_out_of_order_is_shared():
    """A common word that the common subsequence leaves out is marked as standing elsewhere."""
    candidate = "old town hall in"
    assert matched(candidate, align(candidate, "in the old town").candidate, Match.SHARED) == ["in"]


def test_a_repeated_word_counts_as_often_as_the_other_side_has_it():
    """Matches are clipped."""
    assert align("the the the", "the cat").shared == 1


def test_case_does_not_matter():
    """Words are compared lower-cased."""
    assert align("PARIS", "Paris").in_order == 1


def test_chinese_matches_character_by_character():
    """Unspaced scripts need no spaces to match."""
    assert align("长江很长", "长江").in_order == 2


def test_positions_after_an_emoji_are_those_of_the_text():
    """Positions count characters, also beyond the basic plane."""
    text = "🌊🌊 river"
    assert matched(text, align(text, "river").candidate, Match.IN_ORDER) == ["river"]


@given(WORDS, WORDS)
def test_both_sides_have_as_many_matches(left, right):
    """Every match has its partner."""
    found = align(left, right)
    swapped = align(right, left)
    assert (found.in_order, found.shared) == (swapped.in_order, swapped.shared)


@given(WORDS)
def test_a_text_matches_itself_in_order(text):
    """Nothing of a text is unmatched in itself."""
    assert align(text, text).in_order == len(align(text, text).candidate)


def test_the_closest_reference_shares_most():
    """The reference with the best F of words in order is chosen."""
    alignments = [align("in the old town", each) for each in ("nowhere", "the old town", "in a new town by the sea")]
    assert closest(alignments) == 1


def test_neighbouring_words_are_marked_together():
    """Words that match alike and follow each other make one span."""
    text = "the old  town hall"
    assert highlights(text, align(text, "old town").candidate) == [(4, 13, Match.IN_ORDER)]


@pytest.mark.parametrize("text", ["yes , no", "a = b", "ja。nein"])
def test_lone_punctuation_is_not_marked(text):
    """A comma that both sides have says nothing."""
    assert highlights(text, align(text, ", = 。").candidate) == []
