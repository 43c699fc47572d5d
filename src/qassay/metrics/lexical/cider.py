"""CIDEr-D: agreement with references by n-grams that are rare in the run (Vedantam et al. 2015)."""

from __future__ import annotations

from collections import Counter
from math import exp, log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qassay.features.frequencies import Frequencies, FrequencyNeed, Gram, frequencies_for, load_frequencies, ngrams
from qassay.features.token_views import token_view
from qassay.metrics.base import OverlapMetric
from qassay.metrics.parameters import tok
from qassay.spec import Param

if TYPE_CHECKING:
    from qassay.arrays import Floats
    from qassay.features.batch import Batch
    from qassay.features.resources import Resources
    from qassay.spec import MetricSpec

_SCALE = 10.0


class Cider(OverlapMetric):
    """Mean over orders 1..n and over references of clipped tf-idf cosine, times 10, with a length penalty.

    The maximum is 10. A candidate whose tokens equal every reference's scores 10, also where the formula has no
    value (texts shorter than n, or a run so small that no n-gram is rare).
    """

    name = "cider"
    summary = "tf-idf n-gram agreement with all references, from 0 to 10 (CIDEr-D)"
    source = "Vedantam et al. 2015"
    params = (
        Param("n", 4, "highest n-gram order", low=1, high=9),
        Param("sigma", 6.0, "width of the length penalty", low=1e-6, high=1e6),
        Param("df", "run", "document frequencies: of this run's references, or a file's"),
        tok("word"),
    )
    maximum = _SCALE

    def __init__(self, spec: MetricSpec) -> None:
        super().__init__(spec)
        path = self.text("df")
        self._stored = None if path == "run" else _stored(self.need, Path(path))

    @property
    def need(self) -> FrequencyNeed:
        """The n-gram frequencies, all references of one example being one document."""
        return FrequencyNeed(self.tok, int(self.settings["n"]), together=True)

    def first_passes(self, resources: Resources) -> tuple[FrequencyNeed, ...]:  # noqa: ARG002 - none decides
        """Count the run's own frequencies unless a file gives them."""
        return () if self._stored else (self.need,)

    def identity(self, resources: Resources) -> dict[str, str]:
        """Name the frequencies by their hash."""
        found = self._stored or resources.first_pass_result(self.need)
        return {**super().identity(resources), "df": found.fingerprint}

    def values(self, batch: Batch) -> Floats:
        """Score each candidate against all its references."""
        view, pairs = token_view(batch, self.tok), self.usable(batch)
        rarity = self._stored or batch.resources.first_pass_result(self.need)
        vectors = {row: self._vectors(view.tokens.row(row), rarity) for row in self._rows(batch)}
        sums, counts, equal = (np.zeros(len(batch)) for _ in range(3))
        coded = view.tokens.as_strings
        for example, left, right in zip(
            pairs.example.tolist(), view.left(pairs).tolist(), view.right(pairs).tolist(), strict=True
        ):
            sums[example] += self._similarity(vectors[left], vectors[right])
            counts[example] += 1
            equal[example] += coded[left] == coded[right]
        with np.errstate(invalid="ignore"):
            values = _SCALE * sums / np.where(counts > 0, counts, np.nan)
        return np.where((equal == counts) & (counts > 0), _SCALE, values)

    def _rows(self, batch: Batch) -> set[int]:
        view, pairs = token_view(batch, self.tok), self.usable(batch)
        return set(view.left(pairs).tolist()) | set(view.right(pairs).tolist())

    def _vectors(self, tokens: list[str], rarity: Frequencies) -> tuple[int, list[_Vector]]:
        n = int(self.settings["n"])
        everything = log(max(rarity.documents, 1))
        vectors: list[_Vector] = [({}, 0.0)] * n
        weights: list[dict[Gram, float]] = [{} for _ in range(n)]
        for gram, count in Counter(ngrams(tokens, n)).items():
            weights[len(gram) - 1][gram] = count * (everything - log(max(1, rarity.counts[gram])))
        for order, values in enumerate(weights):
            vectors[order] = (values, sqrt(sum(value * value for value in values.values())))
        return len(tokens), vectors

    def _similarity(self, left: tuple[int, list[_Vector]], right: tuple[int, list[_Vector]]) -> float:
        length, vectors = left
        wanted, references = right
        penalty = exp(-((length - wanted) ** 2) / (2 * self.number("sigma") ** 2))
        total = 0.0
        for (ours, norm), (theirs, other) in zip(vectors, references, strict=True):
            if norm and other:
                shared = sum(min(value, theirs[gram]) * theirs[gram] for gram, value in ours.items() if gram in theirs)
                total += shared / (norm * other)
        return penalty * total / len(vectors)


def _stored(need: FrequencyNeed, path: Path) -> Frequencies:
    return frequencies_for(need, load_frequencies(path), path)


_Vector = tuple[dict[Gram, float], float]
