"""Which rows train, which choose and which measure: by the text of a question or an article, never by chance alone."""

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from qassay.arrays import Bools, Ints
from qassay.errors import SpecError, option
from qassay.training.answer_text import group_of, question_key

Side = Literal["train", "dev", "test"]
TRAIN, DEV, TEST = "train", "dev", "test"
_HELD_BACK = 10

DEV_ARTICLES = frozenset({"Amazon_rainforest", "Huguenot", "Private_school"})
"""SQuAD articles for choosing between readers and setting the threshold."""
TEST_ARTICLES = frozenset({"Fresno,_California", "French_and_Indian_War", "Oxygen", "Scottish_Parliament"})
"""SQuAD articles for the figure in the model card: about a tenth of dev v2.0."""


class _Sourced(Protocol):
    @property
    def source(self) -> str: ...


Row = TypeVar("Row", bound=_Sourced)


def held_back(question: str) -> bool:
    """Whether a Natural Question is kept for the final test: one in ten, by the hash of its normalised text.

    No training, tuning or choosing ever sees these questions of EVOUNA's: the judge's final figures are measured on
    them. Every builder of training data leaves out the same ones, whatever file they come from.
    """
    digest = hashlib.sha256(question_key(question).encode()).digest()
    return int.from_bytes(digest[:8], "big") % _HELD_BACK == 0


def hashes_below(text: str, share: float) -> bool:
    """Whether a text falls into a share of all texts, by its hash: how development sides are drawn."""
    digest = hashlib.sha256(b"dev " + text.encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def side_of_article(title: str) -> Side:
    """Return on which side of the split an article's questions are, whichever SQuAD file they come from."""
    if title in TEST_ARTICLES:
        return "test"
    return "dev" if title in DEV_ARTICLES else "train"


def folds_of(groups: Sequence[str], folds: int) -> Ints:
    """Return each row's fold by the hash of its group, so that a question's answers are never parted."""
    return np.array([zlib.crc32(group.encode()) % folds for group in groups], np.int64)


def folds_of_questions(questions: Sequence[str], folds: int) -> Ints:
    """Return each row's fold by its question, the same one in whatever data the question is."""
    return folds_of([group_of(question) for question in questions], folds)


class QuestionFold(NamedTuple):
    """One of several folds of the questions, from 1 on."""

    number: int
    folds: int

    @classmethod
    def parse(cls, text: str) -> "QuestionFold":
        """Read `K/N`."""
        number, slash, folds = text.partition("/")
        if slash and number.strip().isdecimal() and folds.strip().isdecimal() and 1 <= int(number) <= int(folds) > 1:
            return cls(int(number), int(folds))
        raise SpecError(f'{option("leave_out")} is "{text}"; say which fold of how many, two or more, as in 1/4')

    def __str__(self) -> str:
        return f"{self.number}/{self.folds}"

    def holds(self, questions: Sequence[str]) -> Bools:
        """Return which questions are in the fold."""
        return np.asarray(folds_of_questions(questions, self.folds) == self.number - 1, bool)


def sample(rows: Iterable[Row], most: int, rng: np.random.Generator) -> list[Row]:
    """Draw at most `most` rows of each source, source by source, in their order."""
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    drawn = []
    for found in by_source.values():
        kept = rng.choice(len(found), min(most, len(found)), replace=False)
        drawn += [found[index] for index in sorted(kept)]
    return drawn


def linked(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Return the name of each item's cluster: items that share any key are in one (union-find)."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for first, *others in keys:
        for other in others:
            parent[root(other)] = root(first)
    return [root(first) for first, *_ in keys]
