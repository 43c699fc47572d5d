"""Yes and no in other words: sure, of course, it does; nope, not at all, it isn't."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.rule import AnswerPair, Replacement, Rule
from qassay.equivalence.tables import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPINIONS = {words: 1 if meaning == "yes" else -1 for words, meaning in read_table("opinions")}
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might|shall)"
_SUBJECT = r"(?:it|he|she|they|this|that|there|i|we|you|these|those)"
_STATED = re.compile(
    rf"(?P<subject>{_SUBJECT})(?:'(?P<short>s|re|m)|\s(?P<stressed>sure(?:ly)?\s|certainly\s|definitely\s|indeed\s)?"
    rf"(?:(?P<cannot>cannot)|(?P<verb>{_AUXILIARY}|ca|wo)(?P<contracted>n't)?))(?:\s(?P<not>not))?"
    r"(?:\sindeed|\sat\sall)?\s*(?:[.,;!]|$)",
    re.IGNORECASE,
)
_WORDINGS = "|".join(re.escape(each) for each in sorted(_OPINIONS, key=len, reverse=True))
_OPENING = re.compile(
    rf"(?P<words>{_WORDINGS})"
    rf"(?P<not>,?\snot\b(?!\s(?:only|just)\b)|n't\b)?(?!\w)",
    re.IGNORECASE,
)
_FIRST_WORD = re.compile(r"\W*(\w+)")
_FIRST_WORDS = frozenset(
    {
        *_SUBJECT[3:-1].split("|"),
        *("i", "perhaps", "sorry", "well", "oh", "alas"),
        *(first[1] + behind for words in _OPINIONS if (first := _FIRST_WORD.match(words)) for behind in ("", "n")),
    }
)
"""One of these, or a word in -ly, is the first of each text that opens with yes or no; "yesn't" has an n before it."""
_WITH_ADVERB = re.compile(
    r"(?:\w+ly|i'm afraid|i am afraid|perhaps|sorry|well|oh|alas),?\s(?P<last>yes|no|not|so)\b", re.IGNORECASE
)
"""Unfortunately not, I'm afraid so."""
_SEAM = re.compile(rf"\s*(?:[.,;:!)\u2013\u2014]|$|\s-|\s{_SUBJECT}\b|\s(?:because|since|as|but)\b)", re.IGNORECASE)
_PLAIN = re.compile(r"\W*(?:yes|no|yeah|yep|nope|true|false|correct|incorrect)\b", re.IGNORECASE)
"""What a reference opens with where it is surely yes or no; "right" may be a side, and "positive" a result."""


_REFUTES = re.compile(
    r"\b(?:not|cannot|never|no(?!\s(?:problem|doubt|worries|question))|hardly|deny|incorrect|wrong|false)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What takes back a yes that was mere courtesy: Sure! They don't."""


_TURNS = re.compile(
    r"\b(?:not|cannot|never|no\slonger|impossible|forbidden|prohibited|false|untrue|myth|refuse[ds]?|fail(?:ed|s)?|mind)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
"""A question that denies something: yes may mean no."""
_OPEN_QUESTION = re.compile(r"\W*(?:who|what|which|how|where|when|why)\b", re.IGNORECASE)


class OpeningOpinion(NamedTuple):
    """How a text opens: with yes (1) or no (-1), and where these words end."""

    start: int
    end: int
    value: int


def may_open_with_opinion(text: str) -> bool:
    """Whether a text may open with yes or no, by its first word; quick."""
    if not text.isascii():
        return True
    first = _FIRST_WORD.match(text)
    return first is not None and ((word := first[1].lower()) in _FIRST_WORDS or word.endswith("ly"))


@lru_cache(maxsize=1 << 12)
def opinion(text: str) -> OpeningOpinion | None:
    """Return the yes or no that a text opens with, in whatever words; `None` where there is neither."""
    if not may_open_with_opinion(text):
        return None
    text = text.replace("\u2019", "'")
    start = len(text) - len(text.lstrip(" \"'*\u201c\u2018("))
    if stated := _STATED.match(text, start):
        # "It is", said again after nothing: the whole sentence is the opinion.
        negative = stated["not"] or stated["contracted"] or stated["cannot"]
        return (
            OpeningOpinion(start, stated.end(), -1 if negative else 1) if text[stated.end() :].strip() == "" else None
        )
    opening = _OPENING.match(text, start)
    adverb = _WITH_ADVERB.match(text, start)
    if adverb and _SEAM.match(text, adverb.end()):
        return OpeningOpinion(start, adverb.end(), -1 if adverb["last"].lower().startswith("no") else 1)
    if opening is None or not _SEAM.match(text, opening.end()):
        return None
    value = _OPINIONS[lower_case(opening["words"])]
    return OpeningOpinion(start, opening.end(), -1 if opening["not"] and value > 0 else value)


def _both_open(pair: AnswerPair) -> bool:
    if not _PLAIN.match(pair.reference) or _TURNS.search(pair.question) or _OPEN_QUESTION.match(pair.question):
        return False
    return opinion(pair.reference) is not None and opinion(pair.candidate) is not None


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Put the candidate's opening into the reference's words; where they disagree, into a plain yes or no."""
    wanted, given = opinion(pair.reference), opinion(pair.candidate)
    if wanted is None or given is None:
        return []
    rest = pair.candidate[given.end :].strip(" .!\"')*\u201d")
    if given.value > 0 and not _PLAIN.match(pair.candidate) and _REFUTES.search(rest):
        return []
    if wanted.value == given.value:
        whole = not pair.reference[wanted.end :].strip(" .!") and not rest
        span = (0, len(pair.candidate)) if whole else (given.start, given.end)
        words = pair.reference if whole else pair.reference[wanted.start : wanted.end]
    else:
        span, words = (given.start, given.end), "yes" if given.value > 0 else "no"
    written = pair.candidate[span[0] : span[1]]
    return [Replacement(*span, words)] if written.lower() != words.lower() else []


OPINION = Rule(
    name="opinion",
    definition="An opening that means yes or no takes the reference's word for it, or a plain yes or no against it.",
    applies=_both_open,
    rewrite=_as_in_reference,
    tables=("opinions",),
    revision=2,
    reads_denials=True,
)
