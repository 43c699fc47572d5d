"""Who does what to whom, in a question and in a short answer: the one who acts, and the one acted on.

"Who taught Plato?" asks for the first side of *teach* and names the second. "Plato taught Socrates" has Plato on the
first side, so it puts Socrates where the question has Plato.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.tables import read_table, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"['\u2019]s\b|\w+(?:[.'\u2019&-]\w+)*?(?=['\u2019]s\b|\W|$)|[,;:()]")
_SENTENCES = re.compile(r"[.!?;]\s+\S")
_ARTICLES = frozenset({"a", "an", "the"})
_POSSESSIVE = frozenset({"'s", "\u2019s"})
_ASKING = frozenset({"who", "which", "what", "whom"})
_BE = frozenset({"is", "was", "are", "were", "be", "been", "being", "got", "gets"})
_DO = frozenset({"did", "does", "do"})
_BESIDE = frozenset(
    {"had", "has", "have", "later", "once", "also", "first", "then", "originally", "famously", "eventually", "finally"}
    | {"actually", "ultimately", "recently", "successfully", "who", "that", "which", "much", "far", "slightly", ","}
)
"""Words between a side and its verb that change nothing."""
_TO_ANOTHER = frozenset({"for", "with", "to", "about", "against", "of", "from", "as"})
_LEAD = re.compile(
    r"\W*(?:(?:yes|no|well|actually),?\s)?(?:(?:in|on|during|after|by)\s[^,]{1,30},\s)?(?:i\s(?:think|believe)\s(?:that\s)?)?"
    r"(?:(?:it|that)\s(?:is|was)\s(?=.*\s(?:who|that|which)\s))?",
    re.IGNORECASE,
)
_MOST_BEFORE = 5
"""Words between the question word and the verb: which large American company bought."""
_RELATIONS = {word: (relation, turned == "yes") for word, relation, turned in read_table("relations")}
RELATION_WORDS = frozenset({*_RELATIONS, "than"})
"""One of these, or a word in -ed, stands in every answer that states a relation."""
_BOTH_WAYS = read_words("both_ways_verbs")
"""Verbs that hold the other way round, or join a thing and its name."""
_NOUNS = frozenset(word for word, relation, _ in read_table("relations") if relation.startswith("the "))


class Relation(NamedTuple):
    """What holds between two sides; a side is the words from its first one on."""

    name: str
    first: Sequence[str]
    second: Sequence[str]


class AskedRole(NamedTuple):
    """Which side of a relation a question asks for, and the words of the other."""

    name: str
    first: bool
    other: Sequence[str]


def _comparatives() -> dict[str, tuple[str, bool]]:
    known: dict[str, tuple[str, bool]] = {}
    for one, other in read_table("opposites"):
        if other in known and one not in known:
            known[one] = (known[other][0], not known[other][1])
        elif one not in known:
            known[one] = (one, False)
        known.setdefault(other, (known[one][0], not known[one][1]))
    return known


_COMPARATIVES = _comparatives()


def tokens(text: str) -> list[str]:
    """Return the words and commas of a text in small letters, without articles."""
    return [token for token in map(str.lower, _TOKEN.findall(text)) if token not in _ARTICLES]


def _relation(word: str, *, base: bool = False) -> tuple[str, bool] | None:
    """Return the relation that a verb states and whether it turns its sides; `None` for what is no such verb."""
    if word in _BOTH_WAYS or word in _NOUNS:
        return None
    if word in _RELATIONS:
        return _RELATIONS[word]
    if word.endswith("ed") and len(word) > len("need"):
        return word[:-2].removesuffix("e"), False
    return (word.removesuffix("e"), False) if base else None


def _comparison(words: Sequence[str], place: int) -> tuple[str, bool] | None:
    """Return what a comparative compares by, and whether it turns the sides: smaller is larger, turned."""
    word = words[place]
    if word in {"more", "less", "fewer"}:
        behind = words[place + 1] if place + 1 < len(words) else ""
        return f"more {behind}", word != "more"
    return _COMPARATIVES.get(word, (word, False)) if word.endswith("er") else None


def _turn(name: str, first: Sequence[str], second: Sequence[str], *, turned: bool) -> Relation:
    return Relation(name, second, first) if turned else Relation(name, first, second)


def _side(words: Sequence[str]) -> Sequence[str]:
    """Return the words of a side without those between it and its verb."""
    end = len(words)
    while end and words[end - 1] in _BESIDE:
        end -= 1
    return words[:end]


def asked_roles(question: str) -> Iterator[AskedRole]:
    """Yield the roles that a question may ask for."""
    words = tokens(question)
    start = next((i for i, word in enumerate(words[: _MOST_BEFORE + 1]) if word in _ASKING), None)
    if start is None:
        return
    words = words[max(0, start - 1) :] if start and words[start - 1] == "by" else words[start:]
    yield from _asked_of_two(words)
    by = words[0] == "by"
    place = next((i for i, word in enumerate(words) if word in _BE | _DO), None)
    if place is not None and place <= _MOST_BEFORE + by:
        behind = words[place + 1 :]
        yield from _asked_of_noun(behind) if words[place] in _BE else ()
        yield from _asked_behind(behind, by=by, does=words[place] in _DO)
    elif not by:
        for i, word in enumerate(words[1 : _MOST_BEFORE + 1], 1):
            if found := _relation(word):
                if words[0] == "which" or words[0] == "what" or not _side(words[1:i]):
                    yield AskedRole(found[0], not found[1], words[i + 1 :])
                return


def _asked_behind(words: Sequence[str], *, by: bool, does: bool) -> Iterator[AskedRole]:
    """Yield the role behind was or did: was taught by Plato, was Plato taught by, did Plato teach."""
    for i, word in enumerate(words):
        found = _relation(word, base=does and i > 0)
        behind = words[i + 1] if i + 1 < len(words) else ""
        if found is None or (does and (i == 0 or behind in _TO_ANOTHER)):
            continue
        name, turned = found
        if does:
            yield AskedRole(name, turned, words[:i])
        elif not _side(words[:i]) and behind == "by" and not by:
            yield AskedRole(name, turned, words[i + 2 :])
        elif _side(words[:i]) and (by or (behind == "by" and i + 2 >= len(words))):
            yield AskedRole(name, not turned, _side(words[:i]))


def _asked_of_noun(words: Sequence[str]) -> Iterator[AskedRole]:
    """Yield the role that a noun asks for: the teacher of Plato, Plato's teacher."""
    for i, word in enumerate(words[: _MOST_BEFORE + 2]):
        if word in _NOUNS:
            name, turned = _RELATIONS[word]
            if i == 0 and words[1:2] == ["of"]:
                yield AskedRole(name, not turned, words[2:])
            elif i > 1 and words[i - 1] in _POSSESSIVE and i == len(words) - 1:
                yield AskedRole(name, not turned, words[: i - 1])


def _asked_of_two(words: Sequence[str]) -> Iterator[AskedRole]:
    """Yield both roles of a comparison of two: which is larger, X or Y."""
    if words.count("or") != 1 or not {",", ":"} & set(words):
        return
    comma = next(i for i, word in enumerate(words) if word in {",", ":"})
    either = words.index("or")
    if comma > either:
        return
    for i in range(1, comma):
        if found := _comparison(words, i):
            for other in (words[comma + 1 : either], words[either + 1 :]):
                yield AskedRole(found[0], not found[1], [word for word in other if word != ","])


def stated_relations(answer: str) -> Iterator[Relation]:
    """Yield what an answer of one sentence may state between its two sides."""
    text = answer.strip()
    if _SENTENCES.search(text):
        return
    words = tokens(_LEAD.sub("", text, count=1))
    for i, word in enumerate(words):
        if i and (found := _relation(word)):
            yield from _stated_by_verb(words, i, *found)
        elif word in _NOUNS:
            yield from _stated_by_noun(words, i, *_RELATIONS[word])
        elif word == "than":
            yield from _stated_by_comparison(words, i)


def _stated_by_verb(words: Sequence[str], place: int, name: str, turned: bool) -> Iterator[Relation]:
    before, behind = _side(words[:place]), words[place + 1 :]
    if behind[:1] == ["by"]:
        while before and before[-1] in _BE | _BESIDE:
            before = before[:-1]
        yield _turn(name, behind[1:], before, turned=turned)
    elif before and before[-1] not in _BE:
        yield _turn(name, before, behind, turned=turned)


def _stated_by_noun(words: Sequence[str], place: int, name: str, turned: bool) -> Iterator[Relation]:
    verb = next((i for i, word in enumerate(words) if word in _BE), 0)
    if not verb:
        return
    if words[verb + 1 : place] == [] and place > verb and words[place + 1 : place + 2] == ["of"]:
        yield _turn(name, words[:verb], words[place + 2 :], turned=turned)
    elif place > verb and words[place - 1] in _POSSESSIVE:
        yield _turn(name, words[:verb], words[verb + 1 : place - 1], turned=turned)
    elif place == 0 and words[1:2] == ["of"]:
        yield _turn(name, words[verb + 1 :], words[2:verb], turned=turned)
    elif place == verb - 1 and words[place - 1] in _POSSESSIVE:
        yield _turn(name, words[verb + 1 :], words[: place - 1], turned=turned)


def _stated_by_comparison(words: Sequence[str], place: int) -> Iterator[Relation]:
    verb = next((i for i, word in enumerate(words[:place]) if word in _BE | {"has", "had", "have"}), 0)
    for i in range(verb + 1, place):
        if verb and (found := _comparison(words, i)):
            yield _turn(found[0], words[:verb], words[place + 1 :], turned=found[1])
            return
