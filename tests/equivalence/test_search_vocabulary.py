import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence.fuzzy_search import one_letter_off
from qassay.equivalence.search_vocabulary import LETTERS, OTHER_WORDS, SHORT, SearchVocabulary


def test_words_are_looked_for_by_what_they_are():
    """Numbers, short forms and what is beyond ASCII need more than letters; short words are there or not."""
    words = ["cart", "era", "eighth", "xiv", "dept", "from1985", "caf\u00e9"]
    found = SearchVocabulary(words).forms(np.arange(len(words)))
    assert found.tolist() == [LETTERS, SHORT, *[OTHER_WORDS] * 5]


def test_words_inside_others_and_behind_signs_are_numbered():
    """Behind the words of the texts and the wanted ones."""
    vocabulary = SearchVocabulary(["from1985", "dept"], ["wanted", "dept"])
    assert vocabulary.wanted.tolist() == [2, 1]
    inside = {word: [vocabulary.words[i] for i in inside] for word, inside in vocabulary.inside.items()}
    assert inside == {0: ["from", "1985"], 1: ["department"]}
    assert [vocabulary.words[i] for i in vocabulary.signs["$"]] == ["dollar", "dollars"]


def test_figures_have_no_stem():
    """Only runs of letters are inflected."""
    vocabulary = SearchVocabulary(["profits", "profit", "1985s", "1985"])
    assert vocabulary.same_stem(np.array([0, 2, 0]), np.array([1, 3, 3])).tolist() == [True, False, False]


@given(st.text("abc", min_size=6, max_size=9), st.text("abc", min_size=5, max_size=10))
def test_no_slip_is_overlooked(word: str, other: str):
    """What may be a slip is decided by the ends of both words."""
    other = word[0] + other[1:]
    slip = abs(len(word) - len(other)) <= 1 and one_letter_off(word, other)
    assert not slip or SearchVocabulary([word, f"{other}"] if word != other else [word]).may_be_slips(
        np.array([0]), np.array([int(word != other)])
    )
