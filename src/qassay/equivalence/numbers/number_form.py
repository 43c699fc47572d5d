"""Numbers in another writing than the reference's: 1200 for 1,200, twenty-one for 21, 21st for twenty-first."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from qassay.equivalence.numbers.numerals import PERCENT, numerals
from qassay.equivalence.numbers.quantities import NUMBER, roman_figures
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.equivalence.tables import read_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.equivalence.mention import Mention

_LONG_WORD = 30
_WORD_BEFORE = re.compile(r"(?P<word>[^\W\d_]+)\s$")
_NO_LABELS = read_words("opening_words")
"""Words that may begin a sentence, and are then no label of a number."""
_EXACTLY = 1e-12
_MOST = 30
"""How many numbers of a text are compared with another's."""


def _same_number(each: Mention, other: Mention) -> bool:
    """Whether two are the same number, however written."""
    if each.kind != other.kind or (each.unit and other.unit and each.unit != other.unit):
        return False
    if (each.unit == PERCENT) != (other.unit == PERCENT):
        return False
    if not math.isclose(each.value, other.value, rel_tol=_EXACTLY):
        return False
    pair = (each.written, other.written)
    if all(one[-1].isdigit() for one in pair) and len({len(one.partition(".")[2]) for one in pair}) > 1:
        # Version 3.10 is not version 3.1.
        return False
    # "II" is 2, but "part II" not two parts.
    return not any(map(roman_figures, pair)) or any(one[0].isdigit() for one in pair) or all(map(roman_figures, pair))


def _labelled_alike(pair: AnswerPair, each: Mention, other: Mention) -> bool:
    """Whether the words before two numbers let them be the same: Channel 4 is not four, Louis XIV not 14."""
    label, other_label = _word_before(pair.candidate, each), _word_before(pair.reference, other)
    if any(map(roman_figures, (each.written, other.written))):
        return label.lower() == other_label.lower()
    # The first word of a sentence has a capital of its own.
    return label.islower() or label.lower() == other_label.lower() or label.lower() in _NO_LABELS or not label


def _word_before(text: str, each: Mention) -> str:
    found = _WORD_BEFORE.search(text, max(0, each.start - _LONG_WORD), each.start)
    return found["word"] if found else ""


def _have_numbers(pair: AnswerPair) -> bool:
    wanted = numerals(pair.reference)
    return bool(wanted) and max(len(wanted), len(numerals(pair.candidate))) <= _MOST


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Find the candidate's numbers that the reference writes otherwise.

    Not those that the question gives: to repeat them says nothing new. Nor those that the candidate also gives in the
    reference's own form.
    """
    in_question = {each.value for each in numerals(pair.question)}
    written = {each.written.lower() for each in numerals(pair.candidate)}
    found = []
    for each in numerals(pair.candidate):
        same = [other for other in numerals(pair.reference) if _same_number(each, other)]
        fitting = [other for other in same if _labelled_alike(pair, each, other)]
        if fitting and each.value not in in_question and written.isdisjoint(other.written.lower() for other in same):
            found.append(Replacement(each.start, each.end, fitting[0].written))
    return found


NUMBER_FORM = Rule(
    name="number_form",
    definition="A number in figures or in words, with separators or without, takes the reference's form.",
    applies=_have_numbers,
    needs=Needs(reference=(NUMBER,), candidate=(NUMBER,)),
    rewrite=_as_in_reference,
    tables=("number_words", "opening_words"),
)
