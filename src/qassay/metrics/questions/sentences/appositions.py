"""Appositions of a tagged sentence: "Anna Berg, a nurse from Bergen," says that Anna Berg is a nurse from Bergen."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.sentence_units import COMMA, CONJUNCTION, NOUN_PHRASE, PREPOSITION, STOP, WH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.questions.sentences.sentence_units import SentenceUnit
    from qassay.models.syntax import Span, TaggedSentence

_ARTICLES = frozenset({"a", "an", "the"})
_ROLES = frozenset({"former", "director", "president"})
"""What opens a description without an article."""


@dataclass(frozen=True, slots=True)
class Apposition:
    """A name and what it is said to be, as ranges of words."""

    name: Span
    description: Span
    """The noun phrase."""
    end: int
    """Past what describes the description further."""


def find_appositions(sentence: TaggedSentence, units: Sequence[SentenceUnit]) -> list[Apposition]:
    """Return the names with a description beside them between commas; parts of an enumeration are none.

    The description follows, with what describes it further ("Anna Berg, a nurse from Bergen,"), or goes before ("The
    third film, Alien 3,").
    """
    found = []
    for place, (unit, comma, description) in enumerate(zip(units, units[1:], units[2:], strict=False)):
        if not (unit.kind == description.kind == NOUN_PHRASE and comma.kind == COMMA):
            continue
        last = place + 3
        while last < len(units) and units[last].kind in {PREPOSITION, NOUN_PHRASE}:
            last += 1
        if (
            _is_name(sentence, unit)
            and _describes(sentence, description)
            and _stands_alone(units[place + 2 : last])
            and not _is_enumerated(units, place, last)
        ):
            spans = (unit.first, unit.last), (description.first, description.last)
            found.append(Apposition(*spans, units[last - 1].last))
        elif (
            last == place + 3
            and sentence.words[unit.first].text.lower() == "the"
            and _describes(sentence, unit)
            and _is_name(sentence, description)
            and not _is_enumerated(units, place, last)
        ):
            spans = (description.first, description.last), (unit.first, unit.last)
            found.append(Apposition(*spans, unit.last))
    return found


def _is_name(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    words = sentence.words[unit.first : unit.last]
    return words[-1].part == "NNP" and all(word.part in {"NNP", "DT", "NN", "JJ"} for word in words)


def _describes(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    """Whether a noun phrase says what something is: one thing, told of with an article or by a role."""
    words = sentence.words[unit.first : unit.last]
    opens = words[0].text.lower() in _ARTICLES | _ROLES
    return opens and words[-1].part == "NN" and not any(word.part in {"CC", "POS", ","} for word in words)


def _stands_alone(description: Sequence[SentenceUnit]) -> bool:
    """Whether noun phrases and prepositions take turns, and a noun phrase is last."""
    return description[-1].kind == NOUN_PHRASE and all(a.kind != b.kind for a, b in pairwise(description))


def _is_enumerated(units: Sequence[SentenceUnit], place: int, last: int) -> bool:
    """Whether other members of an enumeration stand before or behind, or the description does not end."""
    before = units[place - 1].kind if place else STOP
    closing = units[last].kind if last < len(units) else STOP
    behind = units[last + 1].kind if last + 1 < len(units) else STOP
    return before in {CONJUNCTION, COMMA} or behind == CONJUNCTION or closing not in {COMMA, STOP, WH}
