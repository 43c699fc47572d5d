import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence.numbers.quantities import NEAR, Numbers, quantities, roman_figures


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,250.5 miles", [1250.5]),
        ("\u2212128.6 \u00b0F", [128.6]),  # a minus sign
        ("the fifth of 5", [5]),
        ("has3 lines", [3]),
        ("the 21st, the twenty-first", [21]),
        ("twenty-one people", [21]),
        ("twenty four votes", [24]),
        ("two four-year terms", [2, 4]),
        ("one hundred and fifty two", [152]),
        ("two hundred thousand men and three women", [200_000, 3]),
        ("a dozen", [12]),
        ("$2.18 billion", [2.18e9]),
        ("2.2bn", [2.2e9]),
        ("about $2. 2 billion", [2.2e9]),  # as some systems write it
        ("in Section 11. 5 people", [11, 5]),
        ("$5m", [5e6]),
        ("5m deep", [5]),  # metres
        ("Henry VIII", [8]),
        ("Super Bowl LII", [52]),
        ("Xi and I, CIVIC MIX", []),
        ("May 1,2018", [1, 2018]),
        ("15thevery year", [15]),
        ("no numbers", []),
        ("", []),
    ],
)
def test_numbers_are_found_in_all_their_forms(text: str, expected: list[float]):
    """Cardinals, ordinals, Roman numerals, figures and magnitudes count alike."""
    assert [each.low for each in quantities(text)] == expected


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("the 1910s", 1910, 1919),
        ("the 1980's", 1980, 1989),
        ("the early 1800s", 1800, 1899),
        ("the mid-10th century BCE", 900, 1000),
        ("the fourth century", 300, 400),
    ],
)
def test_decades_and_centuries_are_stretches_of_years(text: str, low: float, high: float):
    """They hold every year of theirs."""
    (found,) = quantities(text)
    assert (found.low, found.high) == (low, high)


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("1,200", "1200"),
        ("$3 million", "3,000,000"),
        ("1.1 million", "1,100,000"),
        ("$2.18 billion", "2.18"),  # "in billions of dollars", says the question
        ("$2.18 billion", "about $2.2 billion"),  # rounded
        ("71%", "70.8 per cent"),
        ("12,345 people", "some 12,000"),
        ("the 1980s", "1984"),
        ("1912", "the 1910s"),
        ("the 19th century", "the 1800s"),
        ("the mid-10th century BCE", "957 BCE"),
        ("336", "the 4th century"),
        ("1899", "in 18991."),  # a footnote
        ("Henry VIII", "the eighth Henry"),
    ],
)
def test_the_same_number_in_another_form(wanted: str, given: str):
    """What people would call the same number is the same."""
    assert quantities(wanted)[0].met_by(quantities(given)[0])


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("1871", "1870"),  # years are not rounded
        ("$2.18 billion", "$2.19 billion"),
        ("3.6", "4"),  # a rounding that says too little
        ("the 1980s", "the 20th century"),
        ("1985", "the 20th century"),
        ("the 1980s", "1991"),
        ("5 million", "5 billion"),
        ("Henry VIII", "Henry VII"),
    ],
)
def test_other_numbers(wanted: str, given: str):
    """Near is not the same."""
    assert not quantities(wanted)[0].met_by(quantities(given)[0])


def test_a_gap_is_a_share_of_what_is_wanted():
    """Ten off from two hundred is a twentieth."""
    assert quantities("200")[0].gap(quantities("210")[0]) == pytest.approx(0.05)


@pytest.mark.parametrize(("word", "expected"), [("XIV", "14"), ("XC", "90"), ("I", None), ("IIX", None), ("ii", None)])
def test_roman_numerals(word: str, expected: str | None):
    """Capitals in their right order; a single letter is no numeral."""
    assert roman_figures(word) == expected


@given(st.text(st.sampled_from("0123456789.,'s$% -\u2212\u0663IVXonetwhusadmilbcry\u00e9"), max_size=40))
def test_every_number_meets_itself(text: str):
    """Whatever is written, a number is no further from itself than nothing."""
    assert all(each.met_by(each) and each.gap(each) == 0 for each in quantities(text))


@pytest.mark.parametrize("text", ["1" + ",000" * 150, "hundred " * 300, "$9" + ",999" * 60 + "tn", "9" * 400])
def test_numbers_without_end_stay_finite(text: str):
    """A list of noughts or a repeated word is read as some number, never as one that no arithmetic holds."""
    found = quantities(text)
    assert found
    assert all(math.isfinite(value) for number in found for value in number)


FORMS = [
    "2018",
    "the 1910s",
    "2.18 billion",
    "$2.2bn",
    "18991",
    "336",
    "the 4th century",
    "12,345",
    "12,000",
    "0",
    "71",
]


@given(st.lists(st.sampled_from(FORMS)), st.sampled_from(FORMS))
def test_looking_among_numbers_is_as_comparing_with_each(texts: list[str], wanted: str):
    """The short cut finds whatever says the same, and the nearest number if it is near."""
    (number,) = quantities(wanted)
    numbers = Numbers("; ".join(texts))
    assert numbers.meet(number) == any(number.met_by(each) for each in numbers.all)
    nearest = min((number.gap(each) for each in numbers.all), default=1.0)
    assert min(numbers.gap(number), NEAR) == pytest.approx(min(nearest, NEAR))
