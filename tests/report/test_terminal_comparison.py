import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from qassay.meta.comparison.paired_test import compare_means
from qassay.meta.comparison.systems import SystemComparison, compare_table
from qassay.records import Example, Reference
from qassay.report.terminal.comparison import comparison_tables
from qassay.scoring.scorer import score_examples


def answers(system, candidates):
    return [Example(f"q{i}", "", (Reference("it is one"),), text, system) for i, text in enumerate(candidates)]


def printed(*systems):
    table = score_examples([each for part in systems for each in part], ["rouge_l"])
    console = Console(file=io.StringIO(), width=100)
    console.print(comparison_tables(compare_table(table, draws=100)))
    return console.file.getvalue()


def test_a_pair_shows_both_scores_the_difference_and_the_wins():
    """One line a metric."""
    table = printed(answers("A", ["it is one"] * 6), answers("B", ["it is two"] * 6))
    assert "A against B, 6 questions" in table
    assert "6-0-0" in table


def test_one_question_is_not_tested_and_says_why():
    """The dash has its reason below."""
    table = printed(answers("A", ["it is one"]), answers("B", ["it is two"]))
    assert "A against B, 1 question\n" in table.replace("  ", "").replace(" \n", "\n")
    assert "rouge_l: one question; at least two are needed" in table


def test_missing_scores_are_counted():
    """A question without an answer on one side is left out."""
    table = printed(answers("A", [None, "it is one", "one"]), answers("B", ["it is two"] * 3))
    assert "rouge_l: 1 question without a score of both was left out" in table


def shown(a, b, width=80, **changes):
    """Print a comparison on 3,000 questions under two metrics, whose numbers are as wide as they get."""
    rng = np.random.default_rng(0)
    result = compare_means(rng.random(20), rng.random(20), rng=rng, draws=100)
    result = replace(result, a=0.679, b=0.345, difference=0.334, low=0.321, high=0.347, p_permutation=0.001)
    result = replace(result, p_bootstrap=0.002, wins=1000, ties=1000, losses=1000, n=3000)
    found = [SystemComparison(metric, a, b, result, 0, **changes) for metric in ("exact_match", "bert_score:kpqa")]
    console = Console(file=io.StringIO(), width=width, color_system="truecolor", force_terminal=True)
    console.print(comparison_tables(found))
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("a", "b"),
    [("chatgpt", "newbing"), ("Aurora-7B-instruct-2024-06", "Aurora-7B-instruct-2024-07"), ("中文模型" * 9, "b")],
)
@pytest.mark.parametrize("number", ["0.679", "0.345", "+0.334", "(+0.321 +0.347)", "0.001", "0.002", "1000-1000-1000"])
def test_numbers_are_whole_in_a_terminal_of_80_columns(a, b, number):
    """Both metrics have each number on one line, whatever the systems are called."""
    assert shown(a, b).count(number) == 2


def test_a_long_name_takes_three_lines_of_the_heading():
    """Its middle is left out, so that versions of one system differ."""
    lines = shown("a" * 40 + "1", "a" * 40 + "2").splitlines()
    heading = [line for line in lines[: next(i for i, line in enumerate(lines) if "exact" in line)] if "aaa" in line]
    assert len(heading) == 3 + 2
    assert "1" in heading[-1]
    assert "2" in heading[-1]


def test_where_there_is_room_a_metric_takes_one_line():
    """The interval stands beside the difference."""
    assert shown("A", "B", width=120).count("+0.334 (+0.321 +0.347)") == 2


@pytest.mark.parametrize(("p", "bold"), [(0.04, True), (0.06, False), (None, False)])
def test_bold_goes_by_the_corrected_p_value(p, bold):
    """The permutation's own is below 5 % in all three."""
    row = next(line for line in shown("A", "B", width=120, p_holm=p).splitlines() if "exact_match" in line)
    assert ("\x1b[1m" in row) == bold


@pytest.mark.parametrize(("systems", "said"), [("AB", False), ("ABC", True)])
def test_three_systems_say_that_p_values_are_corrected(systems, said):
    """Two make one pair, which needs no correction."""
    assert ("Holm's correction for 3 pairs" in printed(*(answers(each, ["it is one"] * 6) for each in systems))) == said
