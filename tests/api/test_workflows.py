"""Every workflow is one function: rows and files give the same result, which the command prints."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import qassay
from commands import answers, qassay_json, write_rows
from qassay.errors import DataError, SpecError

ROWS = [
    {**row, "judgement": float(i % 3), "system": system, "id": f"q{i}"}
    for system in ("A", "B")
    for i, row in enumerate(answers(12, system))
]
RATINGS = [{"id": f"q{i}", "annotator": who, "value": i % 5 + 1} for i in range(8) for who in ("ann", "bob")]
LABELS = [{"id": f"q{i}", "system": system, "verdict": i % 2} for i in range(6) for system in ("A", "B")]
PAIRS = [{"id": f"p{i}", "answer": f"it is {i}", "prediction": f"it is {i % 2}", "judgement": i % 2} for i in range(6)]
FREQUENCIES = "df.json"
"""Written to the folder of the test."""
SUMMARIES = [{"id": "s", "summary": "Anna won.", "references": ["Anna Berg won."]}]


def _call(name, given, **more):
    calls = {
        "score": lambda: qassay.score(given, ["token_f1", "rouge_l"], **more),
        "compare": lambda: qassay.compare(given, ["token_f1", "rouge_l"], draws=100, **more),
        "correlate": lambda: qassay.correlate(given, ["token_f1", "rouge_l"], draws=100, **more),
        "accuracy": lambda: qassay.accuracy(given, "token_f1", labels=LABELS, **more),
        "agree": lambda: qassay.agree(given, draws=100, **more),
        "verify": lambda: qassay.verify(given, ["token_f1"], **more),
        "score_summaries": lambda: qassay.score_summaries(given, ["rouge_l"], **more),
        "rank": lambda: qassay.rank(given, "token_f1", **more),
        "frequencies": lambda: qassay.frequencies(given, "cider", FREQUENCIES, **more),
    }
    return calls[name]()


GIVEN = {
    "score": ROWS,
    "compare": ROWS,
    "correlate": ROWS,
    "accuracy": ROWS,
    "agree": RATINGS,
    "verify": PAIRS,
    "score_summaries": SUMMARIES,
    "rank": ROWS,
    "frequencies": ROWS,
}


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


every_workflow = pytest.mark.parametrize("name", GIVEN)


@every_workflow
def test_rows_and_files_give_the_same_document(name, tmp_path):
    """What is in memory is read as a file is."""
    file = write_rows(tmp_path / "given.jsonl", GIVEN[name])
    assert _call(name, GIVEN[name]).to_dict() == _call(name, file).to_dict()


@pytest.mark.parametrize("name", ["score", "compare", "correlate", "accuracy", "verify"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames_are_rows(name, frame):
    """Of pandas and of polars."""
    assert _call(name, frame(GIVEN[name])).to_dict() == _call(name, GIVEN[name]).to_dict()


@every_workflow
def test_a_result_is_a_page(name, tmp_path):
    """Which names the call that made it."""
    page = _call(name, GIVEN[name]).report(tmp_path / "page.html", call="my own call")
    text = page.read_text(encoding="utf-8")
    assert text.lower().startswith("<!doctype html>")
    assert "my own call" in text


@every_workflow
def test_a_report_is_a_page(name, tmp_path):
    """Under any other ending nobody would open it."""
    with pytest.raises(qassay.OutputError, match=r"ends in \.html"):
        _call(name, GIVEN[name]).report(tmp_path / "page.txt")


@every_workflow
def test_a_result_is_a_data_frame(name):
    """With at least one row and column."""
    assert min(_call(name, GIVEN[name]).to_pandas().shape) >= 1


@every_workflow
def test_a_result_shows_itself_in_a_notebook(name):
    """As a small table."""
    shown = _call(name, GIVEN[name])._repr_html_()
    assert shown.startswith("<table>")
    assert shown.count("<tr>") > 1


def test_a_notebook_obeys_nothing_in_names():
    """Names are escaped."""
    rows = [{**row, "system": "<script>"} for row in answers(12)]
    assert "<script>" not in qassay.score(rows, ["token_f1"])._repr_html_()


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (["score", "-m", "token_f1"], lambda file: qassay.score(file, ["token_f1"])),
        (["compare", "-m", "token_f1", "--draws", "100"], lambda file: qassay.compare(file, ["token_f1"], draws=100)),
        (["correlate", "-m", "token_f1"], lambda file: qassay.correlate(file, ["token_f1"])),
        (["accuracy", "--judge", "token_f1"], lambda file: qassay.accuracy(file, "token_f1")),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_a_command_prints_what_its_function_returns(words, call, tmp_path):
    """To the last digit."""
    file = write_rows(tmp_path / "given.jsonl", ROWS)
    assert qassay_json(words[0], file, *words[1:]) == json.loads(json.dumps(call(file).to_dict()))


def test_explain_finds_an_answer_of_rows():
    """By id and system, as in files."""
    found = qassay.explain(ROWS, ["token_f1"], id="q3", system="B").to_dict()
    assert (found["id"], found["system"]) == ("q3", "B")


def test_explain_takes_texts():
    """One reference may be a plain text."""
    found = qassay.explain(references="x y", candidate="x", metrics="token_f1").to_dict()
    assert found["scores"]["token_f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("mistake", "says"),
    [
        (lambda: qassay.explain(ROWS, id="q1"), "choose with system="),
        (lambda: qassay.explain(ROWS), "say which answer with id="),
        (lambda: qassay.explain(candidate="a"), "references="),
        (lambda: qassay.score(ROWS, ["token_f1"], workers=2), "are for files"),
        (lambda: qassay.score(ROWS, ["token_f1"], columns=["a"]), "columns="),
        (lambda: qassay.score("a.jsonl", resume=True), "needs output="),
        (lambda: qassay.accuracy(ROWS, "token_f1", output="to_label.csv"), "choose="),
        (lambda: qassay.accuracy(ROWS, "token_f1", threshold=2), "threshold="),
        (lambda: qassay.accuracy(ROWS, "token_f1", population="all"), "population="),
        (lambda: qassay.agree(RATINGS, scale=(5, 1)), "scale="),
        (lambda: qassay.agree(RATINGS, columns={"rating": "value"}), "columns="),
        (lambda: qassay.correlate(ROWS, ["token_f1"], level="word"), "level="),
        (lambda: qassay.score(ROWS, ["token_f1"], language="xx"), "ISO 639-1"),
    ],
)
def test_mistakes_are_told_in_python(mistake, says):
    """Options are keyword arguments, never flags."""
    with pytest.raises(qassay.QassayError, match=says) as caught:
        mistake()
    assert "--" not in str(caught.value)


@pytest.mark.parametrize("batch", [10**20, 0, -1, True])
def test_batches_that_cannot_be_are_refused(tmp_path, batch):
    """Before anything is read."""
    with pytest.raises(SpecError, match="batch="):
        qassay.score(tmp_path / "none.jsonl", ["token_f1"], batch=batch)


def test_labels_in_memory_name_the_row():
    """As files name the line."""
    with pytest.raises(DataError, match="labels: row 2"):
        qassay.accuracy(ROWS, "token_f1", labels=[LABELS[0], {"id": "q1", "system": "A", "verdict": "perhaps"}])


def test_judgements_of_agree_are_those_of_correlate():
    """What one returns the other takes."""
    plain = [{key: value for key, value in row.items() if key != "judgement"} for row in ROWS[:12]]
    judged = qassay.agree(RATINGS, draws=0).judgements()
    (found,) = qassay.correlate(plain, ["token_f1"], judgements=judged, draws=0).to_dict()["correlations"]
    assert (found["n"], found["missing"]) == (8, 4)


def test_columns_are_renamed_in_rows():
    """As `--map` renames them in files."""
    rows = [{"references": ["a"], "prediction": "a"}]
    assert qassay.score(rows, "exact_match", columns={"candidate": "prediction"})["exact_match"].tolist() == [1.0]


def test_rows_are_written_where_they_are_wanted(tmp_path):
    """As the command writes them."""
    file = write_rows(tmp_path / "given.jsonl", ROWS)
    qassay.score(ROWS, ["token_f1"], output=tmp_path / "rows.jsonl")
    qassay.score(file, ["token_f1"], output=tmp_path / "file.jsonl")
    assert (tmp_path / "rows.jsonl").read_bytes() == (tmp_path / "file.jsonl").read_bytes()


def test_an_output_can_be_written_again_while_its_scores_are_held(tmp_path):
    """A result that lives on keeps nobody from its file."""
    file = write_rows(tmp_path / "given.jsonl", ROWS)
    first = qassay.score(file, ["token_f1"], output=tmp_path / "out.jsonl")
    second = qassay.score(file, ["token_f1"], output=tmp_path / "out.jsonl")
    assert list(first.rows()) == list(second.rows())


class _Told:
    def __init__(self):
        self.heard = []

    def begin(self, what, total):
        self.heard.append((what, total))

    def advance(self, done, total):
        self.heard.append((done, total))


def test_progress_counts_answers_that_are_scored(tmp_path):
    """Not the bytes that are read, which are read at once."""
    file = write_rows(tmp_path / "given.jsonl", answers(200))
    told = _Told()
    qassay.score(file, ["token_f1"], batch=50, progress=told)
    done = [each for each in told.heard if each[0] != "scoring"]
    assert [each[0] for each in done] == [100, 150, 200]
    assert done[-1] == (200, 200)


@pytest.mark.parametrize("name", ["compare", "correlate", "accuracy"])
def test_other_workflows_tell_their_progress(name):
    """To the last answer."""
    told = _Told()
    _call(name, ROWS, progress=told)
    assert told.heard == [("scoring", 24), (24, 24)]


def test_scores_of_files_are_compared_as_they_are(tmp_path):
    """The same questions, differences and p-values as from the answers, for a metric that is a mean."""
    old, new = ([{**row, "system": ""} for row in ROWS if row["system"] == system] for system in ("A", "B"))
    new = [{**row, "candidate": row["references"][1]} for row in new]
    inputs = [write_rows(tmp_path / f"{name}.jsonl", rows) for name, rows in (("old", old), ("new", new))]
    outputs = [tmp_path / "scores" / file.name for file in inputs]
    outputs[0].parent.mkdir()
    for file, output in zip(inputs, outputs, strict=True):
        qassay.score(file, ["token_f1"], output=output)
    scored = qassay.compare(inputs, ["token_f1"], draws=100)
    stored = qassay.compare(outputs, draws=100)
    assert stored.to_dict()["comparisons"] == scored.to_dict()["comparisons"]


def test_scores_are_not_scored_again(tmp_path):
    """A metric beside a file of scores is one of those in it; names of your own are found too."""
    file = write_rows(tmp_path / "s.jsonl", [{"id": "q", "system": s, "scores": {"m": 1.0}} for s in "AB"])
    with pytest.raises(SpecError, match="no scores of token_f1; choose among m"):
        qassay.compare(file, ["token_f1"])
    assert [each.metric for each in qassay.compare(file, ["m"]).comparisons] == ["m"]


def test_accuracy_notes_what_score_notes():
    """Answers without a question are noted."""
    notes = qassay.accuracy([{"id": str(i), "references": ["a b"], "candidate": "a"} for i in range(3)]).notes
    assert any("without a question" in note for note in notes)


def test_stored_scores_are_a_frame_of_answers(tmp_path):
    """With the scores of each."""
    file = write_rows(tmp_path / "given.jsonl", ROWS)
    with qassay.score(file, ["token_f1"]) as stored:
        frame = stored.to_pandas()
    np.testing.assert_array_equal(frame["token_f1"], qassay.score(ROWS, ["token_f1"])["token_f1"])


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ([{"id": "zz", "verdict": "right"}], "labels: row 1: no label belongs to an answer"),
        ([{"id": "q1", "verdict": 1}], 'labels: row 1: the label of id "q1" names no system'),
        (
            [{"id": "q1", "system": "A", "verdict": v} for v in (1, 0)],
            'labels: row 2: "q1" of system "A" is wrong here and right at labels: row 1;',
        ),
        ([{"id": "q1", "verdict": None}], "labels: no row has a verdict"),
    ],
    ids=["unknown", "no system", "contradictory", "waiting"],
)
def test_no_message_about_labels_in_memory_names_a_file(labels, says):
    """There is none."""
    with pytest.raises(DataError) as refused:
        qassay.accuracy(ROWS, "exact_match", labels=labels)
    assert str(refused.value).startswith(says)
    assert "jsonl" not in str(refused.value)


def test_skipped_labels_in_memory_are_named_by_their_row():
    """No file is."""
    found = qassay.accuracy(ROWS, "exact_match", labels=[*LABELS, {"id": "q1", "verdict": "?"}], on_error="skip")
    assert [skipped.place for each in found.left_out.inputs for skipped in each.skipped] == ["labels: row 13"]


@pytest.mark.parametrize(
    ("ratings", "says"),
    [
        ([{"id": "q", "annotator": "a", "value": "?"}], "ratings: row 1: "),
        ([RATINGS[0], RATINGS[0]], "ratings: row 2: "),
        ([{"id": "q", "annotator": "a", "value": None}], "ratings: there are no ratings"),
    ],
    ids=["no number", "twice", "empty"],
)
def test_no_message_about_ratings_in_memory_names_a_file(ratings, says):
    """There is none."""
    with pytest.raises(DataError) as refused:
        qassay.agree(ratings)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(
    ("judgements", "says"),
    [
        ([{"id": "zz", "judgement": 1}], "judgements: no judgement is about one of these answers"),
        ([{"id": "q1", "judgement": 1}], 'judgements: the judgement of "q1" names no system'),
        ([{"id": "q1", "judgement": "?"}], "judgements: row 1: "),
    ],
    ids=["unknown", "no system", "no number"],
)
def test_no_message_about_judgements_in_memory_names_a_file(judgements, says):
    """There is none."""
    with pytest.raises(DataError) as refused:
        qassay.correlate(ROWS, ["token_f1"], judgements=judgements, draws=0)
    assert str(refused.value).startswith(says)


def test_few_draws_are_refused():
    """As the command refuses them."""
    with pytest.raises(SpecError, match="draws= is 1; give 100 or more"):
        qassay.compare(ROWS, ["token_f1"], draws=1)


def test_graded_judgements_name_the_option_that_reads_them():
    """On the command line and in Python."""
    notes = qassay.accuracy(ROWS, "exact_match").notes
    assert any("--cut (cut= in Python) says from which value on an answer is right" in note for note in notes)


def test_compute_skips_what_a_metric_cannot_read():
    """As its errors advise."""
    found = qassay.load("rouge_l:kpqa").compute(candidates=["a"], references=["a"], on_error="skip")
    assert (found["scores"], found["reasons"]) == ([None], {"no question": 1})
