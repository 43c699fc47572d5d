"""Traits that patterns take: what a pattern finds has them, so that other texts need not be read."""

from re import _parser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence.dates import dates
from qassay.equivalence.negation import opinion
from qassay.equivalence.numbers import quantities
from qassay.metrics.learned import signals
from qassay.text import language_id, refusal
from qassay.text.traits import CAPITAL, find_traits

ASCII = st.characters(max_codepoint=127, exclude_characters="\0")
PATTERNS = {
    "a negation": (signals._NEGATION, signals._NEGATED),
    "not told": (refusal._SAYS_NOTHING, refusal.NOT_TOLD),
    "a date": (dates._DATE, dates.DATE),
    "a name": (signals._NAME, CAPITAL),
    "figures": (quantities._FIGURE, quantities.NUMBER),
    "a Roman number": (quantities._ROMAN_WORDS, quantities.NUMBER),
}
WORDS = (
    *("yes", "no", "yesn't", "it", "it's", "isn't", "does", "Sadly,", "un4fortunately", "a_bly", "so", "not", "I'm"),
    *("afraid", "sure", "-", '"', "(", "5", "indeed", "of", "course", "of course", "uh-huh", "Paris", "certainly"),
)
openings = st.lists(st.sampled_from(WORDS), max_size=5).flatmap(
    lambda words: st.sampled_from(["", " ", ", "]).map(lambda between: between.join(words))
)


def _has(text, trait):
    return bool(find_traits([text])[0] & trait)


@pytest.mark.parametrize("name", PATTERNS)
@given(data=st.data())
def test_what_a_pattern_finds_has_its_trait(name, data):
    """Whatever stands before and behind it."""
    pattern, trait = PATTERNS[name]
    text = data.draw(st.from_regex(pattern, alphabet=ASCII))
    assert _has(text, trait) or not pattern.search(text)


@given(st.from_regex(refusal._NO_ANSWER, fullmatch=True, alphabet=ASCII), st.sampled_from(["", " ", ".", "_", "(5"]))
def test_what_says_that_there_is_no_answer_has_its_trait(text, around):
    """A text without it is not asked."""
    assert _has(around + text + around, refusal.NOT_TOLD) or not refusal.says_not_told(around + text + around)


def test_no_wording_of_no_answer_is_longer_than_what_is_read():
    """Longer texts are not asked."""
    assert _parser.parse(refusal._NO_ANSWER.pattern).getwidth()[1] <= refusal._LONGEST_NO_ANSWER


@given(openings)
def test_no_opening_with_yes_or_no_is_missed(text):
    """A text whose first word opens no opinion has none."""
    found = opinion._STATED, opinion._OPENING, opinion._WITH_ADVERB, signals._YES, signals._NO
    start = len(text) - len(text.lstrip(" \"'*("))
    assert opinion.may_open_with_opinion(text) or not any(pattern.match(text, start) for pattern in found)


@given(st.sampled_from(sorted(opinion._OPINIONS)), st.sampled_from(["", ".", "n't", ", not", " because"]))
def test_every_wording_of_an_opinion_may_open_a_text(words, behind):
    """Alone or with something behind it."""
    assert opinion.may_open_with_opinion(words + behind)


@given(st.lists(st.sampled_from(sorted(language_id._ALL)), min_size=6).map(" ".join))
def test_a_text_in_another_language_has_the_trait(text):
    """English texts are not read for other languages."""
    assert _has(text, language_id.OTHER_LANGUAGE) or not language_id.is_other_european(text)


@given(st.from_regex(refusal._HEDGE_BEHIND, alphabet=ASCII).map(str.strip))
def test_no_doubt_behind_an_answer_is_missed(text):
    """What is left out is what the pattern finds."""
    text = f"It was Monet, {text}"
    found = refusal._HEDGE_BEHIND.search(text)
    before = text[: found.start()] if found else text
    assert refusal.without_hedge(text) == (text if refusal.is_refusal(before) or not before.strip() else before)
