import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from qassay.errors import DataError
from qassay.meta.agreement.cleaning import filter_noise, judge_items, pairwise_pearson, report_annotators
from qassay.meta.agreement.krippendorff import krippendorff_alpha
from qassay.meta.agreement.ratings import Ratings
from shared import bench


def ratings_of(*items):
    """Read one list of ratings an item, None where the annotator in that place gave none."""
    rows = [(i, j, value) for i, item in enumerate(items) for j, value in enumerate(item) if value is not None]
    return Ratings.build(
        [(f"q{i}", "") for i, *_ in rows], [f"w{j}" for _, j, _ in rows], [float(value) for *_, value in rows]
    )


def simulated(seed, items=30, annotators=6):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, items)
    matrix = np.clip(truth[:, None] + rng.integers(-1, 2, (items, annotators)), 1, 5).astype(float)
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    return matrix, ratings_of(*[[None if np.isnan(v) else v for v in row] for row in matrix])


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        # Mean 4, population sd 2 (scipy.stats.zscore): z of 0 is -2, of the fives 0.5.
        ([5, 5, 5, 5, 0], [5, 5, 5, 5]),
        # z is exactly 1 for all: not above 1.
        ([1, 3], [1, 3]),
        ([0.1, 0.3, 0.1, 0.3], [0.1, 0.3, 0.1, 0.3]),
        # No variation: nothing is noise.
        ([4, 4, 4], [4, 4, 4]),
        ([2], [2]),
        # Six of sixteen are beyond 1 (|z| = 1.04 for 2 and 4.6 for 9); the farthest goes, then the first four twos.
        ([9, 2, 2, 2, 2, 2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5], [2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]),
    ],
)
def test_ratings_far_from_the_others_are_removed(item, kept):
    """|z| above 1 is noise, at most five are removed, the farthest first (Lee et al. 2021, section 4.2)."""
    filtered = filter_noise(ratings_of(item))

    assert filtered.ratings.value.tolist() == kept
    assert filtered.removed_per_item == (len(item) - len(kept),)


@given(st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=12), min_size=1, max_size=4))
def test_the_filter_removes_what_scipys_z_score_says(items):
    """Item by item: the five largest |z| above 1, by scipy's zscore."""
    filtered = filter_noise(ratings_of(*items))

    def noise(item):
        z = np.abs(stats.zscore(item)) if len(set(item)) > 1 else np.zeros(len(item))
        return min(5, int((z > 1 + 1e-9).sum()))

    assert filtered.removed_per_item == tuple(noise(item) for item in items)


def test_removals_are_counted_by_annotator():
    """One who is always far off is easy to find."""
    filtered = filter_noise(ratings_of([5, 5, 5, 1], [1, 1, 1, 5], [2, 2, 2, 2]))

    assert filtered.removed_per_annotator == (0, 0, 0, 2)
    assert filtered.removed == (3, 7)


def test_a_filter_that_makes_no_sense_is_refused():
    """A limit of 0 would call everything noise."""
    with pytest.raises(DataError, match="limit above 0"):
        filter_noise(ratings_of([1, 2]), limit=0)


def test_pairwise_pearson_averages_scipys_coefficients():
    """Every two annotators over the items that both rated."""
    matrix, ratings = simulated(1)

    result = pairwise_pearson(ratings)

    both = [~np.isnan(matrix[:, i]) & ~np.isnan(matrix[:, j]) for i, j in combinations(range(6), 2)]
    wanted = [
        stats.pearsonr(matrix[rows, i], matrix[rows, j]).statistic
        for rows, (i, j) in zip(both, combinations(range(6), 2), strict=True)
    ]
    assert result.value == pytest.approx(np.mean(wanted), abs=1e-9)
    assert (result.pairs, result.undefined) == (15, 0)


@pytest.mark.parametrize(
    ("items", "undefined", "reason"),
    [
        ([[1, None], [None, 2]], 0, "no two annotators rated the same item"),
        ([[1, 2], [2, 1]], 1, "share three items"),
        ([[3, 1], [3, 2], [3, 4]], 1, "share three items"),
    ],
)
def test_pairs_without_a_coefficient_are_counted(items, undefined, reason):
    """No overlap, too little of it, or one who always says the same."""
    result = pairwise_pearson(ratings_of(*items))

    assert (result.value, result.undefined) == (None, undefined)
    assert reason in result.reason


def test_an_items_judgement_is_its_mean_with_students_interval():
    """Mean, standard error and interval are scipy's."""
    judgement = judge_items(ratings_of([1, 2, 2, 5]))[0]

    values = [1, 2, 2, 5]
    low, high = stats.t.interval(0.95, 3, loc=np.mean(values), scale=stats.sem(values))
    assert (judgement.judgement, judgement.ratings) == (2.5, 4)
    assert judgement.se == pytest.approx(stats.sem(values))
    assert (judgement.low, judgement.high) == pytest.approx((low, high))


def test_one_rating_has_no_uncertainty():
    """A mean of one is a judgement whose error is unknown, not 0."""
    judgement = judge_items(ratings_of([3]))[0]

    assert (judgement.judgement, judgement.se, judgement.low) == (3.0, None, None)


def test_clean_judgements_use_the_filtered_ratings():
    """The noise is left out of the mean and counted beside it."""
    ratings = ratings_of([5, 5, 5, 5, 0])

    judgement = judge_items(ratings, filter_noise(ratings))[0]

    assert (judgement.judgement, judgement.ratings, judgement.removed) == (5.0, 4, 1)
    assert judgement.row()["judgement"] == 5.0


def test_annotators_are_compared_with_the_others():
    """Bias and agreement are against the mean of the others on the same items."""
    matrix, ratings = simulated(2)

    report = report_annotators(ratings)[0]

    name = int(report.annotator.removeprefix("w"))
    own = matrix[:, name]
    others = np.array([np.nanmean(np.delete(row, name)) for row in matrix])
    rows = ~np.isnan(own)
    assert report.bias == pytest.approx((own - others)[rows].mean())
    assert report.agreement == pytest.approx(stats.pearsonr(own[rows], others[rows]).statistic)
    assert report.compared == rows.sum()


@pytest.mark.parametrize(
    ("items", "reason"),
    [
        ([[1], [2]], "nobody else rated the same items"),
        ([[1, 2], [3, 3]], "2 shared items; a correlation needs 3"),
        ([[1, 2], [1, 3], [1, 4]], "all ratings are equal"),
    ],
)
def test_annotators_that_cannot_be_compared_say_why(items, reason):
    """Alone, on too few items, or always the same."""
    report = report_annotators(ratings_of(*items))[0]

    assert report.agreement is None
    assert reason in report.reason


def test_real_votes_go_through():
    """QAGS (XSum): three votes a sentence by many workers; filtering and alpha run on it and agree above chance."""
    items, workers, votes = [], [], []
    with bench("qags/mturk_xsum.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            for place, sentence in enumerate(json.loads(line)["summary_sentences"]):
                for vote in sentence["responses"]:
                    items.append((f"{number}.{place}", ""))
                    workers.append(str(vote["worker_id"]))
                    votes.append(float(vote["response"] == "yes"))

    ratings = Ratings.build(items, workers, votes, scale=(0, 1))

    assert 0.2 < krippendorff_alpha(ratings).value < 0.8
    assert len(judge_items(ratings)) == len(ratings.items)
