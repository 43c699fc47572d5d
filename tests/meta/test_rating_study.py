import numpy as np

from qassay.meta.agreement.krippendorff import Measurement
from qassay.meta.agreement.rating_study import study_ratings
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
        study_ratings(ratings(), each, draws=0).alpha_before for each in (Measurement.NOMINAL, Measurement.INTERVAL)
    )
    assert nominal.measurement is Measurement.NOMINAL
    assert nominal.value != interval.value
