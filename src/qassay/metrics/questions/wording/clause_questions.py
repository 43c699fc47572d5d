"""Questions about one clause of a sentence: the question word in front, and only forms that read like English.

"Anna Berg, a nurse from Bergen, sold the vase in May, police said." asks "Who sold the vase in May?", "What did Anna
Berg sell in May?" and "When did Anna Berg sell the vase?". Where no such form is plain, nothing is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.askable import can_be_asked_for
from qassay.metrics.questions.sentences.parsed_sentence import clause_holding, lowered, whole_phrase, words_between
from qassay.metrics.questions.sentences.phrase_selection import Phrase
from qassay.metrics.questions.wording.clause_answer import BARE, ClauseAnswer
from qassay.metrics.questions.wording.complement_questions import ask_behind_verb
from qassay.metrics.questions.wording.question_text import tidied
from qassay.metrics.questions.wording.question_words import PREPOSITIONS, Interrogative, ask_for
from qassay.metrics.questions.wording.subject_questions import (
    ask_about_report,
    ask_for_subject,
    ask_from_introduction,
    ask_how_many_there_are,
)
from qassay.models.syntax import AMOUNT, COUNT, DURATION, PERSON, PLACE, THING, TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.metrics.questions.sentences.parsed_sentence import ParsedSentence
    from qassay.models.syntax import TaggedSentence

_NAMED_ALONE = {
    PERSON: "who is it",
    PLACE: "where is it",
    TIME: "when is it",
    COUNT: "how many are there",
    AMOUNT: "how much is it",
    DURATION: "how long is it",
}
"""What is asked for a sentence that is the answer alone."""
_INDEFINITE = frozenset({"a", "an"})


def ask_in_clause(parsed: ParsedSentence, answer: Phrase, is_word: Callable[[str], bool]) -> tuple[str, ...]:
    """Return a question that an answer phrase in a sentence answers, in one wording or several, the best one first.

    Nothing where the phrase is in no clause that stands alone, or where what results would be no English.
    """
    sentence = parsed.sentence
    wh = ask_for(sentence, answer)
    if _is_all(sentence, answer):
        return tidied([_NAMED_ALONE.get(wh.kind, "what is it")])
    if answer.last < len(sentence.words) and sentence.words[answer.last].part == "POS":
        return _about_possessor(parsed, answer, wh, is_word)
    unnamed = wh.words == "what" and not any(letter.isalpha() for letter in answer.text(sentence))
    if unnamed or not can_be_asked_for(sentence, answer):
        return ()
    words = _worded(sentence, answer, wh)
    whole = whole_phrase(parsed, answer)
    if any(word.part == "CC" for word in sentence.words[whole.first : whole.last]) and not BARE.fullmatch(words):
        people = any(word.named in {"person", "people"} for word in sentence.words[whole.first : whole.last])
        words = {PERSON: "who", PLACE: "what places"}.get(PERSON if people else wh.kind, "what")
    clause = clause_holding(parsed, whole)
    if clause is not None:
        return tidied(_wordings(ClauseAnswer(sentence, clause, whole, wh, words, is_word)))
    return tidied([_about_name(parsed, answer, wh)])


def _is_all(sentence: TaggedSentence, answer: Phrase) -> bool:
    """Whether a sentence is nothing but the answer, as an entry of a list may be."""
    outside = (*sentence.words[: answer.first], *sentence.words[answer.last :])
    return not any(word.text[:1].isalnum() for word in outside)


def _about_possessor(
    parsed: ParsedSentence, answer: Phrase, wh: Interrogative, is_word: Callable[[str], bool]
) -> tuple[str, ...]:
    """Ask "whose bonus" for the possessor in "Newman's bonus"."""
    sentence = parsed.sentence
    first = last = answer.last + 1
    while last < len(sentence.words) and sentence.words[last].chunk == "I-NP":
        last += 1
    phrase = Phrase(answer.first, last)
    clause = clause_holding(parsed, phrase)
    if first == last or clause is None or wh.kind not in {PERSON, THING}:
        return ()
    whose = Interrogative(f"whose {words_between(sentence, first, last)}", kind=PERSON)
    return tidied(_wordings(ClauseAnswer(sentence, clause, phrase, whose, whose.words, is_word)))


def _about_name(parsed: ParsedSentence, answer: Phrase, wh: Interrogative) -> str | None:
    """Ask who or what someone is, of a name with a description beside it."""
    sentence, place = parsed.sentence, (answer.first, answer.last)
    for each in parsed.appositions:
        name = words_between(sentence, *each.name)
        word = "who" if sentence.words[each.name[1] - 1].named == "person" else "what"
        follows = each.description[0] > each.name[0]
        if place == each.description and follows:
            return f"{word} is {name}"
        if place == each.name and (each.end > each.description[1] or not follows):
            return f"{word} is {lowered(sentence, each.description[0], each.end)}"
        inside = each.description[1] < answer.first and answer.last == each.end
        if inside and sentence.words[answer.first - 1].part in PREPOSITIONS:
            words = wh.behind_preposition or _worded(sentence, answer, wh)
            return f"{name} is {words_between(sentence, each.description[0], answer.first)} {words}"
    return None


def _worded(sentence: TaggedSentence, answer: Phrase, wh: Interrogative) -> str:
    """Ask "what kind of film" for "an animated film"; "what film" is for one that is known."""
    if wh.kind == PERSON and wh.words.startswith("what "):
        before = sentence.words[answer.first - 1] if answer.first else None
        return "whom" if before is not None and before.part in PREPOSITIONS else "who"
    first = sentence.words[answer.first]
    head = wh.words.removeprefix("what ")
    described = wh.words.startswith("what ") and answer.text(sentence).endswith(f" {head}")
    indefinite = first.text.lower() in _INDEFINITE or first.part in {"JJ", "NN", "VBG", "VBN"}
    figures = any(word.part in {"CD", "JJS", "RBS"} for word in sentence.words[answer.first : answer.last])
    return f"what kind of {head}" if described and indefinite and not figures else wh.words


def _wordings(asking: ClauseAnswer) -> Sequence[str | None]:
    clause, answer = asking.clause, asking.answer
    if asking.runs_on or asking.lacks_report or words_between(asking.sentence, *clause.subject).lower() == "each":
        return ()
    if not clause.complete:
        return (ask_about_report(asking),)
    if asking.sentence.words[clause.subject[0]].part == "EX":
        return (ask_how_many_there_are(asking),)
    if clause.introduction[0] <= answer.first < clause.introduction[1]:
        return (ask_from_introduction(asking),)
    if answer.first < clause.subject[1]:
        return (ask_for_subject(asking),)
    return ask_behind_verb(asking)
