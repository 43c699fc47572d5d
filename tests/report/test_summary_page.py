import re

import pytest

from qassay.report.answers import Ordering
from qassay.report.html.summary_page import render_summaries, select_summaries
from summary_samples import row, summary_report


def test_a_single_summary_lies_open():
    """There is nothing to choose from: questions and both answers stand there at once."""
    page = render_summaries(summary_report(rows=[row("d1", "A")]))
    assert 'class="item' not in page
    assert "Who won the race?" in page


@pytest.mark.parametrize(
    ("verdict", "answered", "kind"),
    [(0.9, True, "same"), (0.5, True, "partly"), (0.1, True, "other"), (0, False, "unanswered")],
)
def test_questions_are_coloured_by_the_verdict(verdict, answered, kind):
    """Two thirds and more is the same answer, a third and less another."""
    page = render_summaries(summary_report(rows=[row("d1", "A", verdict=verdict, answered=answered)]))
    assert re.findall(r'<tr class="(\w+)">\s*<td class="q"', page) == [kind]


def test_systems_stand_side_by_side_with_judgements():
    """With judgements the table has their means, and below it the correlations by level."""
    page = render_summaries(
        summary_report(
            judgements={"A": 4.5, "B": 2.0}, levels={"systems": {"qaeval": {"pearson": 0.5, "kendall": None}}}
        )
    )
    assert "4.500" in page
    assert "Agreement with people" in page
    assert "0.500" in page


def test_without_judgements_nothing_is_said_of_people():
    """No table of correlations that there are not."""
    assert "Agreement with people" not in render_summaries(summary_report())


def test_texts_cannot_break_out_of_the_page():
    """A summary is text, whatever it holds."""
    page = render_summaries(summary_report(rows=[row("d1", "A", summary="<script>alert(1)</script>")]))
    assert "<script>alert" not in page


def test_the_lowest_scores_come_first_and_the_page_stays_readable():
    """Beyond so many questions there are fewer summaries, of both ends."""
    rows = [row(f"d{i}", "A", score=1 - i / 10) for i in range(10)]
    chosen = select_summaries(lambda: rows, Ordering(), limit=4).rows
    assert [each.example.id for each in chosen][::3] == ["d9", "d0"]


def test_an_unscored_summary_says_why():
    """A summary that was not given is no summary without questions."""
    page = render_summaries(summary_report(rows=[row("d1", "A", summary=None, sources=[])]))
    assert "no summary given" in page
