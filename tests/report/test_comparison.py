import io

from rich.console import Console

from qassay.meta.systems import compare_table
from qassay.records import Example, Reference
from qassay.report.comparison import comparison_tables
from qassay.scoring import score_examples


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
    assert "rouge_l: 1 questions without a score of both were left out" in table
