import numpy as np
import pytest

from meta.simulated import simulated_panel
from qassay.meta.levels import Level
from qassay.meta.metric_comparison import compare_metrics, standings
from qassay.meta.panel import Panel
from qassay.meta.significance import DifferenceTest


def three_metrics():
    """Give a panel on which `a` and `peer` are equally good, and `poor` is noise."""
    rng = np.random.default_rng(8)
    panel = simulated_panel(rng, noise=(0.5, 6.0))
    peer = panel.judgement + 0.5 * rng.normal(size=len(panel))
    return Panel(
        panel.judgement,
        {"poor": panel.scores["b"], "a": panel.scores["a"], "peer": peer},
        panel.system,
        panel.systems,
        panel.question,
        panel.questions,
    )


@pytest.mark.parametrize("test", list(DifferenceTest))
def test_every_pair_is_tested_and_corrected(test):
    """Three metrics make three pairs, whose corrected p-values are no smaller than the raw ones."""
    differences = compare_metrics(three_metrics(), test=test, rng=np.random.default_rng(0), draws=50)

    assert [(each.a, each.b) for each in differences] == [("poor", "a"), ("poor", "peer"), ("a", "peer")]
    assert all(each.adjusted >= each.p for each in differences)


@pytest.mark.parametrize("level", [Level.ANSWER, Level.INPUT])
def test_the_table_marks_what_is_tied_with_the_best(level):
    """Its peer is tied with the best, the noise is not; the best has no p-value."""
    table = standings(three_metrics(), level=level, rng=np.random.default_rng(0), draws=200)

    assert {each.correlation.metric: each.tied for each in table} == {"a": True, "peer": True, "poor": False}
    assert table[0].p is None
    assert table[0].correlation.value >= table[1].correlation.value >= table[2].correlation.value


def test_an_undefined_metric_is_last_and_never_marked():
    """A constant metric has no place among the best."""
    panel = three_metrics()
    panel.scores["a"][:] = 0

    table = standings(panel, rng=np.random.default_rng(0), draws=50)

    assert table[-1].correlation.reason == "all scores are equal"
    assert not table[-1].tied
