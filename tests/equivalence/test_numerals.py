"""Numbers in other writings, and numbers that differ by a mark alone."""

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.equivalence.canonicalise import restated
from qassay.equivalence.numerals import numerals

SAME = [
    ("1,200", "1200"),
    ("1200", "1,200"),
    ("1,200", "There were 1200 of them."),
    ("three", "3"),
    ("3", "three"),
    ("3", "It has three in 2013"),
    ("21", "twenty-one"),
    ("21", "twenty one"),
    ("Twenty-seven", "27"),
    ("100", "one hundred"),
    ("100", "a hundred"),
    ("12", "a dozen"),
    ("10,000", "ten thousand"),
    ("2,500,000", "2.5 million"),
    ("1st", "first"),
    ("twenty-first", "21st"),
    ("one", "1"),
    ("1", "just one"),
    ("-3", "\u22123"),
    ("-3", "minus three"),
    ("negative 3", "-3"),
    ("-$5", "$-5"),
    ("four-part", "a 4-part series"),
    ("Henry VIII", "Henry 8"),
    ("Five Hundred dollars", "$500"),
    ("five to ten", "5 to 10"),
]


@pytest.mark.parametrize(("reference", "candidate"), SAME)
def test_a_number_takes_the_references_writing(reference: str, candidate: str) -> None:
    """The reference's number stands in the answer, as the reference writes it."""
    found = restated("", reference, candidate)
    assert found is not None
    wanted = numerals(reference)[0].written
    assert wanted in found.candidate


@pytest.mark.parametrize(
    ("reference", "candidate", "left"),
    [
        ("-5", "5", ""),
        ("5", "-5", ""),
        ("minus 5", "5", ""),
        ("-5 \u00b0C", "It was 5 \u00b0C.", "It was  \u00b0C."),
        ("-$5 million", "$5 million", "$"),
        ("1.5%", "15%", "%"),
        ("3.14", "314", ""),
        ("2.5 million", "25 million", ""),
        ("5%", "$5", "$"),
        ("5 percent", "5 dollars", " dollars"),
        ("$5", "\u20ac5", "\u20ac"),
        ("-12%", "It grew by 12%", "It grew by %"),
        ("5", "It was -5", "It was "),
        ("$2,000", "2000 yen", " yen"),
    ],
)
def test_a_number_that_differs_by_a_mark_is_left_out(reference: str, candidate: str, left: str) -> None:
    """A sign, a point or a unit's mark makes another number."""
    found = restated("What was it?", reference, candidate)
    assert found is not None
    assert found.candidate == left


@pytest.mark.parametrize(
    ("question", "reference", "candidate"),
    [
        ("", "1,200", "1,300"),
        ("", "three", "a third"),
        ("", "3", "the third"),
        ("", "three", "3rd"),
        ("", "3.10", "3.1"),
        ("", "1.500", "1,500"),
        ("", "2.5 million", "2.5"),
        ("", "10.0.0.1", "10001"),
        ("", "12:30", "1230"),
        ("", "COVID-19", "nineteen"),
        ("", "15-1", "one"),
        ("", "1", "the one who came last of all"),
        ("", "part II", "two parts"),
        ("", "twice", "two times"),
        ("", "$1 million", "half a million dollars"),
        ("", "November 2, 2016", "for two weeks"),
        ("", "two arches", "1. Ribs\n2. Bosses"),
        ("", "five (5)", "5"),
        ("", "24", "There are 24, that is two dozen."),
        ("How much did it fall?", "-5%", "5%"),
        ("", "-5%", "It fell by 5%"),
        ("", "-$5 million", "a loss of $5 million"),
        ("", "1.50", "150%"),
        ("", "10% to 30%", "$30"),
        ("What is 5 less ten?", "-5", "5"),
        ("Who was the baby in Ghostbusters 2?", "Hank Deutschendorf II", "The baby in Ghostbusters 2 was Oscar."),
        ("", "9", "a 9k run"),
        ("", "F-16", "sixteen"),
        ("", "3", "3/4"),
        ("", "-12%", "Revenue contracted by 12%"),
        ("", "-$4.2 million", "The company burned $4.2 million"),
        ("", "-33.87", "33.87 degrees South"),
        ("What is the gender pay gap?", "-40%", "40%"),
        ("", "-$3.2 million", "($3.2 million)"),
        ("", "($3.2 million)", "-$3.2 million"),
        ("", "-2", "2-"),
        ("", "1995", "Released \u20131995"),
        ("", "14", "They won 28 -14"),
        ("", "1.2 crore", "12 million"),
        ("", "7.2 per 100,000", "72 per million"),
        ("", "5%", "$5 of every $100"),
        ("", "10\u2076", "10\u2079"),
        ("", "6.022 \u00d7 10\u00b2\u00b3", "6.022 \u00d7 10\u00b2\u2070"),
        ("", "14", "Louis XIV reigned for 72 years"),
        ("", "Edward VIII", "season 8"),
        ("", "2nd", "a second away from gold and finished third"),
        ("", "1st", "Kenya first took part in 1956 and came third"),
        ("", "3rd", "one third of the race but finished fourth"),
        ("", "four", "on Channel 4 for six seasons"),
        ("", "twelve", "The iPhone 12 has two cameras"),
        ("", "2", "two dozen"),
        ("", "1", "No one"),
        ("", "two", "2%"),
        ("", "seven", "07"),
        ("", "four", "Four"),
    ],
)
def test_other_numbers_are_left_as_they_are(question: str, reference: str, candidate: str) -> None:
    """Numbers that are parts of other things, or that the question gives, are not touched."""
    assert restated(question, reference, candidate) is None


def test_a_number_given_both_ways_counts_as_the_reference_writes_it() -> None:
    """Where the reference's own writing is there, the other stays."""
    assert restated("", "1,200", "1,200 (1200)") is None


def test_a_contradiction_beside_the_right_number_is_none() -> None:
    """An answer that gives the reference's number too keeps both."""
    assert restated("", "-5", "It was 5 by day and -5 by night.") is None


def test_an_equal_amount_in_another_unit_is_no_contradiction() -> None:
    """A height of 1.83 m is 183 cm."""
    found = restated("", "1.83 m", "183 cm")
    assert found is not None
    assert found.candidate == "1.83 m"


@given(st.integers(1000, 10**15 - 1), st.booleans())
def test_separators_make_no_difference(number: int, separated: bool) -> None:
    """Python's own writing with separators is the oracle."""
    writings = (str(number), f"{number:,}")
    reference, candidate = writings if separated else writings[::-1]
    found = restated("How many?", reference, candidate)
    assert found is not None
    assert found.candidate == reference


@given(st.text("0123456789.,-+$% \nabthree minusone\u2212XIV", max_size=60))
def test_numbers_lie_where_they_are_said_to(text: str) -> None:
    """Every number's writing is what stands at its place, and numbers do not overlap."""
    found = numerals(text)
    assert [text[each.start : each.end] for each in found] == [each.written for each in found]
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))


@pytest.mark.parametrize(
    "text", ["9 " * 1990, "-" * 3900, "minus " * 650, "a " * 1900, "1. " * 1300, " \n" * 1900 + "3"]
)
def test_odd_texts_take_no_time(text: str) -> None:
    """Nothing is looked for again and again."""
    before = time.process_time()
    restated(text, "-3", text)
    assert time.process_time() - before < 0.5
