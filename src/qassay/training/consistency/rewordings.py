"""Ways to say a sentence of a document otherwise, so that the document still says it."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from qassay.training.consistency.drafts import (
    FINITE,
    Draft,
    DraftToken,
    TokenRun,
    chunks,
    ended,
    has_subject_and_verb,
    names,
    put,
)
from qassay.training.consistency.scene import word_set
from qassay.training.files import read_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

    from qassay.training.consistency.scene import Scene

    Rewording = Callable[[Draft, int, Scene, np.random.Generator], Draft | None]
    """From a sentence, its number in the document and the document to the sentence said otherwise, if it can be."""

DELICATE = frozenset(
    """not n't no never none neither nor without only few little less least hardly rarely seldom if unless whether would
    could might may should all every each any most except until before after""".split()  # noqa: SIM905 - a list of words
)
"""Words beside which nothing is left out: what they deny or limit may lie in it."""
_CLAUSES = frozenset(
    {"who", "which", "where", "when", "while", "because", "although", "though", "as", "since", "after"}
)
_BE = frozenset({"is", "are", "was", "were"})
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905 - as above
_WEIGHTY = frozenset(
    """former fake false first last next second third other same different new old many more less few several some such
    own non-profit possible potential alleged future early late""".split()  # noqa: SIM905 - a list of words
)
"""Adjectives that are not left out."""
_LEFT_OUT = 0.5
_SHORTEST, _LONGEST = 4, 45
_POS = {"NN": "n", "NNS": "n", "JJ": "a"}


def is_delicate(draft: Draft) -> bool:
    """Whether leaving something out may change what is said."""
    return any(token.plain in DELICATE for token in draft)


def fits(draft: Draft) -> bool:
    """Whether a draft is of a claim's length."""
    return _SHORTEST <= len(draft) <= _LONGEST


def shortened(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Leave out some prepositional phrases, adverbs and what is in brackets."""
    if is_delicate(draft):
        return None
    dropped: set[int] = set()
    found = list(chunks(draft))
    for place, run in enumerate(found):
        if run.kind == "ADVP" and rng.random() < _LEFT_OUT:
            dropped.update(range(run.first, run.last))
        behind = found[place + 1] if place + 1 < len(found) else None
        # "of" and phrases beside a form of "to be" are seldom to be missed.
        if (
            run.kind == "PP"
            and run.first > 2  # noqa: PLR2004 - behind a subject
            and behind
            and behind.kind == "NP"
            and behind.first == run.last
            and draft[run.first].plain
            in {"in", "at", "on", "during", "with", "for", "from", "through", "near", "under"}
            and draft[run.first - 1].part in {"NN", "NNS", "NNP", "CD", "VBN", "RB"}
            and draft[run.first - 1].plain not in _BE
            and (behind.last == len(draft) or draft[behind.last].part in {".", ",", "IN", "CC"})
            and (behind.last == len(draft) or draft[behind.last].part not in {",", "CC"})
            and rng.random() < _LEFT_OUT
        ):
            dropped.update(range(run.first, behind.last))
    dropped |= _in_brackets(draft)
    for place, (token, noun) in enumerate(itertools.pairwise(draft)):
        describes = token.part == "JJ" and noun.part in {"NN", "NNS"} and token.phrase == noun.phrase == "NP"
        if describes and token.entity == "O" and token.plain not in _WEIGHTY and rng.random() < _LEFT_OUT / 2:
            dropped.add(place)
    if not dropped or len(draft) - len(dropped) < _SHORTEST:
        return None
    return ended(_tidy(tuple(token for place, token in enumerate(draft) if place not in dropped)))


def _in_brackets(draft: Draft) -> set[int]:
    found: set[int] = set()
    open_at = None
    for place, token in enumerate(draft):
        if token.text == "(":
            open_at = place
        elif token.text == ")" and open_at is not None:
            found.update(range(open_at, place + 1))
            open_at = None
    return found


def _tidy(draft: Draft) -> Draft:
    """Leave out commas at the beginning and doubled ones."""
    kept: list[DraftToken] = []
    for token in draft:
        if token.text == "," and (not kept or kept[-1].text in {",", "("}):
            continue
        kept.append(token)
    return tuple(kept)


def one_clause(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Take one clause of a sentence: before or after a comma with a conjunction, or before a subordinate clause."""
    if any(token.plain in {"if", "unless", "whether", "either", "neither", "said", "says", "that"} for token in draft):
        return None
    options = []
    for place, token in enumerate(draft[:-1]):
        behind = draft[place + 1]
        if token.text in {",", ";"}:
            before, after = draft[:place], draft[place + 1 :]
            if behind.part == "CC" and behind.plain in {"and", "but"}:
                after = after[1:]
                if has_subject_and_verb(after):
                    options += [after, before] if has_subject_and_verb(before) else [after]
            elif token.text == ";":
                options += [part for part in (before, after) if has_subject_and_verb(part)]
            elif behind.plain in _CLAUSES or behind.part == "VBG":
                options += [before] if has_subject_and_verb(before) else []
    options = [each for each in options if fits(each)]
    return ended(options[int(rng.integers(len(options)))]) if options else None


def apposition(draft: Draft, _number: int, _scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Make a sentence of a name and what stands beside it: "X, the king of Y, died" becomes "X was the king of Y"."""
    for run in names(draft):
        if run.kind not in {"person", "place", "organisation", "name"} or run.last + 2 >= len(draft):
            continue
        if draft[run.last].text != "," or draft[run.last + 1].plain not in {"a", "an", "the"}:
            continue
        end = next((i for i in range(run.last + 1, len(draft)) if draft[i].text in {",", ".", ";"}), len(draft))
        told = draft[run.last + 1 : end]
        if not 2 < len(told) < 12 or any(token.part in FINITE | {"CC", "WP", "WDT"} for token in told):  # noqa: PLR2004
            continue
        verb = next((token for token in draft[end:] if token.part in FINITE), None)
        if verb is None or draft[end : end + 1] == () or draft[end].text != ",":
            continue
        form = "was" if verb.part == "VBD" else "is"
        return ended((*draft[run.first : run.last], DraftToken(form, "VBD", "B-VP"), *told))
    return None


def other_voice(draft: Draft, _number: int, _scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Turn the active voice into the passive or back, where the verb ends in -ed."""
    found = list(chunks(draft))
    for left, verb, right in zip(found, found[1:], found[2:], strict=False):
        if (left.kind, verb.kind) != ("NP", "VP") or left.last != verb.first or left.first not in {0, 1}:
            continue
        if any(token.part == "PRP" for token in draft[left.first : left.last]):
            continue
        if right.kind == "NP" and right.first == verb.last:
            made = _passive(draft, left, verb, right)
        else:
            made = _active(draft, left, verb, right)
        if made:
            return made
    return None


def _passive(draft: Draft, left: TokenRun, verb: TokenRun, right: TokenRun) -> Draft | None:
    if verb.last - verb.first != 1 or draft[verb.first].part != "VBD" or not draft[verb.first].text.endswith("ed"):
        return None
    after = draft[right.last] if right.last < len(draft) else DraftToken(".", ".")
    if (
        after.part not in {".", "IN", ","}
        or after.plain in {"of", "that", "as", "to"}
        or draft[right.last - 1].part == "PRP"
    ):
        return None
    many = draft[right.last - 1].part in {"NNS", "NNPS"}
    be = DraftToken("were" if many else "was", "VBD", "B-VP")
    done = replace(draft[verb.first], part="VBN", chunk="I-VP")
    by = DraftToken("by", "IN", "B-PP")
    return (
        *draft[: left.first], *draft[right.first : right.last], be, done, by, *draft[left.first : left.last],
        *draft[right.last :],
    )  # fmt: skip


def _active(draft: Draft, left: TokenRun, verb: TokenRun, right: TokenRun) -> Draft | None:
    verbs = draft[verb.first : verb.last]
    if len(verbs) != 2 or verbs[0].plain not in {"was", "were"} or not verbs[1].text.endswith("ed"):  # noqa: PLR2004
        return None
    if right.kind != "PP" or draft[right.first].plain != "by" or right.first != verb.last:
        return None
    agent = next((run for run in chunks(draft) if run.first == right.last and run.kind == "NP"), None)
    if agent is None or any(token.part in {"PRP", "VBG", "CD"} for token in draft[agent.first : agent.last]):
        return None
    after = draft[agent.last] if agent.last < len(draft) else DraftToken(".", ".")
    if after.part not in {".", "IN"} or after.plain in {"of", "that"}:
        return None
    return (
        *draft[: left.first], *draft[agent.first : agent.last], replace(verbs[1], part="VBD", chunk="B-VP"),
        *draft[left.first : left.last], *draft[agent.last :],
    )  # fmt: skip


def moved_phrase(draft: Draft, _number: int, _scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Move a prepositional phrase from the beginning to the end: "In 1990, X left." becomes "X left in 1990."."""
    if not draft or draft[0].part != "IN" or draft[-1].part != ".":
        return None
    end = next((i for i, token in enumerate(draft) if token.text == ","), None)
    if end is None or end > 6 or any(token.part in FINITE | {"VBG"} for token in draft[:end]):  # noqa: PLR2004 - short
        return None
    rest = draft[end + 1 : -1]
    if not has_subject_and_verb(rest) or any(token.part in {",", "CC", ":"} for token in rest):
        return None
    front = (replace(draft[0], text=draft[0].plain), *draft[1:end])
    return (*rest, *front, draft[-1])


def other_figures(draft: Draft, _number: int, _scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Write small numbers in words or in figures, and per cent with its sign or without."""
    made = list(draft)
    for place, token in enumerate(draft):
        if token.text.isdecimal() and len(token.text) <= 2 and 1 < int(token.text) < len(_WORDS):  # noqa: PLR2004
            before = draft[place - 1] if place else DraftToken("")
            if token.named != "time" and before.part not in {"$", "NNP", "CD"} and not token.glued:
                made[place] = replace(token, text=_WORDS[int(token.text)])
        elif token.plain in _WORDS[2:] and token.part == "CD":
            made[place] = replace(token, text=str(_WORDS.index(token.plain)))
        elif token.text == "%":
            made[place] = replace(token, text="percent", glued=False)
        elif token.plain == "percent":
            made[place] = replace(token, text="%", glued=True)
    return None if tuple(made) == draft else tuple(made)


def pronoun_for_name(draft: Draft, _number: int, scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Put a pronoun for the person that a sentence begins with, where the document says which one fits."""
    run = next(names(draft), None)
    gender = scene.gender()
    if run is None or run.kind != "person" or run.first or gender is None or len(scene.persons()) != 1:
        return None
    if run.last >= len(draft) or draft[run.last].part not in FINITE:
        return None
    return put(draft, 0, run.last, (DraftToken(gender.capitalize(), "PRP", "B-NP"),))


def name_for_pronoun(draft: Draft, _number: int, scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Put the name of the one person that a document names for "he" or "she" at a sentence's beginning."""
    persons = scene.persons()
    if len(draft) < 2 or draft[0].plain not in {"he", "she"} or len(persons) != 1 or scene.gender() != draft[0].plain:  # noqa: PLR2004
        return None
    return put(draft, 0, 1, persons[0])


def short_name(draft: Draft, _number: int, scene: Scene, _rng: np.random.Generator) -> Draft | None:
    """Call a person by the last name, where no other person of the document shares it."""
    for run in names(draft):
        if run.kind == "person" and run.last - run.first == 2 and draft[run.last - 1].text[:1].isupper():  # noqa: PLR2004
            last = draft[run.last - 1]
            same = [each for each in scene.persons() if last.plain in word_set(each)]
            if len(same) <= 1:
                return put(draft, run.first, run.last - 1, ())
    return None


def fused(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Join a sentence with another one of the document."""
    others = [each for _, each in scene.others(number) if has_subject_and_verb(each) and len(each) < _LONGEST // 2]
    if not others or not has_subject_and_verb(draft) or len(draft) > _LONGEST // 2:
        return None
    other = others[int(rng.integers(len(others)))]
    pair = (draft, other) if rng.random() < 0.5 else (other, draft)  # noqa: PLR2004 - one half
    if any(token.text == "?" for part in pair for token in part):
        return None
    link = (
        (DraftToken(",", ",", glued=True), DraftToken("and", "CC")),
        (DraftToken(";", ":", glued=True),),
        (DraftToken("while", "IN"),),
    )[int(rng.integers(3))]
    first, second = (ended(part)[:-1] for part in pair)
    return ended((*first, *link, *second))


class Synonyms:
    """Words that mean one thing alone, with others that mean the same and nothing else (Open English WordNet)."""

    def __init__(self, path: Path | None = None, knows: Callable[[str], bool] = lambda _: True) -> None:
        self._knows = knows
        """Whether a word is common enough to be put for another."""
        senses: Counter[tuple[str, str]] = Counter()
        groups: list[tuple[str, list[str]]] = []
        for row in list(read_table(path))[1:] if path else ():
            part = row[0][-1].replace("s", "a")
            members = [word for word in row[2].split("|") if word]
            senses.update((word.lower(), part) for word in members)
            plain = [word for word in members if word.isalpha() and word.islower()]
            if len(plain) > 1:
                groups.append((part, plain))
        self._found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for part, plain in groups:
            sure = [word for word in plain if senses[word, part] == 1]
            for word in sure:
                self._found[word, part] += [other for other in sure if other != word]

    def of(self, word: str, part: str) -> list[str]:
        """Return the synonyms of a word of a Penn Treebank part of speech."""
        wordnet = _POS.get(part)
        if wordnet is None:
            return []
        if part == "NNS":
            found = self._found.get((word.removesuffix("s"), wordnet), []) if word.endswith("s") else []
            return [f"{each}s" for each in found if not each.endswith(("s", "y", "x", "h"))]
        return self._found.get((word, wordnet), [])

    def reword(self, draft: Draft, rng: np.random.Generator) -> Draft | None:
        """Put synonyms for some words."""
        made = list(draft)
        for place, token in enumerate(draft):
            if token.entity != "O" or token.text != token.plain:
                continue
            options = [each for each in self.of(token.text, token.part) if self._knows(each)]
            if options:
                made[place] = replace(token, text=options[int(rng.integers(len(options)))])
        return None if tuple(made) == draft else tuple(made)


REWORDINGS: dict[str, tuple[Rewording, float]] = {
    "shortened": (shortened, 0.6),
    "clause": (one_clause, 0.7),
    "apposition": (apposition, 0.5),
    "voice": (other_voice, 0.8),
    "moved": (moved_phrase, 0.8),
    "figures": (other_figures, 0.5),
    "pronoun": (pronoun_for_name, 0.6),
    "name": (name_for_pronoun, 0.8),
    "short_name": (short_name, 0.5),
    "fused": (fused, 0.12),
}
"""Every rewording, and how often it is tried."""
KEPT = "kept"


def reworded(
    draft: Draft, number: int, scene: Scene, rng: np.random.Generator, synonyms: Synonyms
) -> tuple[Draft, str]:
    """Reword a sentence in one or several ways, and return the last way's name; sometimes it is kept."""
    kinds = []
    order = list(REWORDINGS)
    for index in rng.permutation(len(order)).tolist():
        change, share = REWORDINGS[order[index]]
        if rng.random() < share and (made := change(draft, number, scene, rng)) and len(made) <= 2 * _LONGEST:
            draft = made
            kinds.append(order[index])
            if order[index] in {"fused", "apposition"}:
                break
    if rng.random() < _LEFT_OUT and (made := synonyms.reword(draft, rng)):
        draft = made
        kinds.append("synonym")
    return draft, kinds[-1] if kinds else KEPT
