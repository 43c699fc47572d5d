import pytest

from qassay.equivalence.dates.dates import Date, dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("17 August 1945", Date(8, (17, 17), 1945)),
        ("on the 20th of November 1970", Date(11, (20, 20), 1970)),
        ("August 17th, 1945", Date(8, (17, 17), 1945)),
        ("Sept. 3, 2001", Date(9, (3, 3), 2001)),
        ("17  August  1945", Date(8, (17, 17), 1945)),
        ("August 17 , 1945", Date(8, (17, 17), 1945)),
        ("June 1592", Date(6, None, 1592)),
        ("in October", Date(10)),
        ("Dec 25", Date(12, (25, 25))),
        ("2018-03-01", Date(3, (1, 1), 2018)),
        ("January\u00a031,\u00a02018", Date(1, (31, 31), 2018)),
        ("14 and 15 August 1945", Date(8, (14, 15), 1945)),
        ("6\u201314 July", Date(7, (6, 14))),
        ("July 7th to 14th each year", Date(7, (7, 14))),
        ("released onFebruary 27, 19961", Date(2, (27, 27), 1996)),  # run together, with a footnote's number
    ],
)
def test_a_date_is_read_in_every_form(text: str, expected: Date):
    """Days before and after the month, abbreviated or in full, several days, no day, no year."""
    assert dates(text) == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It may rain.",
        "a march",
        "Augustus",
        "marching",
        "1945",
        "the 5th",
        "5/6/1990",
        "七月",
        "DISMAY 3",
        "1945-08-00",
        "1945-08-39",
    ],
)
def test_what_only_looks_like_a_date_is_none(text: str):
    """Words that are months too or end like one, years and days alone, figures of unknown order, days that are none."""
    assert dates(text) == ()


@pytest.mark.parametrize("text", ["Septtember 3, 2010", "17 Augu\u017ft 1745", "Apr\u0130L 3", "Apr\u0131l 3"])
def test_a_month_in_other_letters_is_none(text: str):
    """Slips, and letters that are equal to others in lower or upper case, stop nothing."""
    assert dates(text) == ()


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("17 August 1945", "August 1945", True),
        ("17 August 1945", "17 August", True),
        ("17 August 1945", "2 September 1945", False),
        ("17 August 1945", "18 August 1945", False),
        ("17 August 1945", "August 1946", False),
        ("14 and 15 August 1945", "August 15, 1945", True),
        ("6-14 July", "July 15", False),
    ],
)
def test_dates_agree_as_far_as_each_says(one: str, other: str, expected: bool):
    """What one leaves open, the other may fill in."""
    (left,), (right,) = dates(one), dates(other)
    assert left.agrees(right) is right.agrees(left) is expected


def test_many_dates_are_cut_off():
    """A list of all days does not hold up the run."""
    assert len(dates(" ".join(f"{day} May {year}" for year in range(1000, 1100) for day in range(1, 29)))) == 100
