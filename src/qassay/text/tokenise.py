"""From a text to its tokens. A text that is not blank always has at least one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from qassay.errors import SpecError
from qassay.text.language import UNSPACED
from qassay.text.normalise import fold, squad

_ASCII_WORD = re.compile(r"[0-9a-z_]+|[^\s0-9a-z_]")
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+|[^\w\s]")
_LETTERS = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_UNSPACED = re.compile(f"([{UNSPACED}])")

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_MTEVAL_STEPS = (
    (re.compile(r"([{-~\[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
# What sacrebleu's `zh` takes for Chinese. Its two astral ranges are written with four-digit escapes there and so
# mean U+2001-2A6D and U+2F81-2FA1; equality with published scores asks for the same.
_MTEVAL_CHINESE = re.compile(
    "([\u2001-\u2a6d\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u33ff\u3400-\u4db5"
    "\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef])"
)


@dataclass(frozen=True, slots=True)
class Tokeniser:
    """A named way to cut texts into tokens."""

    name: str
    meaning: str
    cut: Callable[[str], list[str]]

    def tokens(self, text: str) -> list[str]:
        """Give the tokens in order; none only for a blank text."""
        return self.cut(text)


def word(text: str) -> list[str]:
    """Lower-cased words and punctuation marks, one token each; one a character in unspaced scripts."""
    folded = fold(text)
    return _ASCII_WORD.findall(folded) if folded.isascii() else _WORD.findall(folded)


def coco(text: str) -> list[str]:
    """As `word` with punctuation dropped, unless there is nothing else."""
    return _LETTERS.findall(fold(text)) or word(text)


def squad_words(text: str, *, articles: bool = True) -> list[str]:
    """Words after SQuAD normalisation; what it empties ("The", "?!") becomes one empty token, as in its rules."""
    normal = squad(text, articles=articles)
    if not normal.isascii():
        normal = _UNSPACED.sub(r" \1 ", normal)
    tokens = normal.split()
    return tokens or ([""] if text.strip() else [])


def mteval(text: str) -> list[str]:
    """Cut as mteval-v13a and sacrebleu's `13a` do; the case is kept."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, mark in _ENTITIES:
            text = text.replace(entity, mark)
    return _mteval_cut(f" {text} ") or word(text)


def mteval_zh(text: str) -> list[str]:
    """Cut as sacrebleu's `zh` does: a token a Chinese character, the rest as `13a`; the case is kept."""
    return _mteval_cut(_MTEVAL_CHINESE.sub(r" \1 ", text.strip())) or word(text)


def characters(text: str) -> list[str]:
    """Every character that is not a space."""
    return list("".join(fold(text).split()))


def jieba(text: str) -> list[str]:
    """Chinese words by rjieba (extra `zh`), everything lower-cased."""
    try:
        import rjieba  # noqa: PLC0415 - an optional extra
    except ImportError as missing:
        raise SpecError('tok=jieba needs the extra "zh": pip install "qassay[zh]", or use tok=zh') from missing
    return [token for token in rjieba.cut(fold(text)) if not token.isspace()]


def _mteval_cut(text: str) -> list[str]:
    for pattern, spaced in _MTEVAL_STEPS:
        text = pattern.sub(spaced, text)
    return text.split()


TOKENISERS = {
    each.name: each
    for each in (
        Tokeniser("word", "lower-cased words and punctuation marks", word),
        Tokeniser("coco", "as word, punctuation dropped", coco),
        Tokeniser("squad", "SQuAD normalisation: lower case, no punctuation, no articles", squad_words),
        Tokeniser("13a", "mteval-v13a, as in sacrebleu; keeps the case", mteval),
        Tokeniser("zh", "sacrebleu's Chinese: a token a character; keeps the case", mteval_zh),
        Tokeniser("char", "every character that is not a space, lower-cased", characters),
        Tokeniser("jieba", "Chinese words (extra zh), lower-cased", jieba),
    )
}


def tokeniser(name: str, language: str = "auto") -> Tokeniser:
    """Find a tokeniser; outside English the SQuAD one keeps the words a, an and the."""
    found = TOKENISERS[name]
    if name == "squad" and language not in {"auto", "en"}:
        return Tokeniser(name, found.meaning, partial(squad_words, articles=False))
    return found


def locate(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Find where each token stands in the text it was cut from, as (start, end) character positions.

    Tokens follow the text's order. One that the text does not hold letter for letter (an unescaped entity) gets an
    empty span where it would stand.
    """
    folded = fold(text)
    position = 0
    spans = []
    for token in tokens:
        start = folded.find(fold(token), position) if token else -1
        if start < 0:
            spans.append((position, position))
        else:
            position = start + len(token)
            spans.append((start, position))
    return spans
