"""Answers that decline to answer, by their wording."""

import re

_REFUSAL = re.compile(
    r"(?:couldn['\u2019]?t|could not|cannot|can['\u2019]?t|unable to|did not|didn['\u2019]?t) "
    r"(?:find|determine|provide|answer|give)|as an ai|no information|"
    r"(?:\b(?:am|is|are|was|were)|['\u2019][ms]) not (?:sure|clear|known)|"
    r"i don['\u2019]?t (?:know|have)|do not have",
    re.IGNORECASE,
)
# "As an AI language model, I do not have personal opinions. However, …": an answer follows.
_PREFACE = re.compile(r"as an ai\b[^.\n]*(?:\bbut\b|\.\s*however\b)", re.IGNORECASE)
_NO_ANSWER = re.compile(
    r"(?:it(?: is|['\u2019]s) )?(?:un(?:known|clear|answerable|specified|determined)"
    r"|not (?:sure|known|clear|stated|given|specified|mentioned|provided|available|applicable))"
    r"|no (?:answer|idea|clue|response|comment)|(?:i )?(?:do not|don['\u2019]?t) know|idk|dunno|n/?a",
    re.IGNORECASE,
)


_TURN = re.compile(r"\b(?:but|however|although|though|nevertheless|instead)\b", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether a text has the wording of a refusal somewhere, other than in a preface that an answer follows."""
    return bool(_REFUSAL.search(_PREFACE.sub("", text)))


def declines(text: str) -> bool:
    """Whether a text refuses and goes on to say nothing else: no "but" or "however" follows the refusal."""
    found = _REFUSAL.search(_PREFACE.sub("", text))
    return found is not None and not _TURN.search(_PREFACE.sub("", text), found.end())


def is_no_answer(text: str) -> bool:
    """Whether a short text as a whole says that there is no answer: "unknown", "not stated", "n/a"."""
    return bool(_NO_ANSWER.fullmatch(text.strip(" \t\n.,;:!?*_\"'()[]\u2026")))


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
_LONGEST_REFERENCE = 25
"""Words of a reference that says nothing but that there is no answer."""


def says_not_told(text: str) -> bool:
    """Whether a reference says that what was asked is not told anywhere: "The documents do not say."."""
    return is_no_answer(text) or (len(text.split()) <= _LONGEST_REFERENCE and bool(_SAYS_NOTHING.search(text)))
