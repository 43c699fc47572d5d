"""Questions for what stands behind a clause's verb: objects, predicates, prepositional phrases and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.clauses import TELLING
from qassay.metrics.questions.sentences.sentence_units import FINITE, QUOTES
from qassay.metrics.questions.wording.clause_answer import BE, inverted, opens_time
from qassay.metrics.questions.wording.question_text import joined
from qassay.metrics.questions.wording.question_words import PREPOSITIONS
from qassay.models.syntax import PERSON, TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.questions.wording.clause_answer import ClauseAnswer
    from qassay.models.syntax import Word

_LINKING = BE | {
    "'s",
    "'re",
    "'m",
    "\u2019s",
    "\u2019re",
    "\u2019m",
    "be",
    "been",
    "become",
    "becomes",
    "became",
    "remain",
    "remains",
    "remained",
}
_STRANDED = frozenset(
    "on for with about at from into to by in against over through like of onto toward towards".split()  # noqa: SIM905
)
"""Prepositions that may end what the question word left: "What did they work on?"."""
_WITH_TWO_OBJECTS = frozenset(
    "give gave given award awarded offer offered send sent pay paid show showed teach taught".split()  # noqa: SIM905
)
_BEFORE_EVENTS = frozenset({"since", "after", "before", "until", "between", "during"})
"""Prepositions before something that has a time and a place of its own."""


def ask_behind_verb(asking: ClauseAnswer) -> Sequence[str | None]:
    """Return the wordings of a question for an answer behind the verb, the best one first."""
    clause, answer, wh = asking.clause, asking.answer, asking.wh
    words = asking.sentence.words
    place = answer.first - 1
    while words[place].text in QUOTES:
        place -= 1
    before = words[place]
    after = asking.after_answer()
    if after is None:
        return ()
    if before.part in PREPOSITIONS and before.phrase == "PP":
        return _behind_preposition(asking, place, after)
    if wh.kind == TIME and wh.words == "when":
        rest = joined(asking.text(clause.verb[1], answer.first), asking.text(after, clause.end))
        return (inverted(asking, "when", rest),) if opens_time(words[answer.first]) else ()
    if _is_predicate(asking):
        return (_predicate(asking),)
    if before.phrase in {"VP", "PRT"}:
        return _behind_its_verb(asking, before, after)
    given = words[clause.verb[1] - 1].text.lower() in _WITH_TWO_OBJECTS and after >= clause.end
    second = before.phrase == "NP" and given
    return (inverted(asking, asking.words, asking.text(clause.verb[1], answer.first)),) if second else ()


def _behind_preposition(asking: ClauseAnswer, place: int, after: int) -> Sequence[str | None]:
    """Ask "When did …", "What … with?", or in the order of a statement."""
    clause, words = asking.clause, asking.sentence.words
    preposition = words[place].text.lower()
    attached = place > clause.verb[1] and (
        words[place - 1].part in {"VBN", "VBG"}
        or any(word.text.lower() in _BEFORE_EVENTS for word in words[clause.verb[1] : place])
    )
    if preposition == "between":
        return ()
    in_place = _in_place(asking)
    if asking.wh.takes_preposition and not attached:
        rest = joined(asking.text(clause.verb[1], place), asking.text(after, clause.end))
        return (inverted(asking, asking.wh.words, rest), in_place)
    direct = place == clause.verb[1] and preposition in _STRANDED
    if direct and asking.bare and after >= clause.end:
        return (inverted(asking, asking.object_word, words[place].text), in_place)
    return (in_place,)


def _behind_its_verb(asking: ClauseAnswer, verb: Word, after: int) -> Sequence[str | None]:
    """Ask "What did … sell?"; in the order of a statement where other phrases stand between."""
    clause, answer, words = asking.clause, asking.answer, asking.sentence.words
    place = answer.first - 1
    adjoined = verb.part == "VBG" and place > clause.verb[1] and words[place - 1].phrase == "NP"
    if verb.text.lower() in TELLING or adjoined:
        return ()
    in_place = _in_place(asking)
    if any(word.phrase in {"PP", "NP"} for word in words[clause.verb[1] : answer.first]):
        return (in_place,)
    following = words[after] if after < clause.end else None
    if following and following.phrase == "NP" and following.named != "time":
        return (in_place,)
    if following and (following.part in FINITE or following.part == "VB"):
        return ()
    rest = joined(asking.text(clause.verb[1], answer.first), asking.text(after, clause.end))
    return (inverted(asking, asking.object_word, rest), in_place)


def _is_predicate(asking: ClauseAnswer) -> bool:
    """Whether the answer says what the subject is: "Anna Berg is a nurse"."""
    words, (_, last) = asking.sentence.words, asking.clause.verb
    adverbs = all(word.part in {"RB", "RBR"} for word in words[last : asking.answer.first])
    return words[last - 1].text.lower() in _LINKING and adverbs


def _predicate(asking: ClauseAnswer) -> str | None:
    """Ask what the subject is; of a pronoun that would ask nothing."""
    words, clause = asking.sentence.words, asking.clause
    if words[clause.subject[0]].part in {"PRP", "DT"} and clause.subject[1] - clause.subject[0] == 1:
        return None
    person = asking.wh.kind == PERSON and words[asking.answer.first].part not in {"NNP", "NNPS"}
    bare = person or (asking.words.startswith("what ") and not asking.words.startswith("what kind "))
    return inverted(asking, "what" if bare else asking.words, "")


def _in_place(asking: ClauseAnswer) -> str | None:
    """Ask in the order of a statement, and end on the question word: "The police arrested the leader of what gang?"."""
    clause, answer, wh = asking.clause, asking.answer, asking.wh
    words = asking.words
    before = asking.sentence.words[answer.first - 1]
    prepositional = before.part in PREPOSITIONS and before.phrase == "PP"
    end = answer.first
    if wh.takes_preposition and prepositional:
        end -= 1
    elif words in {"when", "where"} and prepositional:
        words = "what time" if wh.kind == TIME else "what place"
    elif words == "who" and prepositional:
        words = "whom"
    subject = asking.text(*clause.subject)
    adverb = asking.adverb
    return joined(subject, adverb, asking.text(clause.verb[0], end), words)
