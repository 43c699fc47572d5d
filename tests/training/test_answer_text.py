import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.training.answer_text import find_phrase, sentence_around

TEXT = "Dr. Smith was born in St. Louis. He moved to Rome in 1901. It rained."


def test_the_sentence_around_a_span():
    """The sentence that holds the span, and the span inside it."""
    start = TEXT.index("1901")

    found = sentence_around(TEXT, (start, start + 4))

    assert found == ("He moved to Rome in 1901.", (20, 24))


def test_boundaries_do_not_cut_a_span():
    """Sentences that a span crosses are joined."""
    start, end = TEXT.index("Louis"), TEXT.index("Rome") + 4

    sentence, span = sentence_around(TEXT, (start, end))

    assert sentence == "Dr. Smith was born in St. Louis. He moved to Rome in 1901."
    assert sentence[slice(*span)] == TEXT[start:end]


@given(st.text("ab. ?\n", max_size=60), st.integers(0, 60), st.integers(1, 20))
def test_the_span_is_always_whole(text, start, length):
    """Whatever the text, a sentence that is found holds exactly the span's characters."""
    found = sentence_around(text, (start, start + length))

    assert found is None or found[0][slice(*found[1])] == text[start : start + length]


@pytest.mark.parametrize("span", [(0, 0), (5, 3), (-1, 2), (60, 99)])
def test_a_span_outside_the_text_has_no_sentence(span):
    """Spans that are empty, reversed or outside give none."""
    assert sentence_around(TEXT, span) is None


def test_phrases_are_found_as_whole_words():
    """Case and spacing may differ; parts of words do not count."""
    assert find_phrase("Rome, ROME  city; Romeo", "rome") == [(0, 4), (6, 10)]
    assert find_phrase("New\n York", "new york") == [(0, 9)]
    assert find_phrase("anything", " ") == []
