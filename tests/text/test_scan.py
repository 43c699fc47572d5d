"""Cutting many texts at once gives each the tokens that its tokeniser gives it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qassay.text.tokenisers.scan import SCANS
from qassay.text.tokenisers.tokenise import TOKENISERS, tokeniser
from qassay.text.tokenisers.tokens import Tokens
from real_answers import dureader, kpqa, squad_answers

SCANNED = [tokeniser(name) for name in TOKENISERS if TOKENISERS[name].scan] + [tokeniser("squad", "de")]
every_scan = pytest.mark.parametrize("cutter", SCANNED, ids=["word", "coco", "squad", "13a", "char", "squad in German"])

# what the rules of some tokeniser look at, closely packed
tricky = st.text(
    st.sampled_from(
        "aAnThe05.,-'\"&;<>_? \n\t\x01\x1c\x7féÉß“”\xa0\u3000\u2028·—ΣσİИи大元。かไัह\u093f\u0301\ud800👍\uffff"
    ),
    max_size=12,
)
words = st.lists(st.sampled_from(["the", "a", "Cat", "sat,", "internationalisations", "internationalisation", "?"]))
texts = st.lists(tricky | words.map(" ".join) | st.text(st.characters(codec="ascii")) | st.text(), max_size=6)


@every_scan
@given(texts)
@example([])
@example([""])
@example(["", "a", ""])
@example(["a\0b", "c"])
@example(["ΟΔΟΣ", "İΣ", "ΟΔΟΣ ΟΔΟΣ"])
@example(["“the” a", "the “a”", "Café É", "大元 the", "ไทย", "ि", "aิ", "𠀀 a"])
@example(["<skipped>", "5..5", "1,000.5", "a.,b", "5-6", "-5", "x-\ny", "&amp;", "&lt;skipped>"])
@example(["12345678", "123456789", "1234567890123456", "12345678901234567", "12345678901234568"])
def test_same_tokens(cutter, rows):
    """Every text, whatever stands beside it, has the tokeniser's own tokens."""
    tokens = Tokens.cut(rows, cutter)
    assert [tokens.row(i) for i in range(len(tokens))] == [cutter.tokens(text) for text in rows]


@every_scan
@given(texts)
def test_equal_tokens_alike(cutter, rows):
    """Equal tokens have the same number, and unlike ones another."""
    tokens = Tokens.cut(rows, cutter)
    used = [tokens.words[i] for i in set(tokens.ids.tolist())]
    assert len(set(used)) == len(used)


@every_scan
@pytest.mark.parametrize(
    "read",
    [lambda: kpqa("marco_all"), lambda: squad_answers()[:3000], lambda: dureader()[:200]],
    ids=["marco", "squad", "zh"],
)
def test_real_texts(cutter, read):
    """Real answers, English and Chinese, are cut as one by one."""
    rows = [each.candidate for each in read()] + [text.text for each in read() for text in each.references]
    tokens = Tokens.cut(rows, cutter)
    assert [tokens.row(i) for i in range(len(tokens))] == [cutter.tokens(text) for text in rows]


def test_words_are_a_sequence():
    """Distinct tokens can be counted, indexed, sliced and iterated over."""
    words = SCANS["word"].cut(["the cat, the dog"]).number().words
    assert (len(words), words[1], words[1:3], list(words)) == (4, "cat", ["cat", ","], ["the", "cat", ",", "dog"])


@given(st.lists(st.text(max_size=20), unique=True))
def test_other_tokens(others):
    """Tokens of texts cut elsewhere are numbered alike with the scanned ones."""
    scanned = SCANS["word"].cut(["the cat", "internationalisation the"])
    numbered = scanned.number(others)
    tokens = ["the", "cat", "internationalisation", "the", *others]
    assert [numbered.words[i] for i in [*numbered.ids, *numbered.others]] == tokens
    assert len(numbered.words) == len(set(tokens))


def test_unsure_texts_are_named():
    """A text with an entity is left to the tokeniser itself."""
    assert SCANS["13a"].cut(["plain", "a &amp; b", "plain again"]).unsure.tolist() == [1]
