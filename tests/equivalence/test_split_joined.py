import pytest

from qassay.text.split_joined import split_joined


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
    assert split_joined(text) == expected
