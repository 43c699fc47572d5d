"""The stemmer gives exactly NLTK's stems."""

import csv
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from qassay.text.porter import IRREGULAR, STEP_2, STEP_3, STEP_4, stem
from shared import bench, train

ORACLE = PorterStemmer()
SUFFIXES = sorted({*STEP_2, *STEP_3, *STEP_4, "logi", "sses", "ies", "ied", "eed", "ed", "ing", "y", "e", "ll"})


def words_of(text):
    return set(re.findall(r"\w+", text))


def differences(words):
    return {word: (stem(word), ORACLE.stem(word)) for word in words if stem(word) != ORACLE.stem(word)}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # Porter (1980), the examples beside each rule
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("bled", "bled"),
        ("sing", "sing"),
        ("hopping", "hop"),
        ("hissing", "hiss"),
        ("filing", "file"),
        ("sky", "sky"),
        ("happy", "happi"),
        ("relational", "relat"),
        ("adoption", "adopt"),
        ("controlling", "control"),
        ("roll", "roll"),
    ],
)
def test_examples_of_the_paper(word, expected):
    """The paper's own examples come out as printed."""
    assert stem(word) == expected


def test_every_word_of_squad_and_of_the_human_judgements():
    """No word of real questions, passages and answers is stemmed otherwise than by NLTK."""
    words = words_of(train("squad/dev-v1.1.json").read_text(encoding="utf-8"))
    with bench("kpqa_human/avsd_all.csv").open(encoding="utf-8", newline="") as file:
        words |= words_of(json.dumps(list(csv.reader(file)), ensure_ascii=False))

    assert len(words) >= 20_000
    assert differences(words) == {}


@pytest.mark.parametrize("word", sorted(IRREGULAR))
def test_irregular_words(word):
    """Each irregular word has NLTK's stem, whatever its case."""
    assert stem(word.upper()) == ORACLE.stem(word)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_suffix_after_stems_of_every_shape(suffix):
    """Each rule fires exactly where NLTK's does: stems of measure 0 to 3, with and without y and doubling."""
    stems = [
        "",
        "b",
        "a",
        "y",
        "by",
        "ab",
        "bab",
        "bay",
        "abb",
        "ball",
        "baz",
        "babab",
        "ayab",
        "babys",
        "babit",
    ]
    assert differences([beginning + suffix for beginning in stems]) == {}


@given(st.text(alphabet="aeioubcdglmnstyzw", min_size=0, max_size=12))
def test_any_letters(word):
    """Any string of letters is stemmed as by NLTK."""
    assert stem(word) == ORACLE.stem(word)


@given(
    st.text(alphabet="aeiblsty", max_size=7),
    st.sampled_from(SUFFIXES),
    st.sampled_from(["", *SUFFIXES]),
)
def test_stacked_suffixes(beginning, first, second):
    """Suffix upon suffix is stripped as by NLTK."""
    word = beginning + first + second
    assert stem(word) == ORACLE.stem(word)


@given(st.text(max_size=8))
def test_any_text(word):
    """Any text at all, in any script, is stemmed as by NLTK."""
    assert stem(word) == ORACLE.stem(word)
