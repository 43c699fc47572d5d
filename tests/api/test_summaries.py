import re

import pytest

import qassay
from fake_pipeline import pipeline
from qassay.meta.comparison.systems import compare_table
from qassay.metrics.questions import question_pass as first_pass
from qassay.models.question_model_names import Models

ROWS = [
    {"id": "1", "system": "a", "summary": "then Anna sang", "references": ["yesterday Anna sang"]},
    {"id": "2", "system": "a", "summary": None, "references": ["yesterday Anna sang"]},
]


@pytest.fixture
def models(monkeypatch):
    """Models that follow from the texts alone."""
    made = pipeline()
    monkeypatch.setattr(first_pass, "open_pipeline", lambda *_: made)
    return Models()


def test_summaries_are_scored_with_their_questions(models):
    """One table has scores, reasons and every question."""
    table = qassay.score_summaries(ROWS, ["qaeval,verify=em"], models=models)
    assert table["qaeval,verify=em"][0] == 1.0
    assert table.score("qaeval,verify=em", 1).reason == "no summary"
    assert [each.id for each in table.questions] == ["1", "2"]
    assert table.questions[0].sources[0].questions[0].question == "Who sang?"


def test_a_metric_is_found_under_the_name_it_was_asked_for_by(models):
    """`qaeval,verify=lerc` is `qaeval` by its short name."""
    table = qassay.score_summaries(ROWS, ["qaeval,verify=lerc"], models=models)
    assert table["qaeval,verify=lerc"][0] == table["qaeval"][0]


def test_metrics_follow_from_the_first_row(models):
    """References allow QAEval alone."""
    assert list(qassay.score_summaries(ROWS, models=models).scores) == ["qaeval"]


def test_rows_are_checked_as_in_files(models):
    """The place is the row."""
    with pytest.raises(qassay.DataError, match='row 1: "summary" is missing'):
        qassay.score_summaries([{"references": ["x"]}], models=models)


def test_pairs_are_verified():
    """Dictionaries in, a table of methods out."""
    rows = [{"question": "Who?", "answer": "Anna Berg", "prediction": "Berg"}]
    table = qassay.verify(rows, ["em", "token_f1"])
    # one of one and two tokens shared: 2 * 1 * .5 / 1.5
    assert (table["em"].tolist(), table["token_f1"].tolist()) == ([0.0], [pytest.approx(2 / 3)])


def test_no_rows_are_an_error(models):
    """There is nothing to score."""
    with pytest.raises(qassay.DataError, match="no rows"):
        qassay.score_summaries([], models=models)


def data_of(signature):
    (found,) = re.findall(r"data:(\w+)", signature)
    return found


@pytest.mark.parametrize(("metric", "alike"), [("feqa,verify=em", False), ("qaeval,verify=em", True)])
def test_the_document_is_in_the_signature_of_what_reads_it(models, metric, alike):
    """Also where references are given."""
    first, other = (
        qassay.score_summaries([{**ROWS[0], "document": document}], metric, models=models).aggregates[0].signature
        for document in ("Anna sang.", "Berta sang.")
    )
    assert (data_of(first) == data_of(other)) is alike


@pytest.mark.parametrize(
    ("field", "method", "alike"),
    [
        ("prediction_context", "lerc", False),
        ("prediction_context", "bert_score,context=phrase", False),
        ("answer_context", "bert_score,context=phrase", False),
        ("answer_context", "bert_score", True),
        ("answer_context", "em", True),
    ],
)
def test_contexts_are_in_the_signature_of_what_reads_them(field, method, alike):
    """LERC reads the prediction's text, BERTScore both."""
    first, other = (
        qassay.verify([{"answer": "Anna", "prediction": "Berta", field: text}], method).aggregates[0].signature
        for text in ("Anna or Berta?", "Berta or Anna!")
    )
    assert (data_of(first) == data_of(other)) is alike


def test_summaries_of_two_systems_are_compared(models):
    """Their scores are means."""
    rows = [{**ROWS[0], "id": str(i), "system": system} for system in ("a", "b") for i in range(2)]
    (found,) = compare_table(qassay.score_summaries(rows, "qaeval,verify=em", models=models))
    assert (found.result.a, found.result.b, found.result.ties) == (1.0, 1.0, 2)
