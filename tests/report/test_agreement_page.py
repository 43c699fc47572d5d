import pytest

from qassay.meta.agreement.rating_study import study_ratings
from qassay.meta.agreement.ratings import read_ratings
from qassay.report.html.agreement_page import AgreementReport, render_agreement, write_agreement_page

PEOPLE = ("ann", "bo", "<i>cy</i>", "dee", "eve")
RATINGS = [(f"q{i}", name, min(5, i % 5 + 1 + (i * k) % 5 // 4)) for i in range(8) for k, name in enumerate(PEOPLE)]


@pytest.fixture
def study(tmp_path):
    """Make a study of five people's ratings of eight items."""
    rows = "".join(f"{item},{name},{value}\n" for item, name, value in RATINGS)
    (tmp_path / "ratings.csv").write_text(f"id,annotator,value\n{rows}", encoding="utf-8")
    ratings, _ = read_ratings([str(tmp_path / "ratings.csv")])
    return study_ratings(ratings, draws=50)


def test_alpha_is_shown_before_and_after_cleaning(study):
    """Both have a strip, as has the mean pairwise correlation."""
    html = render_agreement(AgreementReport("ratings.csv", study))
    assert "alpha, all ratings" in html
    assert html.count('class="figure interval"') == 3


def test_annotators_and_items_can_be_sorted(study):
    """Their tables are marked for the script that sorts."""
    html = render_agreement(AgreementReport("ratings.csv", study))
    assert html.count('class="plain sortable"') >= 2


def test_names_of_annotators_are_text(study):
    """Markup in a name is shown as it is written."""
    assert "<i>cy" not in render_agreement(AgreementReport("ratings.csv", study))


def test_removed_ratings_are_listed(study):
    """Every one is, with who gave it."""
    html = render_agreement(AgreementReport("ratings.csv", study))
    listed = html.partition('id="removed"')[2].partition("<tbody>")[2].count("<tr>")
    assert listed == study.removed > 0


def test_the_page_is_written(study, tmp_path):
    """The command stands at its end."""
    write_agreement_page(AgreementReport("ratings.csv", study, call="qassay agree ratings.csv"), tmp_path / "a.html")
    assert "qassay agree ratings.csv</code>" in (tmp_path / "a.html").read_text(encoding="utf-8")
