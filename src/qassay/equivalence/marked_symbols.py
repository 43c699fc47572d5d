"""Single letters whose marks carry meaning: C++ and C#, blood group O-, grade B+, the key of F♯.

Comparing texts drops such marks, and what they are called in words looks like another answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.equivalence.mention import Stated

if TYPE_CHECKING:
    from collections.abc import Sequence

LETTER = "letter"
_CALLED = {
    "++": "plus plus",
    "+": "plus|positive|pos",
    "-": "minus|negative|neg",
    "#": "sharp",
    "\u266d": "flat",
}
_SIGNS = {"\u2212": "-", "\u2013": "-", "\u207b": "-", "\u207a": "+", "\u266f": "#"}
_MARKS = {**{mark: mark for mark in _CALLED}, **_SIGNS}
_NAMES = {name: mark for mark, names in _CALLED.items() for name in names.split("|")}
_ORDER = tuple(_CALLED)
_MARKED = re.compile(
    rf"(?<![\w+#.'\u2019-])(?P<letter>[A-Z]|AB)"
    rf"(?:(?P<mark>{'|'.join(map(re.escape, sorted(_MARKS, key=len, reverse=True)))})"
    rf"|(?:[\s,(-]{{1,2}}(?:Rh[\s-]?)?)(?P<name>(?i:{'|'.join(sorted(_NAMES, key=len, reverse=True))})))?"
    r"(?![\w+#\u266d\u266f'\u2019\u207a\u207b-])(?!\.\w)"
)
_MORE_EXACT = (1 + _ORDER.index("+"), 1 + _ORDER.index("-"))
"""What may be added to a letter without contradicting it: O negative is group O."""
_MOST = 30
"""Letters of a text that are held against each other's."""
_FEW_WORDS = 4
_WORD_AHEAD = re.compile(r"\s[a-z]")
_ARTICLES = frozenset({"A", "I", "O"})


def letters(text: str) -> list[Stated]:
    """Find letters that stand by themselves, with their marks: which mark it is, 0 for none, and the letter as unit."""
    found = []
    for match in _MARKED.finditer(text):
        mark = _MARKS.get(match["mark"] or "") or _NAMES.get((match["name"] or "").lower())
        if not mark and match["letter"] in _ARTICLES and _WORD_AHEAD.match(text, match.end()):
            continue
        value = 1 + _ORDER.index(mark) if mark else 0
        found.append(Stated(match.start(), match.end(), LETTER, value, match["letter"], match[0]))
    return found


def letters_as_in(reference: str, candidate: str) -> list[tuple[Stated, str]]:
    """Return the candidate's letters as the reference writes them, and nothing for one whose mark is another."""
    wanted = letters(reference)
    if not wanted:
        return []
    given = letters(candidate)
    if max(len(wanted), len(given)) > _MOST:
        return []
    said = {(told.unit, told.value) for told in given}
    short = len(candidate.split()) <= _FEW_WORDS
    return [
        (each, words)
        for each in given
        for words in _words_for(each, wanted, said)
        # A bare letter in a longer answer may be many things.
        if words or each.value or short
    ]


def _words_for(each: Stated, wanted: Sequence[Stated], said: set[tuple[str, float]]) -> list[str]:
    namesakes = [other for other in wanted if other.unit == each.unit]
    same = [other for other in namesakes if other.value == each.value]
    if same:
        return [] if each.written in {other.written for other in same} else [same[0].written]
    against = [other for other in namesakes if other.value or each.value not in _MORE_EXACT]
    met = any((other.unit, other.value) in said for other in against)
    return [""] if against and not met else []
