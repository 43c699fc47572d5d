import json
import re
from dataclasses import replace

import pytest

from qassay.errors import DataError
from qassay.records import Example, Reference
from qassay.report.answers import AnswerRow, Ordering, PageAnswers
from qassay.report.html.score_page import render_report, write_report
from report_samples import EXAMPLES, INJECTION, report


@pytest.fixture(scope="module")
def page():
    return render_report(report())


def embedded(page):
    (text,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def test_markup_in_an_answer_never_reaches_the_page_as_markup(page):
    """Only the page's two own script elements are there."""
    assert (page.count("<script"), page.count("</script"), page.count("<img"), page.count("<!--")) == (2, 2, 0, 0)


def test_an_answer_reads_back_unchanged(page):
    """The embedded data holds the answer letter for letter."""
    assert INJECTION in embedded(page)["texts"]


def test_the_page_fetches_nothing(page):
    """There is no address of anything else in it."""
    assert not re.search(
        r"https?://|src=|@import|url\(", re.sub(r'<script type="application/json".*?</script>', "", page)
    )


def test_markup_in_a_title_or_system_is_text():
    """Every name is escaped."""
    named = [replace(each, system="<b>atlas</b>") for each in EXAMPLES]
    assert "<b>atlas" not in render_report(report(named, title="<b>atlas</b>"))


def test_the_header_counts(page):
    """Answers, systems, metrics and the seed are named."""
    assert [text in page for text in ("6 answers", "2 systems", "4 metrics", "seed 1")] == [True] * 4


def test_unscored_answers_are_explained(page):
    """The page says whose answers have no score, and why."""
    assert re.search(r"birch</b>: 1 answer without a score by every metric \(no candidate: 1\)", page)


def test_every_system_has_a_figure_for_every_metric(page):
    """Four metrics of two systems make eight dots with whiskers and eight distributions."""
    assert (page.count('class="figure interval"'), page.count('class="figure histogram"')) == (8, 8)


def test_signatures_are_listed_once(page):
    """Two systems that answered the same questions share their signatures."""
    assert page.count("exact_match|") == 1


def test_a_selection_says_what_it_is_selected_from():
    """What is left out is counted, in the text and in the script's data."""
    some = replace(report().answers, total=1000, worst=3, best=2, drawn=1)
    page = render_report(report(answers=some))
    assert "6 of 1,000 answers: the 3 worst, the 2 best and 1 drawn at random" in page
    assert "reach these only" in page
    assert embedded(page)["left_out"] == 994


def test_all_answers_are_called_all(page):
    """Nothing is said of others that there are not."""
    assert "All 6 answers" in page
    assert "reach these only" not in page.partition("<script")[0]


def test_one_answer_has_no_order():
    """The page of a single answer does not speak of all of them."""
    page = render_report(report(EXAMPLES[:1]))
    assert "All 1" not in page
    assert "worst first" not in page.partition("<script")[0]


def test_skipped_rows_are_counted():
    """What could not be read is mentioned."""
    assert "3 rows of the input skipped" in render_report(report(skipped=3))


def test_answers_are_listed_worst_first(page):
    """Values rise, and the answer without any score comes last."""
    means = [each["value"] for each in embedded(page)["answers"]]
    assert means[-1] is None
    assert means[:-1] == sorted(means[:-1])


def test_an_empty_report_can_be_written():
    """A run in which every row was skipped still has a page."""
    assert "0 answers" in render_report(report(aggregates=[], histograms={}, answers=PageAnswers([], 0)))


def test_two_thousand_long_answers_keep_to_five_megabytes():
    """Long texts are shown shorter when there are many."""
    words = " ".join(f"word{i}" for i in range(700))
    rows = [
        AnswerRow(Example(f"q{i}", "?", (Reference(f"{i} {words}"),), f"{words} {i}"), {"a": 0.5}, {})
        for i in range(2000)
    ]
    assert len(render_report(report(answers=PageAnswers(rows, len(rows)), ordering=Ordering())).encode()) < 5_000_000


def test_the_page_says_when_and_by_which_command_it_was_written(monkeypatch):
    """The date is that of SOURCE_DATE_EPOCH where it is set, so that a page can be made again to the byte."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    page = render_report(report(call="qassay score a.jsonl -m 'bleu,n=1'"))
    assert "Written 2023-11-14 22:13 UTC by qassay" in page
    assert '<code dir="ltr">qassay score a.jsonl -m &#39;bleu,n=1&#39;</code>' in page


def test_a_page_without_a_date_given_has_todays(monkeypatch):
    """The clock is read where SOURCE_DATE_EPOCH says nothing that is a date."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    assert re.search(r"Written \d{4}-\d\d-\d\d \d\d:\d\d UTC", render_report(report()))


def test_the_page_names_the_metric_that_orders_answers():
    """The judge comes before everything else."""
    page = render_report(report(specs=("exact_match", "ava")))
    assert "worst first by <code>ava</code>." in page


def test_of_very_many_systems_the_ends_are_drawn():
    """The page does not grow with their number."""
    many = [replace(EXAMPLES[i % 2], system=f"s{i}", candidate=f"Paris {'is ' * (i % 9)}it") for i in range(400)]
    page = render_report(report(many, ("token_f1",)))
    assert "Of 400 systems the 50 lowest and the 50 highest by <code>token_f1</code> are drawn." in page
    assert page.count('class="figure interval"') == 100


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    """The error names the file."""
    with pytest.raises(DataError, match=r"r\.html"):
        write_report(report(), tmp_path / "missing" / "r.html")
