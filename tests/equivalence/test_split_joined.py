import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.text.split_joined import split_all, split_joined


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


@given(st.lists(st.text(st.sampled_from("abstJ15\u0661rdhn \n\u00e9"), max_size=12), max_size=6))
def test_many_texts_are_split_as_each_alone(texts):
    """Whatever stands at the end of one and the beginning of the next."""
    assert split_all(texts) == [split_joined(text) for text in texts]
