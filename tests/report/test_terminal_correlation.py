import io
from dataclasses import replace

from rich.console import Console

from correlation_samples import correlation_report
from qassay.meta.correlation.levels import Level
from qassay.report.terminal.correlation import agreement_table, better_first, remarks


def printed(report, **options):
    console = Console(file=io.StringIO(), width=100)
    console.print(agreement_table(report.agreements, report.differences, report.points, by=report.by, **options))
    return console.file.getvalue()


def test_the_best_metric_stands_first():
    """A metric that is the best for sure has no star: nothing is tied with it."""
    lines = printed(correlation_report(by=None, swept=None)).splitlines()
    assert "answer level" in lines[0]
    assert lines[1].strip().split()[1] != "*"
    assert lines[3].strip().startswith("exact_match")


def test_undefined_is_a_word_with_a_reason_below():
    """Never a blank, never NaN."""
    table = printed(correlation_report(by=None, swept=None))
    assert "undefined" in table
    assert "exact_match: undefined: all scores are equal" in table


def test_every_part_has_its_table():
    """The parts' names stand above them."""
    table = printed(correlation_report(swept=None))
    assert "first & half" in table
    assert "后半" in table


def test_differences_name_the_better_metric_first():
    """A negative difference is turned round."""
    (difference, *_) = correlation_report(by=None, swept=None).differences
    turned = better_first(replace(difference, a="x", b="y", difference=-0.2))
    assert (turned.a, turned.b, turned.difference) == ("y", "x", 0.2)


def test_pairs_that_could_not_be_tested_are_counted_with_the_reason():
    """Two pairs with the constant metric, for each of three coefficients."""
    assert "6 not tested: all scores are equal" in printed(correlation_report(by=None, swept=None))


def test_a_sweep_is_a_table_of_values():
    """One row a value."""
    table = printed(correlation_report(by=None, swept="yesno=0:1:0.5"))
    assert "pearson against yesno" in table
    assert [line.split()[0] for line in table.splitlines()[-3:]] == ["0", "0.5", "1"]


def test_remarks_about_every_metric_are_one_line():
    """What is true of all is said once."""
    lines = remarks(correlation_report(swept=None, by=None).agreements)
    assert lines[0] == "every metric: 1 answer without score or judgement was left out"


def test_questions_without_a_coefficient_are_counted():
    """At input level the constant metric has no question at all."""
    lines = remarks(correlation_report(level=Level.INPUT, swept=None, by=None).agreements)
    assert any("no question has two answers" in line for line in lines)


def test_answers_outside_all_parts_are_counted():
    """The field's name is given."""
    assert '3 answers have no "topic" and are in no part' in remarks([], 3, "topic")
    assert '1 answer has no "topic" and is in no part' in remarks([], 1, "topic")
