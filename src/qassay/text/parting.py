"""Words that run together, as systems that cite their sources often write them, and numbers in all their forms."""

import re
from functools import lru_cache

_SEAMS = re.compile(
    r"(?<=[a-z])(?=[A-Z][a-z])"  # byJames
    r"|(?<=[a-z]{2})(?=\d)"  # from1985
    r"|(?<=\d(?:st|nd|rd|th))(?=[a-z])"  # 15thevery
)
_FIGURES = re.compile(r"\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?")
_LETTERS = re.compile(r"[^\W\d_]+")
_UNITS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
_TENS = "thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {
    **{word: str(value) for value, word in enumerate(_UNITS.split())},
    **{word: str(value) for value, word in enumerate(_ORDINALS.split(), 1)},
    **{word: str(10 * value) for value, word in enumerate(_TENS.split(), 3)},
    "once": "1",
    "twice": "2",
}
"""English cardinals and ordinals up to twenty, and the tens, with their figures."""


def parted(text: str) -> str:
    """Part words that run together at a seam that shows: "byJames", "from1985", "15thevery"."""
    return _SEAMS.sub(" ", text)


@lru_cache(maxsize=1 << 14)
def numbers_in(text: str) -> frozenset[str]:
    """Give the numbers of a text, in figures without separators; words and ordinals count as their figures."""
    figures = {found.replace(",", "") for found in _FIGURES.findall(text)}
    words = {NUMBER_WORDS[word] for word in _LETTERS.findall(text.lower()) if word in NUMBER_WORDS}
    return frozenset(figures | words)
