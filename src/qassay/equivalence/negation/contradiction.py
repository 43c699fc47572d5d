"""Candidates that say one thing of the reference and of something else: It is Bonn. It is Berlin."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from qassay.equivalence.rule import AnswerPair, Rule

_MOST_CHARACTERS = 400
_MOST_SENTENCES = 6
_MORE = 2
"""Words that the other answer may have more than the reference."""
_FRAME = 2
"""Words that both sentences must share, apart from their answers."""
_STOP = re.compile(r"(?<!\b[A-Z])[.!?;\n]+(?:\s+|$)")
_LEAD = re.compile(
    r"\s*(?:in the end|in conclusion|in summary|to sum up|overall|finally|thus|so|therefore|hence)\b[,:]?\s*",
    re.IGNORECASE,
)
_QUALIFYING = re.compile(
    r"\b(?:not|no|none|never|nor|but|however|yet|although|though|while|whereas|instead|rather|except|unlike|some|others?|many"
    r"|people|might|may|perhaps|maybe|possibly|probably|could|either|or|if|according|sa(?:id|ys?)|claim\w*|believ\w*|th(?:ink|ought)"
    r"|first|second|third|last|later|then|once|former\w*|previous\w*|original\w*|initial\w*|now|today|nowadays|until|before|after"
    r"|since|again|both|also|too|well|same|another|correct\w*|sorry|wait|actual\w*|fact|wrong|false|only|when|where|who|which)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
"""What tells two statements apart, or takes one of them back."""
_ASKS_FOR_SEVERAL = re.compile(
    r"\b(?:are|were|all|both|list|name|give|examples?|two|three|four|five|some|any|kinds?|types?|ways?|can|could|may|might)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_LIGHT = frozenset({"a", "an", "the", "in", "on", "at", "of", "by", "to", "for", "with", "from", "and"})


class _Statement(NamedTuple):
    """A sentence's words, in small letters and as they are written."""

    words: tuple[str, ...]
    written: tuple[str, ...]


@lru_cache(maxsize=1 << 10)
def _statements(text: str) -> tuple[_Statement, ...]:
    """Return the sentences of a text; none where one is not simply stated."""
    if _QUALIFYING.search(text):
        return ()
    found = []
    for sentence in _STOP.split(text):
        written = [word for word in _WORD.findall(_LEAD.sub("", sentence, count=1)) if word.lower() not in _LIGHT]
        if written:
            found.append(_Statement(tuple(word.lower() for word in written), tuple(written)))
    return tuple(found) if 1 < len(found) <= _MOST_SENTENCES else ()


def _kind(words: tuple[str, ...]) -> str:
    """Return what words look like: figures, a name, or other words."""
    if any(any(map(str.isdigit, word)) for word in words):
        return "figures"
    return "name" if all(word[0].isupper() for word in words) else "words"


def _may_state_twice(pair: AnswerPair) -> bool:
    if len(pair.candidate) > _MOST_CHARACTERS or not _STOP.search(pair.candidate.rstrip(" .!?;\n")):
        return False
    return not _ASKS_FOR_SEVERAL.search(pair.question)


def _contradicts(pair: AnswerPair) -> bool:
    """Whether one sentence states the reference, and another the same of something else of its kind."""
    wanted = tuple(word for word in map(str.lower, _WORD.findall(pair.reference)) if word not in _LIGHT)
    statements = _statements(pair.candidate)
    if not wanted or not statements:
        return False
    for stated in statements:
        place = _place_of(wanted, stated.words)
        if place is None:
            continue
        end = place + len(wanted)
        before, behind = stated.words[:place], stated.words[end:]
        kind = _kind(stated.written[place:end])
        for other in statements:
            rest = _between(before, behind, other)
            if rest and len(before) + len(behind) >= _FRAME and len(rest) <= len(wanted) + _MORE:
                lowered = {word.lower() for word in rest}
                if _kind(rest) == kind and lowered.isdisjoint(wanted):
                    return True
    return False


def _place_of(wanted: tuple[str, ...], words: tuple[str, ...]) -> int | None:
    for start in range(len(words) - len(wanted) + 1):
        if words[start : start + len(wanted)] == wanted:
            return start
    return None


def _between(before: tuple[str, ...], behind: tuple[str, ...], other: _Statement) -> tuple[str, ...]:
    """Return what another sentence has in the place of the reference; nothing where it is built otherwise."""
    end = len(other.words) - len(behind)
    if end <= len(before) or other.words[: len(before)] != before or other.words[end:] != behind:
        return ()
    return other.written[len(before) : end]


CONTRADICTION = Rule(
    name="contradiction",
    definition="An answer that states the reference and, in the same words, something else, is unsure: it scores .4.",
    applies=_may_state_twice,
    veto=_contradicts,
    unsure=True,
)
