"""A tagged sentence in units: chunks as a chunker finds them, joined where they are one, and the marks between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.models.syntax import NAMED

if TYPE_CHECKING:
    from qassay.models.syntax import TaggedSentence, Word

FINITE = frozenset({"MD", "VBZ", "VBP", "VBD"})
QUOTES = frozenset({'"', "``", "''", "\u201c", "\u201d"})
NOUN_PHRASE, VERB, PREPOSITION, ADVERB, ADJECTIVE = "NP", "VP", "PP", "ADVP", "ADJP"
WH, SUBORDINATOR, CONJUNCTION, COMMA, STOP, OTHER = "WH", "SBAR", "CC", ",", "STOP", "O"
_JOINING = frozenset({NOUN_PHRASE, VERB, ADVERB, ADJECTIVE, PREPOSITION, WH})
_WH = frozenset({"WDT", "WP", "WP$", "WRB"})
_STOPS = frozenset({".", ":", "(", ")", "``", "''"})
_DASHES = frozenset({"-", "--", "\u2013", "\u2014", "\u2022", "*", ";", ":"})
_LONGEST_TITLE = 9


@dataclass(frozen=True, slots=True)
class SentenceUnit:
    """A chunk or a mark of a sentence, as the range of its words."""

    kind: str
    first: int
    last: int


def find_units(sentence: TaggedSentence) -> list[SentenceUnit]:
    """Cut a sentence into units.

    Possessors join what they possess, a title in quotation marks is one noun phrase, and a name joins the noun phrase
    right before it ("the movie Alien"). What stands in brackets is left out.
    """
    titles, left_out = _titles(sentence), _brackets(sentence)
    for opens, closes in titles.items():
        left_out |= {opens, closes}
    units: list[SentenceUnit] = []
    title_ends = 0
    for place, word in enumerate(sentence.words):
        title_ends = titles.get(place, title_ends)
        if place in left_out:
            continue
        previous = units[-1] if units else None
        in_title = place < title_ends and word.part not in {",", "."}
        if in_title:
            joins = previous is not None and previous.kind == NOUN_PHRASE and not is_time(sentence, previous)
        else:
            joins = previous is not None and (
                _is_hyphenated(sentence, place) or _goes_on(sentence, previous, place, left_out)
            )
        if joins and previous:
            units[-1] = SentenceUnit(previous.kind, previous.first, place + 1)
        else:
            units.append(SentenceUnit(NOUN_PHRASE if in_title else _kind(word), place, place + 1))
    return units


def finite_verb(sentence: TaggedSentence, unit: SentenceUnit) -> int | None:
    """Return the finite verb of a unit of verbs: its first verb, behind adverbs. None where it has none."""
    for place in range(unit.first, unit.last) if unit.kind == VERB else ():
        part = sentence.words[place].part
        if part in FINITE:
            return place
        if part not in {"RB", "RBR"}:
            return None
    return None


def is_time(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    """Whether a unit names a time."""
    return sentence.words[unit.last - 1].named == "time"


def coordinates(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    """Whether a unit is "and" or "or"."""
    return unit.kind == CONJUNCTION and sentence.words[unit.first].text.lower() in {"and", "or"}


def _goes_on(sentence: TaggedSentence, previous: SentenceUnit, place: int, left_out: set[int]) -> bool:
    """Whether a word belongs to the unit before it."""
    if any(between not in left_out for between in range(previous.last, place)):
        return False
    word, last = sentence.words[place], sentence.words[previous.last - 1]
    kind = _kind(word)
    in_chunk = word.chunk[:1] == "I" and kind == previous.kind and kind in _JOINING
    if in_chunk or (kind == "PRT" and previous.kind == VERB):
        return True
    if previous.kind != NOUN_PHRASE or word.part == "POS":
        return previous.kind == NOUN_PHRASE
    if word.entity[:1] == "I" and word.named == last.named and word.named in NAMED:
        return kind in {NOUN_PHRASE, COMMA, PREPOSITION}
    named = kind == NOUN_PHRASE and word.text[:1].isupper() and word.part[:2] == "NN"
    return named and last.part in {"NN", "NNP"} and "time" not in {word.named, last.named}


def _is_hyphenated(sentence: TaggedSentence, place: int) -> bool:
    """Whether a word is a hyphen inside another, or comes right behind one: "18-year-old"."""
    hyphen = place if sentence.words[place].text == "-" else place - 1
    return sentence.words[hyphen].text == "-" and _is_hyphen(sentence, hyphen)


def _is_hyphen(sentence: TaggedSentence, place: int) -> bool:
    """Whether a mark joins the words around it: "18-year-old", "2-0"."""
    words = sentence.words
    inside = 0 < place < len(words) - 1
    return inside and words[place - 1].end == words[place].start and words[place].end == words[place + 1].start


def _titles(sentence: TaggedSentence) -> dict[int, int]:
    """Return the quotation marks around titles and single words: no statement, or capitals throughout."""
    marks = [place for place, word in enumerate(sentence.words) if word.text in QUOTES]
    found = {}
    for opens, closes in zip(marks[::2], marks[1::2], strict=False):
        inside = [word for word in sentence.words[opens + 1 : closes] if word.text[:1].isalnum()]
        states = any(word.part in FINITE for word in inside)
        capitals = sum(word.text[:1].isupper() or word.text[:1].isdigit() for word in inside)
        if inside and len(inside) <= _LONGEST_TITLE and (not states or 2 * capitals > len(inside)):
            found[opens] = closes
    return found


def _brackets(sentence: TaggedSentence) -> set[int]:
    """Return the words in brackets, and these."""
    found: set[int] = set()
    opened: list[int] = []
    for place, word in enumerate(sentence.words):
        if word.text in {"(", "["}:
            opened.append(place)
        elif word.text in {")", "]"} and opened:
            first = opened.pop()
            if place - first <= _LONGEST_TITLE and first > 0:
                found |= set(range(first, place + 1))
    return found


def _kind(word: Word) -> str:
    dash = word.text in _DASHES and word.part not in {"CD", "JJ"}
    if word.text in QUOTES or word.part in _STOPS or dash:
        return STOP
    if word.part == ",":
        return COMMA
    if word.part in _WH:
        return WH
    if word.text.lower() == "but" and word.part == "CC":
        return CONJUNCTION
    if word.phrase == "O":
        return CONJUNCTION if word.part == "CC" else OTHER
    return word.phrase
