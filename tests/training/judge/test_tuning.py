import numpy as np
import pytest

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.judge_layer import JudgeLayer
from qassay.training.judge.layer import LONG, SHORT, RowSignals, logits
from qassay.training.judge.tuning import cross_tuned, tune

NAMES = tuple(dict.fromkeys((*SHORT, *LONG)))
EMBEDDED = JudgeLayer.read(EMBEDDED_FOLDER)


def measured(count: int, shift: float, seed: int = 0, questions: int = 1) -> RowSignals:
    """Make rows with random signals, whose labels follow the embedded layer's logit plus a shift."""
    rng = np.random.default_rng(seed)
    values = rng.random((count, len(NAMES)))
    values[:, NAMES.index("judge")] = rng.normal(0, 3, count)
    rows = RowSignals(
        NAMES,
        values,
        np.arange(count),
        np.full(count, 2),
        np.zeros(count),
        np.full(count, "answers"),
        np.array([f"g{number // questions}" for number in range(count)]),
        np.zeros(count, bool),
    )
    rows.label = (rng.random(count) < 1 / (1 + np.exp(-logits(EMBEDDED, rows) - shift))).astype(np.float64)
    return rows


def test_verdicts_that_the_embedded_judge_foresees_change_nothing():
    """The layer comes back as it was, to the last digit."""
    assert tune(measured(200, shift=0.0, seed=1), EMBEDDED) == EMBEDDED


def test_verdicts_that_differ_change_the_layer():
    """A team that is far more lenient gets a judge that is."""
    rows, others = measured(300, shift=3.0), measured(2000, shift=3.0, seed=1)

    layer = tune(rows, EMBEDDED)

    new, old = (((logits(each, others) >= 0) == others.label).mean() for each in (layer, EMBEDDED))
    assert new > old + 0.05


def test_the_fewer_rows_the_less_changes():
    """Two dozen verdicts move a coefficient less than a thousand do."""

    def moved(count: int) -> float:
        found = [tune(measured(count, shift=3.0, seed=seed), EMBEDDED).coefficients["bias"].short for seed in range(4)]
        return float(np.abs(np.array(found) - EMBEDDED.coefficients["bias"].short).mean())

    assert moved(24) < moved(1000)


def test_a_signal_that_one_row_shows_keeps_its_coefficient():
    """A verdict on a single odd answer does not count for more than it is."""
    rows = measured(245, shift=2.0)
    rows.values[:, NAMES.index("dates differ")] = 0.0
    rows.values[0, NAMES.index("dates differ")] = 1.0
    rows.label[0] = 1.0

    found = tune(rows, EMBEDDED).coefficients["dates differ"].short

    assert found == pytest.approx(EMBEDDED.coefficients["dates differ"].short, abs=1.5)


def test_each_row_is_judged_without_its_question():
    """Labels that follow from the question alone, and from nothing that is measured, stay unknown."""
    rows = measured(300, shift=0.0, questions=3)
    rows.label = np.random.default_rng(5).integers(2, size=100).repeat(3).astype(np.float64)

    found = cross_tuned(rows, EMBEDDED)

    assert abs(np.corrcoef(found, rows.label)[0, 1]) < 0.2


def test_sentences_that_the_keyphrase_head_has_seen_do_not_count():
    """With nothing but those the layer stays."""
    rows = measured(100, shift=3.0)
    rows.lengths[:] = 30
    rows.seen[:] = True

    assert tune(rows, EMBEDDED) == EMBEDDED
