"""Numbers of two texts held against each other: the same in another writing, or another by a sign, a point, a unit."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.numerals import NUMBER, PERCENT, numerals
from qassay.equivalence.quantities import roman_figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.equivalence.mention import Stated

_GROWTH = re.compile(
    r"\b(?:grew|grow\w*|rose|risen|rise\w*|up|gain\w*|profit\w*|above|increas\w*|plus)\b|\+", re.IGNORECASE
)
_OF_SIGNLESS = re.compile(
    r"\b(?:gap|differ\w*|discount\w*|inequalit\w*|depth|deep|deficit\w*|loss\w*|los[et]\w*|fall\w*|fell|drop\w*|declin\w*|decreas\w*|less|"
    r"lower\w*|below|reduc\w*|debt\w*|BCE?|charge)\b",
    re.IGNORECASE,
)
_EMPTY_WORDS = """
it its is was were are be been the a an of at to about around approximately roughly degrees degree celsius fahrenheit c
f percent per cent points point dollars dollar usd euros euro million billion thousand trillion hundred m km metres
meters
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_LONG_WORD = 30
_WORD_BEFORE = re.compile(r"(?P<word>[^\W\d_]+)\s$")
_OPENING_WORDS = """
the in at on of there they it he she we i is was are were has have had with for by from about around only just over
under nearly almost some all these those between and or but after before since until approximately
"""
_NO_LABELS = frozenset(_OPENING_WORDS.split())
_GROUPED = re.compile(r"\d{1,3}\.\d{3}")
_WORDS = re.compile(r"[^\W\d_]+")
_NEXT = re.compile(r"\s?(?P<word>[^\W\d_]+|%)")
_OF = re.compile(r"\s?(?:%|per\s?cent|dollars?)?\s(?:out\s)?of\b", re.IGNORECASE)
_EXACTLY = 1e-12
_MOST = 30
"""Numbers of a text that are held against each other's; a longer list says much besides."""


def alike(each: Stated, other: Stated) -> bool:
    """Whether two are the same number, however written."""
    if each.kind != other.kind or (each.unit and other.unit and each.unit != other.unit):
        return False
    if (each.unit == PERCENT) != (other.unit == PERCENT):
        return False
    if not math.isclose(each.value, other.value, rel_tol=_EXACTLY):
        return False
    pair = (each.written, other.written)
    if all(one[-1].isdigit() for one in pair) and _decimals(pair[0]) != _decimals(pair[1]):
        # Version 3.10 is not version 3.1.
        return False
    # "II" is 2, but "part II" not two parts.
    return not any(map(roman_figures, pair)) or any(one[0].isdigit() for one in pair) or all(map(roman_figures, pair))


def _labelled_alike(text: str, each: Stated, other_text: str, other: Stated) -> bool:
    """Whether what stands before two numbers lets them be the same: Channel 4 is not four, Louis XIV not 14."""
    label, other_label = _word_before(text, each), _word_before(other_text, other)
    if any(map(roman_figures, (each.written, other.written))):
        return label.lower() == other_label.lower()
    # The first word of a sentence has a capital of its own.
    return label.islower() or label.lower() == other_label.lower() or label.lower() in _NO_LABELS or not label


def _word_before(text: str, each: Stated) -> str:
    found = _WORD_BEFORE.search(text, max(0, each.start - _LONG_WORD), each.start)
    return found["word"] if found else ""


def _decimals(written: str) -> int:
    return len(written.partition(".")[2])


def contradict(each: Stated, other: Stated, heard: Heard) -> bool:
    """Whether two numbers differ by a mark alone: its sign, its point, dollars for per cent."""
    if each.kind != NUMBER or other.kind != NUMBER or each.number is None or other.number is None:
        return False
    if each.value == other.value:
        shares = _OF.match(heard.candidate, each.end) or _OF.match(heard.reference, other.end)
        # Where the reference has several numbers, what is in dollars may not be meant for what is in per cent.
        return len(heard.wanted) == 1 and not shares and bool(each.unit and other.unit) and each.unit != other.unit
    if each.value == -other.value:
        return _opposite_sign(each, heard)
    return _differ_by_point(each, other) and heard.same_behind(each, other)


def _opposite_sign(each: Stated, heard: Heard) -> bool:
    """Whether a number stands for its positive value: where words may say that it fell, nobody knows."""
    if _OF_SIGNLESS.search(heard.question):
        return False
    text, found = (heard.candidate, heard.given) if each.value > 0 else (heard.reference, heard.wanted)
    rest = _without(text, found)
    if _GROWTH.search(rest):
        return True
    asked = {*map(str.lower, _WORDS.findall(heard.question))}
    return all(word in _EMPTY or word in asked for word in map(str.lower, _WORDS.findall(rest)))


def _differ_by_point(each: Stated, other: Stated) -> bool:
    figures = [one.written.split()[0] for one in (each, other)]
    if each.number == other.number or (each.unit == PERCENT) != (other.unit == PERCENT):
        return False
    if not all(one[-1].isdigit() for one in figures) or any(map(_GROUPED.fullmatch, figures)):
        # 1.500 may be fifteen hundred.
        return False
    return _digits(figures[0]) == _digits(figures[1])


def _digits(figures: str) -> str:
    return re.sub(r"\D", "", figures)


class Heard(NamedTuple):
    """What was asked and said, with the numbers of both sides."""

    question: str
    reference: str
    candidate: str
    wanted: tuple[Stated, ...]
    given: tuple[Stated, ...]

    def same_behind(self, each: Stated, other: Stated) -> bool:
        """Whether the same word, or none, follows two numbers: 72 per million may be 7.2 per 100,000."""
        behind = (_NEXT.match(self.candidate, each.end), _NEXT.match(self.reference, other.end))
        words = [match["word"].lower() if match else "" for match in behind]
        return words[0] == words[1] and "per" not in words and "out" not in words


def numbers_as_in(reference: str, candidate: str, question: str) -> list[tuple[Stated, str]]:
    """Return the candidate's numbers in the form in which the reference writes them; nothing for a contradiction.

    Nothing is changed about a number that the candidate also gives in the reference's own way.
    """
    heard = Heard(question, reference, candidate, numerals(reference), numerals(candidate))
    if not heard.wanted or max(len(heard.wanted), len(heard.given)) > _MOST:
        return []
    asked = {abs(each.value) for each in numerals(question)}
    # An answer that repeats the question's own numbers does not say more than the question.
    return [(each, words) for each in heard.given if abs(each.value) not in asked for words in _words_for(each, heard)]


def _words_for(each: Stated, heard: Heard) -> list[str]:
    same = [other for other in heard.wanted if alike(each, other)]
    if same:
        written = {other.written.lower() for other in same}
        fitting = [other for other in same if _labelled_alike(heard.candidate, each, heard.reference, other)]
        told = any(given.written.lower() in written for given in heard.given)
        return [fitting[0].written] if fitting and not told else []
    met = [other for other in heard.wanted if contradict(each, other, heard)]
    return [""] if met and not any(alike(told, other) for told in heard.given for other in met) else []


def _without(text: str, found: Sequence[Stated]) -> str:
    """Return what a text says besides its numbers."""
    ends = [0, *(each.end for each in found)]
    return " ".join(
        text[end:start] for end, start in zip(ends, [*(each.start for each in found), len(text)], strict=True)
    )
