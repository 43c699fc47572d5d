"""Texts as bytes of UTF-8."""

from hypothesis import given
from hypothesis import strategies as st

from qassay.text.utf8 import beyond_ascii, byte_texts

TEXTS = st.lists(st.text(st.characters(exclude_categories=()), max_size=20))


@given(TEXTS)
def test_each_character_stands_for_a_byte(texts: list[str]) -> None:
    """Any text, half a surrogate pair included, becomes the bytes of its UTF-8."""
    assert [each.encode("latin-1") for each in byte_texts(texts)] == [
        text.encode("utf-8", "surrogatepass") for text in texts
    ]


def test_ascii_texts_are_the_same_objects() -> None:
    """Nothing is copied of texts that are ASCII."""
    texts = ["one", "two"]
    assert byte_texts(texts) is texts


def test_texts_beyond_ascii_are_converted() -> None:
    """A conversion applies to texts beyond ASCII alone."""
    assert list(byte_texts(["A", "É"], str.lower)) == ["A", "é".encode().decode("latin-1")]


def test_texts_beyond_ascii_are_found() -> None:
    """Their places are returned in order."""
    assert beyond_ascii(["a", "é", "", "痛"]) == [1, 3]
