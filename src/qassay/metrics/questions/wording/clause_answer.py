"""An answer in a clause, with the question word for it and the forms that the clause's verb takes in a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from qassay.metrics.questions.sentences.clauses import REPORTING
from qassay.metrics.questions.sentences.parsed_sentence import lowered, words_between
from qassay.metrics.questions.sentences.sentence_units import FINITE, QUOTES
from qassay.metrics.questions.wording.question_text import joined
from qassay.metrics.questions.wording.question_words import PREPOSITIONS
from qassay.metrics.questions.wording.verbs import base_form, third_person

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.metrics.questions.sentences.clauses import Clause
    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.metrics.questions.wording.question_words import Interrogative
    from qassay.models.syntax import TaggedSentence, Word

BE = frozenset({"is", "are", "was", "were", "am"})
_HAVE = frozenset({"has", "have", "had"})
_DO = frozenset({"do", "does", "did"})
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_NEGATIONS = frozenset({"n't", "n\u2019t"})
_TIMES = frozenset("last this next early late earlier today yesterday tomorrow tonight that".split())  # noqa: SIM905
_WITH_INFINITIVE = frozenset(
    """ability agreement attempt authority bid chance deal decision desire effort failure intention need offer
    opportunity order permission plan plans power reason refusal right rights time way willingness""".split()  # noqa: SIM905
)
"""Nouns that an infinitive behind them belongs to: "a chance to win"."""
BARE = re.compile(r"(who|whom|what|what organization|what places?|what person)")


@dataclass(frozen=True, slots=True)
class ClauseAnswer:
    """An answer in a clause with the question word for it."""

    sentence: TaggedSentence
    clause: Clause
    answer: Phrase
    wh: Interrogative
    words: str
    """The question word with what goes with it."""
    is_word: Callable[[str], bool]

    def text(self, first: int, last: int) -> str:
        """Return some words as written."""
        return words_between(self.sentence, first, last)

    @property
    def answer_is_plural(self) -> bool:
        """Whether the answer's last noun is plural."""
        nouns = [word for word in self.sentence.words[self.answer.first : self.answer.last] if word.part[:2] == "NN"]
        return bool(nouns) and nouns[-1].part in {"NNS", "NNPS"}

    @property
    def adverb(self) -> str:
        """The adverbs between the subject and its verb."""
        first = verb = self.clause.verb[0]
        while first > self.clause.subject[1] and self.sentence.words[first - 1].part in {"RB", "RBR"}:
            first -= 1
        return self.text(first, verb)

    @property
    def runs_on(self) -> bool:
        """Whether a second verb joins behind "and", which a question about the first would leave hanging."""
        behind = self.sentence.words[self.clause.verb[1] : self.clause.end]
        return any(word.part == "CC" and verb.part in FINITE for word, verb in pairwise(behind))

    @property
    def lacks_report(self) -> bool:
        """Whether a verb that reports is followed by a preposition, so that what it reports is elsewhere."""
        (first, last), words = self.clause.verb, self.sentence.words
        reports = last - first == 1 and words[first].text.lower() in REPORTING
        return reports and last < self.clause.end and words[last].part in PREPOSITIONS

    @property
    def object_word(self) -> str:
        """The question word where no preposition stands before it."""
        return "who" if self.words == "whom" else self.words

    @property
    def bare(self) -> bool:
        """Whether the question word stands alone, so that what describes the answer goes with it."""
        return BARE.fullmatch(self.words) is not None

    def after_answer(self) -> int | None:
        """Return where the clause goes on behind the answer and what describes it; None where it cannot."""
        place, end = self.answer.last, self.clause.end
        words = self.sentence.words
        while place < end and words[place].text in QUOTES:
            place += 1
        if place < end and words[place].text == "(":
            place = 1 + next((i for i in range(place, end) if words[i].text == ")"), end - 1)
        while place < end and words[place].text.lower() in {"of", "by"}:
            place = self._past_noun_phrase(place + 1)
        if place >= end:
            return end
        following = words[place]
        if following.part in {"CC", "POS", ","} or following.chunk[:1] == "I":
            return None
        intended = following.part == "TO" and words[self.answer.last - 1].text.lower() in _WITH_INFINITIVE
        described = intended or following.part in {"VBN", "VBG"} or following.text.lower() in {"such", "like", "than"}
        return end if described or (following.part == "JJ" and following.phrase == "ADJP") else place

    def _past_noun_phrase(self, place: int) -> int:
        words, first = self.sentence.words, place
        while (
            place < self.clause.end and words[place].phrase == "NP" and (place == first or words[place].chunk == "I-NP")
        ):
            place += 1
        return place


def verb_of(asking: ClauseAnswer, words: str) -> str:
    """Return the verb as "who" or "what" has it, in the singular."""
    first, last = asking.clause.verb
    head = asking.sentence.words[first]
    plain = head.text.lower()
    plural = words.startswith("how many") or (asking.answer_is_plural and not asking.bare)
    if plural or head.part == "MD":
        return asking.text(first, last)
    if plain in _SINGULAR:
        changed = _SINGULAR[plain]
    elif head.part == "VBP" and (not plain.endswith("s") or plain.endswith(("ss", "us"))):
        changed = third_person(plain)
    else:
        return asking.text(first, last)
    return f"{changed}{asking.sentence.text[head.end : asking.sentence.words[last - 1].end]}"


def inverted(asking: ClauseAnswer, words: str, rest: str) -> str | None:
    """Put the question word, the auxiliary and the subject before the rest."""
    auxiliary, verb = _split_verb(asking)
    again = words == "when" and any(
        asking.sentence.words[place].named == "time"
        for place in range(asking.clause.verb[1], asking.clause.end)
        if not asking.answer.first <= place < asking.answer.last
    )
    perfect = words == "when" and auxiliary in {"has", "have"}
    if auxiliary is None or again or perfect:
        return None
    return joined(words, auxiliary, lowered(asking.sentence, *asking.clause.subject), asking.adverb, verb, rest)


def _split_verb(asking: ClauseAnswer) -> tuple[str | None, str]:
    """Split the verb into what goes before the subject and what stays: "has fetched", "did … sell"."""
    first, last = asking.clause.verb
    words = asking.sentence.words
    head = words[first]
    plain = head.text.lower()
    if plain.startswith(("'", "\u2019")):
        return None, ""
    following = words[first + 1] if first + 1 < last else None
    has_more = following is not None and following.part != "TO"
    if head.part == "MD" or plain in BE or (plain in _HAVE | _DO and has_more):
        if following and following.text.lower() in _NEGATIONS:
            return f"{plain}{following.text}", asking.text(first + 2, last)
        return plain, asking.text(first + 1, last)
    base = base_form(head.text, head.part, asking.is_word)
    if base is None:
        return None, ""
    support = {"VBZ": "does", "VBP": "do", "VBD": "did"}[head.part]
    return support, joined(base, asking.text(first + 1, last))


def opens_time(word: Word) -> bool:
    """Whether a word opens a time that needs no preposition: "Thursday", "last week"."""
    return (word.named == "time" and word.part in {"NNP", "CD"}) or word.text.lower() in _TIMES
