"""Answers that have the reference's words and say something else: that deny it, turn it round, or say the opposite."""

from __future__ import annotations

import re

_DENIED = re.compile(
    r"(?:(?:^(?:no,\s)?(?:(?:it|that|he|she|they)\s(?:is|was|are|were))?|,|\s[-\u2013\u2014]|;|\(|\band\b|\bbut\b)"
    r"(?:\s*not|n['\u2019]t)|\b(?:rather\sthan|instead\sof))\s+(?P<what>(?:(?!\b(?:but|and)\b)[^.,;:!?()\n]){1,80})",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"\b(?:(?:do not|don['\u2019]t|cannot|can['\u2019]t|could not|couldn['\u2019]t)\s(?:know|say|tell)|not sure)"
    r"\s(?:if|whether|that)\s(?P<what>[^.,;:!?()\n]{1,80})",
    re.IGNORECASE,
)
DENYING = re.compile(r"\b(?:not|rather than|instead of|opposed)\b|n['\u2019]t\b", re.IGNORECASE)
# A question for what was given up or left out is answered by what is denied.
_FOR_THE_DENIED = re.compile(
    r"\b(?:no|not|never|without|instead|rather|replac\w*|substitut\w*|avoid\w*|reject\w*|forb[ai]d\w*|prohibit\w*|ban|bann\w*|former\w*|previous\w*|stop\w*|quit"
    r"|exclu\w*|except\w*|lack\w*|miss\w*|omit\w*|left out|leave out|refus\w*|declin\w*|fail\w*|abstain\w*|unable"
    r"|incapable|lost|lose|oppos\w*|allerg\w*)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_SHORT = 20
"""Words of an answer that denies the reference; a longer one may deny much on the way."""
_WORD = re.compile(r"\w+")
_EMPTY_WORDS = frozenset({"a", "an", "the", "in", "on", "at", "of", "by", "to", "it", "is", "was"})
_MORE = 2
"""Words that may follow the denied reference: the Pacific Ocean for the Pacific."""
_NOT_ALL = frozenset({"alone", "only", "just"})
_WORDS = re.compile(r"[\w%$]+(?:['\u2019]\w+)?")
_ARTICLES = frozenset({"a", "an", "the"})
_OPPOSITES = """
before after|north south|east west|northern southern|eastern western|northeast southwest|northwest southeast|left right
more less|more fewer|most least|over under|above below|up down|higher lower|highest lowest|larger smaller
largest smallest|bigger smaller|biggest smallest|longer shorter|longest shortest|older younger|oldest youngest
faster slower|maximum minimum|upper lower|increase decrease|increased decreased|increases decreases
increasing decreasing|rise fall|rose fell|rises falls|risen fallen|rising falling|gained lost|won lost
win lose|wins loses|always never|with without|inside outside|positive negative|true false|legal illegal
allowed forbidden|allowed prohibited|accepted rejected|approved rejected|possible impossible|hot cold
former latter|bought sold|imports exports|import export|open closed|male female|men women|boys girls|boy girl
man woman|brother sister|mother father|son daughter|king queen|husband wife|clockwise counterclockwise
clockwise anticlockwise|bc ad|bce ce|profit loss|gain loss|surplus deficit
earlier later|everyone nobody|everybody nobody|everything nothing|all none
"""
_OPPOSITE = frozenset(frozenset(pair.split()) for pair in _OPPOSITES.replace("\n", "|").split("|"))
_VERBS = """
beat beats sued sues killed kills invaded attacked defeated defeats bought acquired owns founded hired fired followed
follows preceded precedes replaced replaces succeeded succeeds eats ate
"""
_ONE_WAY = frozenset({*_VERBS.split(), "than"})
"""What does not hold when its two sides change places."""
_TOGETHER = frozenset({"with", "alongside", "and", "or", "as"})
_LONGEST_TURNED = 20
_KIN = (
    "father|mother|parents?|wife|husband|son|daughter|brother|sister|uncle|aunt|cousin|nephew|niece|widow|"
    "grand(?:father|mother|son|daughter)|children|child|friend|assistant|successor|predecessor|deputy"
)
_RELATED = re.compile(
    rf"(?:(?P<of>{_KIN})\sof\s(?P<whose>.+)|(?P<owner>.+)['\u2019]s?\s(?P<kin>{_KIN}))[.!]?", re.IGNORECASE
)
_ASKS_FOR_KIN = re.compile(rf"\b(?:(?:{_KIN})s?|wives|relat\w+|marr\w+|spouse|descend\w*|born)\b", re.IGNORECASE)


def without_denied(question: str, reference: str, candidate: str) -> str:
    """Leave out what an answer denies, if that is the reference; nothing is left of one that says nothing else."""
    wanted = _content(reference)
    asks_for_it = _FOR_THE_DENIED.search(question) or DENYING.search(reference)
    if not wanted or asks_for_it or len(candidate.split()) > _SHORT:
        return candidate
    for match in (*_DENIED.finditer(candidate), *_UNKNOWN.finditer(candidate)):
        denied = _content(match["what"])
        rest = f"{candidate[: match.start()]}{candidate[match.end() :]}".strip(" ,;()")
        said = set(_content(rest))
        # "Not until 1920" denies nothing, and "not X alone" not X.
        begins = denied[: len(wanted)] == wanted and len(denied) <= len(wanted) + _MORE
        if begins and not _NOT_ALL & set(denied) and not said & set(wanted):
            return rest if said else ""
    return candidate


def _content(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORD.findall(text)) if word not in _EMPTY_WORDS]


def says_the_contrary(question: str, reference: str, candidate: str) -> bool:
    """Whether an answer is the reference with an opposite in it, turned round, or somebody of its kin."""
    asked, said = _spoken(reference), _spoken(candidate)
    return _opposite(asked, said) or _turned(asked, said) or _kin(question, asked, candidate)


def _spoken(text: str) -> list[str]:
    return [word for word in map(str.lower, _WORDS.findall(text)) if word not in _ARTICLES]


def _opposite(asked: list[str], said: list[str]) -> bool:
    """Before 1990 and after 1990: nothing differs but words that are opposites."""
    if len(asked) != len(said):
        return False
    differing = [{one, other} for one, other in zip(asked, said, strict=True) if one != other]
    # Two opposites may cancel: prices fall when rates rise.
    return len(differing) == 1 and differing[0] in _OPPOSITE


def _turned(asked: list[str], said: list[str]) -> bool:
    """Tell "Brazil beat Germany" from "Germany beat Brazil": the sides of what holds one way have changed places."""
    if len(asked) != len(said) or len(asked) > _LONGEST_TURNED or asked == said or sorted(asked) != sorted(said):
        return False
    while asked[0] == said[0]:
        asked, said = asked[1:], said[1:]
    while asked[-1] == said[-1]:
        asked, said = asked[:-1], said[:-1]
    size = len(asked)
    return any(
        asked[:left] == said[size - left :]
        and asked[size - right :] == said[:right]
        and asked[left : size - right] == said[right : size - left]
        and not _ONE_WAY.isdisjoint(asked[left : size - right])
        and _TOGETHER.isdisjoint(asked[left : size - right])
        for left in range(1, size - 1)
        for right in range(1, size - left)
    )


def _kin(question: str, asked: list[str], candidate: str) -> bool:
    """Tell the wife of Henry VIII from Henry VIII, where the question is not for anybody's kin."""
    match = _RELATED.fullmatch(candidate.strip().removeprefix("the ").removeprefix("The "))
    if match is None or _ASKS_FOR_KIN.search(question) or (match["whose"] or match["owner"]).islower():
        return False
    return _spoken(match["whose"] or match["owner"]) == asked
