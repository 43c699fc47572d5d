"""Words of one text in another."""

import pytest

from qassay.equivalence.mention import contains_words


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("European Union", "EU", False),
        ("the EU voted", "EU", True),
        ("the 1990s", "90s", False),
        ("14 days", "14 day", True),
        ("fortnight-long", "fortnight long", True),
        ("a usable unit, US units", "US", True),
    ],
)
def test_words_are_whole_or_in_the_plural(text, words, expected):
    """A part of a longer word is no mention."""
    assert contains_words(text, words) is expected
