import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.records import Example, Reference
from qassay.report.answers import AnswerRow, system_names, worst_first

MAXIMA = {"a": 1.0, "b": 10.0}


def row(name, a=None, b=None):
    return AnswerRow(Example(name, "", (Reference("x"),), "y"), {"a": a, "b": b}, {})


def names(rows):
    return [each.example.id for each in rows]


def test_scores_count_as_shares_of_their_maximum():
    """A metric that goes to 10 weighs no more than one that goes to 1."""
    assert row("x", a=0.5, b=5.0).mean(MAXIMA) == pytest.approx(0.5)


def test_a_missing_score_does_not_count_as_zero():
    """The mean is that of the known scores."""
    assert row("x", a=0.8).mean(MAXIMA) == pytest.approx(0.8)


def test_without_any_score_there_is_no_mean():
    """Nothing known gives nothing."""
    assert row("x").mean(MAXIMA) is None


def test_the_worst_come_first():
    """Answers are sorted by their mean."""
    rows = [row("good", a=0.9), row("bad", a=0.1), row("fair", a=0.5)]
    assert names(worst_first(rows, MAXIMA)) == ["bad", "fair", "good"]


def test_unscored_answers_follow_at_the_end():
    """No score is not the worst score."""
    rows = [row("missing"), row("bad", a=0.0), row("good", a=1.0)]
    assert names(worst_first(rows, MAXIMA)) == ["bad", "good", "missing"]


def test_many_unscored_answers_leave_room_for_the_worst():
    """At most a tenth of the places goes to unscored answers when places are short."""
    rows = [row(f"missing {i}") for i in range(50)] + [row(f"bad {i}", a=0.1) for i in range(50)]
    chosen = names(worst_first(rows, MAXIMA, limit=20))
    assert sum(name.startswith("missing") for name in chosen) == 2


def test_equal_means_keep_their_order():
    """Ties go to the answer that came first."""
    rows = [row(str(i), a=0.0) for i in range(9)]
    assert names(worst_first(rows, MAXIMA, limit=3)) == ["0", "1", "2"]


@given(st.lists(st.floats(0, 1), max_size=60), st.integers(1, 30))
def test_a_stream_is_selected_as_a_sorted_list_would_be(scores, limit):
    """Bounded memory gives the same answers as sorting everything."""
    rows = [row(str(i), a=score) for i, score in enumerate(scores)]
    expected = sorted(rows, key=lambda each: each.scores["a"])[:limit]
    assert names(worst_first(iter(rows), MAXIMA, limit=limit)) == names(expected)


@pytest.mark.parametrize(
    ("systems", "expected"),
    [
        (["A", "B", "A"], {"A": "A", "B": "B"}),
        ([""], {"": "all answers"}),
        (["A", ""], {"A": "A", "": "unnamed"}),
    ],
)
def test_a_system_without_a_name_gets_one_for_people(systems, expected):
    """A lone nameless system is everything; among others it is unnamed."""
    assert system_names(systems) == expected
