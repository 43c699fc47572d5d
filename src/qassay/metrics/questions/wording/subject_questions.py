"""Questions for what stands before a clause's verb: its subject, what introduces it, who reports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.clauses import TELLING
from qassay.metrics.questions.sentences.parsed_sentence import lowered
from qassay.metrics.questions.sentences.sentence_units import QUOTES
from qassay.metrics.questions.wording.clause_answer import inverted, opens_time, verb_of
from qassay.metrics.questions.wording.question_text import joined
from qassay.metrics.questions.wording.question_words import PREPOSITIONS
from qassay.models.syntax import TIME

if TYPE_CHECKING:
    from qassay.metrics.questions.wording.clause_answer import ClauseAnswer

_NOT_SUBJECTS = frozenset({"when", "where", "how much", "how long", "how many"})


def ask_for_subject(asking: ClauseAnswer) -> str | None:
    """Return a question for the subject or for a phrase within it: "The friends of whom were looking for her?"."""
    sentence, clause, answer = asking.sentence, asking.clause, asking.answer
    first, last = clause.subject
    outside = sentence.words[answer.last : last]
    if any(word.part in {"CC", ","} for word in (*sentence.words[first : answer.first], *outside)):
        return None
    adverb = asking.adverb
    rest = asking.text(clause.verb[1], clause.end)
    if answer.first <= first:
        kept = "" if asking.bare else asking.text(answer.last, last)
        words = asking.object_word
        if asking.wh.takes_preposition or words in _NOT_SUBJECTS:
            return None
        return joined(words, kept, adverb, verb_of(asking, words), rest)
    place = answer.first - 1
    while sentence.words[place].text in QUOTES:
        place -= 1
    before = sentence.words[place]
    behind = next((word for word in sentence.words[answer.last : last] if word.text not in QUOTES), None)
    follows = "PP" if behind is None else behind.phrase
    if behind is not None and behind.text.lower() == "of":
        return None
    if before.part not in PREPOSITIONS or follows != "PP" or sentence.words[place - 1].phrase != "NP":
        return None
    words = asking.wh.behind_preposition or asking.words
    verb = asking.text(*clause.verb)
    return joined(asking.text(first, place + 1), words, asking.text(answer.last, last), adverb, verb, rest)


def ask_from_introduction(asking: ClauseAnswer) -> str | None:
    """Ask when or where for what stands before the subject."""
    clause, answer = asking.clause, asking.answer
    words = "when" if asking.wh.kind == TIME else "where"
    first, last = clause.introduction
    alone = answer.last == last and answer.first - first <= 1
    prepositional = asking.wh.takes_preposition and answer.first == first + 1
    if not alone or asking.wh.words != words or not (prepositional or (answer.first == first and words == "when")):
        return None
    return inverted(asking, words, asking.text(clause.verb[1], clause.end))


def ask_about_report(asking: ClauseAnswer) -> str | None:
    """Ask who reports, or when, what the clause before says: "Who said that two men died?"."""
    clause, answer = asking.clause, asking.answer
    if clause.reported is None or clause.verb[1] - clause.verb[0] != 1:
        return None
    first, last = clause.reported
    told = joined("that", lowered(asking.sentence, first, last))
    verb = asking.sentence.words[clause.verb[0]]
    if answer.first <= clause.subject[0] and answer.last == clause.subject[1] and asking.bare:
        if verb.text.lower() in TELLING:
            return None
        return joined(asking.words, verb_of(asking, asking.words), told)
    timed = asking.words == "when" and answer.first == clause.verb[1]
    timed = timed and opens_time(asking.sentence.words[answer.first])
    return inverted(asking, "when", told) if timed else None


def ask_how_many_there_are(asking: ClauseAnswer) -> str | None:
    """Return "How many … are there …?"."""
    clause, answer = asking.clause, asking.answer
    counted = asking.words.startswith("how many") and answer.first == clause.verb[1]
    if not counted or clause.verb[1] - clause.verb[0] != 1:
        return None
    return joined(asking.words, asking.text(*clause.verb), "there", asking.text(answer.last, clause.end))
