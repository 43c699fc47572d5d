"""Which question word an answer calls for: who, when, how many people, what movie."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.models.syntax import AMOUNT, COUNT, DESCRIBED, DURATION, KINDS, PERSON, PLACE, THING, TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.questions.sentences.phrase_selection import Phrase
    from qassay.models.syntax import TaggedSentence, Word

PREPOSITIONS = frozenset({"IN", "TO"})
"""Parts of speech of prepositions."""
_WITH_WHEN = frozenset({"in", "on", "at", "during"})
_BEFORE_WHEN = frozenset({"since", "until", "till", "from", "by", "to"})
_WITH_WHERE = frozenset({"in", "at", "on", "inside", "within"})
_BEFORE_WHERE = frozenset({"from", "to", "near"})
_DETERMINERS = frozenset({"DT", "PRP$", "PDT"})
_COMMON = frozenset({"NN", "NNS"})
_RELATIVE = frozenset({"WP", "WDT", "WP$"})
_AFTER_HEAD = frozenset({"IN", ",", ":", "WDT", "WP", "TO"})
_UNITS_OF_TIME = frozenset(
    f"{unit}{ending}"
    for unit in ("second", "minute", "hour", "day", "night", "week", "month", "year", "decade")
    for ending in ("", "s")
) | {"century", "centuries"}
_TIMES = _UNITS_OF_TIME | {"morning", "noon", "afternoon", "evening", "midnight", "today", "tonight", "weekend"}
_TIMES |= {"spring", "summer", "autumn", "fall", "winter", "season", "seasons", "date", "time", "times", "period"}
_TIMES |= {"era", "age", "moment", "quarter", "anniversary", "birthday", "yesterday", "tomorrow", "dates", "periods"}
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_DIGITS_OF_A_YEAR = 4
_DECADE = re.compile(r"(mid-)?('|\u2019|1\d|20)\d0s", re.IGNORECASE)
_SURELY = 1.0
"""By how much the logarithm of a kind's probability, added up over an answer's words, must lead another's."""


@dataclass(frozen=True, slots=True)
class Interrogative:
    """A question word with what goes with it, and whether it stands for the preposition before the answer too."""

    words: str
    takes_preposition: bool = False
    kind: str = THING
    behind_preposition: str = ""
    """What asks for the same where the preposition stays: "in what place" for "where"."""


def ask_for(sentence: TaggedSentence, answer: Phrase) -> Interrogative:
    """Return the question word for an answer, from its tags and the word before it."""
    words = sentence.words[answer.first : answer.last]
    before = sentence.words[answer.first - 1].text.lower() if answer.first else ""
    head = _head(words)
    kind = answer_kind(sentence, answer)
    if figure := _figure(words, head, kind):
        return figure
    match kind:
        case "time":
            return _time(words, before)
        case "person":
            return Interrogative(_who(sentence, answer, head, before), kind=PERSON)
        case "place":
            return _place(words, head, before)
        case _:
            named = head.named == "organisation" and head.part in {"NNP", "NNPS"}
            return Interrogative("what organization" if named else _what(words, head))


def ask_within(sentence: TaggedSentence, answer: Phrase) -> str:
    """Return the question word for an answer where the rest of its sentence stays as it is."""
    wh = ask_for(sentence, answer)
    words = sentence.words[answer.first : answer.last]
    before = sentence.words[answer.first - 1] if answer.first else None
    if wh.behind_preposition or wh.kind != TIME or before is None:
        return wh.behind_preposition or wh.words
    if len(words) == 1 and words[0].part == "CD" and len(words[0].text) < _DIGITS_OF_A_YEAR:
        apart = answer.last < len(sentence.words) and sentence.words[answer.last].part == ","
        return "how old" if apart and before.text != "of" else "what number"
    if wh.words != "when" or before.text.lower() in _BEFORE_WHEN:
        return wh.words
    if before.part[:2] == "VB":
        return _time_as_object(words) or wh.words
    return _what_time(words) if _is_preposition(sentence, answer.first - 1) else wh.words


def _time_as_object(words: Sequence[Word]) -> str:
    """Ask for "hours" in "spent hours" and "his season" in "started his season"; nothing for "came yesterday"."""
    last = words[-1].text
    if last.lower() in _UNITS_OF_TIME:
        return "how much time"
    return f"what {last}" if words[0].part == "PRP$" else ""


def _who(sentence: TaggedSentence, answer: Phrase, head: Word, before: str) -> str:
    """Ask for a person, for a role behind "as", and for "what man" where "who" follows anyway."""
    if before == "as":
        return "what"
    if answer.last < len(sentence.words) and sentence.words[answer.last].part in _RELATIVE:
        return f"what {head.text}" if head.part in _COMMON and head.text[:1].islower() else "what person"
    return "whom" if _is_preposition(sentence, answer.first - 1) else "who"


def _figure(words: Sequence[Word], head: Word, kind: str) -> Interrogative | None:
    if head.named == "money" and kind != PERSON:
        return Interrogative("how much", kind=AMOUNT)
    if head.named == "percent":
        return Interrogative("what percentage", kind=AMOUNT)
    if (counted := _counted(words)) is not None:
        return Interrogative(f"how many {counted}".strip(), kind=COUNT)
    if kind == DURATION and head.text.lower() in _UNITS_OF_TIME:
        return Interrogative("how long", kind=DURATION)
    return None


def answer_kind(sentence: TaggedSentence, answer: Phrase) -> str:
    """Return what kind of thing an answer is; a name or noun that the chunker recognises decides over the whole."""
    words = sentence.words[answer.first : answer.last]
    head = _head(words)
    if head.named in {"person", "people"}:
        return PERSON
    if head.named == "place":
        return PLACE
    totals = {kind: sum(word.kinds.get(kind, 0.0) for word in words) for kind in KINDS}
    decade = _DECADE.fullmatch(head.text)
    likely = TIME if decade or head.named == "time" else max(totals, key=lambda kind: totals[kind])
    if likely == TIME and head.part in _COMMON and not decade and head.text.lower() not in _TIMES:
        # In "the 1939 movie" the year alone is a time.
        return THING
    if likely == PERSON and head.named == "organisation" and totals[PERSON] > totals[THING] + _SURELY:
        # One asks who won, whoever it is; and the name may be a person's after all.
        return PERSON
    if likely in {PERSON, PLACE} and head.named in {"organisation", "name", *DESCRIBED[1:]}:
        return THING
    return likely


def _head(words: Sequence[Word]) -> Word:
    """Find the word that says what a noun phrase is about: its last noun, before any "of" or comma."""
    end = next((i for i, word in enumerate(words) if i and word.part in _AFTER_HEAD), len(words))
    nouns = [word for word in words[:end] if word.part in {"NN", "NNS", "NNP", "NNPS"}]
    return nouns[-1] if nouns else words[end - 1]


def _counted(words: Sequence[Word]) -> str | None:
    """Return what a figure counts ("150 other items" -> "other items"); `None` where the phrase is no count."""
    end = next((i for i, word in enumerate(words) if word.text.lower() == "of"), len(words))
    first = next((i for i, word in enumerate(words[:end]) if word.part == "CD"), None)
    if first is None or any(word.part in {"NNP", "$", "POS", "DT", "PRP$"} for word in words[:end]):
        return None
    if all(word.part in {"CD", "JJR", "IN", "RB", "JJ"} for word in words):
        # A bare figure counts what the sentence says elsewhere, unless it is a year.
        return None if words[first].named == "time" else ""
    last = max(i for i, word in enumerate(words[:end]) if word.part == "CD")
    while last + 1 < end and words[last + 1].part in {"CC", "JJR", "RBR"}:
        last += 1
    plural = any(word.part == "NNS" for word in words[last + 1 : end])
    counted = " ".join(word.text for word in words[last + 1 :])
    return counted if plural and words[first].named != "percent" else None


def _time(words: Sequence[Word], before: str) -> Interrogative:
    if before in _WITH_WHEN:
        return Interrogative("when", takes_preposition=True, kind=TIME, behind_preposition=_what_time(words))
    if before in _BEFORE_WHEN or before not in {"after", "before", "for", "of", "than"}:
        return Interrogative("when", kind=TIME)
    unit = words[-1].text.lower()
    if before == "for" and unit in _UNITS_OF_TIME and words[0].part in {"DT", "CD", "JJ"}:
        return Interrogative("how long", kind=DURATION)
    return Interrogative(f"what {unit}" if unit in _UNITS_OF_TIME else "what time", kind=TIME)


def _what_time(words: Sequence[Word]) -> str:
    last = words[-1].text.lower()
    if last.isdigit() and len(last) == _DIGITS_OF_A_YEAR:
        return "what year" if len(words) == 1 else "what time"
    if last in _UNITS_OF_TIME:
        return f"what {last}"
    return "what month" if last in _MONTHS else "what day" if last.endswith("day") else "what time"


def _place(words: Sequence[Word], head: Word, before: str) -> Interrogative:
    if head.part in _COMMON and (described := _what(words, head)) != "what":
        return Interrogative(described, kind=PLACE)
    if before in _WITH_WHERE:
        return Interrogative("where", takes_preposition=True, kind=PLACE, behind_preposition="what place")
    return Interrogative("where" if before in _BEFORE_WHERE else "what place", kind=PLACE)


def _what(words: Sequence[Word], head: Word) -> str:
    """Ask "what movie" for a noun that is described further, and plain "what" for a bare one or a name."""
    if any(word.part == "CC" for word in words):
        return "what"
    described = [word for word in words[: words.index(head)] if word.part not in _DETERMINERS]
    # A capital in mid-sentence belongs to a title or a name, whatever the chunker takes it for.
    plain = head.part in _COMMON and head.text[:1].islower() and "." not in head.text
    plain = plain and not (described and described[-1].text.endswith(("'", "\u2019")))
    return f"what {head.text}" if described and plain else "what"


def _is_preposition(sentence: TaggedSentence, place: int) -> bool:
    return place >= 0 and sentence.words[place].part in PREPOSITIONS and sentence.words[place].phrase == "PP"
