"""A study of ratings: agreement before and after noise is removed, judgements, and each annotator's agreement."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qassay.meta.agreement.cleaning import filter_noise, judge_items, pairwise_pearson, report_annotators
from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.meta.agreement.cleaning import AnnotatorReport, ItemJudgement, PairwisePearson
    from qassay.meta.agreement.krippendorff import Alpha
    from qassay.meta.agreement.ratings import Ratings


class Removal(NamedTuple):
    """A rating that the noise filter removed."""

    id: str
    system: str
    annotator: str
    value: float


@dataclass(frozen=True, slots=True)
class RatingStudy:
    """The results of a study of ratings."""

    alpha: Alpha
    """On the ratings that are used: the clean ones, where noise was removed."""
    alpha_before: Alpha | None
    """On all ratings, where noise was removed."""
    pearson: PairwisePearson
    items: Sequence[ItemJudgement]
    annotators: Sequence[AnnotatorReport]
    ratings: int
    removals: Sequence[Removal] = ()
    """Every rating that was removed as noise."""
    parts: Mapping[str, RatingStudy] = field(default_factory=dict)
    """The same of each group of items, where they are grouped; "" for items without a group."""

    @property
    def removed(self) -> int:
        """How many ratings were removed as noise."""
        return len(self.removals)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `agree --json` prints them; the items' judgements are in `agree -o`."""
        return {
            "alpha": asdict(self.alpha),
            "alpha_before_cleaning": None if self.alpha_before is None else asdict(self.alpha_before),
            "pearson": asdict(self.pearson),
            "items": len(self.items),
            "ratings": self.ratings,
            "removed": self.removed,
            "removals": [each._asdict() for each in self.removals],
            "annotators": [asdict(each) for each in self.annotators],
        }


def study_ratings(
    ratings: Ratings,
    measurement: Measurement = Measurement.INTERVAL,
    *,
    clean: bool | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> RatingStudy:
    """Remove noise (Lee et al. 2021, §4.2), measure agreement, and average what is left to one judgement per item.

    The noise filter is made for graded ratings: on votes (0 and 1, or nominal values) it would remove every dissenting
    one, so that votes are all kept unless `clean` asks for it.
    """
    cleaned = not are_votes(ratings, measurement) if clean is None else clean
    filtered = filter_noise(ratings) if cleaned else None
    used = ratings if filtered is None else filtered.ratings

    def alpha(given: Ratings) -> Alpha:
        return krippendorff_alpha(given, measurement, draws=draws, rng=np.random.default_rng(seed))

    return RatingStudy(
        alpha=alpha(used),
        alpha_before=alpha(ratings) if cleaned else None,
        pearson=pairwise_pearson(used),
        items=judge_items(ratings, filtered),
        annotators=report_annotators(ratings, filtered),
        ratings=len(ratings),
        removals=() if filtered is None else sorted(_removal(ratings, row) for row in filtered.removed),
    )


def study_groups(
    ratings: Ratings,
    measurement: Measurement = Measurement.INTERVAL,
    *,
    clean: bool | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> RatingStudy:
    """Study all ratings, and those of each group of items; noise is removed from all groups or from none."""
    cleaned = not are_votes(ratings, measurement) if clean is None else clean
    found = study_ratings(ratings, measurement, clean=cleaned, draws=draws, seed=seed)
    groups = dict.fromkeys(ratings.groups[item] for item in ratings.items)
    return replace(
        found,
        parts={
            group: study_ratings(ratings.of_group(group), measurement, clean=cleaned, draws=draws, seed=seed)
            for group in sorted(groups)
        },
    )


def are_votes(ratings: Ratings, measurement: Measurement) -> bool:
    """Whether ratings are votes for one of several answers instead of grades."""
    return measurement is Measurement.NOMINAL or bool(np.isin(ratings.value, (0.0, 1.0)).all())


def _removal(ratings: Ratings, row: int) -> Removal:
    id_, system = ratings.items[ratings.item[row]]
    return Removal(id_, system, ratings.annotators[ratings.annotator[row]], float(ratings.value[row]))
