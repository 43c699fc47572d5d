import re
from dataclasses import replace

import pytest

from qassay.report.html.comparison_page import render_comparison, write_comparison_page
from report_samples import EXAMPLES
from study_samples import comparison_report


@pytest.fixture(scope="module")
def html():
    return render_comparison(comparison_report())


def test_each_metric_has_a_line_with_a_difference_and_a_bar(html):
    """Two metrics of one pair of systems make two strips and two bars."""
    assert (html.count('class="figure interval"'), html.count('class="figure shares"')) == (2, 2)


def test_questions_won_tied_and_lost_are_counted(html):
    """Two questions have answers of both, one is left out: birch gave no answer."""
    assert "won 1, tied 1, lost 0" in html
    assert "1 left out" in html


def test_every_pair_of_systems_has_a_table():
    """Three systems make three pairs."""
    third = [replace(each, system="comet") for each in EXAMPLES if each.system == "atlas"]
    assert render_comparison(comparison_report((*EXAMPLES, *third))).count('<details class="pair-of-systems"') == 3


def test_names_are_text():
    """Markup in a system's name is shown as it is written."""
    named = [replace(each, system=f"<b>{each.system}</b>") for each in EXAMPLES]
    assert "<b>atlas" not in render_comparison(comparison_report(named))


def test_the_answers_are_in_the_page(html):
    """All six, worst first by the mean of the two metrics."""
    assert re.search(r"All 6 answers, worst first by the mean of <code>token_f1</code>, <code>rouge_l</code>", html)


def test_the_page_is_written_with_the_call_that_made_it(tmp_path):
    """The command stands at its end."""
    write_comparison_page(comparison_report(call="qassay compare a.jsonl"), tmp_path / "c.html")
    assert "qassay compare a.jsonl</code>" in (tmp_path / "c.html").read_text(encoding="utf-8")


def test_of_very_many_pairs_the_first_are_shown(monkeypatch):
    """The page says how many there are."""
    monkeypatch.setattr("qassay.report.html.comparison_page.MOST_PAIRS", 2)
    third = [replace(each, system="comet") for each in EXAMPLES if each.system == "atlas"]
    html = render_comparison(comparison_report((*EXAMPLES, *third)))
    assert html.count('<details class="pair-of-systems"') == 2
    assert "The first 2 of 3 pairs." in html
