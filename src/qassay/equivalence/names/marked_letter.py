"""Names that a mark or a figure makes another name: C, C++ and C#, A+ and A-, H2O and H2O2, CO and CO2."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.letter_case import lower_case
from qassay.equivalence.quick_checks import may_have_part
from qassay.equivalence.rule import AnswerPair, Needs, Replacement, Rule
from qassay.text.traits import FIGURE, HYPHEN, character_trait, word_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKED = re.compile(
    r"(?<![\w*+#])(?P<name>[^\W\d_][^\W_]*)(?:(?P<marks>\s?[+#\u266f]{1,3})|(?<!\w{3})(?P<sign>[-\u2212*]))(?![\w*+#-])"
    r"|(?<![\w-])(?P<spelt>(?-i:[A-Z])[a-z]*|[a-z](?=.plus.plus))[\s-](?P<word>plus(?:[\s-]plus)?|(?<=\b\w.)sharp|(?<=\b\w.)minus"
    r"|(?:(?<=\b\w.)|(?<=\b\w\w.))(?:positive|negative))(?=\s*(?:$|[.,;:!?)(]|(?:blood|type|programming|language)\b))",
    re.IGNORECASE,
)
_MARKS = {"plus": "+", "plus plus": "++", "sharp": "#", "positive": "+", "negative": "-", "minus": "-"}
_NAMES_OF_MARKS = tuple(sorted({name.split()[0] for name in _MARKS}))
_HAS_MARK = (
    HYPHEN
    | character_trait("+#*")
    | word_trait(
        name + behind for name in _NAMES_OF_MARKS for behind in ("", "blood", "type", "programming", "language")
    )
)
_MARK_BEHIND = re.compile(r"[-\u2212*](?![\w*+#-])")
_SAME = str.maketrans({"\u266f": "#", "\u2212": "-", " ": None})
_NAME = re.compile(r"(?<![\w*+#])[^\W\d_][^\W_]*(?![\w*+#])")
_MOST_WORDS = 4
"""Words of a reference that is a name and little else."""
_LETTER = 1
_FORMULA = re.compile(r"(?<![\w-])(?=[^\W\d_]*[A-Z])[^\W_]+(?![\w-])")
"""A word with a capital letter, with figures or without, as in a formula."""
_BLOOD = re.compile(r"\b(?:rh|neg|pos)\b", re.IGNORECASE)
_FIGURES = re.compile(r"\d+")
_MOST_AROUND = 12
"""Words of a candidate that names one formula and little else."""


class _Marked(NamedTuple):
    start: int
    end: int
    name: str
    marks: str


@lru_cache(maxsize=1 << 12)
def _marked(text: str) -> tuple[_Marked, ...]:
    """Find names with marks, also where these are spelt out; a dash belongs to no long word."""
    return tuple(
        _Marked(
            *match.span(),
            (match["name"] or match["spelt"]).lower(),
            _MARKS[lower_case(match["word"]).replace("-", " ")]
            if match["word"]
            else (match["marks"] or match["sign"]).translate(_SAME),
        )
        for match in (_MARKED.finditer(text) if _may_have_marks(text) else ())
    )


def _may_have_marks(text: str) -> bool:
    """Whether a text may have a name with a mark; quick."""
    if "+" in text or "#" in text or may_have_part(text, _NAMES_OF_MARKS):
        return True
    return ("-" in text or "*" in text) and _MARK_BEHIND.search(text) is not None


def _has_other_figures(pair: AnswerPair) -> bool:
    """Whether the reference is letters with figures, and the candidate has these letters with other figures or none."""
    if pair.reference.isascii() and not _FIGURES.search(pair.reference):
        return False
    wanted = unicodedata.normalize("NFKC", pair.reference).strip(" .")
    if not (_FORMULA.fullmatch(wanted) and _FIGURES.search(wanted)) or len(pair.candidate.split()) > _MOST_AROUND:
        return False
    given, asked = (
        set(_FORMULA.findall(unicodedata.normalize("NFKC", text))) for text in (pair.candidate, pair.question)
    )
    letters = _FIGURES.sub("", wanted)
    if re.search(r"(?<!\w){}(?!\w)".format(r"\s?".join(wanted)), pair.candidate):
        return False
    others = {each for each in given - asked if _FIGURES.sub("", each) == letters}
    # One letter without figures is a word, or all that somebody has of a name: vitamin B for B12.
    return wanted not in given and any(len(letters) > _LETTER or _FIGURES.search(each) for each in others)


def _have_marks(pair: AnswerPair) -> bool:
    if _has_other_figures(pair):
        return True
    return len(pair.reference.split()) <= _MOST_WORDS and bool(_marked(pair.reference) or _marked(pair.candidate))


def _as_in_reference(pair: AnswerPair) -> Sequence[Replacement]:
    """Put marks into the reference's form; nothing is left of a candidate that has its name with other marks alone."""
    if _has_other_figures(pair):
        return [Replacement(0, len(pair.candidate), "")]
    given = _marked(pair.candidate)
    if wanted := _marked(pair.reference):
        (first, *_) = wanted
        same = [each for each in given if each[2:] == first[2:]]
        words = pair.reference[first.start : first.end]
        if same:
            found = [Replacement(each.start, each.end, words) for each in same]
            return [each for each in found if pair.candidate[each.start : each.end].lower() != words.lower()]
        if _is_written_otherwise(pair, first):
            return []
        plain = {word if len(word) > _LETTER else word.upper() for word in _NAME.findall(pair.candidate) if word != "a"}
        others = {each.name for each in given} | {word.lower() for word in plain}
        return [Replacement(0, len(pair.candidate), "")] if first.name in others else []
    # The reference has no mark: its last word with one is another name.
    plain_wanted = [word.lower() for word in _NAME.findall(pair.reference)]
    plain_given = [word.lower() for word in _NAME.findall(pair.candidate) if word != "a"]
    other = (
        plain_wanted and any(each.name == plain_wanted[-1] for each in given) and plain_wanted[-1] not in plain_given
    )
    return [Replacement(0, len(pair.candidate), "")] if other else []


def _is_written_otherwise(pair: AnswerPair, wanted: _Marked) -> bool:
    """Whether the candidate has the reference's very words, or a sign in other ones: O neg, Rh-negative."""
    if wanted.marks in {"+", "-"} and _BLOOD.search(pair.candidate):
        return True
    return re.search(rf"{re.escape(pair.reference)}(?![+#*-])", pair.candidate, re.IGNORECASE) is not None


MARKED_LETTER = Rule(
    name="marked_letter",
    definition="A name with a mark takes the reference's form; nothing is left of it with other marks or figures.",
    applies=_have_marks,
    needs=Needs(either=(_HAS_MARK | FIGURE,)),
    rewrite=_as_in_reference,
    revision=2,
)
