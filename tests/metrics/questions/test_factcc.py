"""FactCC and `faithful`: sentences checked against a document or retrieved contexts."""

import io
import json
import math

import numpy as np
import pytest
from rich.console import Console

from qassay import explain, score, score_summaries
from qassay.errors import DataError
from qassay.models.onnx.consistency import SKIMMED
from qassay.report.explain.render import print_explanation, render_explanation

DOCUMENT = "Anna Berg won the women's race in Oslo on Sunday. The Norwegian finished ahead of Maria Holm of Sweden."
RIGHT, WRONG = "Anna Berg won the women's race in Oslo.", "Maria Holm won the women's race in Stockholm."


def _answer(candidate, contexts=DOCUMENT, **more):
    return {"id": "1", "question": "Who won?", "candidate": candidate, "contexts": contexts, **more}


def _faithful(*rows, **options):
    return score([{**row, "id": str(i)} for i, row in enumerate(rows)], ["faithful"], **options)


def test_a_summary_scores_the_mean_of_its_sentences():
    """Two sentences score between what each scores alone."""
    rows = [
        {"id": name, "summary": text, "document": DOCUMENT}
        for name, text in (("right", RIGHT), ("wrong", WRONG), ("both", f"{RIGHT} {WRONG}"))
    ]
    right, wrong, both = score_summaries(rows, ["factcc"])["factcc"].tolist()
    assert right > 0.5 > wrong
    assert both == pytest.approx((right + wrong) / 2)


def test_answers_need_no_references():
    """Contexts are a text or a list of texts."""
    table = _faithful(_answer(RIGHT), _answer(RIGHT, ["Nothing is told here.", DOCUMENT]), _answer(WRONG, [DOCUMENT]))
    right, listed, wrong = table["faithful"].tolist()
    assert right > 0.5 > wrong
    assert listed > 0.5


def test_a_short_answer_is_read_with_its_question():
    """A name alone says nothing; with the question it is right or wrong."""
    question = "Who won the women's race in Oslo?"
    rows = [_answer("Anna Berg", question=question), _answer("Maria Holm", question=question)]
    right, wrong = _faithful(*rows)["faithful"].tolist()
    assert right > wrong


@pytest.mark.parametrize(
    ("contexts", "message"),
    [
        (None, '"contexts"'),
        ([], 'its "contexts" is empty'),
        ("  ", '"contexts"'),
        ([" ", ""], "holds no text; give what was retrieved"),
        (3, "write a text or a list of texts"),
        ([1, 2], "write a text or a list of texts"),
    ],
)
def test_missing_contexts_are_an_error_and_never_0(contexts, message):
    """The message says what to give; with `skip` the answer goes without a score."""
    with pytest.raises(DataError, match=message):
        _faithful(_answer(RIGHT, contexts))
    table = _faithful(_answer(RIGHT, contexts), on_error="skip")
    assert math.isnan(table["faithful"][0])
    assert table.score("faithful", 0).reason


def test_a_context_in_the_place_of_contexts_is_pointed_out():
    """The message names the field to map."""
    row = {"id": "1", "question": "Who won?", "candidate": RIGHT, "context": DOCUMENT}
    with pytest.raises(DataError, match=r"\"context\" may hold it: map it with columns=\{'contexts': 'context'\}"):
        score([row], ["faithful"])


@pytest.mark.parametrize(
    ("candidate", "reason"),
    [
        ("Anna Berg gewann am Sonntag das Rennen der Frauen in Oslo vor einer Schwedin.", "seems not to be English"),
        ("安娜·伯格在奥斯陆赢得了比赛。", "is in another script"),
        ("", "no sentence to check"),
        ("?!", "no sentence to check"),
        (None, "no candidate"),
    ],
)
def test_what_cannot_be_checked_is_unscored_with_the_reason(candidate, reason):
    """Another language, nothing said, no answer: never 0."""
    table = _faithful(_answer(candidate), _answer(RIGHT), on_error="skip")
    found = table.score("faithful", 0)
    assert found.value is None
    assert reason in found.reason
    assert table.score("faithful", 1).value > 0.5


def test_a_summary_without_a_document_is_an_error():
    """It is named before anything is scored."""
    with pytest.raises(DataError, match='factcc needs "context"'):
        score_summaries([{"id": "1", "summary": RIGHT, "references": ["x"]}], ["factcc"])


def test_a_document_of_100_000_words_is_read_where_it_matters():
    """A note counts it."""
    filler = " ".join(f"Nothing happened in the village of number {n}." for n in range(12_500))
    table = _faithful(_answer(RIGHT, [filler, DOCUMENT]))
    assert table["faithful"][0] > 0.5
    assert table.notes[SKIMMED] == 1


def test_the_explanation_marks_sentences():
    """Each sentence has its verdict, its place, and the passage that comes nearest."""
    rows = [_answer(f"{RIGHT} {WRONG}")]
    found = explain(rows, ["faithful"], id="1")
    first, second = found.to_dict()["claims"]["faithful"]
    assert (first["text"], second["text"]) == (RIGHT, WRONG)
    assert first["supported"]
    assert not second["supported"]
    assert first["support"] in DOCUMENT
    page = render_explanation(found.explanation)
    assert "Sentences checked by <code>faithful</code>" in page
    assert page.count('class="unsupported"') == 1
    assert [page.count(f">{verdict} 0.") for verdict in ("yes", "no")] == [1, 1]


def test_the_terminal_marks_sentences_without_colours():
    """What is unsupported can be told from the words alone."""
    written = io.StringIO()
    shown = Console(width=100, no_color=True, file=written)
    shown.print(print_explanation(explain([_answer(f"{RIGHT} {WRONG}")], ["faithful"], id="1").explanation))
    lines = written.getvalue().splitlines()
    assert [line.split()[0] for line in lines if line.lstrip().startswith(("yes ", "no "))] == ["yes", "no"]


def test_pages_mark_unsupported_sentences(tmp_path):
    """The report of answers and the page of summaries both list the sentences."""
    text = f"{RIGHT} {WRONG}"
    page = _faithful(_answer(text)).report(tmp_path / "answers.html").read_text()
    assert '"claims"' in page
    summary = tmp_path / "s.jsonl"
    summary.write_text(json.dumps({"id": "1", "summary": text, "document": DOCUMENT}), encoding="utf-8")
    page = score_summaries(summary, ["factcc"]).report(tmp_path / "summaries.html").read_text()
    assert "Sentences checked by <code>factcc</code>" in page
    assert page.count('class="unsupported"') == 1


def test_scores_do_not_depend_on_neighbours():
    """One by one and together they are the same."""
    rows = [_answer(RIGHT), _answer(WRONG), _answer(f"{WRONG} {RIGHT}")]
    together = _faithful(*rows)["faithful"]
    alone = [_faithful(row)["faithful"][0] for row in rows]
    np.testing.assert_array_equal(together, alone)
