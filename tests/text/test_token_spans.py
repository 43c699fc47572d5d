import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.text.tokenisers.token_spans import token_spans
from qassay.text.tokenisers.tokenise import locate, tokeniser
from qassay.text.tokenisers.tokens import Tokens

TEXTS = st.lists(st.text(st.sampled_from("aB1é,.'-_&<\n\0 北"), max_size=12), min_size=1, max_size=5)

WORDS = (
    "the",
    "The",
    "t",
    "th",
    "them",
    "a",
    "A",
    "an",
    "ant",
    "u.s",
    "'tis",
    "1,000",
    "-",
    ".",
    ",",
    " ",
    "  ",
    "(",
    "x",
)
ENGLISH = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map("".join), min_size=1, max_size=4)


def found_places(texts, name):
    found = tokeniser(name)
    return token_spans(texts, Tokens.cut(texts, found), found)


@pytest.mark.parametrize("name", ["word", "coco", "squad", "13a", "char"])
@given(texts=TEXTS | ENGLISH)
def test_scanned_places_are_those_found_one_by_one(name, texts):
    """However a text's tokens are found, they stand where looking for each of them says."""
    expected = [locate(text, tokeniser(name).tokens(text)) for text in texts]

    found = found_places(texts, name)

    assert [[tuple(span) for span in each.tolist()] for each in found] == expected


def test_each_text_has_positions_of_its_own():
    """Positions begin anew in every text, plain or not."""
    found = found_places(["Yes, it is.", "", "Château d'If", "no"], "word")

    assert [each.tolist() for each in found[1:]] == [[], [[0, 7], [8, 9], [9, 10], [10, 12]], [[0, 2]]]


def test_no_text_has_no_places():
    """Nothing is a valid batch."""
    assert found_places([], "word") == []


def test_a_tokeniser_without_a_scan_is_served():
    """Where texts cannot be scanned, tokens are looked for."""
    (found,) = found_places(["a b"], "zh")

    np.testing.assert_array_equal(found, [[0, 1], [2, 3]])
