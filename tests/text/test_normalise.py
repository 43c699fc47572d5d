"""Normal forms make equal what people would call the same."""

import re
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.text.normalise import compose, fold, squad, squad_english


@given(st.text())
def test_fold_keeps_positions(text):
    """Folding never changes a text's length, so that positions still point at the same letters."""
    assert len(fold(text)) == len(text)


@given(st.text())
def test_fold_twice(text):
    """Folding what is folded changes nothing."""
    assert fold(fold(text)) == fold(text)


@given(st.text(st.characters(codec="ascii")))
def test_fold_is_lower_case(text):
    """ASCII folds to its lower case."""
    assert fold(text) == text.lower()


def test_fold_keeps_a_letter_that_would_grow():
    """A Turkish capital I with a dot, whose lower case is two characters long, stays as it is."""
    assert fold("İZMİR") == "İzmİr"


@given(st.text())
def test_compose_twice(text):
    """Composing is done after the first time."""
    assert compose(compose(text)) == compose(text)


@pytest.mark.parametrize(
    ("decomposed", "composed"), [("cafe\u0301", "café"), ("\u1109\u1165\u110b\u116e\u11af", "서울"), ("plain", "plain")]
)
def test_compose(decomposed, composed):
    """Two spellings of the same letters become one."""
    assert compose(decomposed) == composed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Answer, is: A dog.", "answer is dog"),
        ("  an\tapple \n a  day", "apple day"),
        ("U.S. dollars", "us dollars"),
        ("theatre", "theatre"),
        ("the", ""),
        ("?!", ""),
        ("10,000 €", "10000 €"),
        ("“quoted”", "“quoted”"),
        ("《将夜》\uff0c猫腻。", "将夜猫腻"),
        ("「東京」です。", "東京です"),
    ],
)
def test_squad(text, expected):
    """Case, punctuation, articles and surplus spaces go; Chinese and Japanese punctuation too."""
    assert squad(text) == expected


def test_squad_without_articles():
    """Outside English, the words a, an and the are words."""
    assert squad("A casa", articles=False) == "a casa"


def official(text):
    """Normalise by the SQuAD rules written out plainly."""
    kept = "".join(letter for letter in text.lower() if letter not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


@given(st.text(st.sampled_from("aAnthe THE.,'-1é ß大\uff0c。”\n")))
def test_official_rules(text):
    """The English form is the official one, whatever else stands in the text."""
    assert squad_english(text) == official(text)


@given(st.text(st.characters(codec="latin-1", exclude_characters="\xb7")))
def test_both_forms_agree_on_western_text(text):
    """Where nothing is Chinese or Japanese both forms are the same."""
    assert squad(text) == squad_english(text)


@given(
    st.lists(st.sampled_from("a\u0301\u0323\u0344\u0f71\u0f72\u0f73\u0f74\u093f"), min_size=60, max_size=300).map(
        "".join
    )
)
def test_many_marks_compose_as_python_composes_them(text):
    """However many marks a letter has, the result is NFC."""
    assert compose(text) == unicodedata.normalize("NFC", text)


def test_a_million_marks_are_put_into_order():
    """Sorted by insertion, as Python does, this would take an hour."""
    assert compose("\u0f71\u0f72\u0f74" * 300_000) == "\u0f71" * 300_000 + "\u0f72" * 300_000 + "\u0f74" * 300_000
