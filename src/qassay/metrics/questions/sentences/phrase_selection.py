"""Answer selection: the phrases of a sentence about which QAEval asks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from qassay.models.syntax import NAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from qassay.models.syntax import Span, TaggedSentence

_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "CD", "$", "FW", "VBG"})
_ASKING = frozenset({"WDT", "WP", "WP$", "WRB"})
_QUOTES = frozenset({'"', "``", "''", "\u201c", "\u201d"})
_EDGES = frozenset({"``", "''", ",", ":", ".", "(", ")", "CC", "POS", "IN", "RB"})


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a sentence, as the range of its words."""

    first: int
    last: int
    """Past the last word."""

    def text(self, sentence: TaggedSentence) -> str:
        """Return the words as written in the sentence."""
        start, end = self.characters(sentence)
        return sentence.text[start:end]

    def characters(self, sentence: TaggedSentence) -> Span:
        """Return the character span in the sentence."""
        return sentence.words[self.first].start, sentence.words[self.last - 1].end


def select_nested(sentence: TaggedSentence) -> list[Phrase]:
    """Find the phrases of `select_answers`, and those inside and around them, in the order of the sentence.

    Inside: possessors ("Newman" in "Newman's bonus"), and names that are part of a larger phrase. Around: a phrase
    with what "of" adds to it ("a total of 151 medals"). Source: FEQA, which asks about noun phrases within others too
    (Durmus et al. 2020, section 3).
    """
    maximal = select_answers(sentence)
    inner = [_trimmed(sentence, each) for each in (*_possessors(sentence, maximal), *_names(sentence))]
    around = [
        Phrase(first.first, second.last)
        for first, second in pairwise(maximal)
        if second.first == first.last + 1 and sentence.words[first.last].text == "of"
    ]
    found = [*maximal, *around, *(each for each in inner if each and _has_noun(sentence, each))]
    return sorted(set(found), key=lambda each: (each.first, -each.last))


def _possessors(sentence: TaggedSentence, phrases: Iterable[Phrase]) -> Iterator[Phrase]:
    for phrase in phrases:
        for place in range(phrase.first + 1, phrase.last):
            if sentence.words[place].part == "POS":
                yield Phrase(phrase.first, place)


def select_answers(sentence: TaggedSentence) -> list[Phrase]:
    """Find the noun phrases and names of a sentence, as large as they come and none inside another.

    A possessor and what is possessed are one phrase ("the government's popularity"), and so are the words of a name
    ("the University of Chicago"); what "of" adds to another phrase is one of its own ("a total of 151 medals" holds
    two). Phrases without a noun, a name or a figure (pronouns) are left out, and so are those that ask ("which team").
    Source: answer selection of QAEval (Deutsch et al. 2021, section 3).
    """
    joined: list[Phrase] = []
    for phrase in sorted([*_noun_chunks(sentence), *_names(sentence)], key=lambda each: (each.first, -each.last)):
        if joined and (phrase.first < joined[-1].last or _belongs(sentence, phrase, joined[-1])):
            previous = joined.pop()
            joined.append(Phrase(previous.first, max(previous.last, phrase.last)))
        else:
            joined.append(phrase)
    trimmed = (_trimmed(sentence, phrase) for phrase in joined)
    return [phrase for phrase in trimmed if phrase and _has_noun(sentence, phrase)]


def _noun_chunks(sentence: TaggedSentence) -> Iterator[Phrase]:
    first = None
    for place, word in enumerate(sentence.words):
        if first is not None and word.chunk != "I-NP":
            yield Phrase(first, place)
            first = None
        if word.phrase == "NP" and first is None:
            first = place
    if first is not None:
        yield Phrase(first, len(sentence.words))


def _names(sentence: TaggedSentence) -> Iterator[Phrase]:
    first = None
    for place, word in enumerate(sentence.words):
        if first is not None and (word.entity[:1] != "I" or word.named != sentence.words[first].named):
            yield Phrase(first, place)
            first = None
        if word.entity[:1] == "B" and word.named in NAMED and word.named not in {"nationality", "ordinal"}:
            first = place
    if first is not None:
        yield Phrase(first, len(sentence.words))


def _belongs(sentence: TaggedSentence, phrase: Phrase, previous: Phrase) -> bool:
    """Whether a phrase right after another is what that one possesses, or the rest of a name that ends on "of"."""
    if phrase.first != previous.last:
        return False
    last = sentence.words[previous.last - 1]
    return sentence.words[phrase.first].part == "POS" or (last.text.lower() == "of" and last.entity[:1] == "I")


def _trimmed(sentence: TaggedSentence, phrase: Phrase) -> Phrase | None:
    first, last = phrase.first, phrase.last
    while first < last and sentence.words[first].part in _EDGES:
        first += 1
    while last > first and sentence.words[last - 1].part in _EDGES:
        last -= 1
    quotes = sum(word.text in _QUOTES for word in sentence.words[first:last])
    if quotes % 2 and last < len(sentence.words) and sentence.words[last].text in _QUOTES:
        last += 1
    return Phrase(first, last) if first < last else None


def _has_noun(sentence: TaggedSentence, phrase: Phrase) -> bool:
    words = sentence.words[phrase.first : phrase.last]
    if any(word.part in _ASKING for word in words):
        return False
    return any(word.part in _NOUNS and any(letter.isalnum() for letter in word.text) for word in words)
