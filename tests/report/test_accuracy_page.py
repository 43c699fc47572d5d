from dataclasses import replace

import pytest

from qassay.report.html.accuracy_page import render_accuracy, write_accuracy_page
from report_samples import EXAMPLES
from study_samples import accuracy_page


def test_without_labels_the_judges_own_estimate_is_called_so():
    """The page says what the interval leaves out."""
    html = render_accuracy(accuracy_page())
    assert "its interval does not cover the judge&#39;s errors" in html
    assert html.count('class="figure interval"') == 2


def test_labels_stand_beside_the_judge():
    """Labels give the estimate, and below it stand labels and judge alone."""
    some = [replace(each, judgement=float(i % 2) if i % 3 else None) for i, each in enumerate(EXAMPLES)]
    html = render_accuracy(accuracy_page([*some, *(replace(each, id=f"{each.id}b") for each in some)]))
    assert "judge alone" in html
    assert "prediction-powered inference" in html


def test_the_truth_is_shown_where_people_judged_all():
    """Its column is there then only."""
    judged = [replace(each, judgement=1.0, candidate="x") for each in EXAMPLES]
    assert ">True</th>" in render_accuracy(accuracy_page(judged))
    assert ">True</th>" not in render_accuracy(accuracy_page())


def test_a_plan_has_a_table():
    """It says how many labels a width takes."""
    assert "Labels needed for an interval" in render_accuracy(accuracy_page(width=0.2))


@pytest.mark.parametrize(("note", "shown"), [("a note", "a note"), ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;")])
def test_notes_are_listed_as_text(note, shown):
    """What the terminal says below the table stands on the page too."""
    assert f"<li>{shown}</li>" in render_accuracy(accuracy_page(notes=[note]))


def test_the_page_is_written(tmp_path):
    """The command stands at its end."""
    write_accuracy_page(accuracy_page(call="qassay accuracy a.jsonl"), tmp_path / "a.html")
    assert "qassay accuracy a.jsonl</code>" in (tmp_path / "a.html").read_text(encoding="utf-8")
