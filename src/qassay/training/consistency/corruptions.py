"""Ways to make a claim wrong: the document no longer says it, though it names all that the claim names."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.equivalence.tables import read_table
from qassay.metrics.questions.wording.verbs import base_form
from qassay.training.consistency.drafts import (
    FINITE,
    Draft,
    DraftToken,
    as_wrong,
    chunks,
    ended,
    has_subject_and_verb,
    names,
    noun_phrases,
    put,
    tokens,
)
from qassay.training.consistency.scene import SWAPPED, Scene, drawn, word_set

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Corruption = Callable[[Draft, int, Scene, np.random.Generator], Draft | None]
    """From a draft, the number of its sentence in the document and the document to a wrong draft, if there is one."""

_BE = frozenset({"is", "are", "was", "were", "am"})
_AUXILIARIES = _BE | frozenset("has have had can could will would should may might must".split())  # noqa: SIM905
_MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905 - a list of words
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty".split()  # noqa: SIM905
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
_YEAR = re.compile(r"1[0-9]{3}|20[0-2][0-9]")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_PRONOUNS = {
    "he": ("she", "they", "i", "we"),
    "she": ("he", "they", "i", "we"),
    "his": ("her", "their", "my", "our"),
    "her": ("his", "their", "my", "our"),
    "him": ("her", "them", "me"),
    "they": ("he", "she", "we", "i"),
    "their": ("his", "her", "our"),
    "them": ("him", "her", "us"),
    "i": ("he", "she", "they"),
    "my": ("his", "her", "their"),
    "we": ("they", "he"),
    "our": ("their", "his"),
    "it": ("he", "she", "they"),
    "its": ("his", "her", "their"),
}
_QUANTIFIERS = {
    "all": ("no", "few"),
    "every": ("no", "hardly any"),
    "most": ("few", "no"),
    "many": ("few", "no"),
    "several": ("no",),
    "some": ("no", "all"),
    "few": ("most", "many", "all"),
    "often": ("never", "rarely"),
    "usually": ("never", "rarely"),
    "sometimes": ("never", "always"),
    "rarely": ("often",),
    "never": ("always", "often"),
    "only": ("not only",),
    "nearly": ("more than",),
    "almost": ("more than",),
    "first": ("last", "second", "third"),
    "last": ("first",),
    "early": ("late",),
    "late": ("early",),
    "half": ("all", "a third"),
    "twice": ("three times", "once"),
    "began": ("ended",),
    "begins": ("ends",),
    "ended": ("began",),
    "started": ("stopped",),
    "because": ("although",),
    "good": ("bad",),
    "old": ("new", "young"),
    "new": ("old",),
    "high": ("low",),
    "low": ("high",),
    "small": ("large",),
    "large": ("small",),
    "best": ("worst",),
    "better": ("worse",),
    "same": ("opposite",),
    "major": ("minor",),
    "common": ("rare",),
    "rare": ("common",),
    "strong": ("weak",),
    "public": ("private",),
    "private": ("public",),
    "minutes": ("hours", "days"),
    "hours": ("minutes", "days"),
    "days": ("weeks", "hours"),
    "weeks": ("days", "months"),
    "months": ("years", "weeks"),
    "years": ("months", "weeks"),
    "million": ("billion", "thousand"),
    "billion": ("million",),
    "thousand": ("million", "hundred"),
    "father": ("brother", "son", "uncle"),
    "mother": ("sister", "daughter", "aunt"),
    "son": ("brother", "father"),
    "daughter": ("sister", "mother"),
    "brother": ("father", "cousin"),
    "sister": ("mother", "cousin"),
    "wife": ("sister", "mother"),
    "husband": ("brother", "father"),
}
_LIGHT = _AUXILIARIES | {"do", "does", "did", "said", "says", "be", "been", "being", "became", "'s", "made", "include"}


@lru_cache(maxsize=1)
def _opposites() -> dict[str, tuple[str, ...]]:
    """Return words with their opposites, either way round."""
    found: dict[str, list[str]] = {word: list(others) for word, others in _QUANTIFIERS.items()}
    for word, opposite in read_table("opposites"):
        found.setdefault(word, []).append(opposite)
        found.setdefault(opposite, []).append(word)
    for word in ("right", "left", "open", "up", "down", "over", "under", "fall", "with", "without", "more", "most"):
        found.pop(word, None)
    return {word: tuple(others) for word, others in found.items()}


def other_name(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put another name of the same kind in the place of one."""
    found = [run for run in names(draft) if run.kind in SWAPPED]
    for index in rng.permutation(len(found)).tolist():
        run = found[index]
        if rival := scene.rival(number, draft[run.first : run.last], run.kind, rng):
            return put(draft, run.first, run.last, as_wrong(rival))
    return None


def other_number(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put another number in the place of one: one of the document's of the same shape, or one near it."""
    found = [i for i, token in enumerate(draft) if _shape(token)]
    if not found:
        return None
    place = found[int(rng.integers(len(found)))]
    token = draft[place]
    shape = _shape(token)
    own = word_set(draft) | word_set(scene.drafts[number])
    near = [
        each.text
        for sentence, each in scene.words.get("CD", ())
        if sentence != number and _shape(each) == shape and each.plain not in own
    ]
    if near and rng.random() < 0.5:  # noqa: PLR2004 - one half
        text = near[int(rng.integers(len(near)))]
    else:
        text = _changed_number(token.text, shape, rng)
    if text.lower() in own:
        return None
    return put(draft, place, place + 1, (replace(token, text=text, wrong=True),))


def _shape(token: DraftToken) -> str:
    text = token.plain
    if _YEAR.fullmatch(text):
        return "year"
    if _FIGURE.fullmatch(text):
        return "figure"
    if text in _NUMBER_WORDS:
        return "word"
    return "ordinal" if text in _ORDINALS and token.part == "JJ" else ""


def _changed_number(text: str, shape: str, rng: np.random.Generator) -> str:
    if shape == "year":
        change = int(rng.integers(1, 25)) * (1 if rng.random() < 0.5 else -1)  # noqa: PLR2004 - one half
        return str(int(text) + change)
    if shape in {"word", "ordinal"}:
        options = [word for word in (_NUMBER_WORDS if shape == "word" else _ORDINALS) if word != text.lower()]
        return options[int(rng.integers(len(options)))]
    digits = [i for i, letter in enumerate(text) if letter.isdigit()]
    place = digits[int(rng.integers(min(2, len(digits))))]
    other = str((int(text[place]) + int(rng.integers(1, 9))) % 10 or 9)
    other = other if other != text[place] else str(int(other) % 9 + 1)
    return text[:place] + other + text[place + 1 :]


def other_date(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put another month or day in the place of one."""
    own = word_set(scene.drafts[number]) | word_set(draft)
    for place, token in enumerate(draft):
        for known in (_MONTHS, _DAYS):
            if token.text in known and token.part != "MD":
                options = [each for each in known if each.lower() not in own]
                if options:
                    new = replace(token, text=options[int(rng.integers(len(options)))], wrong=True)
                    return put(draft, place, place + 1, (new,))
    return None


def other_pronoun(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put another pronoun in the place of one."""
    found = [i for i, token in enumerate(draft) if token.part in {"PRP", "PRP$"} and token.plain in _PRONOUNS]
    if not found:
        return None
    place = found[int(rng.integers(len(found)))]
    options = _PRONOUNS[draft[place].plain]
    text = options[int(rng.integers(len(options)))]
    return put(draft, place, place + 1, (replace(draft[place], text=text, wrong=True),))


def exchanged(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Exchange two names of one kind, or subject and object."""
    runs = list(names(draft))
    pairs = [
        (a, b)
        for i, a in enumerate(runs)
        for b in runs[i + 1 :]
        if a.kind == b.kind
        and a.kind in SWAPPED
        and not word_set(draft[a.first : a.last]) & word_set(draft[b.first : b.last])
        and any(token.phrase in {"VP", "PP"} for token in draft[a.last : b.first])
    ]
    if not pairs:
        found = list(chunks(draft))
        pairs = [
            (a, b)
            for a, verb, b in zip(found, found[1:], found[2:], strict=False)
            if (a.kind, verb.kind, b.kind) == ("NP", "VP", "NP")
            and a.last == verb.first
            and verb.last == b.first
            and draft[verb.last - 1].plain not in _LIGHT
            and draft[a.last - 1].part in {"NN", "NNS", "NNP"}
            and draft[b.last - 1].part in {"NN", "NNS", "NNP"}
        ]
    if not pairs:
        return None
    a, b = pairs[int(rng.integers(len(pairs)))]
    left, right = as_wrong(draft[a.first : a.last]), as_wrong(draft[b.first : b.last])
    return (*draft[: a.first], *right, *draft[a.last : b.first], *left, *draft[b.last :])


def negated(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Deny what is said, or say what is denied."""
    denied = [i for i, token in enumerate(draft) if token.plain in {"not", "n't", "never"}]
    if denied:
        place = denied[int(rng.integers(len(denied)))]
        if not place:
            return None
        before = replace(draft[place - 1], wrong=True)
        whole = {"ca": "can", "wo": "will"}.get(before.plain) if draft[place].plain == "n't" else None
        return put(draft, place - 1, place + 1, (replace(before, text=whole or before.text),))
    places = [i for i, token in enumerate(draft) if token.part in FINITE]
    if not places:
        return None
    place = places[0]
    verb = draft[place]
    short = rng.random() < 0.3  # noqa: PLR2004 - "n't" is rarer in writing
    if verb.plain in _AUXILIARIES and verb.plain != "am":
        deny = (
            DraftToken("n't", "RB", "I-VP", glued=True, wrong=True)
            if short and verb.plain not in {"can", "will", "may"}
            else None
        )
        return put(
            draft, place, place + 1, (replace(verb, wrong=True), deny or DraftToken("not", "RB", "I-VP", wrong=True))
        )
    base = base_form(verb.text, verb.part, str.isalpha)
    if base is None or verb.part == "MD":
        return None
    support = {"VBD": "did", "VBZ": "does", "VBP": "do"}[verb.part]
    deny = (
        DraftToken("n't", "RB", "I-VP", glued=True, wrong=True)
        if short
        else DraftToken("not", "RB", "I-VP", wrong=True)
    )
    new: Draft = (DraftToken(support, verb.part, "B-VP", wrong=True), deny, DraftToken(base, "VB", "I-VP", wrong=True))
    if rng.random() < 0.2:  # noqa: PLR2004 - one in five
        new = (DraftToken("never", "RB", "B-VP", wrong=True), replace(verb, wrong=True))
    return put(draft, place, place + 1, new)


def opposite(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put an opposite, another quantity, unit or relation in the place of a word."""
    known = _opposites()
    found = [i for i, token in enumerate(draft) if token.plain in known and token.named not in SWAPPED]
    if not found:
        return None
    place = found[int(rng.integers(len(found)))]
    options = known[draft[place].plain]
    text = options[int(rng.integers(len(options)))]
    made = tuple(replace(draft[place], text=word, wrong=True, glued=False) for word in text.split())
    return put(draft, place, place + 1, made)


def other_phrase(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put another noun phrase of the document in the place of one, its article kept."""
    own = word_set(scene.drafts[number]) | word_set(draft)
    found = [
        run
        for run in noun_phrases(draft)
        if draft[run.last - 1].part in {"NN", "NNS"}
        and all(token.entity == "O" or token.named not in SWAPPED for token in draft[run.first : run.last])
    ]
    for index in rng.permutation(len(found)).tolist():
        run = found[index]
        head = draft[run.last - 1]
        options = [
            each for place, each in scene.phrases.get(head.part, ()) if place != number and each[-1].plain not in own
        ]
        if options:
            return put(draft, run.first, run.last, as_wrong(drawn(options, rng)))
    return None


def other_verb(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put another verb of the document, in the same form, in the place of one."""
    own = word_set(scene.drafts[number]) | word_set(draft)
    found = [
        i for i, token in enumerate(draft) if token.part in {"VBD", "VBN", "VBZ", "VB"} and token.plain not in _LIGHT
    ]
    for index in rng.permutation(len(found)).tolist():
        place = found[index]
        options = [
            each
            for sentence, each in scene.words.get(draft[place].part, ())
            if sentence != number and each.plain not in own and each.plain not in _LIGHT
        ]
        if options:
            text = options[int(rng.integers(len(options)))].plain
            return put(draft, place, place + 1, (replace(draft[place], text=text, wrong=True),))
    return None


def spliced(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Return one sentence's subject with what another sentence says of its own."""
    cut = _subject_end(draft)
    if cut is None or draft[0].part == "PRP":
        return None
    own = word_set(draft[:cut])
    options = []
    for _, other in scene.others(number):
        end = _subject_end(other)
        if end is not None and other[0].part != "PRP" and not own & word_set(other[:end]) - {"the", "a", "of", "in"}:
            options.append((other, end))
    if not options:
        return None
    other, end = options[int(rng.integers(len(options)))]
    return ended((*draft[:cut], *as_wrong(other[end:-1])))


def _subject_end(draft: Draft) -> int | None:
    if not has_subject_and_verb(draft):
        return None
    end = next(i for i, token in enumerate(draft) if token.part in FINITE)
    return end if 0 < end <= 8 else None  # noqa: PLR2004 - longer ones hold clauses


def extended(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Add a phrase that the document says of something else: where, when, with whom."""
    if not draft or draft[-1].part != ".":
        return None
    own = word_set(scene.drafts[number]) | word_set(draft)
    options = []
    for _, other in scene.others(number):
        found = list(chunks(other))
        for first, second in itertools.pairwise(found):
            phrase = other[first.first : second.last]
            if (
                (first.kind, second.kind) == ("PP", "NP")
                and first.last == second.first
                and phrase[0].plain
                in {"in", "at", "on", "with", "for", "from", "during", "by", "near", "after", "because"}
                and phrase[-1].part in {"NN", "NNS", "NNP", "CD"}
                and not (own & word_set(phrase[1:])) - {"the", "a"}
            ):
                options.append(phrase)
    if not options:
        return None
    return (*draft[:-1], *as_wrong(drawn(options, rng)), draft[-1])


def garbled(draft: Draft, _number: int, _scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Disturb the words: leave out what matters, repeat parts, exchange neighbours."""
    kept = list(draft)
    if len(kept) < 6:  # noqa: PLR2004 - nothing would be left
        return None
    way = int(rng.integers(3))
    if way == 0:
        places = [i for i, token in enumerate(kept[:-1]) if token.part in FINITE | {"NN", "NNP", "NNS", "VBN"}]
        for place in sorted(rng.permutation(places).tolist()[: max(2, len(places) // 3)], reverse=True):
            kept[place - 1] = replace(kept[place - 1], wrong=True)
            del kept[place]
    elif way == 1:
        first = int(rng.integers(len(kept) - 4))
        order = rng.permutation(len(kept) - 1 - first).tolist()
        kept[first:-1] = [replace(kept[first + i], glued=False, wrong=True) for i in order]
    else:
        first = int(rng.integers(1, len(kept) - 3))
        part = as_wrong(kept[first : first + 3])
        kept[first:first] = [*part, *part[:2]]
    return tuple(kept)


def another_said_so(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> Draft | None:
    """Put words into the mouth of someone whom the document names elsewhere."""
    if not has_subject_and_verb(draft) or draft[0].part == "PRP":
        return None
    own = word_set(scene.drafts[number])
    options = [each for _, each in scene.names.get("person", ()) if not own & word_set(each)]
    if not options:
        return None
    said = (*as_wrong(drawn(options, rng)), *tokens("said that", "VBD", wrong=True))
    return (*said, *draft)


CORRUPTIONS: dict[str, tuple[Corruption, float]] = {
    "name": (other_name, 5.0),
    "number": (other_number, 3.0),
    "date": (other_date, 1.0),
    "pronoun": (other_pronoun, 0.7),
    "exchanged": (exchanged, 1.5),
    "negation": (negated, 2.0),
    "opposite": (opposite, 1.5),
    "phrase": (other_phrase, 2.0),
    "verb": (other_verb, 1.5),
    "spliced": (spliced, 1.5),
    "extended": (extended, 1.2),
    "garbled": (garbled, 0.6),
    "said": (another_said_so, 0.3),
}
"""Every way to make a claim wrong, and how often it is tried first, beside the others."""


def corrupted(draft: Draft, number: int, scene: Scene, rng: np.random.Generator) -> tuple[Draft, str] | None:
    """Make a draft wrong in one way, the first that can be among all in random order; return the way's name too."""
    kinds = list(CORRUPTIONS)
    shares = [share for _, share in CORRUPTIONS.values()]
    order = rng.choice(len(kinds), len(kinds), replace=False, p=[share / sum(shares) for share in shares])
    for index in order.tolist():
        if made := CORRUPTIONS[kinds[index]][0](draft, number, scene, rng):
            return made, kinds[index]
    return None
