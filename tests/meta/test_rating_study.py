import numpy as np

from qassay.meta.agreement.krippendorff import Measurement
from qassay.meta.agreement.rating_study import Removal, study_ratings
from qassay.meta.agreement.ratings import Ratings


def ratings():
    """Make four people, of whom the last rates at random."""
    rng = np.random.default_rng(5)
    quality = rng.integers(1, 6, 30)
    rows = [
        ((f"q{i}", ""), f"w{j}", float(quality[i] if j < 3 else rng.integers(1, 6)))
        for i in range(30)
        for j in range(4)
    ]
    return Ratings.build(*zip(*rows, strict=True))


def test_taking_noise_out_raises_agreement():
    """Alpha after cleaning is above alpha before, and the noisy one lost most ratings."""
    study = study_ratings(ratings(), draws=0)
    assert study.alpha.value > study.alpha_before.value
    assert max(study.annotators, key=lambda each: each.removed).annotator == "w3"


def test_without_cleaning_there_is_one_alpha():
    """Nothing is removed."""
    study = study_ratings(ratings(), clean=False, draws=0)
    assert (study.alpha_before, study.removed) == (None, 0)


def test_the_measurement_is_the_one_asked_for():
    """Nominal and interval alphas differ."""
    nominal, interval = (
        study_ratings(ratings(), each, draws=0, clean=True).alpha_before
        for each in (Measurement.NOMINAL, Measurement.INTERVAL)
    )
    assert nominal.measurement is Measurement.NOMINAL
    assert nominal.value != interval.value


def votes(*values):
    """Make one item with a vote per person."""
    return Ratings.build([("q", "")] * len(values), [f"w{i}" for i in range(len(values))], list(values))


def test_votes_keep_their_dissent():
    """Four of five say right: that is .8, not 1."""
    study = study_ratings(votes(1, 1, 0, 1, 1), draws=0)
    assert (study.items[0].judgement, study.removed, study.alpha_before) == (0.8, 0, None)


def test_nominal_ratings_keep_their_dissent():
    """Categories have no distance by which one of them would be noise."""
    assert study_ratings(votes(3, 3, 3, 3, 5), Measurement.NOMINAL, draws=0).removed == 0


def test_votes_can_be_cleaned_when_asked():
    """Asked for, the filter works on votes too, and names what it took out."""
    study = study_ratings(votes(1, 1, 0, 1, 1), clean=True, draws=0)
    assert study.removals == [Removal("q", "", "w2", 0.0)]


def test_every_removal_is_listed():
    """What was taken out of graded ratings is listed rating by rating, also in JSON."""
    study = study_ratings(ratings(), draws=0)
    assert len(study.to_dict()["removals"]) == study.removed > 0
