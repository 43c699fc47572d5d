"""Who does what to whom, in a question and in a short answer: the one who acts, and the one acted on.

"Who taught Plato?" asks for the first side of *teach* and names the second. "Plato taught Socrates" has Plato on the
first side, so it puts Socrates where the question has Plato.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.tables import read_table, read_words
from qassay.text.traits import neighbour_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"['\u2019]s\b|\w+(?:[.'\u2019&-]\w+)*?(?=['\u2019]s\b|\W|$)|[,;:()]")
_SCORE = re.compile(r"\s\d+\s?[-\u2013:]\s?\d+\b")
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
_QUANTITIES = frozenset({"more", "less", "fewer"})
_DEGREES = frozenset({"much", "far", "even", "way", "lot", "significantly", "considerably"})
"""Words that say that something differs by much."""
_SLIGHTLY = frozenset({"slightly", "bit", "little"})
_NOBODY = frozenset(
    {"nobody", "no", "none", "nothing", "neither", "hardly", "few", "only", "if", "unless", "could", "would", "rarely"}
    | {"failed", "fails", "unable", "almost", "nearly", "wanted", "wants", "hoped", "hopes", "tried", "tries"}
)
"""Words with which an answer states no relation between its two sides, or another one."""
_TO_ANOTHER = frozenset({"for", "with", "to", "about", "against", "of", "from", "as"})
_LEAD = re.compile(
    r"\W*(?:(?:yes|no|well|actually),?\s)?(?:(?:in|on|during|after|by)\s[^,]{1,30},\s)?(?:i\s(?:think|believe)\s(?:that\s)?)?"
    r"(?:(?:it|that)\s(?:is|was)\s(?=.*\s(?:who|that|which)\s))?(?:(?:because|since|that)\s)?",
    re.IGNORECASE,
)
_OF_THEIR_OWN = frozenset({"denser"})
"""Comparatives that share their opposite with others and compare by something else: what is denser may weigh less."""
_SOME = frozenset({"one", "some"})
_OTHERS = frozenset({"other", "others", "another"})
_FOR_NOUN = frozenset({"one", "ones", "that", "those"})
"""Pronouns that stand for a noun beside what tells the two apart: the glass one, those in Rome."""
COMPARED = "than "
"""Names of comparisons begin so."""
_WINNING = {"won": True, "wins": True, "win": True, "lost": False, "loses": False, "lose": False}
"""Verbs of contests, and whether their subject is the one who beats the other."""
_CONTESTS = frozenset(
    {"game", "final", "match", "election", "war", "battle", "fight", "duel", "derby", "trial", "debate"}
)
_MOST_BEFORE = 5
"""Words between the question word and the verb: which large American company bought."""
_RELATIONS = {word: (relation, turned == "yes") for word, relation, turned in read_table("relations")}
_TRANSFERS = {
    word: (relation, preposition, turned == "yes") for word, relation, preposition, turned in read_table("transfers")
}
"""Verbs between two sides with a thing between them: the relation's name, and what stands before the second side."""
_RELATION_WORDS = frozenset({*_RELATIONS, *_TRANSFERS, "than"})
_KNOWN_NAMES = frozenset({name for name, _ in _RELATIONS.values()} | {name for name, _, _ in _TRANSFERS.values()})
_BOTH_WAYS = read_words("both_ways_verbs")
"""Verbs that hold the other way round, or join a thing and its name."""
_BEHIND_NAME = frozenset({"in", "on", "at", "during", "after", "before", "for", "when", "by", "as", ",", "and", "("})
"""Words behind a name that are no part of it."""
_IN_WHAT = _BEHIND_NAME - {",", "(", "and", "by"} | {"to", "with", "of", "from", "than", "if", "now", "today", "per"}
"""Words behind a comparative that say in what, or where, or when it holds."""
RELATES = word_trait(_RELATION_WORDS) | neighbour_trait("eE", "dD")
"""Of answers that may state a relation: such a word, or one in -ed."""
_NOUNS = frozenset(word for word, relation, _ in read_table("relations") if relation.startswith("the "))


class Relation(NamedTuple):
    """What holds between two sides; a side is the words from its first one on."""

    name: str
    first: Sequence[str]
    second: Sequence[str]
    detail: Sequence[str] = ()
    """What passes between the sides, or by how much and in what they differ."""
    passive: bool = False


class AskedRole(NamedTuple):
    """Which side of a relation a question asks for, and the words of the other; `None` for whoever it is."""

    name: str
    first: bool
    other: Sequence[str] | None


def _comparatives() -> dict[str, tuple[str, bool]]:
    known: dict[str, tuple[str, bool]] = {}
    for one, other in read_table("opposites"):
        if one in _OF_THEIR_OWN:
            continue
        if other in known and one not in known:
            known[one] = (known[other][0], not known[other][1])
        elif one not in known:
            known[one] = (one, False)
        known.setdefault(other, (known[one][0], not known[one][1]))
    return known


_COMPARATIVES = _comparatives()
_COMPARING_WORDS = {word: _COMPARATIVES[comparative] for word, comparative, _ in read_table("comparing_words")}
"""Verbs and adjectives that compare with more and less as a comparative does: costs more, more expensive, dearer."""
_COMPARING_VERBS = frozenset(word for word, _, kind in read_table("comparing_words") if kind == "verb")
_HAVING = frozenset({"has", "had", "have"})


def name_words(side: Sequence[str]) -> list[str]:
    """Return the words of a side without a time, place or clause behind its name; the one in Rome has no name."""
    end = next((i for i, word in enumerate(side) if word in _BEHIND_NAME), len(side))
    return list(side if end == 1 and side[0] in _FOR_NOUN else side[:end])


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


def _comparison(words: Sequence[str], place: int, verb: str = "") -> tuple[str, bool] | None:
    """Return what a comparative compares by, and whether it turns the sides: smaller is larger, turned.

    Behind a `verb` such as costs, more and less compare by themselves.
    """
    word = words[place]
    if word in _QUANTITIES:
        behind = words[place + 1] if place + 1 < len(words) else ""
        compared_by = verb if behind in {"than", ",", ":"} else behind
        if compared_by in _COMPARING_WORDS:
            compared, turned = _COMPARING_WORDS[compared_by]
        else:
            compared, turned = _comparative(f"{behind.removesuffix('e').removesuffix('y')}er", behind)
        return compared, turned != (word != "more")
    return _comparative(word, "") if word.endswith("er") and word != "other" else None


def _comparative(word: str, adjective: str) -> tuple[str, bool]:
    """Return the name of what an adjective's comparative compares by: denser, more dense; and whether it turns."""
    for known in (word, f"{word[:-2]}ier", f"{word[:-2]}{word[-3:-2]}er"):
        if known in _COMPARATIVES:
            return _COMPARATIVES[known]
    stem = (adjective or word.removesuffix("er")).removesuffix("e").removesuffix("i").removesuffix("y")
    return f"more {stem}", False


def _turn(
    name: str,
    first: Sequence[str],
    second: Sequence[str],
    *,
    turned: bool,
    detail: Sequence[str] = (),
    passive: bool = False,
) -> Relation:
    sides = (second, first) if turned else (first, second)
    return Relation(name, *sides, detail, passive)


def is_known(name: str) -> bool:
    """Whether a relation is a comparison or stands in the tables, and so does not hold the other way round."""
    return name.startswith(COMPARED) or name in _KNOWN_NAMES


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
    yield from _asked_of_contest(words)
    yield from _asked_of_transfer(words)
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
        if found := _comparison(words, i, words[i - 1]):
            for other in (words[comma + 1 : either], words[either + 1 :]):
                yield AskedRole(COMPARED + found[0], not found[1], [word for word in other if word != ","])


def _asked_of_contest(words: Sequence[str]) -> Iterator[AskedRole]:
    """Yield the role of who won or lost, against whomever: who won the final, which team lost."""
    verb = next((word for word in words[1 : _MOST_BEFORE + 1] if word in _WINNING), None)
    if verb is None:
        return
    behind = words[words.index(verb) + 1 :]
    if not behind or (len(behind) <= _MOST_BEFORE and not _CONTESTS.isdisjoint(behind)):
        yield AskedRole("beat", _WINNING[verb], None)


def _asked_of_transfer(words: Sequence[str]) -> Iterator[AskedRole]:
    """Yield the role in what passes between two: who lent it to Anna, who did Anna lend it to."""
    place = next((i for i, word in enumerate(words) if word in _TRANSFERS), 0)
    if not 0 < place <= _MOST_BEFORE + 1:
        return
    name, preposition, turned = _TRANSFERS[words[place]]
    behind = words[place + 1 :]
    if preposition not in behind:
        return
    other = behind[behind.index(preposition) + 1 :]
    does = next((i for i, word in enumerate(words[:place]) if word in _DO), None)
    if other and does is None and not _side(words[1:place]):
        yield AskedRole(name, not turned, other)
    elif not other and does is not None:
        yield AskedRole(name, turned, words[does + 1 : place])


def lead_of(answer: str) -> str:
    """Return what an answer says before its first side: yes, in 1992."""
    found = _LEAD.match(answer.strip())
    return found[0] if found else ""


def is_of_one_and_other(answer: str) -> bool:
    """Whether an answer compares one with the other, whichever that is: one of them is older than the other."""
    words = tokens(answer[len(lead_of(answer)) :])
    return words[:1] != [] and words[0] in _SOME and "than" in words and not _OTHERS.isdisjoint(words)


def stated_relations(answer: str) -> Iterator[Relation]:
    """Yield what an answer of one sentence may state between its two sides."""
    text = answer.strip()
    if _SENTENCES.search(text):
        return
    words = tokens(_SCORE.sub("", _LEAD.sub("", text, count=1)))
    if not _NOBODY.isdisjoint(words) or is_of_one_and_other(text):
        return
    for i, word in enumerate(words):
        if i and word in _TRANSFERS:
            yield from _stated_by_transfer(words, i, *_TRANSFERS[word])
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
        yield _turn(name, behind[1:], before, turned=turned, passive=True)
    elif before and before[-1] not in _BE:
        yield _turn(name, before, behind, turned=turned)


def _stated_by_transfer(
    words: Sequence[str], place: int, name: str, preposition: str, turned: bool
) -> Iterator[Relation]:
    before, behind = _side(words[:place]), words[place + 1 :]
    if before and before[-1] not in _BE and preposition in behind:
        place = behind.index(preposition)
        yield _turn(name, before, behind[place + 1 :], turned=turned, detail=behind[:place])


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
    verb = _verb_of_comparison(words[:place])
    start = max((i for i, word in enumerate(words[:place]) if word == "than" or i == verb), default=0) + 1
    for i in range(start, place):
        if verb and (found := _comparison(words, i, words[verb])):
            name, turned = found
            behind = words[i + 1 + (words[i] in _QUANTITIES) : place]
            if behind and behind[0] in _IN_WHAT:
                # What is cheaper to run, or cheaper at night, need not be cheaper.
                name, behind = " ".join((name, *behind)), []
            detail = [
                "slightly" if word in _SLIGHTLY else word for word in (*words[start:i], *behind) if word not in _DEGREES
            ]
            for sides in _sides_of_comparison(words[:verb], words[place + 1 :]):
                yield _turn(COMPARED + name, *sides, turned=turned, detail=detail)
            return


def _verb_of_comparison(words: Sequence[str]) -> int:
    """Return the place of is or has, or else of a verb such as costs; 0 if there is none behind a side."""
    for verbs in (_BE | _HAVING, _COMPARING_VERBS):
        if place := next((i for i, word in enumerate(words) if i and word in verbs), 0):
            return place
    return 0


def _sides_of_comparison(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """Yield two sides as they are, and with the noun for its pronoun: the steel kettle, the glass one.

    "Chapter two is longer than chapter one" has a number there, and no pronoun.
    """
    yield first, second
    one, other = list(first), list(second)
    if len(one) > 1 and len(other) > 1 and (one[-1] in _FOR_NOUN) != (other[-1] in _FOR_NOUN):
        if other[-1] in _FOR_NOUN:
            other[-1] = one[-1]
        else:
            one[-1] = other[-1]
        if one != other:
            yield one, other
