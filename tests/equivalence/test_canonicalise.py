"""Answers in their reference's own terms: units, times, dates and names."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.equivalence.amounts import amounts
from qassay.equivalence.canonicalise import restated
from qassay.equivalence.units import UNITS

SAME = [
    ("two weeks", "14 days"),
    ("90 minutes", "1.5 hours"),
    ("90 minutes", "an hour and a half"),
    ("an hour and a half", "90 minutes"),
    ("1 hour 30 minutes", "90 minutes"),
    ("30 minutes", "half an hour"),
    ("one and a half hours", "90 mins"),
    ("2 years", "24 months"),
    ("a year", "12 months"),
    ("1.5 km", "1500 metres"),
    ("1.5 km", "1,500 meters"),
    ("half a mile", "800 m"),
    ("5 feet 10 inches", "178 cm"),
    ("8 pounds", "3.6 kg"),
    ("300,000 km\u00b2", "116,000 square miles"),
    ("100 \u00b0C", "212 \u00b0F"),
    ("\u221240 \u00b0F", "-40 degrees Celsius"),
    ("minus 10 \u00b0C", "14 \u00b0F"),
    ("0 \u00b0C", "273 K"),
    ("842 pounds", "382 kg"),
    ("5 miles", "8 km"),
    ("12 noon", "12 p.m."),
    ("0 \u00b0C", "273.15 K"),
    ("60 mph", "97 km/h"),
    ("$5 million", "5M dollars"),
    ("$2.5bn", "2.5 billion dollars"),
    ("\u00a38", "8 pounds"),
    ("10%", "ten percent"),
    ("50%", "half"),
    ("50%", "one half"),
    ("half", "50 percent"),
    ("25 percent", "a quarter"),
    ("two thirds", "67%"),
    ("33%", "one-third"),
    ("75%", "3/4"),
    ("50%", "0.5"),
    ("three quarters", "75 per cent"),
    ("19th century", "the 1800s"),
    ("the 1800s", "the nineteenth century"),
    ("18th century", "the eighteenth-century"),
    ("the 21st century", "the twenty-first century"),
    ("0", "none"),
    ("zero", "None"),
    ("none", "0"),
    ("8 p.m.", "20:00"),
    ("20:30", "8:30 PM"),
    ("noon", "12 p.m."),
    ("midnight", "12 a.m."),
    ("17 August 1945", "1945-08-17"),
    ("1945-08-17", "August 17, 1945"),
    ("17 August 1945", "8/17/1945"),
    ("4 March 2020", "3/4/2020"),
    ("4 March 2020", "4.3.2020"),
    ("the 1990s", "the nineties"),
    ("the 1990s", "the '90s"),
    ("United States", "USA"),
    ("the U.S.", "the United States"),
    ("United Kingdom", "Britain"),
    ("World War II", "WW2"),
    ("New York City", "NYC"),
]
LEFT = [
    ("90 minutes", "95 minutes"),
    ("50%", "half past two"),
    ("50%", "in the second half"),
    ("50%", "half a mile"),
    ("33%", "a third party"),
    ("50%", "half-hearted"),
    ("50%", "0.5 km"),
    ("50%", "0.5%"),
    ("30%", "a third"),
    ("51%", "half"),
    ("25%", "the first quarter"),
    ("40%", "two-fifths-sized"),
    ("19th century", "the 1900s"),
    ("the 4th century", "a 4th-century bishop"),
    ("Half of them", "half of it"),
    ("19th century", "the 19th century BC"),
    ("5th century BC", "the 400s BC"),
    ("21st century", "the 2000s"),
    ("0", "none of them knew"),
    ("0", "no"),
    ("100", "none"),
    ("15 kilometres", "9 miles"),
    ("one and a half years", "12 months"),
    ("about a year", "a decade later"),
    ("30 seconds", "a second chance"),
    ("2 weeks", "twice a day"),
    ("2 hours", "1-2 days"),
    ("2,900 kilometres (1,802 mi)", "2,900 kilometres"),
    ("25\u00b0C (77\u00b0F)", "25\u00b0C, or 77\u00b0F"),
    ("12.9 km", "8 miles (12.8 km)"),
    ("382 kg", "5G"),
    ("March 25, 2000", "12.03.2019"),
    ("17 August 1945", "August 17, 1945"),
    ("17 August 1945", "1945-99-99"),
    ("8:30 PM", "8:30"),
    ("2:30", "2:35"),
    ("16:9", "16:10"),
    ("the 1950s", "in his fifties"),
    ("America", "Latin America"),
    ("United States", "the Bank of America"),
    ("United States", "Confederate States of America"),
    ("USA", "Miss America"),
    ("us", "America"),
    ("China", "the Republic of China"),
    ("99 years", "a century"),
    ("two hours", "121 minutes"),
    ("2 m", "199 cm"),
    ("8,611 m", "28,169 feet"),
    ("38 \u00b0C", "101 \u00b0F"),
    ("2.7 K", "-273 \u00b0C"),
    ("6 feet", "2 metres"),
    ("1 to 14 days", "1 to 2 weeks"),
    ("7 - 14 days", "1 - 2 weeks"),
    ("between 1 and 14 days", "between 1 and 2 weeks"),
    ("20 to 25 \u00b0C", "68 to 77 \u00b0F"),
    ("8 to 10 p.m.", "20:00 to 22:00"),
    ("9 a.m. to 9 p.m.", "9:00 to 21:00"),
    ("1 by 100 cm", "1 by 1 m"),
    ("04/03/1998", "03/04/1998"),
    ("1880s", "the '80s"),
    ("America", "USA"),
    ("Great Britain", "United Kingdom"),
    ("noon", "12:00"),
    ("8 p.m.", "8:00"),
    ("8 p.m. EST", "20:00 GMT"),
    ("60 Minutes", "an hour"),
    ("8 Mile", "12.9 km"),
    ("Back in the U.S.S.R.", "Back in the Soviet Union"),
    ("10 mg/ml", "10 g/l"),
    ("60 miles per hour", "97 km"),
    ("$1 million", "half a million dollars"),
    ("160 km", "several hundred miles"),
    ("120 minutes", "1/2 hour"),
    ("60 minutes", "three quarters of an hour"),
    ("152 cm", "5 ft 10"),
    ("10 \u00b0C", "minus 50 \u00b0F"),
    ("1920s", "in her late twenties"),
    ("1960s", "temperatures in the sixties"),
    ("12 months", "twice a year"),
    ("168 hours", "5 days a week"),
    ("Los Angeles", "New Orleans, LA"),
    ("Netherlands", "Holland, Michigan"),
    ("South Korea", "Democratic People\u2019s Republic of Korea"),
    ("5 g", "5G"),
    ("", "14 days"),
    ("two weeks", ""),
    ("Canberra", "Sydney"),
]


@pytest.mark.parametrize(("reference", "candidate"), SAME)
def test_the_same_in_other_terms_is_put_into_the_reference_s(reference, candidate):
    """What differed in form alone differs no more."""
    found = restated("", reference, candidate)
    assert found is not None
    assert found.reference == reference
    assert re.sub(r"^the ", "", found.candidate) == re.sub(r"^the ", "", reference)


@pytest.mark.parametrize(("reference", "candidate"), LEFT)
def test_what_cannot_be_put_into_the_same_terms_is_left_as_it_is(reference, candidate):
    """So is what differs in plain sight."""
    assert restated("", reference, candidate) is None


@pytest.mark.parametrize(
    ("reference", "candidate", "read"),
    [
        ("1.5 km", "1.5 miles", ("1.5 km", "2.41 km")),
        ("100 \u00b0C", "about 100 \u00b0F", ("100 \u00b0C", "about 37.8 \u00b0C")),
        ("20 kg", "20 pounds", ("20 kg", "9.07 kg")),
        ("8 p.m.", "8 a.m.", ("20:00", "08:00")),
        ("at noon", "at midnight", ("at 12:00", "at 00:00")),
    ],
)
def test_equal_numbers_of_unlike_units_can_be_seen_to_differ(reference, candidate, read):
    """The number alone would pass for the answer."""
    assert restated("", reference, candidate) == read


@pytest.mark.parametrize(
    ("question", "reference", "candidate"),
    [
        ("What was Myanmar formerly called?", "Burma", "Myanmar"),
        ("What does UN stand for?", "United Nations", "UN"),
        ("How many feet are in a mile?", "5,280 feet", "a mile"),
        ("How many days are two weeks?", "14 days", "two weeks"),
        ("What is 100 \u00b0C in Fahrenheit?", "212 \u00b0F", "100 \u00b0C"),
        ("What is 8 p.m. in the 24-hour clock?", "20:00", "8 p.m."),
        ("By how much did temperatures rise?", "10 \u00b0C", "50 \u00b0F"),
    ],
)
def test_the_question_s_own_terms_are_no_answer(question, reference, candidate):
    """Who repeats them says nothing new; and a difference of temperatures is no temperature."""
    assert restated(question, reference, candidate) is None


def test_a_sentence_keeps_what_else_it_says():
    """Only the words that say the same are exchanged."""
    found = restated("How long did it take?", "two weeks", "It took him 14 days, counting Sundays.")
    assert found is not None
    assert found.candidate == "It took him two weeks, counting Sundays."


@pytest.mark.parametrize(
    ("candidate", "read"),
    [
        ("The capital is Sydney, not Canberra.", "The capital is Sydney."),
        ("not Canberra but Sydney", "but Sydney"),
        ("Sydney \u2013 not the Canberra region", "Sydney"),
        ("not Canberra", ""),
        ("It was not Canberra.", ""),
        ("It is not Canberra but Sydney", "but Sydney"),
        ("No, it is not Canberra; it is Sydney", "it is Sydney"),
    ],
)
def test_a_denied_reference_does_not_count(candidate, read):
    """An answer that names the reference to deny it says something else."""
    found = restated("What is the capital of Australia?", "Canberra", candidate)
    assert found is not None
    assert found.candidate == read


@pytest.mark.parametrize(
    ("question", "reference", "candidate"),
    [
        ("What is the capital?", "Canberra", "The capital is Canberra, not Sydney."),
        ("What is the capital?", "Canberra", "It is Canberra and not Canberra"),
        ("Which city is not the capital?", "Sydney", "Canberra is the capital, not Sydney."),
        ("Did it sink?", "It did not sink.", "It floated, and not sink it did not"),
        ("What is the capital?", "Canberra", f"Sydney, {'and on and on ' * 10}not Canberra"),
        ("When could women vote?", "1920", "Women could vote, but not until 1920"),
        ("When did it open?", "2003", "built in 1999, not opened until 2003"),
        ("How many?", "five", "Some were sent, but not more than five"),
        ("Where is it?", "Paris", "a village, not far from Paris"),
        ("Where?", "Sydney", "the whole state, not just Sydney"),
        ("Where?", "Canberra", "not only Canberra but also Sydney"),
        ("What did gas replace?", "coal", "People used gas, not coal."),
        ("What are they forbidden to do?", "smoke", "not smoke"),
        ("Where?", "United States", "Canada, not the US"),
        (
            "Why?",
            "negotiated between endpoints",
            "an identifier rather than addresses and negotiated between endpoints",
        ),
    ],
)
def test_other_denials_stay(question, reference, candidate):
    """Where the reference is said elsewhere, or the question asks for what is not."""
    assert restated(question, reference, candidate) is None


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.kind}-{unit.name}")
def test_units_convert_there_and_back(unit):
    """A number of a unit, expressed in its kind's own and back, is the number."""
    assert unit.number(unit.value(12.5)) == pytest.approx(12.5)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5 km", [("length", 5000)]),
        ("five kilometers and 30 metres", [("length", 5030)]),
        ("twenty-five minutes", [("time", 1500)]),
        ("two hundred miles", [("length", 321868.8)]),
        ("12 pounds", [("mass", 5443.10844), ("pounds sterling", 12)]),
        ("\u20ac3.5m", [("euros", 3.5e6)]),
        ("US$40", [("dollars", 40)]),
        ("1 h 5 min", [("time", 3900)]),
        ("5 kmx, 3rd mile, v5 m", []),
        ("km 5", []),
    ],
)
def test_amounts_are_found_with_their_kind_and_size(text, found):
    """What has two meanings is found as both."""
    assert [(each.kind, pytest.approx(each.value)) for each in amounts(text)] == found


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_taken(reference, candidate):
    """Whatever stands there, there is an answer, and it is the same each time."""
    first = restated("q", reference, candidate)
    assert first == restated("q", reference, candidate)
    assert first is None or (first.reference, first.candidate) != (reference, candidate)


@pytest.mark.parametrize(
    "piece",
    [
        "1 ",
        "a ",
        "not ",
        "one ",
        "1,000",
        "5 km and ",
        "12:30 ",
        "1/1/2000 ",
        "U.S. ",
        "half a ",
        "8 a.m. ",
        "1 m 2 km ",
    ],
)
def test_long_texts_take_no_time(piece):
    """Nothing is tried over and over."""
    long = (piece * 4000)[:4000]
    begun = time.perf_counter()
    restated("", long, "5 km, 14 days, 8 p.m.")
    restated("", "5 km, 14 days, 8 p.m., Canberra", long)
    restated("", long, long.replace("a", "p").replace("m", "km"))
    assert time.perf_counter() - begun < 5
