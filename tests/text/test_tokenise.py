"""Tokenisers cut as they say, and never to nothing."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from qassay.errors import SpecError
from qassay.text.normalise import compose, fold
from qassay.text.tokenisers.tokenise import TOKENISERS, coco, locate, squad_english_words, squad_words, tokeniser, word

every_tokeniser = pytest.mark.parametrize("tok", TOKENISERS)
mixed = st.text(st.sampled_from("aB1_.,-&;<>'\"?! \n\té大東か글ไท👍ि\u0301")) | st.text()


@every_tokeniser
@given(mixed.filter(str.strip))
def test_something_is_left(tok, text):
    """A text that is not blank has at least one token."""
    assert tokeniser(tok).tokens(text)


@every_tokeniser
@given(st.text(st.sampled_from(" \t\n\r\u3000\xa0")))
def test_blank(tok, text):
    """A blank text has none."""
    assert tokeniser(tok).tokens(text) == []


@every_tokeniser
@pytest.mark.parametrize("text", ["<skipped>", "-\n", "the", "?!", "\u200b", "\x00"])
def test_what_a_rule_would_empty(tok, text):
    """What the tokeniser's own rules would drop altogether still counts as something."""
    assert tokeniser(tok).tokens(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop!", ["don", "'", "t", "stop", "!"]),
        ("a_b 3.14", ["a_b", "3", ".", "14"]),
        ("Straße und Café", ["straße", "und", "café"]),
        ("秦朝10年", ["秦", "朝", "10", "年"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("서울 입니다", ["서울", "입니다"]),
        ("ไทย", ["ไ", "ท", "ย"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("வணக்கம்", ["வணக்கம்"]),
        ("עִבְרִית", ["עִבְרִית"]),
        ("👍🏽 ok", ["👍", "🏽", "ok"]),
        ("İzmir", ["İzmir"]),
    ],
)
def test_word(text, tokens):
    """Words and punctuation marks, lower-cased; one token a character where a script has no spaces."""
    assert word(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop!", ["don", "t", "stop"]),
        ("?!", ["?", "!"]),
        ("अच्छा, ठीक है।", ["अच्छा", "ठीक", "है"]),
        ("《将夜》", ["将", "夜"]),
    ],
)
def test_coco(text, tokens):
    """As `word`, but punctuation stays only where there is nothing else."""
    assert coco(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The U.S. Dollar", ["us", "dollar"]),
        ("秦朝\uff0c十年", ["秦", "朝", "十", "年"]),
        ("The", [""]),
        ("?!", [""]),
    ],
)
def test_squad(text, tokens):
    """SQuAD's words; what its rules empty is one empty token, equal to any other such."""
    assert squad_words(text) == tokens


def test_squad_in_english_text():
    """In English text a quoted Chinese name is one word, as in the official rules."""
    assert squad_english_words("Yuan dynasty (元朝)") == ["yuan", "dynasty", "元朝"]


@pytest.mark.parametrize(
    ("language", "tokens"),
    [("auto", ["元", "朝"]), ("en", ["元朝"]), ("zh", ["a", "元", "朝"]), ("de", ["a", "元", "朝"])],
)
def test_squad_by_language(language, tokens):
    """Articles go in English; unspaced characters are cut everywhere else."""
    assert tokeniser("squad", language).tokens("a 元朝") == tokens


@given(st.text(st.characters(codec="ascii")).filter(lambda text: Tokenizer13a()(text.rstrip())))
def test_13a(text):
    """`13a` is sacrebleu's."""
    assert tokeniser("13a").tokens(text) == Tokenizer13a()(text.rstrip()).split()


@given(st.text(st.sampled_from("aB1.,-& \u2014\u3002大東か글\U00020000\u2a6d\ufa6b")).filter(str.strip))
def test_zh(text):
    """`zh` is sacrebleu's."""
    assert tokeniser("zh").tokens(text) == TokenizerZh()(text.rstrip()).split()


@given(mixed)
def test_characters(text):
    """`char` keeps every character but spaces, lower-cased."""
    assert "".join(tokeniser("char").tokens(text)) == "".join(fold(text).split())


@given(mixed)
def test_jieba_keeps_all_characters(text):
    """`jieba` drops nothing but spaces."""
    joined = "".join(tokeniser("jieba").tokens(text))
    assert "".join(joined.split()) == "".join(fold(text).split())


def test_jieba_words():
    """`jieba` finds words of several characters."""
    # the example of jieba's README, default mode
    assert tokeniser("jieba").tokens("我来到北京清华大学") == ["我", "来到", "北京", "清华大学"]


def test_jieba_missing(monkeypatch):
    """Without the extra the error says what to install."""
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(SpecError, match=r"qassay\[zh\]"):
        tokeniser("jieba").tokens("我们")


@pytest.mark.parametrize("tok", ["word", "coco", "char", "jieba"])
@given(mixed)
def test_locate_points_at_tokens(tok, text):
    """Every token stands, in lower case, at its span, and the spans follow each other."""
    text = compose(text)
    tokens = tokeniser(tok).tokens(text)

    spans = locate(text, tokens)

    assert [fold(text)[start:end] for start, end in spans] == tokens
    assert sorted(spans) == spans


def test_locate_what_is_not_there():
    """A token that the text does not hold gets an empty span where it would stand."""
    assert locate("a &amp; b", ["a", "&", "b"]) == [(0, 1), (2, 3), (8, 9)]
    assert locate("so it is", ["so", "was", "is"]) == [(0, 2), (2, 2), (6, 8)]


@pytest.mark.parametrize(
    ("text", "tokens", "found"),
    [
        ("it's $1,000 or 1000", ["its", "1000", "or", "1000"], ["it's", "1,000", "or", "1000"]),
        ("the he hen", ["he", "hen"], ["he", "hen"]),
        ("undone", ["un", "##done"], ["un", "done"]),
    ],
)
def test_locate_words_whose_punctuation_was_dropped(text, tokens, found):
    """A token stands where its letters do, and never inside another word."""
    spans = locate(text, tokens)
    assert [text[start:end] for start, end in spans] == found
