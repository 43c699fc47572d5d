"""METEOR: words matched exactly, by stem and by synonym, with a penalty for scattered matches.

A. Lavie and A. Agarwal, "METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation with
Human Judgments", 2007. Where the paper leaves a choice, NLTK's is made, so that scores agree with those that
papers report from it: which words are paired when several could be, and that the synonym stage, where it
follows the stem stage, looks up and compares stems.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qassay.features.token_views import token_view
from qassay.metrics.base import OverlapMetric, best
from qassay.metrics.parameters import tok
from qassay.spec import Param, with_options
from qassay.text.porter import stem
from qassay.text.wordnet import WordNet, find_wordnet

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from qassay.features.batch import Batch
    from qassay.features.resources import Resources
    from qassay.spec import MetricSpec
    from qassay.text.tokenisers.tokens import Tokens

    Floats = NDArray[np.float64]

STAGES = ("exact", "stem", "synonym")
WITHOUT_WORDNET = {"exact+stem+synonym": "exact+stem", "exact+synonym": "exact"}
"""What the wanted stages become where no WordNet is installed."""
UNMATCHED = -2
"""Neither a position nor the one before a position."""


class Meteor(OverlapMetric):
    """METEOR of the candidate's best reference.

    Where no WordNet is installed there are no synonyms, and the metric's own spec says so: `meteor` becomes
    `meteor,stages=exact+stem`.
    """

    name = "meteor"
    summary = "aligned unigrams (exact, stem, synonym) with a penalty for broken order"
    source = "Banerjee and Lavie 2005"
    params = (
        tok("word"),
        Param(
            "stages",
            "exact+stem+synonym",
            "how words may match, tried in this order",
            choices=("exact", "exact+stem", "exact+synonym", "exact+stem+synonym"),
        ),
        Param("alpha", 0.9, "weight of recall in the mean", low=0, high=1),
        Param("beta", 3.0, "exponent of the penalty", low=0, high=100),
        Param("gamma", 0.5, "highest penalty", low=0, high=1),
    )

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(spec)
        self._wordnet: WordNet | None = None
        if self.text("stages") in WITHOUT_WORDNET:
            root = find_wordnet()
            if root is None:
                stages = {"stages": WITHOUT_WORDNET[self.text("stages")]}
                super().__init__(with_options(spec, stages, self.declaration))
            else:
                self._wordnet = WordNet(root)

    def identity(self, resources: Resources) -> dict[str, str]:
        """Name the WordNet that gave the synonyms."""
        own = {"wordnet": self._wordnet.fingerprint} if self._wordnet else {}
        return {**super().identity(resources), **own}

    def values(self, batch: Batch) -> Floats:
        """Take the best reference."""
        view, pairs = token_view(batch, self.tok), self.usable(batch)
        rows = _lowered_rows(view.tokens)
        stages = self.text("stages").split("+")
        synonyms = self._wordnet.synonyms if self._wordnet else None
        alpha, beta, gamma = (self.number(name) for name in ("alpha", "beta", "gamma"))
        scores = [
            meteor(rows[left], rows[right], stages, alpha=alpha, beta=beta, gamma=gamma, synonyms=synonyms)
            for left, right in zip(view.left(pairs).tolist(), view.right(pairs).tolist(), strict=True)
        ]
        return best(np.array(scores, np.float64), pairs.example, len(batch))


def meteor(
    candidate: Sequence[str],
    reference: Sequence[str],
    stages: Collection[str] = STAGES,
    *,
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    synonyms: Callable[[str], AbstractSet[str]] | None = None,
) -> float:
    """Score lower-cased candidate tokens against one reference.

    With m matched words in ch chunks, P = m / |candidate| and R = m / |reference|, the score is
    `(1 - gamma * (ch / m) ** beta) * P * R / (alpha * P + (1 - alpha) * R)`, and 0 when m is 0. It equals
    NLTK's `single_meteor_score`, with one exception: identical texts score 1, where the formula takes off the
    penalty of their one chunk (half the score, for a single word). The synonym stage needs `synonyms`, which
    gives the words that a word may stand for.
    """
    if candidate and list(candidate) == list(reference):
        return 1.0
    alignment = align(candidate, reference, stages, synonyms)
    matches = len(alignment) - alignment.count(UNMATCHED)
    if not matches:
        return 0.0
    precision = matches / len(candidate)
    recall = matches / len(reference)
    harmonic = precision * recall / (alpha * precision + (1 - alpha) * recall)
    penalty: float = gamma * (chunks(alignment) / matches) ** beta
    return (1 - penalty) * harmonic


def align(
    candidate: Sequence[str],
    reference: Sequence[str],
    stages: Collection[str] = STAGES,
    synonyms: Callable[[str], AbstractSet[str]] | None = None,
) -> list[int]:
    """Return for each candidate token the position of its match in the reference, or `UNMATCHED`.

    Stage by stage, and within a stage from the last candidate token to the first, a token takes the last free
    reference token that it matches.
    """
    alignment = [UNMATCHED] * len(candidate)
    waiting = list(enumerate(candidate))[::-1]
    free = list(enumerate(reference))
    if "exact" in stages:
        waiting, free = _match_equal(waiting, free, alignment)
    if "stem" in stages and waiting and free:
        waiting = [(position, stem(word)) for position, word in waiting]
        free = [(place, stem(word)) for place, word in free]
        waiting, free = _match_equal(waiting, free, alignment)
    if "synonym" in stages and synonyms is not None and waiting and free:
        _match_synonyms(waiting, free, alignment, synonyms)
    return alignment


def chunks(alignment: Sequence[int]) -> int:
    """Count the runs of matches that are adjacent, and in the same order, on both sides."""
    count = 0
    previous = UNMATCHED
    for place in alignment:
        if place not in (UNMATCHED, previous + 1):
            count += 1
        previous = place
    return count


def _lowered_rows(tokens: Tokens) -> list[list[str]]:
    words = [word.lower() for word in tokens.words]
    ids, bounds = tokens.ids.tolist(), tokens.starts.tolist()
    return [[words[i] for i in ids[start:end]] for start, end in pairwise(bounds)]


def _places_of_words(free: Sequence[tuple[int, str]]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for place, word in free:
        places.setdefault(word, []).append(place)
    return places


def _match_equal(
    waiting: Sequence[tuple[int, str]], free: Sequence[tuple[int, str]], alignment: list[int]
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Match equal words; return what is left of both sides, in the original order."""
    places = _places_of_words(free)
    left = []
    taken = set()
    for position, word in waiting:
        found = places.get(word)
        if found:
            alignment[position] = place = found.pop()
            taken.add(place)
        else:
            left.append((position, word))
    return left, [each for each in free if each[0] not in taken]


def _match_synonyms(
    waiting: Sequence[tuple[int, str]],
    free: Sequence[tuple[int, str]],
    alignment: list[int],
    synonyms: Callable[[str], AbstractSet[str]],
) -> None:
    places = _places_of_words(free)
    for position, word in waiting:
        meant = places.keys() & synonyms(word)
        chosen = max(meant, key=lambda each: places[each][-1], default=None)
        if chosen is not None:
            alignment[position] = places[chosen].pop()
            if not places[chosen]:
                del places[chosen]
