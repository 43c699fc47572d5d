import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence import searched_texts
from qassay.equivalence.fuzzy_search import SearchedText
from qassay.equivalence.searched_texts import SearchedTexts
from qassay.text.tokenisers.tokenise import squad_words
from qassay.text.tokenisers.tokens import Tokens

TEXTS = [
    *("The coldest was -128.6\u00b0F (-89.2\u00b0C) in 1983.", "from1985 to 19931. He was selected", "about 71% of it"),
    *("It cost $5 or so.", "Wade has to secure twenty four votes.", "American Express Company", "on Sept. 5"),
    *("It was Beyonce.", "Henry the Eighth", "to maximize profits", "They are of it.", "a NUL\0character", "", "the"),
    *("Slovenia", "Marian and Ceasar", "in theBritishmuseum", "the dying king", "\u4e1c\u4eac", "caf\u00e9s"),
]
WANTED = [
    *(
        "71 percent",
        "5 dollars",
        "1985\u20131993",
        "24",
        "American Express Co.",
        "5 September",
        "Beyonc\u00e9",
        "of it",
    ),
    *("Henry VIII", "Profit maximization", "Slovakia", "Harian Caesar", "British museum", "die", "kings", "", "\u6771"),
    *("19", "character", "selection selected", "temperature", "the", "cafe", "maximise", "Eight", "votez"),
]


def tokens(texts: list[str]) -> Tokens:
    return Tokens.number([squad_words(text) for text in texts])


def expected(text: str, wanted: str) -> float:
    return SearchedText(text, squad_words(text)).share(squad_words(wanted))


@pytest.mark.parametrize("limit", [searched_texts._AT_ONCE, 0])
def test_many_texts_are_searched_as_each_by_itself(limit: int, monkeypatch: pytest.MonkeyPatch):
    """Whether words are looked for together or, in long texts, one by one."""
    monkeypatch.setattr(searched_texts, "_AT_ONCE", limit)
    rows = np.repeat(np.arange(len(TEXTS)), len(WANTED))
    found = SearchedTexts(TEXTS, tokens(TEXTS)).shares(rows, tokens(WANTED * len(TEXTS)))
    assert found.tolist() == [expected(text, wanted) for text in TEXTS for wanted in WANTED]


def test_words_may_be_those_of_the_same_tokens():
    """References stand beside the candidates in which their words are looked for."""
    both = tokens([*TEXTS, *WANTED])
    rows = np.repeat(np.arange(len(TEXTS)), len(WANTED))
    wanted = both.take(np.tile(len(TEXTS) + np.arange(len(WANTED)), len(TEXTS)))
    found = SearchedTexts([*TEXTS, *WANTED], both).shares(rows, wanted)
    assert found.tolist() == [expected(text, wanted) for text in TEXTS for wanted in WANTED]


_WORDS = st.text("aeilnst5%-\u00e9 ", max_size=30)


@given(st.lists(st.tuples(_WORDS, _WORDS), min_size=1))
def test_any_words_are_found_as_in_each_text_by_itself(pairs: list[tuple[str, str]]):
    """Few letters, so that words are often alike."""
    texts, wanted = [text for text, _ in pairs], [words for _, words in pairs]
    found = SearchedTexts(texts, tokens(texts)).shares(np.arange(len(pairs)), tokens(wanted))
    assert found.tolist() == [expected(*pair) for pair in pairs]


def test_no_texts_have_no_shares():
    """Where no reference reads like a name, say."""
    assert SearchedTexts([], tokens([])).shares(np.zeros(0, np.int64), tokens([])).tolist() == []
