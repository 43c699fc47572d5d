"""Which writing system a text is in, told from its characters alone."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal

from qassay.errors import SpecError

Script = Literal["han", "kana", "hangul", "other"]

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
UNSPACED = f"{HAN}{KANA}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts written without spaces between words (Han, kana, Thai, Lao, Burmese, Khmer): one token a character."""
CJK_PUNCTUATION = (
    "\u3001-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u00b7\u2014\u2018-\u201d\u2026"
)

_SPACED_WORD = rf"[^\W\d_{UNSPACED}]+"
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_PLANE = 0x10000
"""Regular expressions look up characters of Unicode's first plane in a table, and any others one after another;
the combining marks beyond it belong to scripts of the past."""
_SCRIPT_LANGUAGE = {"han": "zh", "kana": "ja", "hangul": "ko", "other": "en"}


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    """Compile what plain texts never ask for, once it is asked for."""
    return re.compile(expression)


def script(text: str) -> Script:
    """Tell the script: kana marks Japanese, hangul Korean, Han characters alone Chinese."""
    if text.isascii():
        return "other"
    if _pattern(f"[{KANA}]").search(text):
        return "kana"
    if _pattern(f"[{HANGUL}]").search(text):
        return "hangul"
    return "han" if _pattern(f"[{HAN}]").search(text) else "other"


def language(text: str) -> str:
    """Guess the language code from the script; every text in another script counts as English."""
    return _SCRIPT_LANGUAGE[script(text)]


def spaced(texts: Iterable[str]) -> bool:
    """Whether the texts, taken together, are in a language that is written with spaces between words.

    They may quote another: an English answer that gives a name in Chinese has more words than Chinese characters.
    """
    joined = " ".join(texts)
    if joined.isascii():
        return True
    unspaced = _pattern(f"[{UNSPACED}]").findall(joined)
    return not unspaced or len(unspaced) <= len(_pattern(_SPACED_WORD).findall(joined))


@cache
def combining_marks() -> str:
    """Write out the characters that belong to the letter before them, such as the vowel signs of Hindi.

    Those of unspaced scripts are left out: there every character counts by itself.
    """
    marks = (each for each in map(chr, range(_PLANE)) if unicodedata.category(each) in {"Mn", "Mc", "Me"})
    return _pattern(f"[{UNSPACED}]").sub("", "".join(marks))


def check_language(code: str) -> str:
    """Accept `auto` or a language code such as en, zh or de."""
    if code != "auto" and not _LANGUAGE.fullmatch(code):
        raise SpecError(f'"{code}" is not a language; give auto or a code such as en, zh, ja, ko or de')
    return code
