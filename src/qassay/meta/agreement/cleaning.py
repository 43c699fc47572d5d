"""Ratings of several annotators: noise removed, agreement between annotators, and one judgement per item."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse, stats

from qassay.arrays import Floats, Ints
from qassay.errors import DataError
from qassay.meta.accuracy.label_files import PROBABILITY, ROUND
from qassay.meta.agreement.rating_rows import Drawn
from qassay.meta.agreement.ratings import Ratings
from qassay.meta.statistics.coefficients import is_constant

_FEWEST_SHARED = 3
"""With two shared items every correlation is 1 or -1."""


@dataclass(frozen=True, slots=True, eq=False)
class CleanRatings:
    """Ratings without noise, and what was removed."""

    ratings: Ratings
    removed: tuple[int, ...]
    """Rows of the original ratings, in their order."""
    removed_per_item: tuple[int, ...]
    removed_per_annotator: tuple[int, ...]


def filter_noise(ratings: Ratings, limit: float = 1.0, most: int = 5) -> CleanRatings:
    """Remove ratings far from the others of the same item (Lee et al. 2021, section 4.2, after Jung and Lease 2011).

    Within each item, ratings whose |z| is above `limit` are noise, and at most `most` of them are removed, the
    farthest first (of equally far ones, the first in the file). z is taken once, with the standard deviation of
    all of the item's ratings (dividing by n); where that is 0 nothing is noise.
    """
    if limit <= 0 or most < 0:
        raise DataError("the noise filter needs a limit above 0 and a number of removals of at least 0")
    item, value = ratings.item, ratings.value
    sizes = np.maximum(np.bincount(item, minlength=len(ratings.items)), 1)
    mean = np.bincount(item, value, len(sizes)) / sizes
    gap = value - mean[item]
    spread = np.sqrt(np.bincount(item, gap**2, len(sizes)) / sizes)[item]
    z = np.divide(np.abs(gap), spread, out=np.zeros_like(gap), where=spread > 0)
    # A rating exactly at the limit must not be lost to rounding.
    noisy = np.flatnonzero(z > limit * (1 + 1e-9))
    order = noisy[np.lexsort((noisy, -z[noisy].round(9), item[noisy]))]
    place = np.arange(len(order)) - np.searchsorted(item[order], item[order])
    removed = np.sort(order[place < most])
    kept = np.ones(len(value), dtype=bool)
    kept[removed] = False
    clean = Ratings(item[kept], ratings.items, ratings.annotator[kept], ratings.annotators, value[kept])
    return CleanRatings(
        clean,
        tuple(int(row) for row in removed),
        tuple(int(n) for n in np.bincount(item[removed], minlength=len(ratings.items))),
        tuple(int(n) for n in np.bincount(ratings.annotator[removed], minlength=len(ratings.annotators))),
    )


@dataclass(frozen=True, slots=True)
class PairwisePearson:
    """Mean correlation between two annotators, over the pairs that have one."""

    value: float | None
    pairs: int
    """How many pairs of annotators the mean is based on."""
    undefined: int
    """Pairs that share items, but fewer than three, or rate all of them alike."""
    reason: str | None = None


def pairwise_pearson(ratings: Ratings) -> PairwisePearson:
    """Correlate every two annotators over the items that both rated, and average the coefficients."""
    shape = (len(ratings.items), len(ratings.annotators))
    value = ratings.value - (ratings.value.mean() if len(ratings) else 0.0)
    cells = (ratings.item, ratings.annotator)
    present, given, squared = (
        sparse.csr_matrix((column, cells), shape=shape) for column in (np.ones(len(value)), value, value**2)
    )
    shared = sparse.triu(present.T @ present, 1).tocoo()
    first, second, n = shared.row, shared.col, shared.data
    if not len(n):
        return PairwisePearson(None, 0, 0, "no two annotators rated the same item")
    # Each entry (i, j) of these products sums over the items that i and j share.
    products, sums, squares = given.T @ given, (given.T @ present).tocsr(), (squared.T @ present).tocsr()
    sxy, sx, sy, sxx, syy = (
        np.asarray(matrix[a, b]).ravel()
        for matrix, a, b in (
            (products.tocsr(), first, second),
            (sums, first, second),
            (sums, second, first),
            (squares, first, second),
            (squares, second, first),
        )
    )
    spread_x, spread_y = n * sxx - sx**2, n * syy - sy**2
    defined = (n >= _FEWEST_SHARED) & (spread_x > 1e-9 * n * sxx) & (spread_y > 1e-9 * n * syy)
    if not defined.any():
        return PairwisePearson(None, 0, len(n), "no two annotators share three items that both rate differently")
    r = (n * sxy - sx * sy)[defined] / np.sqrt(spread_x[defined] * spread_y[defined])
    return PairwisePearson(float(r.mean()), int(defined.sum()), int((~defined).sum()))


@dataclass(frozen=True, slots=True)
class ItemJudgement:
    """The judgement of one item: the mean of its ratings with an interval."""

    id: str
    system: str
    judgement: float | None
    ratings: int
    removed: int
    """Ratings that the noise filter removed."""
    sd: float | None
    se: float | None
    low: float | None
    high: float | None
    """Student's t interval of the mean; None with fewer than two ratings."""
    drawn: Drawn | None = None
    """The round and the probability with which `accuracy --next` chose it, where it did."""

    def row(self) -> dict[str, object]:
        """Return the judgement as a row of `agree -o`."""
        return {
            "id": self.id,
            "system": self.system,
            "judgement": self.judgement,
            "ratings": self.ratings,
            "removed": self.removed,
            "se": self.se,
            **({} if self.drawn is None else dict(zip((ROUND, PROBABILITY), self.drawn, strict=True))),
        }


def judge_items(
    ratings: Ratings, filtered: CleanRatings | None = None, confidence: float = 0.95
) -> list[ItemJudgement]:
    """Average each item's ratings; pass the result of `filter_noise` to use the clean ones."""
    used = ratings if filtered is None else filtered.ratings
    removed = (0,) * len(ratings.items) if filtered is None else filtered.removed_per_item
    sizes = np.bincount(used.item, minlength=len(used.items))
    mean, sd, se, reach = _means(used, sizes, confidence)
    low, high = mean - reach, mean + reach
    return [
        ItemJudgement(
            id=item[0],
            system=item[1],
            judgement=float(mean[i]) if sizes[i] else None,
            ratings=int(sizes[i]),
            removed=removed[i],
            sd=float(sd[i]) if sizes[i] > 1 else None,
            se=float(se[i]) if sizes[i] > 1 else None,
            low=float(low[i]) if sizes[i] > 1 else None,
            high=float(high[i]) if sizes[i] > 1 else None,
            drawn=ratings.drawn.get(item),
        )
        for i, item in enumerate(used.items)
    ]


def _means(ratings: Ratings, sizes: Ints, confidence: float) -> tuple[Floats, Floats, Floats, Floats]:
    at_least_one, at_least_two = np.maximum(sizes, 1), np.maximum(sizes, 2)
    mean = np.bincount(ratings.item, ratings.value, len(sizes)) / at_least_one
    gap = ratings.value - mean[ratings.item]
    sd = np.sqrt(np.bincount(ratings.item, gap**2, len(sizes)) / (at_least_two - 1))
    se = sd / np.sqrt(at_least_two)
    return mean, sd, se, se * stats.t.ppf((1 + confidence) / 2, at_least_two - 1)


@dataclass(frozen=True, slots=True)
class AnnotatorReport:
    """One annotator against the others."""

    annotator: str
    ratings: int
    removed: int
    """Ratings that the noise filter removed."""
    compared: int
    """Items that others rated too."""
    bias: float | None
    """Mean difference from the mean of the others' ratings of the same items."""
    deviation: float | None
    """Root mean squared difference from the others' mean."""
    agreement: float | None
    """Pearson correlation with the others' mean."""
    reason: str | None


def report_annotators(ratings: Ratings, filtered: CleanRatings | None = None) -> list[AnnotatorReport]:
    """Compare every annotator with the mean of the others, on the ratings as given.

    The removals are those of `filter_noise` on the same ratings.
    """
    removed = (0,) * len(ratings.annotators) if filtered is None else filtered.removed_per_annotator
    sizes = np.bincount(ratings.item, minlength=len(ratings.items))[ratings.item]
    total = np.bincount(ratings.item, ratings.value, len(ratings.items))[ratings.item]
    shared = sizes > 1
    others = np.divide(total - ratings.value, sizes - 1, out=np.zeros_like(total), where=shared)
    order = np.argsort(ratings.annotator, kind="stable")
    ends = np.cumsum(np.bincount(ratings.annotator, minlength=len(ratings.annotators)))
    blank = AnnotatorReport("", 0, 0, 0, None, None, None, None)
    reports = []
    for name, rows, taken in zip(ratings.annotators, np.split(order, ends[:-1]), removed, strict=True):
        used = rows[shared[rows]]
        report = replace(blank, annotator=name, ratings=len(rows), removed=taken, compared=len(used))
        if not len(used):
            reports.append(replace(report, reason="nobody else rated the same items"))
            continue
        own, rest = ratings.value[used], others[used]
        gap = own - rest
        report = replace(report, bias=float(gap.mean()), deviation=float(np.sqrt((gap**2).mean())))
        if len(used) < _FEWEST_SHARED:
            items = "1 shared item" if len(used) == 1 else f"{len(used)} shared items"
            report = replace(report, reason=f"{items}; a correlation needs {_FEWEST_SHARED}")
        elif is_constant(own) or is_constant(rest):
            report = replace(report, reason="all ratings are equal, theirs or the others'")
        else:
            report = replace(report, agreement=float(np.corrcoef(own, rest)[0, 1]))
        reports.append(report)
    return reports
