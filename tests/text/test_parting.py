import pytest

from qassay.text.parting import numbers_in, parted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("developed byJames Prochaska", "developed by James Prochaska"),
        ("from1985 to 1993", "from 1985 to 1993"),
        ("on the 15thevery year", "on the 15th every year"),
        ("NASA and 3D stay", "NASA and 3D stay"),
        ("", ""),
    ],
)
def test_words_are_parted_where_the_seam_shows(text: str, expected: str):
    """A capital after a small letter and a figure after letters begin a word."""
    assert parted(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("twenty-one people", {"20", "1"}),
        ("1,250.5 miles", {"1250.5"}),
        ("the fifth of 5", {"5"}),
        ("has3 lines", {"3"}),
        ("no numbers", set()),
    ],
)
def test_numbers_are_found_in_words_and_figures(text: str, expected: set[str]):
    """Cardinals, ordinals and figures count alike."""
    assert numbers_in(text) == expected
