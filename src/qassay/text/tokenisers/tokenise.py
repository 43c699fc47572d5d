"""From a text to its tokens. A text that is not blank always has at least one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from qassay.errors import SpecError
from qassay.text.language import UNSPACED, combining_marks
from qassay.text.normalise import fold, squad, squad_english
from qassay.text.tokenisers.scan import SCANS, Scan

_ASCII_WORD = re.compile(r"[0-9a-z_]+|[^\s0-9a-z_]")
_ASCII_LETTERS = re.compile(r"[0-9a-z_]+")
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
    cut_spaced: Callable[[str], list[str]] | None = None
    """The rule for texts known to be in a language written with spaces, where it is another one."""
    scan: Scan | None = None
    """How to cut many texts at once, where there is a way."""

    def tokens(self, text: str, *, spaced: bool = False) -> list[str]:
        """Return the tokens in order; none only for a blank text."""
        return self.cut_spaced(text) if spaced and self.cut_spaced else self.cut(text)


def word(text: str) -> list[str]:
    """Lower-cased words and punctuation marks, one token each; one per character in unspaced scripts."""
    folded = fold(text)
    return (_ASCII_WORD if folded.isascii() else _unicode_word()).findall(folded)


def coco(text: str) -> list[str]:
    """As `word` with punctuation dropped, unless there is nothing else."""
    folded = fold(text)
    return (_ASCII_LETTERS if folded.isascii() else _unicode_letters()).findall(folded) or word(text)


def squad_words(text: str, *, articles: bool = True) -> list[str]:
    """Words after SQuAD normalisation; what it empties ("The", "?!") becomes one empty token, as in its rules."""
    normal = squad(text, articles=articles)
    if not normal.isascii():
        normal = _UNSPACED.sub(r" \1 ", normal)
    return normal.split() or _one_empty(text)


def squad_english_words(text: str) -> list[str]:
    """As `squad_words` by the official rules alone, which know words between spaces and no other script's marks."""
    return squad_english(text).split() or _one_empty(text)


def _one_empty(text: str) -> list[str]:
    return [""] if text.strip() else []


def mteval(text: str) -> list[str]:
    """Cut as mteval-v13a and sacrebleu's `13a` do; the case is kept."""
    line = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in line:
        for entity, mark in _ENTITIES:
            line = line.replace(entity, mark)
    return _mteval_cut(f" {line} ") or word(text)


def mteval_zh(text: str) -> list[str]:
    """Cut as sacrebleu's `zh` does: one token per Chinese character, the rest as `13a`; the case is kept."""
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


@cache
def _unicode_letters(otherwise: str = "") -> re.Pattern[str]:
    # `\w` leaves out combining marks, which would cut Hindi, Tamil or pointed Hebrew words to pieces.
    word_character = rf"[^\W{UNSPACED}]"
    return re.compile(rf"[{UNSPACED}]|{word_character}+(?:[{combining_marks()}]+{word_character}*)*{otherwise}")


def _unicode_word() -> re.Pattern[str]:
    return _unicode_letters(r"|[^\w\s]")


def _mteval_cut(text: str) -> list[str]:
    for pattern, spaced in _MTEVAL_STEPS:
        text = pattern.sub(spaced, text)
    return text.split()


TOKENISERS = {
    each.name: each
    for each in (
        Tokeniser("word", "lower-cased words and punctuation marks", word, scan=SCANS["word"]),
        Tokeniser("coco", "as word, punctuation dropped", coco, scan=SCANS["coco"]),
        Tokeniser(
            "squad",
            "SQuAD normalisation: lower case, no punctuation, no articles",
            squad_words,
            squad_english_words,
            SCANS["squad"],
        ),
        Tokeniser("13a", "mteval-v13a, as in sacrebleu; keeps the case", mteval, scan=SCANS["13a"]),
        Tokeniser("zh", "sacrebleu's Chinese: a token a character; keeps the case", mteval_zh),
        Tokeniser("char", "every character that is not a space, lower-cased", characters, scan=SCANS["char"]),
        Tokeniser("jieba", "Chinese words (extra zh), lower-cased", jieba),
    )
}


def tokeniser(name: str, language: str = "auto") -> Tokeniser:
    """Return a tokeniser by name; outside English the SQuAD one keeps the words a, an and the."""
    found = TOKENISERS[name]
    if name != "squad" or language == "auto":
        return found
    if language == "en":
        return replace(found, cut=squad_english_words, cut_spaced=None)
    return replace(found, cut=partial(squad_words, articles=False), cut_spaced=None, scan=SCANS["squad with articles"])


def locate(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the (start, end) character positions of each token in the text that it was cut from.

    Tokens follow the text's order. A token may lack punctuation that stands inside it in the text ("1000" for
    "1,000"). One that the text does not hold (an unescaped entity) gets an empty span where it would stand.
    """
    folded = fold(text)
    broken = _BROKEN_WORD.search(folded) is not None
    position = 0
    spans = []
    for token in tokens:
        wanted = fold(token).removeprefix("##")
        start, end = (_find_broken if broken else _find)(folded, wanted, position)
        spans.append((start, end))
        position = end
    return spans


_BROKEN_WORD = re.compile(r"\w[^\w\s]+\w")


def _find(text: str, token: str, position: int) -> tuple[int, int]:
    """Find a token from a position on, right there or where a word begins."""
    start = text.find(token, position) if token else -1
    while start > position and text[start - 1].isalnum():
        start = text.find(token, start + 1)
    return (position, position) if start < 0 else (start, start + len(token))


def _find_broken(text: str, token: str, position: int) -> tuple[int, int]:
    """Find a token whose characters may have punctuation between them."""
    if not token:
        return position, position
    start, end = _find(text, token, position)
    if start < end and text.find(token[0], position) == start:
        return start, end  # as it is, and nothing before it begins like it: the usual case, without a pattern
    start = text.find(token[0], position)
    while start >= 0:
        if start == position or not text[start - 1].isalnum():
            stop = _end_of_broken(text, token, start)
            if stop is not None:
                return start, stop
        start = text.find(token[0], start + 1)
    return position, position


def _end_of_broken(text: str, token: str, start: int) -> int | None:
    """Return where a token that begins here ends, if only punctuation stands between its characters."""
    at = start
    for wanted in token:
        while at < len(text) and text[at] != wanted:
            if at == start or text[at].isalnum() or text[at] == "_" or text[at].isspace():
                return None
            at += 1
        if at == len(text):
            return None
        at += 1
    return at
