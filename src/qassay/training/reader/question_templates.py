"""Questions for training a reader: the sentence stays, a question word stands for the answer.

"A jacket worn in the 1939 movie has fetched $137,000." asks "A jacket worn in what movie has fetched $137,000?". Where
the grammar is plain (a subject, its verb, and the answer right after it) the question word moves to the front: "How
much has a jacket fetched?".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qassay.metrics.questions.wording.question_words import Interrogative, ask_for
from qassay.metrics.questions.wording.verbs import base_form, third_person
from qassay.models.syntax import TIME

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import Span, TaggedSentence, Word

_FINITE = frozenset({"MD", "VBZ", "VBP", "VBD"})
_BE = frozenset({"is", "are", "was", "were", "am", "'s", "'re"})
_HAVE = frozenset({"has", "have", "had"})
_CONTRACTED = frozenset({"'ve", "'m", "\u2019ve", "\u2019re", "\u2019m"})
_OPENERS = frozenset({"and", "but", "or", "so", "yet", ",", "-", "--", "\u2022", "*"})
_QUOTES = frozenset({'"', "``", "''", "\u201c", "\u201d"})
_NEGATIONS = frozenset({"n't", "not", "never", "n\u2019t"})
_NOT_FRONTED_BEFORE = frozenset({",", ":", "(", "CC", "WDT", "WP", "WP$", "WRB", "VBN", "VBG", "POS", "``"})
"""What may not follow an answer that moves to the front: it would lose what it goes with."""
_ENDING = re.compile(r"[\s.!?;:,\u2026-]*(?P<closing>[\"'\u2019\u201d)\]]*)\s*$")


def generate(sentence: TaggedSentence, answer: Phrase, is_word: Callable[[str], bool]) -> str:
    """Turn a sentence into a question that an answer phrase in it answers."""
    wh = ask_for(sentence, answer)
    first = _first(sentence, answer)
    gap = _gap(sentence, answer, wh, first)
    text = _move_to_front(sentence, first, gap, wh, is_word)
    if text is None:
        start, words = gap[0], wh.words
        if wh.takes_preposition and start < answer.first and not _may_stand_alone(sentence, answer, wh):
            start, words = answer.first, wh.behind_preposition
        text = sentence.text[sentence.words[first].start : sentence.words[start].start] + words
    after = _after(sentence, gap[1])
    if gap[0] == first and wh.words in {"what", "who"}:
        after = _agreeing(sentence, gap[1], after)
    return _finished(text + after)


def _finished(text: str) -> str:
    """Begin with a capital and end with a question mark; a quotation that only closes is opened no longer."""
    if text.endswith('"') and text.count('"') % 2:
        text = text[:-1].rstrip()
    return f"{text[:1].upper()}{text[1:]}?"


def _first(sentence: TaggedSentence, answer: Phrase) -> int:
    """Return the first word after opening conjunctions and marks, and after a quotation mark that opens it all."""
    marks = [place for place, word in enumerate(sentence.words) if word.text in _QUOTES]
    # One pair around the whole, or a mark whose other half is in another sentence.
    quoted = len(marks) % 2 or marks == [0, len(sentence.words) - 1]
    first = 0
    while first < answer.first:
        opener = sentence.words[first].text.lower()
        if opener not in _OPENERS and not (quoted and opener in _QUOTES):
            break
        first += 1
    return first


def _gap(sentence: TaggedSentence, answer: Phrase, wh: Interrogative, first: int) -> Span:
    """Return the words that the question word stands for: the answer, its preposition, quotation marks around it."""
    start, end = answer.first, answer.last
    if wh.takes_preposition and start > first:
        return start - 1, end
    quoted = first < start and end < len(sentence.words)
    if quoted and sentence.words[start - 1].text in _QUOTES and sentence.words[end].text in _QUOTES:
        return start - 1, end + 1
    return start, end


def _may_stand_alone(sentence: TaggedSentence, answer: Phrase, wh: Interrogative) -> bool:
    """Whether "where" or "when" can stand for preposition and answer in mid-sentence.

    Both can at its end, and not at its beginning, before its subject ("when, it rained"). Before more words "when" can
    unless a verb follows ("a meeting when was held") or one of its own kind ("when when it rained").
    """
    rest = sentence.words[answer.last :]
    if answer.first <= 1 and rest and (rest[0].text == "," or rest[0].phrase == "NP"):
        return False
    if not any(word.text[:1].isalnum() for word in rest):
        return True
    return wh.kind == TIME and rest[0].phrase != "VP" and rest[0].part != "WRB"


def _agreeing(sentence: TaggedSentence, last: int, after: str) -> str:
    """Put the verb of a plural subject into the singular, which "what" and "who" call for: "What gives clues?"."""
    verb = sentence.words[last] if last < len(sentence.words) else None
    if verb is None or verb.part != "VBP" or verb.text.lower() in _BE | _HAVE | _CONTRACTED:
        return after
    return after.replace(verb.text, third_person(verb.text), 1)


def _after(sentence: TaggedSentence, last: int) -> str:
    """Return what follows the words up to `last`, without the mark that ends the sentence."""
    rest = sentence.text[sentence.words[last - 1].end :]
    ending = _ENDING.search(rest)
    return rest[: ending.start()] + ending["closing"] if ending else rest


def _move_to_front(
    sentence: TaggedSentence, first: int, gap: Span, wh: Interrogative, is_word: Callable[[str], bool]
) -> str | None:
    """Return the question up to where the answer stood, the question word moved to the front; or give up."""
    following = sentence.words[gap[1]] if gap[1] < len(sentence.words) else None
    if following and (
        following.part in _NOT_FRONTED_BEFORE or following.text.lower() == "of" or _begins_clause(following)
    ):
        return None
    verb = _main_verb(sentence, first, gap[0])
    if verb is None:
        return None
    end = _end_of_verb(sentence, verb)
    front = wh.words
    if end < gap[0]:
        # One preposition between the verb and the answer comes along; anything else would change what is asked.
        between = sentence.words[end : gap[0]]
        if len(between) != 1 or between[0].phrase != "PP":
            return None
        front = f"{between[0].text.lower()} {wh.words}"
    auxiliary, rest = _auxiliary(sentence, verb, end, is_word)
    if auxiliary is None:
        return None
    parts = (front, auxiliary, _lowered(sentence, first, verb), rest)
    return " ".join(part for part in parts if part)


def _begins_clause(word: Word) -> bool:
    """Whether a word right after a noun phrase opens a clause about it: "a puppy she could hold"; not a time."""
    return word.chunk == "B-NP" and word.named != "time"


def _main_verb(sentence: TaggedSentence, first: int, gap: int) -> int | None:
    """Find the verb of a clause whose subject opens the sentence: noun phrases and prepositions alone before it."""
    for place in range(first, gap):
        word = sentence.words[place]
        if word.phrase == "VP":
            begins = word.chunk == "B-VP" and place > first and word.part in _FINITE
            return place if begins and sentence.words[first].part not in {"EX", "WDT", "WP"} else None
        if word.phrase not in {"NP", "PP"} or word.part in {"WDT", "WP", "WRB", ",", ":"}:
            return None
        if place == first and word.phrase == "PP":
            return None
        if place > first and word.chunk == "B-NP" and word.part != "POS" and sentence.words[place - 1].phrase == "NP":
            return None
    return None


def _end_of_verb(sentence: TaggedSentence, verb: int) -> int:
    end = verb + 1
    while end < len(sentence.words) and (sentence.words[end].chunk == "I-VP" or sentence.words[end].phrase == "PRT"):
        end += 1
    return end


def _auxiliary(sentence: TaggedSentence, verb: int, end: int, is_word: Callable[[str], bool]) -> tuple[str | None, str]:
    """Split the verb into what goes before the subject and what stays: "has fetched", "did … sell"."""
    head = sentence.words[verb]
    plain = head.text.lower()
    following = sentence.words[verb + 1].text.lower() if verb + 1 < end else ""
    if following in _NEGATIONS:
        return None, ""
    alone = end == verb + 1
    if head.part == "MD" or plain in _BE or (plain in _HAVE and not alone and sentence.words[end - 1].part != "TO"):
        if plain.startswith("'"):
            return None, ""
        return plain, _words(sentence, verb + 1, end)
    base = base_form(head.text, head.part, is_word)
    if base is None:
        return None, ""
    support = {"VBZ": "does", "VBP": "do", "VBD": "did"}[head.part]
    return support, f"{base} {_words(sentence, verb + 1, end)}".strip()


def _lowered(sentence: TaggedSentence, first: int, last: int) -> str:
    """Return the subject's words; a capital that only the sentence's start called for is taken back."""
    text = _words(sentence, first, last)
    keep = _is_name(sentence.words[first])
    return text if keep else f"{text[:1].lower()}{text[1:]}"


def _is_name(word: Word) -> bool:
    return (
        word.part in {"NNP", "NNPS"}
        or word.named not in {"O", "people", "group", "site", "product", "number"}
        or (word.text == "I" or word.text[1:2].isupper())
    )


def _words(sentence: TaggedSentence, first: int, last: int) -> str:
    return sentence.text[sentence.words[first].start : sentence.words[last - 1].end] if first < last else ""
