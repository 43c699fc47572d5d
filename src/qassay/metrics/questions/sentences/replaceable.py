"""Which phrases a question in brackets can replace where they stand: whole ones, that name something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.askable import ASKING, IDIOMS, NEGATING, QUANTITIES
from qassay.metrics.questions.sentences.sentence_units import QUOTES
from qassay.metrics.questions.wording.question_words import answer_kind
from qassay.models.syntax import PERSON, TIME

if TYPE_CHECKING:
    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import TaggedSentence, Word

_DEGREES = frozenset({"how", "whose", "which", "what"})
"""Words that go with the one behind them: "how many of them"."""
_BEFORE_NOUNS = frozenset({"NN", "JJ", "DT", "PRP$", "POS"})
"""Parts of speech right before a noun that they belong to."""
_NAMES = frozenset({"NNP", "NNPS"})
_INDEFINITE = frozenset({"a", "an"})
_BE = frozenset({"am", "are", "is", "was", "were", "'m", "'s", "\u2019m", "\u2019s"})


def can_be_replaced(sentence: TaggedSentence, answer: Phrase) -> bool:
    """Whether a sentence is English with a question in brackets in the place of a phrase."""
    place = _Place(sentence, answer)
    broken = place.is_half_of_word or place.is_half_of_name or place.is_headless
    return not (broken or place.is_role or place.is_rate or place.names_nothing)


@dataclass(frozen=True, slots=True)
class _Place:
    """A phrase with the words around it."""

    sentence: TaggedSentence
    answer: Phrase

    @property
    def words(self) -> tuple[Word, ...]:
        return self.sentence.words[self.answer.first : self.answer.last]

    @property
    def before(self) -> Word | None:
        return self.sentence.words[self.answer.first - 1] if self.answer.first else None

    @property
    def after(self) -> str:
        """The word behind the phrase."""
        return self.sentence.words[self.answer.last].text.lower() if self.answer.last < len(self.sentence.words) else ""

    @property
    def first(self) -> str:
        return self.words[0].text.lower()

    @property
    def bare(self) -> bool:
        """Whether the phrase is one common noun in the singular."""
        return len(self.words) == 1 and self.words[0].part == "NN" and self.words[0].text[:1].islower()

    @property
    def is_half_of_word(self) -> bool:
        """Whether letters or the other quotation mark follow: "the Palme d'|Or"."""
        start, end = self.answer.characters(self.sentence)
        text = self.sentence.text
        cut = text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum()
        return cut or sum(word.text in QUOTES for word in self.words) % 2 == 1

    @property
    def is_half_of_name(self) -> bool:
        """Whether a name goes on behind the phrase, or began before it: "Mstislav | the Bold"."""
        if self.before is not None and self.before.named == PERSON and self.words[0].part == "DT":
            return True
        last = self.words[-1]
        following = self.sentence.words[self.answer.last : self.answer.last + 2]
        behind = [word for word in following if word.named != TIME]
        if behind and behind[0].text == "of" and last.named != PERSON:
            behind = behind[1:]
        return last.part in _NAMES and bool(behind) and behind[0].part in _NAMES

    @property
    def is_headless(self) -> bool:
        """Whether the phrase began before its first word: "workout | fanatics"."""
        before = self.before
        if before is not None and before.text.lower() in _DEGREES:
            return True
        if before is None or before.part not in _BEFORE_NOUNS:
            return False
        return self.words[0].part in {"NN", "NNS"} or (before.part == "DT" and self.words[0].part in _NAMES)

    @property
    def is_role(self) -> bool:
        """Whether the phrase says what a person is, beside the name or behind "is": "chief of staff"."""
        before = self.before
        if before is None or not (self.bare or self.after == "of" or self.first in _INDEFINITE):
            return False
        beside = before.part == "," or before.named == PERSON
        behind = before.text.lower() in _BE and self.after == "who"
        return (beside or behind) and answer_kind(self.sentence, self.answer) == PERSON

    @property
    def is_rate(self) -> bool:
        """Whether the phrase is what something is counted by: "ten cents a share"."""
        return self.before is not None and self.before.phrase == "NP" and self.first in _INDEFINITE

    @property
    def names_nothing(self) -> bool:
        """Whether the phrase is part of an idiom or stands for what follows it: "take place", "in front of"."""
        last = self.words[-1].text.lower()
        quantity = self.after in {"of", "to"} and last in QUANTITIES
        asks = self.words[0].part in ASKING or self.first in _DEGREES or self.first in NEGATING
        return quantity or asks or (self.bare and last in IDIOMS) or self.first == last == "one"
