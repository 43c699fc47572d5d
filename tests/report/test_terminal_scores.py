import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from qassay.records import Example, Reference
from qassay.report.answers import AnswerRow
from qassay.report.terminal.scores import aggregates_table, plain, worst_table
from qassay.scoring.table import Aggregate


def shown(renderable, *, colour=False, width=80):
    console = Console(
        file=io.StringIO(), width=width, force_terminal=colour, color_system="standard" if colour else None
    )
    console.print(renderable)
    return console.file.getvalue()


def aggregate(system="atlas", metric="bleu", value=0.5, unscored=0, reasons=None):
    low, high = (None, None) if value is None else (value - 0.05, value + 0.05)
    return Aggregate(system, metric, value, low, high, 10 - unscored, unscored, "signature", reasons or {})


def systems(count, metrics=("bleu", "rouge_l")):
    return [aggregate(f"system {i}", metric) for i in range(count) for metric in metrics]


def test_a_score_stands_beside_its_interval():
    """One line a metric while there is room."""
    assert "0.500 0.450\u20130.550" in shown(aggregates_table([aggregate()]))


@pytest.mark.parametrize("count", [1, 3, 5, 9, 30])
def test_the_table_keeps_to_eighty_columns(count):
    """However many systems there are."""
    assert max(map(len, shown(aggregates_table(systems(count)), width=200).splitlines())) <= 80


def test_five_systems_have_their_intervals_below_the_scores():
    """Side by side with two lines a metric."""
    text = shown(aggregates_table(systems(5)))
    assert "0.500 0.450" not in text
    assert text.splitlines()[1].split() == ["system", "0", "system", "1", "system", "2", "system", "3", "system", "4"]


def test_a_missing_score_is_a_dash():
    """Missing is not zero."""
    line = next(line for line in shown(aggregates_table([aggregate(value=None)])).splitlines() if "bleu" in line)
    assert line.split() == ["bleu", "\u2013"]


def test_unscored_answers_are_counted_with_their_reason():
    """The line below the table says what was left out."""
    table = aggregates_table([aggregate(unscored=2, reasons={"no candidate": 2})])
    assert "atlas: 2 of 10 unscored and left out (no candidate: 2)" in shown(table)


@pytest.mark.parametrize(
    ("unscored", "expected"),
    [((0, 0), "n = 10"), ((1, 1), "n = 9"), ((10, 10), "n = 0"), ((0, 1), "n = 9 to 10"), ((1, 0), "n = 9 to 10")],
)
def test_n_counts_the_answers_that_were_scored(unscored, expected):
    """Where metrics differ in it, the fewest and the most are named."""
    table = aggregates_table(
        [aggregate(metric=metric, unscored=count) for metric, count in zip(("bleu", "ava"), unscored, strict=True)]
    )
    assert shown(table).splitlines()[2].removeprefix(" metric").strip() == expected


def test_each_system_has_its_own_n():
    """What one system left out does not count for another."""
    text = shown(aggregates_table([aggregate("a"), aggregate("b", unscored=3)]))
    assert re.findall(r"n = \d+", text) == ["n = 10", "n = 7"]


def test_the_long_form_has_the_n_of_every_metric():
    """One line for each system and metric names its own count."""
    rows = [aggregate(f"system {i}", metric, unscored=metric == "ava") for i in range(9) for metric in ("bleu", "ava")]
    lines = shown(aggregates_table(rows)).splitlines()
    assert [line.split()[-1] for line in lines if "system 3" in line and "unscored" not in line] == ["10", "9"]


@pytest.mark.parametrize("count", [1, 3, 4, 5])
def test_long_counts_keep_to_eighty_columns(count):
    """A heading wider than the scores is counted in the table's width, and stays whole."""
    rows = [
        replace(aggregate(f"s{i}", metric), n=n)
        for i in range(count)
        for metric, n in (("bleu", 123_456), ("ava", 1_234_567))
    ]
    lines = shown(aggregates_table(rows), width=200).splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in "".join(lines)


def test_notes_are_printed():
    """What happened on the way is said below."""
    assert "odd texts: 1,234" in shown(aggregates_table([aggregate()], {"odd texts": 1234}))


def test_the_best_score_is_bold():
    """Only the highest of a metric."""
    text = shown(aggregates_table([aggregate("a", value=0.2), aggregate("b", value=0.6)]), colour=True)
    assert ("\x1b[1m0.600" in text, "\x1b[1m0.200" in text) == (True, False)


def test_equal_scores_are_not_bold():
    """There is no best among equals."""
    text = shown(aggregates_table([aggregate("a"), aggregate("b")]), colour=True)
    assert "\x1b[1m0.500" not in text


def test_brackets_are_not_taken_for_styles():
    """A system may be called [red]."""
    assert "[red]" in shown(aggregates_table([aggregate("[red]")]))


@pytest.mark.parametrize(("text", "expected"), [("a\n\tb", "a b"), ("\x1b[31mred", "�[31mred"), ("x\u202ey", "x�y")])
def test_control_characters_do_not_steer_the_terminal(text, expected):
    """They are replaced, and white space is one space."""
    assert plain(text) == expected


def worst_row(candidate, **scores):
    return AnswerRow(Example("q7", "Where?", (Reference("Here"),), candidate, "atlas"), scores, {})


def test_the_worst_answers_show_question_answer_and_reference():
    """One can see what went wrong without opening a file."""
    text = shown(worst_table([worst_row("There", bleu=0.25)], ["bleu"]))
    assert [word in text for word in ("Where?", "There", "Here", "atlas · q7", "0.250")] == [True] * 5


@pytest.mark.parametrize(("candidate", "expected"), [(None, "no answer given"), ("", "empty answer")])
def test_absent_answers_are_named(candidate, expected):
    """A missing answer and an empty one are not the same."""
    assert expected in shown(worst_table([worst_row(candidate, bleu=None)], ["bleu"]))


def test_only_the_first_k_are_shown():
    """The list is short by request."""
    rows = [worst_row(f"answer {i}", bleu=0.0) for i in range(5)]
    text = shown(worst_table(rows, ["bleu"], k=2))
    assert ("answer 1" in text, "answer 2" in text) == (True, False)
