import re
from dataclasses import replace

import pytest

from correlation_samples import INJECTION, correlation_report, judged_answers
from qassay.meta.correlation.evaluation import JudgedScores
from qassay.meta.correlation.levels import Level
from qassay.report.html.correlation_page import render_correlation, write_correlation_page


@pytest.fixture(scope="module")
def html():
    return render_correlation(correlation_report())


def sections(html):
    return re.findall(r'<h2 id="(\w+)-title"', html)


def test_the_page_has_every_section(html):
    """Table, differences, scatter plots, parts, sweep."""
    assert sections(html) == ["agreement", "differences", "scatter", "parts", "sweep"]


def test_only_what_was_asked_for_is_shown():
    """Without parts, sweeps and resamples there are the table and the scatter plots."""
    report = correlation_report(by=None, swept=None, draws=0)
    assert sections(render_correlation(report)) == ["agreement", "scatter"]


def test_systems_have_a_section_at_their_level():
    """Each system is a dot there."""
    assert "systems" in sections(render_correlation(correlation_report(level=Level.SYSTEM, by=None, swept=None)))


@pytest.mark.parametrize("level", list(Level))
def test_every_level_has_a_page(level):
    """What a level cannot say is undefined with its reason, never NaN."""
    small = replace(correlation_report(by=None, swept=None).options, level=level, size=5)
    html = render_correlation(correlation_report(by=None, swept=None, options=small))
    assert not re.search(r"\bnan\b", html, re.IGNORECASE)


def test_a_sole_best_metric_is_called_best_and_not_tied(html):
    """A badge says that it is above all others."""
    table = html.partition('<table class="strips"')[2].partition("</table>")[0]
    assert re.findall(r'<span class="tag">(\w+)</span>', table) == ["best"]


def test_ties_with_the_best_are_marked():
    """Both are, the best and what it does not beat."""
    report = correlation_report()
    tied = [replace(each, tied=each.metric != "exact_match") for each in report.agreements]
    table = render_correlation(replace(report, agreements=tied)).partition('<table class="strips"')[2]
    assert table.partition("</table>")[0].count('<span class="tag">tied</span>') == 2


def test_what_is_undefined_says_why(html):
    """In its row, among the differences, and in the remarks."""
    assert "undefined: all scores are equal" in html
    assert "not tested: all scores are equal" in html
    assert "exact_match: undefined: all scores are equal" in html


def test_what_was_left_out_is_said(html):
    """The answer without a candidate is counted once for all metrics."""
    assert "every metric: 1 answer without score or judgement was left out" in html


def test_the_most_wrong_answers_are_told_in_full(html):
    """Question, reference, answer, judgement, score, and what people and metric think of it."""
    wrong = html.partition('<details class="wrong" id="wrong-0-1">')[2].partition("</details>")[0]
    assert "Question" in wrong
    assert "yes, it is certainly the" in wrong
    place = r"[\d.]+, above \d+&nbsp;% of the answers(, level with \d+&nbsp;%)?\."
    assert re.search(f"People: {place} Metric: {place}", wrong)


def test_where_metric_and_people_agree_no_answer_is_wrong():
    """The page says so instead."""
    same = [replace(each, judgement=float(each.candidate == each.references[0].text)) for each in judged_answers()]
    html = render_correlation(correlation_report(same, specs=("exact_match",), by=None, swept=None, draws=0))
    assert '<details class="wrong"' not in html
    assert "The metric ranks every answer as people do." in html


def test_texts_cannot_break_out(html):
    """Markup in a question stays text."""
    assert INJECTION not in html
    assert html.count("<script>") == 1


def test_scores_without_answers_are_named_by_id():
    """A file of scores has no texts, and the page says what it knows."""
    report = correlation_report()
    bare = JudgedScores(report.evidence.panel, report.evidence.fields, report.evidence.ids)
    html = render_correlation(replace(report, evidence=bare))
    wrong = html.partition('<details class="wrong" id="wrong-0-1">')[2].partition("</details>")[0]
    assert re.search(r"q\d+", wrong)
    assert "<h4>Question" not in wrong


def test_long_texts_are_cut_and_say_so():
    """A page of essays stays a page."""
    long = [replace(each, question="why " * 3000) for each in judged_answers()]
    html = render_correlation(correlation_report(long, swept=None))
    assert "more characters" in html
    assert len(html) < 500_000


def test_the_page_is_written_whole(tmp_path):
    """One file, nothing beside it."""
    write_correlation_page(correlation_report(swept=None, by=None, draws=0), tmp_path / "page.html")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_the_page_loads_nothing(html):
    """No address but the SVG's name space, and a policy that forbids the rest."""
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', html) == []
    assert "default-src &#39;none&#39;" in html
