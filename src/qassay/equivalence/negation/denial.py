"""Candidates that name the reference to deny it: Sydney, not Canberra."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.quick_checks import may_have_word
from qassay.equivalence.rule import AnswerPair, Needs, Rule
from qassay.equivalence.tables import read_words
from qassay.text.traits import word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL_BUT = r"(?:(?:any|every)(?:thing|one|body|where)|any\s\w+(?=(?:\s\w+){2,6}\W*$))\s(?:but|except|other\sthan)"
_DENYING = re.compile(
    rf"\b(?:not|never|cannot|rather than|instead of|opposed|by no means|in no way|no longer|{_ALL_BUT})\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_DENYING_WORDS = frozenset(
    {"not", "never", "cannot", "t", "rather", "instead", "opposed", "means", "way", "longer", "any"}
    | {kind + of for kind in ("any", "every") for of in ("thing", "one", "body", "where")}
)
"""One of these stands in every text that denies something."""
DENYING = word_trait(_DENYING_WORDS)
_DENIED = re.compile(
    r"(?:(?:^(?:no,\s)?(?:(?:it|that|he|she|they)\s(?:is|was|are|were))?|,|\s[-\u2013\u2014]|;|\(|\band\b|\bbut\b)"
    r"(?:\s*not|n['\u2019]t)|\b(?:rather\sthan|instead\sof))\s+(?P<what>(?:(?!\b(?:but|and)\b)[^.,;:!?()\n]){1,80})\)?",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    rf"\b(?:not|never|cannot|by no means|in no way|no longer|{_ALL_BUT})\b|n['\u2019]t\b", re.IGNORECASE
)
_CLAUSE = re.compile(r"[^.,;:!?()\n]+[.!]?")
# A question for what was given up or left out is answered by what is denied.
_ASKS_FOR_DENIED = re.compile(
    r"\b(?:no|not|cannot|never|without|instead|rather|replac\w*|substitut\w*|avoid\w*|reject\w*|forb[ai]d\w*|prohibit\w*|ban|bann\w*"
    r"|former\w*|previous\w*|stop\w*|quit|exclu\w*|except\w*|lack\w*|miss\w*|omit\w*|left out|leave out|refus\w*"
    r"|declin\w*|fail\w*|abstain\w*|unable|incapable|lost|lose|oppos\w*|allerg\w*)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_MOST_WORDS = 20
"""Words of a candidate that denies the reference; a longer one may deny much on the way."""
_MORE = 2
"""Words that may follow the denied reference: the Pacific Ocean for the Pacific."""
_STEM = 3
"""Letters by which a verb is known in another form."""
_PRONOUNS = frozenset({"it", "that", "this", "him", "her", "them", "so"})
_MARK = re.compile(r"[+#]")
_WORD = re.compile(r"\w+")
_EMPTY_WORDS = frozenset({"a", "an", "the", "in", "on", "at", "of", "by", "to", "it", "is", "was"})
_NOT_ALL = frozenset({"alone", "only", "just"})
_BETWEEN = 4
"""Words that may stand between a negation and what it denies: not written by X."""
_OTHER_SENSE = _NOT_ALL | read_words("not_denying")
"""Words behind "not" that leave room for what follows: not until 1920, not far from Paris."""
_VERBS = frozenset(
    {"is", "are", "was", "were", "am", "did", "does", "do", "has", "have", "had", "can", "could", "will", "would"}
    | {"should", "must", "ca", "wo"}
)


def _content(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORD.findall(text)) if word not in _EMPTY_WORDS]


@lru_cache(maxsize=1 << 12)
def denies(text: str) -> bool:
    """Whether a text denies something."""
    return may_have_word(text, _DENYING_WORDS) and _DENYING.search(text) is not None


def _may_deny(pair: AnswerPair) -> bool:
    if not denies(pair.candidate) or _ASKS_FOR_DENIED.search(pair.question) or denies(pair.reference):
        return False
    return len(pair.candidate.split()) <= _MOST_WORDS and bool(_content(pair.reference))


def _denies_reference(pair: AnswerPair) -> bool:
    """Whether a candidate denies the reference, beside something else or alone."""
    wanted = _content(pair.reference)
    for match in _DENIED.finditer(pair.candidate):
        denied = _content(match["what"])
        rest = set(_content(pair.candidate[: match.start()] + pair.candidate[match.end() :]))
        # "Not until 1920" denies nothing, "not X alone" not X, and "not C++" not C.
        begins = denied[: len(wanted)] == wanted and len(denied) <= len(wanted) + _MORE
        marked = set(_MARK.findall(match["what"])) - set(_MARK.findall(pair.reference))
        if begins and not marked and not _NOT_ALL & set(denied) and not rest & set(wanted):
            return True
    return _denies_all(pair, wanted)


def _denies_all(pair: AnswerPair, wanted: Sequence[str]) -> bool:
    """Whether a candidate of one clause does nothing but deny the reference, before the verb or behind it."""
    candidate = pair.candidate
    negations = list(_NEGATION.finditer(candidate))
    if len(negations) != 1 or not _CLAUSE.fullmatch(candidate.strip()):
        return False
    before, behind = _content(candidate[: negations[0].start()]), _content(candidate[negations[0].end() :])
    if before == ["do"] or _OTHER_SENSE & {*before[1:], *behind} - set(wanted):
        return False
    if [word for word in before if word not in _VERBS] == wanted:
        return _is_asked(candidate[negations[0].end() :], pair.question)
    return set(wanted).isdisjoint(before) and any(
        behind[skipped : skipped + len(wanted)] == wanted and len(behind) <= skipped + len(wanted) + _MORE
        for skipped in range(_BETWEEN)
    )


def _is_asked(denied: str, question: str) -> bool:
    """Whether what is denied of the reference may be what the question asks: "B isn't safe" says which is unsafe."""
    asked = {word[:_STEM] for word in _content(question) if len(word) >= _STEM}
    return any(word in _PRONOUNS or word[:_STEM] in asked for word in _WORD.findall(denied.lower()))


DENIAL = Rule(
    name="denial",
    definition="Nothing is left of a short answer that denies the reference.",
    applies=_may_deny,
    needs=Needs(candidate=(DENYING,)),
    veto=_denies_reference,
    tables=("not_denying",),
    revision=4,
    reads_denials=True,
)
