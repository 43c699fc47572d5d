"""Hashes of many texts at once."""

from hypothesis import given
from hypothesis import strategies as st

from qassay.text.text_hash import hash_texts

texts = st.lists(st.text(st.characters(codec=None), max_size=40), max_size=20)


@given(texts)
def test_hash_does_not_depend_on_the_neighbours(given_texts):
    """A text has the same hash alone as among others."""
    assert hash_texts(given_texts).tolist() == [int(hash_texts([each])[0]) for each in given_texts]


@given(st.sets(st.text(max_size=40), max_size=30))
def test_different_texts_differ(given_texts):
    """Different texts have different hashes, also where they differ by NUL characters at the end."""
    padded = {each + end for each in given_texts for end in ("", "\0", "\0\0")}
    assert len(set(hash_texts(list(padded)).tolist())) == len(padded)


def test_many_ids():
    """A hundred thousand similar ids have as many hashes, and their last bits are spread evenly."""
    found = hash_texts([f"q{i}" for i in range(100_000)])
    assert len(set(found.tolist())) == 100_000
    shares = [int((found % 8 == each).sum()) for each in range(8)]
    assert max(shares) - min(shares) < 800


def test_lanes_differ():
    """Another lane gives another hash."""
    assert hash_texts(["abc"], 0)[0] != hash_texts(["abc"], 1)[0]


def test_hashes_stay():
    """Signatures of different machines agree: the same hash, calculated with Python's integers."""
    step, first, second, mask = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, (1 << 64) - 1

    def spread(value):
        value = value * first & mask
        return (value ^ value >> 32) * second & mask

    words = [int.from_bytes(each, "little") for each in (b"abcdefgh", b"ij")]
    total = sum(spread(word ^ place * step & mask) for place, word in enumerate(words, 1)) + 10 * first & mask
    total = (total ^ total >> 30) * first & mask
    total = (total ^ total >> 27) * second & mask
    assert int(hash_texts(["abcdefghij"])[0]) == total ^ total >> 31
