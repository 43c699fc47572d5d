import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.metrics.registry import create
from qassay.records import Example, Reference
from qassay.report.answers import AnswerRow, Ordering, select_answers, system_names, worst_first

ORDERING = Ordering({"a": 1.0, "b": 10.0})


def row(name, a=None, b=None, system=""):
    return AnswerRow(Example(name, "", (Reference("x"),), "y", system), {"a": a, "b": b}, {})


def names(rows):
    return [each.example.id for each in rows]


def test_scores_count_as_shares_of_their_maximum():
    """A metric that goes to 10 weighs no more than one that goes to 1."""
    assert ORDERING.value({"a": 0.5, "b": 5.0}) == pytest.approx(0.5)


def test_a_missing_score_does_not_count_as_zero():
    """The mean is that of the known scores."""
    assert ORDERING.value({"a": 0.8, "b": None}) == pytest.approx(0.8)


def test_without_any_score_there_is_no_value():
    """Nothing known gives nothing."""
    assert ORDERING.value({"a": None, "b": None}) is None


def test_the_best_judge_orders_alone():
    """A right long answer that shares few words is not among the worst."""
    ordering = Ordering.of(create(spec) for spec in ("exact_match", "bert_score", "lerc", "ava"))
    assert ordering.value({"exact_match": 0.0, "bert_score": 0.5, "lerc": 0.6, "ava": 0.9}) == 0.9


@pytest.mark.parametrize(
    ("specs", "leading"),
    [
        (["rouge_l", "ava", "lerc"], ["ava"]),
        (["rouge_l", "lerc", "bert_score"], ["lerc"]),
        (["rouge_l", "bert_score"], ["bert_score"]),
        (["rouge_l", "bleu"], ["rouge_l", "bleu"]),
    ],
)
def test_a_metric_declares_its_place_among_judges(specs, leading):
    """Learned judges come before embeddings, and those before words."""
    assert Ordering.of(map(create, specs)).leading(specs) == leading


def test_where_the_best_judge_has_no_score_the_next_decides():
    """An answer that one metric could not read keeps its place by another."""
    assert Ordering({}, {"a": 1}).value({"a": None, "b": 0.3}) == 0.3


def test_the_worst_come_first():
    """Answers are sorted by their value."""
    rows = [row("good", a=0.9), row("bad", a=0.1), row("fair", a=0.5)]
    assert names(worst_first(rows, ORDERING)) == ["bad", "fair", "good"]


def test_unscored_answers_follow_at_the_end():
    """No score is not the worst score."""
    rows = [row("missing"), row("bad", a=0.0), row("good", a=1.0)]
    assert names(worst_first(rows, ORDERING)) == ["bad", "good", "missing"]


def test_equal_values_keep_their_order():
    """Ties go to the answer that came first."""
    rows = [row(str(i), a=0.0) for i in range(9)]
    assert names(worst_first(rows, ORDERING, limit=3)) == ["0", "1", "2"]


@given(st.lists(st.floats(0, 1), max_size=60), st.integers(1, 30))
def test_a_stream_is_sorted_as_a_list_would_be(scores, limit):
    """Bounded memory gives the same answers as sorting everything."""
    rows = [row(str(i), a=score) for i, score in enumerate(scores)]
    expected = sorted(rows, key=lambda each: each.scores["a"])[:limit]
    assert names(worst_first(iter(rows), ORDERING, limit=limit)) == names(expected)


def hundred():
    return [row(f"{i:03}", a=i / 100) for i in range(100)]


def test_up_to_the_limit_every_answer_is_selected():
    """Nothing is left out, and it says so."""
    selection = select_answers(hundred, ORDERING, 100)
    assert (len(selection.rows), selection.describe()) == (100, "All 100 answers")


def test_of_many_answers_both_ends_are_selected():
    """The best of a page are the best there are, not the best of the worst."""
    chosen = names(select_answers(hundred, ORDERING, 20).rows)
    assert chosen[:10] == [f"{i:03}" for i in range(10)]
    assert chosen[-5:] == [f"{i:03}" for i in range(95, 100)]
    assert len(chosen) == 20


def test_a_selection_says_what_it_holds():
    """All kinds are counted."""
    described = select_answers(hundred, ORDERING, 20).describe()
    assert described == "20 of 100 answers: the 10 worst, the 5 best and 5 drawn at random"


def test_the_sample_does_not_depend_on_the_order_of_answers():
    """The same answers in another order give the same page."""
    turned = select_answers(lambda: hundred()[::-1], ORDERING, 20)
    assert names(turned.rows) == names(select_answers(hundred, ORDERING, 20).rows)


def test_a_question_is_selected_with_every_systems_answer():
    """Systems can be compared on whatever the page holds."""
    rows = [row(f"q{i}", a=(i + k) / 60, system=name) for i in range(50) for k, name in enumerate("AB")]
    selection = select_answers(lambda: rows, ORDERING, 20)
    chosen = [(each.example.id, each.example.system) for each in selection.rows]
    assert {(name, system) for name, _ in chosen for system in "AB"} == set(chosen)
    assert selection.describe().startswith("20 of 100 answers: every system's to the questions of the 6 worst")


def test_many_unscored_answers_leave_room_for_the_others():
    """At most a tenth of the places goes to them when places are short."""
    rows = [row(f"missing {i}") for i in range(50)] + [row(f"bad {i}", a=0.1) for i in range(50)]
    chosen = names(select_answers(lambda: rows, ORDERING, 20).rows)
    assert sum(name.startswith("missing") for name in chosen) == 2


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
