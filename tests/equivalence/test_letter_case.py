"""Letters beyond ASCII that patterns which ignore case take for i, s and k."""

import pytest

from qassay.equivalence.canonicalise import canonicalise
from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.negation.opinion import opinion
from qassay.equivalence.units.amounts import amounts


def test_the_four_letters_are_those_that_patterns_take_them_for():
    """Other letters keep their marks."""
    assert lower_case("\u017fI\u0130\u0131\u212a\u00c9") == "siiik\u00e9"


@pytest.mark.parametrize(
    ("reference", "candidate", "wanted"),
    [
        ("Yes.", "\u017fure.", "Yes."),
        ("75%", "three quarter\u017f of them", "75% of them"),
        ("20%", "one \u0131n f\u0131ve", "20%"),
        ("6:30", "half past \u017fix", "6:30"),
        ("12 am", "M\u0130DN\u0130GHT", "12 am"),
        ("the 1960s", "the \u017fixties", "the 1960s"),
        ("the 19th century", "the n\u0131neteenth century", "the 19th century"),
        ("A-", "A m\u0131nus", "A-"),
    ],
)
def test_rules_read_words_with_such_letters(reference, candidate, wanted):
    """Old prints have a long s, and a Turkish keyboard an i without its dot."""
    found = canonicalise("", reference, candidate)
    assert found is not None
    assert found.candidate == wanted


def test_amounts_and_prices_with_such_letters_are_read():
    """Their units are looked up in tables of small letters."""
    assert amounts("180 degrees Cels\u0131us")[0].value == amounts("180 degrees Celsius")[0].value
    assert amounts("U\u017f$5")[0].value == amounts("US$5")[0].value


def test_an_opening_with_such_letters_is_an_opinion():
    """Every text is read for one."""
    assert opinion("\u017fure.") == opinion("sure.")
