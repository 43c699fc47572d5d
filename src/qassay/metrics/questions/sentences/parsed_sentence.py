"""A sentence with its clauses and appositions, and the parts of it that questions are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.appositions import find_appositions
from qassay.metrics.questions.sentences.clauses import find_clauses, with_finite_verbs
from qassay.metrics.questions.sentences.phrase_selection import Phrase
from qassay.metrics.questions.sentences.sentence_units import NOUN_PHRASE, coordinates, find_units

if TYPE_CHECKING:
    from qassay.metrics.questions.sentences.appositions import Apposition
    from qassay.metrics.questions.sentences.clauses import Clause
    from qassay.metrics.questions.sentences.sentence_units import SentenceUnit
    from qassay.models.syntax import TaggedSentence, Word


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence with what can be asked about in it."""

    sentence: TaggedSentence
    """With the tenses that its clauses call for."""
    units: tuple[SentenceUnit, ...]
    clauses: tuple[Clause, ...]
    appositions: tuple[Apposition, ...]


def parse(sentence: TaggedSentence) -> ParsedSentence:
    """Return a sentence with its clauses and appositions."""
    sentence = with_finite_verbs(sentence)
    units = find_units(sentence)
    clauses, appositions = find_clauses(sentence, units), find_appositions(sentence, units)
    return ParsedSentence(sentence, tuple(units), tuple(clauses), tuple(appositions))


def whole_phrase(parsed: ParsedSentence, answer: Phrase) -> Phrase:
    """Take in the words around an answer that go with it: "at least eight bombs", "the movie Alien", "Ann and Bob"."""
    units = parsed.units
    places = [i for i, unit in enumerate(units) if unit.first < answer.last and answer.first < unit.last]
    if not places or any(units[i].kind != NOUN_PHRASE for i in (places[0], places[-1])):
        return answer
    first, last = places[0], places[-1]
    while first > 1 and coordinates(parsed.sentence, units[first - 1]) and units[first - 2].kind == NOUN_PHRASE:
        first -= 2
    while (
        last + 2 < len(units) and coordinates(parsed.sentence, units[last + 1]) and units[last + 2].kind == NOUN_PHRASE
    ):
        last += 2
    return Phrase(units[first].first, units[last].last)


def clause_holding(parsed: ParsedSentence, answer: Phrase) -> Clause | None:
    """Return the innermost clause that holds an answer."""
    holding = [each for each in parsed.clauses if _holds(each, answer)]
    return max(holding, key=lambda each: each.begins, default=None)


def _holds(clause: Clause, answer: Phrase) -> bool:
    inside = clause.begins <= answer.first and answer.last <= clause.end
    inside = inside and (answer.last <= clause.subject[1] or answer.first >= clause.verb[1])
    return inside or (clause.introduction[0] <= answer.first and answer.last <= clause.introduction[1])


def words_between(sentence: TaggedSentence, first: int, last: int) -> str:
    """Return some words as written."""
    return sentence.text[sentence.words[first].start : sentence.words[last - 1].end] if first < last else ""


def lowered(sentence: TaggedSentence, first: int, last: int) -> str:
    """Return some words; a capital that only the sentence's start called for is taken back."""
    text = words_between(sentence, first, last)
    return text if _is_name(sentence.words[first]) else f"{text[:1].lower()}{text[1:]}"


def _is_name(word: Word) -> bool:
    return (
        word.part in {"NNP", "NNPS"}
        or word.named not in {"O", "people", "group", "site", "product", "number", "time"}
        or (word.text == "I" or word.text[1:2].isupper())
    )
