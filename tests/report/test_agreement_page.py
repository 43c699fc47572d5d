import pytest

from qassay.report.html.agreement_page import render_agreement, write_agreement_page
from study_samples import agreement_report


@pytest.fixture
def given(tmp_path):
    return agreement_report(tmp_path, call="qassay agree ratings.csv")


def test_alpha_is_shown_before_and_after_cleaning(given):
    """Both have a strip, as has the mean pairwise correlation."""
    html = render_agreement(given)
    assert "alpha, all ratings" in html
    assert html.count('class="figure interval"') == 3


def test_annotators_and_items_can_be_sorted(given):
    """Their tables are marked for the script that sorts."""
    html = render_agreement(given)
    assert html.count('class="plain sortable"') >= 2


def test_names_of_annotators_are_text(given):
    """Markup in a name is shown as it is written."""
    assert "<i>cy" not in render_agreement(given)


def test_removed_ratings_are_listed(given):
    """Every one is, with who gave it."""
    html = render_agreement(given)
    listed = html.partition('id="removed"')[2].partition("<tbody>")[2].count("<tr>")
    assert listed == given.study.removed > 0


def test_the_page_is_written(given, tmp_path):
    """The command stands at its end."""
    write_agreement_page(given, tmp_path / "a.html")
    assert "qassay agree ratings.csv</code>" in (tmp_path / "a.html").read_text(encoding="utf-8")
