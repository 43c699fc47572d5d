"""Word pieces, against the tokenizer library that cuts whole texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, normalizers

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx import word_pieces
from qassay.models.onnx.word_pieces import PieceCutter

TOKENIZER = Tokenizer.from_file(str(EMBEDDED_FOLDER / "tokenizer.json"))
TOKENIZER.no_truncation()
TOKENIZER.no_padding()
CUTTER = PieceCutter(TOKENIZER)
WORDS = st.sampled_from(["Paris", "isn't", "[MASK]", "[", "Röntgen", "北京", "x" * 120, "\t", "\n", "\x01", "\0", " "])


def expected(text):
    cut = TOKENIZER.encode(text, add_special_tokens=False)
    return [101, *cut.ids, 102], [[0, 0], *map(list, cut.offsets), [0, 0]]


def found(cut):
    return cut.ids.tolist(), cut.spans.tolist()


@given(st.lists(st.text(st.characters(max_codepoint=127)) | st.lists(WORDS).map("".join)))
def test_pieces_are_those_of_the_whole_text(texts):
    """Ids and places are those that the library gives for each text, plain or not, whatever stands beside it."""
    assert [found(cut) for cut in CUTTER.cut(texts)] == [expected(text) for text in texts]


@pytest.mark.parametrize("text", ["", "one", "It's [MASK]."])
def test_marks_stand_at_the_ends(text):
    """The first and the last piece are marks, and no other."""
    (cut,) = CUTTER.cut([text])

    assert cut.special.tolist() == [True, *[False] * (len(cut.ids) - 2), True]


def test_known_words_are_forgotten_when_they_are_many(monkeypatch):
    """Beyond a number of words the cutter begins anew, and cuts as before."""
    monkeypatch.setattr(word_pieces, "_MOST_WORDS", 2)
    cutter = PieceCutter(TOKENIZER)

    cuts = [found(cutter.cut([text])[0]) for text in ("one two three", "four five", "two one")]

    assert cuts == [expected(text) for text in ("one two three", "four five", "two one")]


def test_other_tokenizers_get_whole_texts():
    """A tokenizer whose pieces depend on neighbours is given the text as it is."""
    other = Tokenizer.from_str(TOKENIZER.to_str())
    other.normalizer = normalizers.Replace("new york", "newyork")

    (cut,) = PieceCutter(other).cut(["new york"])

    assert cut.ids[1:-1].tolist() == other.encode("newyork", add_special_tokens=False).ids
