import pytest

from qassay.io.scores.scored_files import ScoredRow
from qassay.meta.correlation.summary_levels import batched_levels, judgement_means


def _row(name, system, score, judgement):
    return ScoredRow(name, system, {"qaeval": score}, judgement=judgement)


ROWS = [
    _row(f"d{i}", system, quality + i / 10, quality + 5 * i)
    for i in range(4)
    for system, quality in (("a", 1), ("b", 2), ("c", 3))
]


def test_every_level_has_its_correlations():
    """Systems and the summaries of each input are ranked alike; all summaries at once are not."""
    levels = batched_levels(ROWS)
    assert levels["systems"]["qaeval"]["kendall"] == pytest.approx(1)
    assert levels["summaries of one input"]["qaeval"]["kendall"] == pytest.approx(1)
    assert levels["all summaries"]["qaeval"]["kendall"] < 0.9


def test_two_systems_have_no_ranking():
    """Only all summaries at once are left."""
    assert list(batched_levels([row for row in ROWS if row.system != "c"])) == ["all summaries"]


@pytest.mark.parametrize("judged", [0, 2])
def test_few_judgements_say_nothing(judged):
    """No table without three judged summaries."""
    rows = [_row(row.id, row.system, 0.5, row.judgement if i < judged else None) for i, row in enumerate(ROWS)]
    assert batched_levels(rows) == {}


def test_the_judgements_of_a_system_are_averaged():
    """Summaries that nobody judged do not count."""
    rows = [_row("1", "a", 0.5, 4.0), _row("2", "a", 0.5, 2.0), _row("3", "a", 0.5, None), _row("1", "b", 0.5, None)]
    assert judgement_means(rows) == {"a": 3.0}
