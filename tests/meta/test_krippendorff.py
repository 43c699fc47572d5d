import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha
from qassay.meta.agreement.ratings import Ratings

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units.
# Also Krippendorff, "Content Analysis", 4th ed., chapter 12, where the unit with one value is left out.
EXAMPLE = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def ratings_of(matrix):
    """Read a matrix of observers by items, None where a rating is missing."""
    rows = [(i, j) for i in range(len(matrix)) for j in range(len(matrix[0])) if matrix[i][j] is not None]
    return Ratings.build(
        [(str(j), "") for _, j in rows], [str(i) for i, _ in rows], [float(matrix[i][j]) for i, j in rows]
    )


@pytest.mark.parametrize(
    ("measurement", "wanted"),
    # The three values that Krippendorff (2011) works out, to three digits.
    [(Measurement.NOMINAL, 0.743), (Measurement.ORDINAL, 0.815), (Measurement.INTERVAL, 0.849)],
)
def test_alpha_gives_krippendorffs_worked_example(measurement, wanted):
    """Missing ratings, and a unit with one rating that is left out."""
    alpha = krippendorff_alpha(ratings_of(EXAMPLE), measurement)

    assert alpha.value == pytest.approx(wanted, abs=5e-4)
    assert (alpha.items, alpha.ratings, alpha.single) == (11, 40, 1)


def by_coincidences(matrix, measurement):
    """Compute alpha from the matrix of coincidences and the table of distances, as Krippendorff (2011) writes it."""
    values = sorted({value for row in matrix for value in row if value is not None})
    units = [[row[j] for row in matrix if row[j] is not None] for j in range(len(matrix[0]))]
    coincidences = np.zeros((len(values), len(values)))
    for unit in units:
        for i in range(len(unit)):
            for j in range(len(unit)):
                if i != j:
                    coincidences[values.index(unit[i]), values.index(unit[j])] += 1 / (len(unit) - 1)
    margins = coincidences.sum(axis=0)
    n = margins.sum()
    observed = expected = 0.0
    for c in range(len(values)):
        for k in range(len(values)):
            low, high = min(c, k), max(c, k)
            between = margins[low : high + 1].sum() - (margins[c] + margins[k]) / 2
            distance = {
                Measurement.NOMINAL: float(c != k),
                Measurement.ORDINAL: between**2 if c != k else 0.0,
                Measurement.INTERVAL: (values[c] - values[k]) ** 2,
            }[measurement]
            observed += coincidences[c, k] * distance / n
            expected += margins[c] * margins[k] * distance / (n * (n - 1))
    return 1 - observed / expected


rating = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 2.5, 4.0]))


@settings(max_examples=80, deadline=None)
@given(st.lists(st.lists(rating, min_size=6, max_size=6), min_size=2, max_size=4), st.sampled_from(list(Measurement)))
def test_alpha_matches_the_matrix_of_coincidences(matrix, measurement):
    """Sums and mid-ranks give the number of the textbook's matrix, whatever is missing."""
    alpha = krippendorff_alpha(ratings_of(matrix), measurement)

    units = [[row[j] for row in matrix if row[j] is not None] for j in range(6)]
    pairable = {value for unit in units if len(unit) > 1 for value in unit}
    if len(pairable) < 2:
        assert alpha.value is None
    else:
        assert alpha.value == pytest.approx(by_coincidences(matrix, measurement), abs=1e-9)


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [([[1, 2, 3]], "no item has two ratings"), ([[2, 2], [2, 2]], "all ratings are equal")],
)
def test_alpha_that_does_not_exist_says_why(matrix, reason):
    """One annotator, or no variation."""
    alpha = krippendorff_alpha(ratings_of(matrix), draws=10, rng=np.random.default_rng(0))

    assert (alpha.value, alpha.low, alpha.reason) == (None, None, reason)


def test_more_annotators_than_items_is_fine():
    """Twenty people, two items."""
    matrix = [[1, 5] if i % 4 else [2, 4] for i in range(20)]

    assert krippendorff_alpha(ratings_of(matrix)).value > 0.8


@pytest.mark.parametrize("measurement", list(Measurement))
def test_the_interval_holds_the_value(measurement):
    """Resampling items gives limits around alpha, the same for the same seed."""
    first, second = (
        krippendorff_alpha(ratings_of(EXAMPLE), measurement, draws=200, rng=np.random.default_rng(1)) for _ in range(2)
    )

    assert first.low < first.value < first.high
    assert first == second


def test_good_agreement_has_a_narrow_interval():
    """Two people differ on three of a hundred items, half of which are right: resamples without these are perfect.

    The lower limit is near that of Clopper and Pearson for the share of differences, of which alpha is 1 less twice it.
    """
    first = np.arange(100) % 2
    second = first.copy()
    second[[10, 20, 30]] = 1
    farthest = stats.binomtest(3, 100).proportion_ci(0.95).high

    alpha = krippendorff_alpha(
        ratings_of([first, second]), Measurement.NOMINAL, draws=1000, rng=np.random.default_rng(0)
    )

    assert alpha.low == pytest.approx(1 - 2 * farthest, abs=0.03)
    assert alpha.high == pytest.approx(1)


@pytest.mark.parametrize("measurement", list(Measurement))
def test_perfect_agreement_has_no_interval(measurement):
    """It is the same in every resample, which says nothing of how sure it is."""
    ratings = ratings_of([[1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 2, 3]])

    alpha = krippendorff_alpha(ratings, measurement, draws=100, rng=np.random.default_rng(0))

    assert alpha.value == pytest.approx(1)
    assert (alpha.low, alpha.high, alpha.reason) == (None, None, "no interval: the same in all resamples")


def test_a_handful_of_items_has_no_interval():
    """Two items resampled are the same two or one of them twice."""
    ratings = Ratings.build([("q1", ""), ("q1", ""), ("q2", ""), ("q2", "")], ["a", "b", "a", "b"], [1, 2, 4, 5])

    alpha = krippendorff_alpha(ratings, draws=100, rng=np.random.default_rng(0))

    assert alpha.value is not None
    assert (alpha.low, alpha.reason) == (None, "no interval: 2 items; resampling needs at least 3")
