"""What answers assert, on every surface that shows a judge's verdict."""

import csv
import json

import numpy as np
import pytest

import qassay
from commands import qassay as command
from commands import qassay_json
from qassay.errors import PluginError
from qassay.features.resources import Resources
from qassay.io.scores.scored_files import read_scored
from qassay.metrics.registry import CATALOGUE
from qassay.records import AnswerNotes

OPERA = {
    "id": "opera",
    "question": "Who composed the opera Manon?",
    "references": ["Georges Bizet"],
    "candidate": "It was composed by Jules Massenet, who had studied alongside Georges Bizet.",
}
REFUSED = {"id": "refused", "question": "Who wrote Faust?", "references": ["Goethe"], "candidate": "I don't know."}
EMPTY = {**REFUSED, "id": "empty", "candidate": ""}
MISSING = {**REFUSED, "id": "missing", "candidate": None}
CHINESE = {"id": "chinese", "question": "《红楼梦》的作者是谁", "references": ["曹雪芹"], "candidate": "吴承恩"}
NO_QUESTION = {"id": "unasked", "references": ["Goethe"], "candidate": "Goethe wrote it in Weimar."}
ROWS = [OPERA, REFUSED, EMPTY, MISSING, CHINESE, NO_QUESTION]
ASSERTED = {
    "opera": ({"ava": "Jules Massenet"}, True),
    "refused": ({"ava": None}, False),
    "empty": ({"ava": None}, False),
    "missing": (None, None),
    "chinese": (None, None),
    "unasked": ({"ava": "Goethe wrote it in Weimar."}, True),
}
"""What rows have as `asserted` and `attempted`; an unscored answer has neither."""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


@pytest.fixture
def unread(monkeypatch):
    """Count how often the reader of answers is opened."""
    opened = []
    original = Resources.answer_reader
    monkeypatch.setattr(Resources, "answer_reader", lambda self: opened.append(self) or original(self))
    return opened


def _fields(rows):
    return {row["id"]: (row.get("asserted"), row.get("attempted")) for row in rows}


def test_rows_in_python_have_what_is_asserted():
    """An answer without a score has no such field."""
    assert _fields(qassay.score(ROWS, "ava").rows()) == ASSERTED


def test_rows_of_a_file_have_what_is_asserted(file, tmp_path):
    """As `score -o` writes them."""
    out = tmp_path / "scores.jsonl"
    command("score", file, "-m", "ava", "-o", out, check=0)
    assert _fields(map(json.loads, out.read_text().splitlines())) == ASSERTED


@pytest.mark.parametrize("kind", ["jsonl", "csv", "tsv", "parquet"])
def test_what_is_asserted_is_read_back(file, tmp_path, kind):
    """From every kind of file, and it is no score."""
    out = tmp_path / f"scores.{kind}"
    qassay.score(file, ["ava", "exact_match"], output=out)
    rows = list(read_scored(out))
    assert {row.id: {spec: each.asserted for spec, each in row.notes.items()} or None for row in rows} == {
        name: asserted for name, (asserted, _) in ASSERTED.items()
    }
    assert {spec for row in rows for spec in row.scores} == {"ava", "exact_match"}
    assert not any(row.extra for row in rows)


def test_a_table_has_a_column_for_it(file, tmp_path):
    """An empty cell where nothing is asserted; whether it is an attempt stands beside it."""
    qassay.score(file, "ava", output=tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open() as table:
        cells = {row["id"]: (row["ava asserted"], row["attempted"]) for row in csv.DictReader(table)}
    assert cells["opera"] == ("Jules Massenet", "true")
    assert cells["refused"] == ("", "false")
    assert cells["missing"] == ("", "")


@pytest.mark.parametrize("source", ["rows", "file"])
def test_a_data_frame_has_a_column_for_it(file, source):
    """In memory and from files alike."""
    frame = qassay.score(ROWS if source == "rows" else file, "ava").to_pandas().set_index("id")
    assert frame.loc["opera", "ava asserted"] == "Jules Massenet"
    assert frame.loc["refused", "attempted"] == False  # noqa: E712 - a cell
    assert frame.loc["opera", "attempted"] == True  # noqa: E712 - a cell


def test_a_field_of_the_input_with_that_name_is_kept():
    """Under another name, as for every field that is ours."""
    (row,) = qassay.score([{**OPERA, "asserted": "mine", "attempted": 3}], "ava").rows()
    assert (row["asserted (input)"], row["attempted (input)"]) == ("mine", 3)
    assert row["asserted"] == {"ava": "Jules Massenet"}


def test_a_field_of_a_scored_file_with_that_name_stays_its_own(tmp_path):
    """Where it is not by metric, it came with the input."""
    path = tmp_path / "scores.jsonl"
    path.write_text('{"id": "1", "system": "", "scores": {"em": 1.0}, "asserted": "x", "attempted": 2}\n')
    (row,) = read_scored(path)
    assert (row.extra, row.notes) == ({"asserted": "x", "attempted": 2}, {})


@pytest.mark.parametrize("specs", [["exact_match"], ["ava,kind=linear"], ["lerc,context=phrase"]])
def test_nothing_is_read_unless_a_judge_that_reads_is_asked_for(specs, unread):
    """Neither the model nor a field."""
    (row,) = qassay.score([{**OPERA, "context": OPERA["candidate"]}], specs).rows()
    assert "asserted" not in row
    assert "attempted" not in row
    assert not unread


def test_lerc_notes_it_too():
    """It reads the same answer."""
    (row,) = qassay.score([OPERA], ["ava", "lerc"]).rows()
    assert row["asserted"] == {"ava": "Jules Massenet", "lerc": "Jules Massenet"}


def test_ten_thousand_words():
    """The words are found, and the row holds them alone."""
    filler = "The weather was mild and the streets were quiet on most days of that long year. " * 700
    long = {**OPERA, "question": "Who painted the portrait?", "candidate": f"{filler}Maria Hill painted the portrait."}
    (row,) = qassay.score([long], "ava").rows()
    assert row["asserted"] == {"ava": "Maria Hill"}


def test_explain_says_it_beside_the_verdict(file):
    """In the terminal and in JSON."""
    assert "says: Jules Massenet" in command("explain", file, "--id", "opera", "-m", "ava", check=0).stdout
    found = qassay_json("explain", file, "--id", "opera", "-m", "ava")
    assert (found["asserted"], found["attempted"]) == ASSERTED["opera"]


def test_explain_says_that_nothing_is_asserted(file):
    """A refusal."""
    assert "asserts nothing" in command("explain", file, "--id", "refused", "-m", "ava", check=0).stdout


def test_the_page_of_an_explanation_marks_it(tmp_path):
    """In the text of the answer, and in the heat map."""
    fields = {"question": OPERA["question"], "references": OPERA["references"], "candidate": OPERA["candidate"]}
    page = qassay.explain(metrics=["ava", "rouge_l:kpqa"], **fields).report(tmp_path / "page.html").read_text()
    assert "says: Jules Massenet" in page
    assert page.count('<b class="asserted">Massenet</b>') == 2


@pytest.mark.parametrize("source", ["rows", "file"])
def test_the_report_says_it(file, tmp_path, source):
    """With its place in the answer, for the marks: [gap, length]."""
    found = qassay.score(ROWS if source == "rows" else file, "ava")
    page = found.report(tmp_path / "page.html").read_text()
    answers = json.loads(page.partition('id="answers-data">')[2].partition("</script>")[0])["answers"]
    opera, refused, missing = (
        next(each for each in answers if each["id"] == name) for name in ("opera", "refused", "missing")
    )
    assert opera["says"] == {"0": "says: Jules Massenet"}
    assert opera["asserted"] == [OPERA["candidate"].index("Jules"), len("Jules Massenet")]
    assert refused["says"] == {"0": "asserts nothing"}
    assert refused["attempted"] is False
    assert "says" not in missing


class Shouting(qassay.MeanMetric):
    """The share of capitals."""

    name = "shouting"

    def values(self, batch):
        """Count capitals."""
        texts = [example.candidate or "" for example in batch.examples]
        return np.array([sum(map(str.isupper, text)) / max(len(text), 1) for text in texts])

    def answer_notes(self, batch):
        """Note the words in capitals."""
        loud = [[word for word in (each.candidate or "").split() if word.isupper()] for each in batch.examples]
        return [AnswerNotes(" ".join(words) or None) for words in loud]


class Wrong(Shouting):
    """Notes that are none."""

    name = "wrong_notes"

    def answer_notes(self, batch):
        """Return texts."""
        return ["loud"] * len(batch)


@pytest.fixture
def own():
    """Register metrics for one test."""
    for metric in (Shouting, Wrong):
        qassay.register_metric(metric)
    yield
    for metric in (Shouting, Wrong):
        CATALOGUE.unregister(metric.name)


@pytest.mark.usefixtures("own")
def test_any_metric_can_note_something():
    """A metric of one's own does it like the judges."""
    rows = qassay.score([{**OPERA, "candidate": "It was VERDI"}, REFUSED | {"candidate": "no"}], "shouting").rows()
    assert [(row["asserted"], row["attempted"]) for row in rows] == [
        ({"shouting": "VERDI"}, True),
        ({"shouting": None}, False),
    ]


@pytest.mark.usefixtures("own")
def test_notes_of_another_kind_are_refused():
    """The message names the metric and says what to return."""
    with pytest.raises(PluginError, match=r"wrong_notes.*answer_notes.*return one qassay\.AnswerNotes per answer"):
        qassay.score([OPERA], "wrong_notes")
