import numpy as np
import pytest

from meta.simulated import simulated_panel
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.metric_comparison import compare_metrics, standings
from qassay.meta.correlation.significance import Alternative, DifferenceTest, bootstrap_difference
from qassay.meta.statistics.panel import Panel


def three_metrics():
    """Return a panel on which `a` and `peer` are equally good, and `poor` is noise."""
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


def test_shared_resamples_say_what_resamples_of_each_pair_say():
    """Testing all pairs on the same resamples changes their p-values by chance alone."""
    panel = three_metrics()

    together = compare_metrics(panel, rng=np.random.default_rng(0), draws=2000)
    apart = [
        bootstrap_difference(
            panel, each.a, each.b, rng=np.random.default_rng(1), draws=2000, alternative=Alternative.TWO_SIDED
        )
        for each in together
    ]

    assert [each.difference for each in together] == pytest.approx([each.difference for each in apart], abs=1e-12)
    assert [each.p for each in together] == pytest.approx([each.p for each in apart], abs=0.05)


def test_pairs_with_unlike_gaps_are_compared_on_what_both_scored():
    """A metric without some scores costs only its own pairs these answers."""
    panel = three_metrics()
    panel.scores["poor"][:40] = np.nan

    differences = compare_metrics(panel, rng=np.random.default_rng(0), draws=50)

    assert [each.missing for each in differences] == [40, 40, 0]


def test_the_draws_of_the_overall_level_are_those_asked_for():
    """Draws of five questions a hundred times over six systems make 600 pairs."""
    differences = compare_metrics(
        three_metrics(), level=Level.OVERALL, rng=np.random.default_rng(0), draws=20, size=5, times=100
    )

    assert {each.n for each in differences} == {600}
