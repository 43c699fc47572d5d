"""The writing system of a text, from its characters alone."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import Literal

from qassay.errors import SpecError

Script = Literal["han", "kana", "hangul", "other"]

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
UNSPACED = f"{HAN}{KANA}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts written without spaces between words (Han, kana, Thai, Lao, Burmese, Khmer): one token per character."""
CJK_PUNCTUATION = (
    "\u3001-\u3004\u3008-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u00b7\u2014\u2018-\u201d\u2026"
)

_SPACED_WORD = rf"[^\W\d_{UNSPACED}]+"
_ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na
nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so
sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_LANGUAGES = frozenset(_ISO_639_1.split())
_PLANE = 0x10000
"""Regular expressions look up characters of Unicode's first plane in a table, and any others one after another;
the combining marks beyond it belong to scripts of the past."""
_SCRIPT_LANGUAGE = {"han": "zh", "kana": "ja", "hangul": "ko", "other": "en"}


@cache
def _pattern(expression: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed, which plain texts never do."""
    return re.compile(expression)


def script(text: str) -> Script:
    """Return the script: kana means Japanese, hangul Korean, Han characters alone Chinese."""
    if text.isascii():
        return "other"
    if _pattern(f"[{KANA}]").search(text):
        return "kana"
    if _pattern(f"[{HANGUL}]").search(text):
        return "hangul"
    return "han" if _pattern(f"[{HAN}]").search(text) else "other"


def language(text: str) -> str:
    """Return the language code that the script suggests; a text in any other script counts as English."""
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
    """Return the characters that belong to the letter before them, such as the vowel signs of Hindi.

    Those of unspaced scripts are left out: there every character counts by itself.
    """
    marks = (each for each in map(chr, range(_PLANE)) if unicodedata.category(each) in {"Mn", "Mc", "Me"})
    return _pattern(f"[{UNSPACED}]").sub("", "".join(marks))


def check_language(code: str) -> str:
    """Accept `auto` or a language code of ISO 639-1, such as en, zh or de."""
    if code != "auto" and code not in _LANGUAGES:
        close = get_close_matches(code.lower(), sorted(_LANGUAGES), n=3, cutoff=0.5)
        nearest = f" ({', '.join(close)}?)" if close else ""
        raise SpecError(
            f'"{code}" is not a language; give auto or a code of ISO 639-1 such as en, zh, ja, ko or de{nearest}'
        )
    return code
