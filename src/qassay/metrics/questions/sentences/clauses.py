"""Clauses of a tagged sentence: a subject, its finite verb and what follows, cut out so that each can stand alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from qassay.metrics.questions.sentences.sentence_units import (
    ADVERB,
    COMMA,
    CONJUNCTION,
    NOUN_PHRASE,
    OTHER,
    PREPOSITION,
    STOP,
    SUBORDINATOR,
    VERB,
    WH,
    coordinates,
    find_units,
    finite_verb,
    is_time,
)
from qassay.metrics.questions.wording.verbs import is_past

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.metrics.questions.sentences.sentence_units import SentenceUnit
    from qassay.models.syntax import Span, TaggedSentence, Word

_SUBJECT_PRONOUNS = frozenset({"who", "which", "that"})
_ADVERBIAL = frozenset(
    "when while because as after before if since until till although though once where whereas unless".split()  # noqa: SIM905
)
"""What opens a clause that the one before it can do without."""
REPORTING = frozenset(
    """say says said tell tells told announce announces announced report reports reported state states stated add adds
    added think thinks thought believe believes believed know knows knew claim claims claimed argue argues argued
    explain explains explained insist insists insisted note notes noted warn warns warned suggest suggests suggested
    reveal reveals revealed confirm confirms confirmed admit admits admitted write writes wrote hope hopes hoped show
    shows showed find finds found mean means meant ensure ensures feel feels felt estimate estimates estimated allege
    alleges alleged deny denies denied tweet tweets tweeted declare declares declared read reads conclude concludes
    concluded acknowledge acknowledges acknowledged predict predicts predicted joke jokes joked""".split()  # noqa: SIM905
)
"""Verbs that report a clause, with or without "that"."""
TELLING = frozenset({"tell", "tells", "told", "warn", "warns", "warned"})
"""Those among them that name who is told before what."""
_BE = frozenset({"is", "are", "was", "were"})
_MISTAKEN = frozenset({"VBN", "VB", "NN", "NNS"})
_LONGEST_SENTENCE = 400
"""Words of a sentence in which clauses are looked for."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Parts of a clause, as ranges of words."""

    subject: Span
    begins: int
    """Where the clause's own words begin: behind its subject in a relative clause and behind "and"."""
    verb: Span
    """From the finite verb to the last word of its chunk."""
    end: int
    introduction: Span
    """What stands before the subject, parted from it by a comma; empty if nothing does."""
    complete: bool
    """Whether what the verb calls for is part of the clause."""
    reported: Span | None = None
    """The clause before that this one reports, subject to end: "Two men died, police said"."""


class _Subject(NamedTuple):
    span: Span
    begins: int
    introduction: Span


def find_clauses(sentence: TaggedSentence, units: Sequence[SentenceUnit]) -> list[Clause]:
    """Return the clauses whose subject and verb are plain, in the order of their verbs.

    Inserted parts between a subject and its verb ("Anna Berg, a nurse from Bergen, won") belong to no clause's words;
    a relative clause has the noun phrase before it for a subject ("the man who won" says that the man won), and a
    second verb behind "and" that of the first.
    """
    found: dict[int, Clause] = {}
    if len(sentence.words) > _LONGEST_SENTENCE:
        return []
    for place, unit in enumerate(units):
        finite = finite_verb(sentence, unit)
        if finite is not None and (clause := _clause(sentence, units, place, finite, found)):
            found[place] = clause
    return list(found.values())


def with_finite_verbs(sentence: TaggedSentence) -> TaggedSentence:
    """Return the sentence with a tense for the verb of each part that would have no finite verb otherwise.

    Many forms are a participle, an infinitive or a noun as well, and a chunker mistakes one for the other.
    """
    units = find_units(sentence)
    words = list(sentence.words)
    first = 0
    for place in range(len(units) + 1):
        if place < len(units) and units[place].kind not in {STOP, COMMA, SUBORDINATOR, WH}:
            continue
        opens = first == 0 or units[first - 1].kind in {SUBORDINATOR, STOP}
        verb = _mistaken(sentence, units[first:place]) if opens else None
        if verb is not None:
            words[verb] = replace(words[verb], part=_tense(words[verb].text.lower()))
        first = place + 1
    return replace(sentence, words=tuple(words))


def _mistaken(sentence: TaggedSentence, part: Sequence[SentenceUnit]) -> int | None:
    """Return the verb right behind a noun phrase, in a part of a sentence that has no finite verb."""
    verbs = [i for i, unit in enumerate(part) if unit.kind == VERB]
    if not verbs or any(finite_verb(sentence, part[i]) is not None for i in verbs):
        return None
    before = [unit.kind for unit in part[: verbs[0]] if unit.kind != ADVERB]
    verb = part[verbs[0]].first
    stated = before[:1] == [NOUN_PHRASE] and before[-1] == NOUN_PHRASE
    behind = sentence.words[verb + 1].text.lower() if verb + 1 < len(sentence.words) else ""
    stated = stated and behind != "by"
    return verb if stated and sentence.words[verb].part in _MISTAKEN else None


def _tense(verb: str) -> str:
    if verb.endswith("ed") or is_past(verb):
        return "VBD"
    return "VBZ" if verb.endswith("s") else "VBP"


def _clause(
    sentence: TaggedSentence, units: Sequence[SentenceUnit], place: int, finite: int, found: Mapping[int, Clause]
) -> Clause | None:
    left = place - 1
    while left >= 0 and units[left].kind == ADVERB:
        left -= 1
    subject = _subject(sentence, units, place, left, found)
    if subject is None:
        return None
    end, complete = _end(sentence, units, place)
    reported = None if complete else _reported(sentence, units, place, subject.span[0], found)
    verb = (finite, units[place].last)
    return Clause(subject.span, subject.begins, verb, end, subject.introduction, complete, reported)


def _reported(
    sentence: TaggedSentence, units: Sequence[SentenceUnit], verb: int, start: int, found: Mapping[int, Clause]
) -> Span | None:
    """Return the clause right before a verb that reports, only marks between them."""
    earlier = [each for each in found.values() if each.end <= start and each.complete]
    if not earlier or not _reports(sentence, units[verb]):
        return None
    said = earlier[-1]
    plain = said.begins == said.subject[0] and said.subject[1] == said.verb[0]
    between = sentence.words[said.end : start]
    apart = between and not any(word.text[:1].isalnum() for word in between)
    return (said.subject[0], said.end) if plain and apart else None


def _subject(
    sentence: TaggedSentence, units: Sequence[SentenceUnit], verb: int, left: int, found: Mapping[int, Clause]
) -> _Subject | None:
    """Return the subject of a verb, whose last unit is `left`."""
    kind = units[left].kind if left >= 0 else STOP
    if kind == WH:
        return _relative_subject(sentence, units, verb, left)
    if kind == CONJUNCTION:
        return _shared_subject(units, left, found)
    if kind == COMMA:
        opening = _insertion(sentence, units, left)
        return None if opening is None else _subject(sentence, units, verb, opening - 1, found)
    first = left
    while first >= 0 and (_may_be_subject(sentence, units[first]) or _in_relative(sentence, units, first)):
        first -= 1
    first += 1
    if first > left:
        return None
    if units[first].kind == PREPOSITION and first and units[first - 1].kind == COMMA:
        opening = _insertion(sentence, units, first - 1)
        return None if opening is None else _subject(sentence, units, verb, opening - 1, found)
    return _plain_subject(sentence, units, first, left)


def _relative_subject(
    sentence: TaggedSentence, units: Sequence[SentenceUnit], verb: int, pronoun: int
) -> _Subject | None:
    """Return what "who", "which" or "that" stands for."""
    unit = units[pronoun]
    word = sentence.words[unit.first].text.lower()
    before = pronoun - 1 - (pronoun > 0 and units[pronoun - 1].kind == COMMA)
    if unit.last - unit.first > 1 or word not in _SUBJECT_PRONOUNS:
        return None
    antecedent = _antecedent(sentence, units, before, sentence.words[units[verb].first], who=word == "who")
    return None if antecedent is None else _Subject(antecedent, unit.first, (unit.first, unit.first))


def _shared_subject(units: Sequence[SentenceUnit], conjunction: int, found: Mapping[int, Clause]) -> _Subject | None:
    """Return the subject of the clause before "and", unless another sentence has begun."""
    behind = units[conjunction].last
    earlier = [each for each in found.values() if each.begins < behind]
    if not earlier:
        return None
    crossed = any(unit.kind == STOP and unit.first >= earlier[-1].verb[0] for unit in units[:conjunction])
    return None if crossed else _Subject(earlier[-1].subject, behind, (behind, behind))


def _plain_subject(sentence: TaggedSentence, units: Sequence[SentenceUnit], first: int, left: int) -> _Subject | None:
    """Return the units from a noun phrase on as a subject, if nothing shows that they are part of something else."""
    region = units[first : left + 1]
    before = units[first - 1] if first else None
    start = region[0].first
    if region[0].kind != NOUN_PHRASE or region[-1].kind in {PREPOSITION, CONJUNCTION}:
        return None
    if any(word.text.lower() == "whose" for word in sentence.words[start : region[-1].last]):
        return None
    if any(a.kind == b.kind == NOUN_PHRASE for a, b in pairwise(region)) or (
        start and _lacks_article(sentence, region[0])
    ):
        return None
    introduction = (start, start)
    if before is not None:
        if before.kind == WH or (before.kind == VERB and not _reports(sentence, before)):
            return None
        if before.kind == COMMA:
            described = first > 1 and sentence.words[units[first - 2].last - 1].part == "JJ"
            introduction = _introduction(units, first - 1)
            return None if described else _Subject((start, region[-1].last), start, introduction)
    return _Subject((start, region[-1].last), start, introduction)


def _lacks_article(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    """Whether a noun phrase in the singular has no article, as one that was cut short."""
    first, last = sentence.words[unit.first], sentence.words[unit.last - 1]
    people = last.named in {"people", "group"}
    opens = first.part in {"NN", "JJ", "VBN", "VBG", "CC"} and first.text[:1].islower()
    return last.part == "NN" and opens and not people


def _antecedent(
    sentence: TaggedSentence, units: Sequence[SentenceUnit], place: int, verb: Word, *, who: bool
) -> Span | None:
    """Return the noun phrase that a relative pronoun stands for, with what "of" adds to it where that one cannot be."""
    last = place
    while place >= 0 and units[place].kind == NOUN_PHRASE:
        if place and units[place - 1].kind == CONJUNCTION:
            return None
        if _may_precede(sentence, units[place], verb, who=who):
            return units[place].first, units[last].last
        if sentence.words[units[place - 1].first].text != "of":
            return None
        place -= 2
    return None


def _may_precede(sentence: TaggedSentence, unit: SentenceUnit, verb: Word, *, who: bool) -> bool:
    """Whether a noun phrase has the number that a verb calls for, and is of people before "who"."""
    nouns = [word for word in sentence.words[unit.first : unit.last] if word.part[:2] == "NN"]
    if not nouns or (who and nouns[-1].named not in {"person", "people", "group", "organisation", "nationality"}):
        return False
    plural = verb.part == "VBP" or verb.text.lower() == "were"
    singular = verb.part == "VBZ" or verb.text.lower() == "was"
    return not (plural and nouns[-1].part in {"NN", "NNP"}) and not (singular and nouns[-1].part in {"NNS", "NNPS"})


def _may_be_subject(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    if unit.kind == CONJUNCTION:
        return coordinates(sentence, unit)
    if unit.kind == VERB:
        return sentence.words[unit.first].part in {"VBN", "VBG", "JJ"}
    return unit.kind in {NOUN_PHRASE, PREPOSITION}


def _in_relative(sentence: TaggedSentence, units: Sequence[SentenceUnit], place: int) -> bool:
    """Whether a unit is the verb or the pronoun of a relative clause right behind a noun phrase."""
    pronoun = place if units[place].kind == WH else place - 1
    while pronoun > 0 and units[pronoun].kind == ADVERB:
        pronoun -= 1
    if pronoun <= 0 or units[pronoun].kind != WH or units[place].kind not in {WH, VERB, ADVERB}:
        return False
    subject = sentence.words[units[pronoun].first].text.lower() in _SUBJECT_PRONOUNS
    return subject and units[pronoun - 1].kind == NOUN_PHRASE


def _insertion(sentence: TaggedSentence, units: Sequence[SentenceUnit], closing: int) -> int | None:
    """Return the comma that opens what ends on another, between a noun phrase and its verb."""
    for place in range(closing - 1, 0, -1):
        if units[place].kind == STOP:
            return None
        if units[place].kind != COMMA or units[place - 1].kind != NOUN_PHRASE:
            continue
        inside = units[place + 1 : closing]
        verbs = any(finite_verb(sentence, unit) is not None for unit in inside)
        if inside and (not verbs or inside[0].kind == WH):
            return place
    return None


def _introduction(units: Sequence[SentenceUnit], comma: int) -> Span:
    """Return the prepositional phrase or time that a sentence opens with, before the comma."""
    first = comma
    while first > 0 and units[first - 1].kind in {NOUN_PHRASE, PREPOSITION}:
        first -= 1
    opens = first == 0 or units[first - 1].kind == STOP
    return (units[first].first, units[comma].first) if opens and first < comma else (units[comma].last,) * 2


def _reports(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    return any(word.text.lower() in REPORTING for word in sentence.words[unit.first : unit.last])


def _end(sentence: TaggedSentence, units: Sequence[SentenceUnit], verb: int) -> tuple[int, bool]:
    """Return where a clause ends, and whether it is complete there."""
    place = verb + 1
    while place < len(units):
        unit = units[place]
        if unit.kind in {STOP, COMMA, WH, SUBORDINATOR, OTHER}:
            break
        if unit.kind == ADVERB and sentence.words[unit.first].text.lower() in {"when", "where", "why", "how"}:
            break
        if finite_verb(sentence, unit) is not None:
            return _before_embedded(sentence, units, verb, place)
        reported = _reports(sentence, units[verb]) and units[verb + 1].kind == NOUN_PHRASE
        if unit.kind == CONJUNCTION and not reported and _joins_clause(units, place):
            break
        place += 1
    last = units[place - 1]
    stopped = units[place] if place < len(units) else None
    complete = _is_complete(sentence, last, stopped) and not _is_half(sentence, units[verb].first, last.last)
    lacking = last.kind == VERB and place > verb + 1 and not complete
    if lacking or _lacks_report(sentence, units[verb], units[verb + 1 : place]):
        return _with_complement(sentence, units, place, last.last)
    return last.last, complete


def _is_complete(sentence: TaggedSentence, last: SentenceUnit, stopped: SentenceUnit | None) -> bool:
    """Whether a clause may end on a unit where another one stops it."""
    part = sentence.words[last.last - 1].part
    if last.kind in {PREPOSITION, CONJUNCTION} or part == "POS":
        return False
    if last.kind == VERB:
        goes_on = part[:2] == "VB" and stopped is not None and not _optional(sentence, stopped)
        return part != "TO" and not goes_on
    described = stopped is not None and stopped.kind == WH
    return last.kind != NOUN_PHRASE or not described or _has_noun(sentence, last)


def _is_half(sentence: TaggedSentence, first: int, last: int) -> bool:
    """Whether "both" or "either" stands in some words, and its "and" or "or" does not."""
    words = {word.text.lower() for word in sentence.words[first:last]}
    return ("both" in words and "and" not in words) or ("either" in words and "or" not in words)


def _lacks_report(sentence: TaggedSentence, verb: SentenceUnit, behind: Sequence[SentenceUnit]) -> bool:
    """Whether a verb that reports has nothing behind it that it could report."""
    passive = sentence.words[verb.first].text.lower() in _BE and sentence.words[verb.last - 1].part == "VBN"
    if passive or not _reports(sentence, verb):
        return False
    tells = any(word.text.lower() in TELLING for word in sentence.words[verb.first : verb.last])
    return tells or not behind or behind[0].kind != NOUN_PHRASE or is_time(sentence, behind[0])


def _has_noun(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    return any(word.part[:2] == "NN" or word.part == "CD" for word in sentence.words[unit.first : unit.last])


def _optional(sentence: TaggedSentence, unit: SentenceUnit) -> bool:
    word = sentence.words[unit.first]
    return (unit.kind == STOP and word.part == ".") or unit.kind == CONJUNCTION or word.text.lower() in _ADVERBIAL


def _joins_clause(units: Sequence[SentenceUnit], place: int) -> bool:
    """Whether "and" or "but" joins a verb or a clause of its own rather than a noun phrase."""
    for unit in units[place + 1 :]:
        if unit.kind == VERB:
            return True
        if unit.kind not in {NOUN_PHRASE, PREPOSITION, ADVERB}:
            return False
    return False


def _before_embedded(
    sentence: TaggedSentence, units: Sequence[SentenceUnit], verb: int, inner: int
) -> tuple[int, bool]:
    """End before, or with, the clause that follows without a word between: "say the law is", "a dog she loved"."""
    if units[verb - 1].kind == WH:
        return units[inner - 1].last, units[inner - 1].kind == NOUN_PHRASE
    start = inner
    while start > verb + 1 and units[start - 1].kind in {NOUN_PHRASE, PREPOSITION, ADVERB, CONJUNCTION}:
        start -= 1
        if units[start].kind == NOUN_PHRASE and units[start - 1].kind in {NOUN_PHRASE, VERB}:
            break
    if _reports(sentence, units[verb]):
        return _end(sentence, units, inner)
    return units[start - 1].last, units[start - 1].kind == NOUN_PHRASE


def _with_complement(sentence: TaggedSentence, units: Sequence[SentenceUnit], place: int, end: int) -> tuple[int, bool]:
    """Take in the "that" clause of a verb that reports."""
    if place >= len(units) or sentence.words[units[place].first].text.lower() != "that":
        return end, False
    inner = next(
        (i for i, unit in enumerate(units) if i > place and finite_verb(sentence, unit) is not None),
        None,
    )
    if inner is None or any(unit.kind in {STOP, COMMA, WH} for unit in units[place + 1 : inner]):
        return end, False
    return _end(sentence, units, inner)
