"""Comparisons, ratings and accuracies of small runs, as their pages show them."""

from dataclasses import replace

from qassay.meta.accuracy.estimates import estimate_systems
from qassay.meta.accuracy.judged_run import judge_answers
from qassay.meta.agreement.rating_study import study_ratings
from qassay.meta.agreement.ratings import read_ratings
from qassay.meta.comparison.systems import compare_table
from qassay.report.answers import Ordering
from qassay.report.html.accuracy_page import AccuracyPage
from qassay.report.html.agreement_page import AgreementReport
from qassay.report.html.comparison_page import ComparisonReport
from qassay.scoring.scorer import score_examples
from report_samples import EXAMPLES

SPECS = ("token_f1", "rouge_l")
UNJUDGED = [replace(each, judgement=None) for each in EXAMPLES]
PEOPLE = ("ann", "bo", "<i>cy</i>", "dee", "eve")
RATINGS = [(f"q{i}", name, min(5, i % 5 + 1 + (i * k) % 5 // 4)) for i in range(8) for k, name in enumerate(PEOPLE)]


def comparison_report(examples=EXAMPLES, **changes):
    """Compare the systems of some answers."""
    table = score_examples(examples, SPECS)
    fields = {
        "title": "A sample",
        "table": table,
        "comparisons": compare_table(table, draws=100),
        "ordering": Ordering.of_specs(SPECS),
    }
    return ComparisonReport(**{**fields, **changes})


def accuracy_page(examples=UNJUDGED, width=None, **changes):
    """Judge some answers by token F1."""
    run = judge_answers(examples, "token_f1")
    return AccuracyPage("A sample", run, estimate_systems(run.answers, width=width), **changes)


def agreement_report(folder, **changes):
    """Study five people's ratings of eight items."""
    rows = "".join(f"{item},{name},{value}\n" for item, name, value in RATINGS)
    (folder / "ratings.csv").write_text(f"id,annotator,value\n{rows}", encoding="utf-8")
    ratings, _ = read_ratings([str(folder / "ratings.csv")])
    return AgreementReport("ratings.csv", study_ratings(ratings, draws=50), **changes)
