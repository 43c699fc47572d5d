"""Quick checks before the patterns of rules: none says no where the pattern would find something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence.dates import decade
from qassay.equivalence.names import acronym, marked_letter
from qassay.equivalence.negation import denial, opposite, undecided
from qassay.equivalence.pair_words import PairWords
from qassay.equivalence.quick_checks import lowered_words, may_have_part, may_have_word
from qassay.equivalence.rule import AnswerPair
from qassay.equivalence.writing import spacing
from qassay.text.traits import find_traits

PARTS = (
    *(
        "not",
        "don't",
        "ca",
        "n\u2019t",
        "never",
        "rather than",
        "anything but",
        "by no means",
        "or",
        "/",
        "maybe",
        "may",
    ),
    *("C", "++", "#", "plus", "A", "-", "positive", "The 1990s", "the ", "'90s", "nineties", "degrees", "U.S.", "WHO"),
    *(
        "back",
        "yard",
        "bora",
        "backyard",
        "e-mail",
        "email",
        "a",
        "the",
        " ",
        ",",
        ".",
        "_",
        "9",
        "\u0130",
        "\u0131",
        "\u017f",
    ),
    *("\u212a", "\u00e9", "\u03a3", "stra\u00dfe", "can\u017eot", "po\u017f\u017fibly"),
)
texts = st.lists(st.sampled_from(PARTS), max_size=8).flatmap(
    lambda parts: st.sampled_from(["", " ", "-"]).map(lambda between: between.join(parts))
)


@given(texts)
def test_no_denial_is_missed(text):
    """Nor is one found where there is none."""
    assert denial.denies(text) == bool(denial._DENYING.search(text))


@given(texts)
def test_no_hint_of_alternatives_is_missed(text):
    """A text without the trait has none."""
    assert find_traits([text])[0] & undecided._HAS_HINT or not undecided._HINT.search(text)


@given(texts)
def test_no_mark_is_missed(text):
    """A text without a mark has no name with one."""
    assert marked_letter._may_have_marks(text) or not marked_letter._MARKED.search(text)


@given(texts)
def test_no_decade_is_missed(text):
    """A text without the letters that decades have has none."""
    assert may_have_part(text, decade._PARTS) or not decade._DECADE.search(text)


@given(texts)
def test_no_acronym_is_missed(text):
    """A text without two capitals has none."""
    assert acronym._CAPITALS.search(text) or not acronym._ACRONYM.search(text)


@given(texts, texts)
def test_no_joined_word_is_missed(reference, candidate):
    """Where nothing may differ, all words of both texts are written alike."""
    wanted, found = spacing._read(reference), spacing._read(candidate)
    apart = {word: reference[start:end] for word, start, end in wanted.joined}
    split = any(word in found.words for word in apart.keys() - wanted.words.keys())
    joined = any(
        word not in found.words and (word in wanted.words or (apart.get(word, words).lower() != words.lower()))
        for word, start, end in found.joined
        for words in [candidate[start:end]]
    )
    words = PairWords([AnswerPair("", reference, candidate)], find_traits([candidate]))
    assert words.may_join_otherwise()[0] or not (split or joined)


@given(texts, st.integers(0, 6))
def test_words_are_counted_as_far_as_needed(text, most):
    """Up to a number of words the count is exact, and beyond it larger than that."""
    exact = len(opposite._words(text))
    counted = opposite._word_count(text, most)
    assert counted == exact if exact <= most else counted > most


@pytest.mark.parametrize("letter", ["\u0130", "\u0131", "\u017f", "\u212a"])
def test_letters_that_patterns_take_for_ascii_are_left_to_them(letter):
    """A pattern without case finds i, s and k in these."""
    assert lowered_words(f"Was{letter}") is None
    assert may_have_word(f"Was{letter}", frozenset({"never"}))
