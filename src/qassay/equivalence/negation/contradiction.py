"""Candidates that say one thing of the reference and of something else: The capital is Bonn. The capital is Berlin."""

from __future__ import annotations

import re
from functools import lru_cache

from qassay.equivalence.rule import AnswerPair, Rule

_MOST_CHARACTERS = 400
_MOST_SENTENCES = 6
_MORE = 2
"""Words that the other answer may have more than the reference."""
_SHORT_NAME = 4
"""Letters of an abbreviation, which may be the same name."""
_TITLE = r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)(?<!\b[A-Z])"
_STOP = re.compile(rf"{_TITLE}[.!?;\n]+(?:\s+|$)")
_LEAD = re.compile(
    r"\s*(?:in the end|in conclusion|in summary|to sum up|overall|finally|thus|so|therefore|hence)\b[,:]?\s*",
    re.IGNORECASE,
)
_QUALIFYING = re.compile(
    r"\b(?:not|no|none|never|nor|but|however|yet|although|though|while|whereas|instead|rather|except|unlike|some|others?|many"
    r"|people|might|may|perhaps|maybe|possibly|probably|could|either|or|if|according|sa(?:id|ys?)|claim\w*|believ\w*|th(?:ink|ought)"
    r"|first|second|third|last|later|then|once|former\w*|previous\w*|original\w*|initial\w*|now|today|nowadays|until|before|after"
    r"|since|again|both|also|too|well|same|another|correct\w*|sorry|wait|actual\w*|fact|wrong|false|only|when|where|who|which)\b"
    r"|n['\u2019]t\b|[=*/\u00d7+^]",
    re.IGNORECASE,
)
"""What tells two statements apart, takes one of them back, or calculates."""
_ASKS_FOR_SEVERAL = re.compile(
    r"\b(?:are|were|all|both|list|name|give|examples?|two|three|four|five|some|any|kinds?|types?|ways?|can|could|may|might)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"a", "an", "the"})
_BEING = frozenset({"is", "was"})
_YEAR = re.compile(r"[12]\d{3}")


@lru_cache(maxsize=1 << 10)
def _statements(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each sentence but its articles; none where one is not simply stated."""
    if _QUALIFYING.search(text):
        return ()
    sentences = [_WORD.findall(_LEAD.sub("", sentence, count=1)) for sentence in _STOP.split(text)]
    found = [tuple(_definite(words)) for words in sentences if words]
    return tuple(found) if 1 < len(found) <= _MOST_SENTENCES else ()


def _definite(words: list[str]) -> list[str]:
    """Return the words without articles, but for one that opens the sentence."""
    return [word for place, word in enumerate(words) if not place or word.lower() not in _ARTICLES]


def _may_state_twice(pair: AnswerPair) -> bool:
    if len(pair.candidate) > _MOST_CHARACTERS or not _STOP.search(pair.candidate.rstrip(" .!?;\n")):
        return False
    return not _ASKS_FOR_SEVERAL.search(pair.question)


def _contradicts(pair: AnswerPair) -> bool:
    """Whether one sentence states the reference, and another the same of something else of its kind."""
    wanted = tuple(word for word in map(str.lower, _WORD.findall(pair.reference)) if word not in _ARTICLES)
    statements = _statements(pair.candidate)
    for stated in statements if wanted else ():
        words = tuple(map(str.lower, stated))
        for place in range(len(words) - len(wanted) + 1):
            end = place + len(wanted)
            before, behind = words[:place], words[end:]
            if words[place:end] != wanted or not _is_of_one(before, behind):
                continue
            others = [_between(before, behind, other) for other in statements]
            if any(_excludes(stated[place:end], other, before) for other in others):
                return True
    return False


def _is_of_one(before: tuple[str, ...], behind: tuple[str, ...]) -> bool:
    """Whether a sentence can be true of one answer alone: the … is X, the … ended in X, X won the …."""
    if behind:
        return not before and behind[0] == "won"
    return len(before) > 2 and before[0] == "the"  # noqa: PLR2004 - an article, a noun and a verb


def _between(before: tuple[str, ...], behind: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Return what another sentence has in the place of the reference; nothing where it is built otherwise."""
    words = tuple(map(str.lower, other))
    end = len(words) - len(behind)
    if end <= len(before) or words[: len(before)] != before or words[end:] != behind:
        return ()
    return other[len(before) : end]


def _excludes(one: tuple[str, ...], other: tuple[str, ...], before: tuple[str, ...]) -> bool:
    """Whether two answers in the same place exclude each other: two names, two years, two amounts of one unit."""
    if not other or len(other) > len(one) + _MORE or not {*map(str.lower, one)}.isdisjoint(map(str.lower, other)):
        return _differ_in_figures(one, other)
    if all(_YEAR.fullmatch(word) for word in (*one, *other)):
        return True
    names = all(word[0].isupper() for word in (*one, *other))
    short = any(len(word) <= _SHORT_NAME and word.isupper() for word in (*one, *other))
    return names and not short and not (before and before[-1] not in _BEING)


def _differ_in_figures(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two amounts have the same words and other figures."""
    if len(one) != len(other) or one == other:
        return False
    return all(a == b or (a.isdigit() and b.isdigit()) for a, b in zip(one, other, strict=True))


CONTRADICTION = Rule(
    name="contradiction",
    definition="An answer that states the reference and, in the same words, what excludes it, is unsure: it scores .4.",
    applies=_may_state_twice,
    veto=_contradicts,
    unsure=True,
)
