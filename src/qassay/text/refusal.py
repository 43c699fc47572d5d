"""Answers that decline to answer, by their wording."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from qassay.text.traits import word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_REFUSAL = re.compile(
    r"(?:couldn['\u2019]?t|could not|cannot|can['\u2019]?t|unable to|did not|didn['\u2019]?t) "
    r"(?:find|determine|provide|answer|give)|as an ai|no information|"
    r"(?:\b(?:am|is|are|was|were)|['\u2019][ms]) not (?:sure|clear|known)|"
    r"i don['\u2019]?t (?:know|have)|do not have",
    re.IGNORECASE,
)
# "As an AI language model, I do not have personal opinions. However, …": an answer follows.
_PREFACE = re.compile(r"as an ai\b[^.\n]*(?:\bbut\b|\.\s*however\b)", re.IGNORECASE)
_DECLINING = (
    "couldn",
    "could not",
    "cannot ",
    "can't ",
    "cant ",
    "unable to",
    "did not ",
    "didn",
    "as an ai",
    "no information",
    " not ",
    "i don",
    "do not have",
)
"""One of these stands in each wording of a refusal."""
_NO_ANSWER = re.compile(
    r"(?:it(?: is|['\u2019]s) )?(?:un(?:known|clear|answerable|specified|determined)"
    r"|not (?:sure|known|clear|stated|given|specified|mentioned|provided|available|applicable))"
    r"|no (?:answer|idea|clue|response|comment)|(?:i )?(?:do not|don['\u2019]?t) know|idk|dunno|n/?a"
    r"|(?:it )?(?:cannot|can['\u2019]?t|could not|couldn['\u2019]?t) be (?:determined|answered|known|told|found)"
    r"|(?:i )?(?:cannot|can['\u2019]?t|could not|couldn['\u2019]?t) (?:say|tell|answer)"
    r"|(?:not enough|insufficient|no) (?:information|info|data|context)"
    r"|(?:none|nothing) (?:given|stated|specified|mentioned|provided)|not (?:found|determined|disclosed|reported)"
    r"|(?:nobody|no one|who) knows|beats me",
    re.IGNORECASE,
)


_LONGEST_NO_ANSWER = 40
"""Characters; no wording of the above has more."""
_TURN = re.compile(r"\b(?:but|however|although|though|nevertheless|instead)\b", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether a text has the wording of a refusal somewhere, other than in a preface that an answer follows."""
    if text.isascii():
        lowered = text.lower()
        if not any([wording in lowered for wording in _DECLINING]):  # noqa: C419 - faster than one by one
            return False
    return bool(_REFUSAL.search(_PREFACE.sub("", text)))


def find_refusals(texts: Sequence[str]) -> list[bool]:
    """Return which texts have the wording of a refusal; what each wording needs is looked for in all at once."""
    plain = [text if text.isascii() else "" for text in texts]
    found = [not text.isascii() and is_refusal(text) for text in texts]
    lowered = "\0".join(plain).lower()
    ends = list(accumulate(map(len, plain), lambda end, size: end + 1 + size))
    for wording in _DECLINING:
        place = lowered.find(wording)
        while place >= 0:
            row = bisect_left(ends, place)
            found[row] = found[row] or is_refusal(texts[row])
            place = lowered.find(wording, ends[row])
    return found


def declines(text: str) -> bool:
    """Whether a text refuses and goes on to say nothing else: no "but" or "however" follows the refusal."""
    found = _REFUSAL.search(_PREFACE.sub("", text))
    return found is not None and not _TURN.search(_PREFACE.sub("", text), found.end())


def is_no_answer(text: str) -> bool:
    """Whether a short text as a whole says that there is no answer: "unknown", "not stated", "n/a"."""
    stripped = text.strip(" \t\n.,;:!?*_\"'()[]\u2026")
    return len(stripped) <= _LONGEST_NO_ANSWER and bool(_NO_ANSWER.fullmatch(stripped))


_WORD = re.compile(r"\w+")


def repeats(text: str, question: str) -> bool:
    """Whether a text is the question again, but for capitals and marks."""
    begins = text[:1], question[:1]
    if begins[0].isalnum() and begins[1].isalnum() and begins[0].lower()[0] != begins[1].lower()[0]:
        return False
    if abs(len(text) - len(question)) > max(len(text), len(question)) // 2:
        return False
    lowered, asked = text.lower(), question.lower()
    first, other = _WORD.search(lowered), _WORD.search(asked)
    return bool(first and other and first[0] == other[0]) and _WORD.findall(lowered) == _WORD.findall(asked)


_HEDGE_BEHIND = re.compile(
    r"[\s,;.(\u2013\u2014-]{1,3}(?:(?:but|though|although|however|and),?\s)?(?:i\sam|i['\u2019]m)\s(?:\w+\s){0,2}?"
    r"(?:not|un)\s?(?:\w+\s){0,2}?(?:sure|certain)(?:\sabout\s(?:it|that|this))?(?:,?\sthough)?\W*$",
    re.IGNORECASE,
)


def without_hedge(text: str) -> str:
    """Return a text without a doubt that follows what it says: "It was Monet, but I'm not sure."; all of it if none."""
    lowered = text.lower()
    if text.isascii() and "sure" not in lowered and "certain" not in lowered:
        return text
    found = _HEDGE_BEHIND.search(text)
    return text if found is None or is_refusal(before := text[: found.start()]) or not before.strip() else before


_SOURCES = (
    r"(?:documents?|texts?|passages?|articles?|contexts?|sources?|polic(?:y|ies)|contract|file|story|page|report|manual|"
    r"materials?|paragraph|excerpt|minutes|handbook|notes?|email|transcript|author|nothing)"
)
_TOLD = (
    r"(?:stated?|mention(?:ed)?|specif(?:y|ied)|g[ia]ven?|provided?|disclosed?|known|available|answer(?:ed|able)?|"
    r"cover(?:ed)?|address(?:ed)?|includ(?:e|ed)|indicated?|record(?:ed)?|documented|told|tell|sa(?:y|id)|contain(?:ed)?|"
    r"reveal(?:ed)?|name[ds]?|define[ds]?|described?|explain(?:ed)?|discussed?)"
)
_SAYS_NOTHING = re.compile(
    rf"\b{_SOURCES}\b[^.]{{0,40}}?\b(?:(?:does|do|did|has|have)(?: not|n['\u2019]t)|never|nothing)\s"
    rf"(?:\w+\s){{0,2}}?{_TOLD}\b"
    rf"|\b(?:is|are|was|were|been)(?: not|n['\u2019]t)\s(?:\w+\s)?{_TOLD}\b|^not\s(?:\w+\s)?{_TOLD}\b"
    r"|\b(?:gives?|provides?|contains?|has|have|is|are|there['\u2019]s) (?:no|not enough|insufficient) "
    r"(?:\w+ )?(?:information|answer|mention|details?|indication|data|hint)"
    r"|^no (?:\w+ )?(?:information|answer|mention|details?)\b"
    r"|\bcannot be (?:determined|answered|inferred|known|told|found)"
    r"|\binsufficient information\b|\bnot enough information\b|\bunanswerable\b|\bis silent (?:on|about)\b|^unknown\b",
    re.IGNORECASE,
)
NOT_TOLD = word_trait(
    {
        *("unknown", "unclear", "unanswerable", "unspecified", "undetermined", "insufficient", "silent"),
        *("no", "not", "t", "dont", "cannot", "cant", "couldnt", "never", "none", "nothing", "nobody"),
        *("idk", "dunno", "n", "na", "who", "beats"),
    }
)
"""The trait of texts that may say that something is not told, or that there is no answer."""
_NOTHING_TOLD = ("no", "n't", "never", "insufficient", "unanswerable", "silent")
"""One of these stands in each wording of the above."""
_LONGEST_REFERENCE = 25
"""Words of a reference that says nothing but that there is no answer."""


def says_not_told(text: str) -> bool:
    """Whether a reference says that what was asked is not told anywhere: "The documents do not say."."""
    if is_no_answer(text):
        return True
    lowered = text.lower()
    if text.isascii() and not any(word in lowered for word in _NOTHING_TOLD):
        return False
    return len(text.split()) <= _LONGEST_REFERENCE and bool(_SAYS_NOTHING.search(text))
