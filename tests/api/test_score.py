"""The Python interface takes what people hold, and refuses what means nothing."""

import sys

import numpy as np
import pandas as pd
import pytest

import qassay
from qassay.errors import DataError, QassayError, SpecError
from qassay.io.example_columns import ExampleColumns
from qassay.meta.comparison.systems import compare_table
from qassay.scoring.table import Score

ROW = {"references": ["a b"], "candidate": "a"}
PAIR = {"answer": "a b", "prediction": "a"}
SUMMARY = {"summary": "a", "references": ["a b"]}
ROUGE = qassay.load("rouge_l")


@pytest.mark.parametrize("language", ["English", "en-US", None, 5, ""])
@pytest.mark.parametrize(
    "call",
    [
        lambda **options: qassay.score([ROW], ["exact_match"], **options),
        lambda **options: qassay.score_summaries([SUMMARY], ["rouge_l"], **options),
        lambda **options: ROUGE.compute(predictions=["a"], references=["a"], **options),
    ],
)
def test_what_is_no_language_is_refused(call, language):
    """It would change the scores in silence."""
    with pytest.raises(SpecError, match="language"):
        call(language=language)


@pytest.mark.parametrize(
    "options", [{"seed": -1}, {"seed": "x"}, {"seed": True}, {"seed": 1.5}, {"device": "tpu"}, {"model": None}]
)
@pytest.mark.parametrize(
    "call",
    [
        lambda **options: qassay.score([ROW], ["exact_match"], **options),
        lambda **options: qassay.verify([PAIR], ["em"], **options),
        lambda **options: ROUGE.compute(predictions=["a"], references=["a"], **options),
    ],
)
def test_options_that_mean_nothing_are_refused(call, options):
    """Each is named in an error of this package."""
    with pytest.raises(SpecError, match=next(iter(options))):
        call(**options)


@pytest.mark.parametrize(
    "options",
    [{"seed": -1}, {"models": "mini"}, {"models": qassay.Models(device="tpu")}],
    ids=["seed", "kind", "device"],
)
def test_summaries_check_their_options(options):
    """As answers do."""
    with pytest.raises(SpecError):
        qassay.score_summaries([SUMMARY], ["rouge_l"], **options)


def test_a_numpy_seed_is_a_seed():
    """Whole numbers of numpy are whole numbers."""
    assert qassay.score([ROW], ["exact_match"], seed=np.int64(3)).seed == 3


@pytest.mark.parametrize("metrics", [5, [], ()])
@pytest.mark.parametrize(
    ("call", "row"), [(qassay.score, ROW), (qassay.verify, PAIR), (qassay.score_summaries, SUMMARY)]
)
def test_metrics_that_are_none_are_refused(call, row, metrics):
    """Only leaving them out means the default ones."""
    with pytest.raises(SpecError, match="name"):
        call([row], metrics)


@pytest.mark.parametrize(
    ("call", "row", "name"),
    [
        (qassay.score, ROW, "rouge_l"),
        (qassay.verify, PAIR, "exact_match"),
        (qassay.score_summaries, SUMMARY, "rouge_l"),
    ],
)
def test_one_metric_may_be_a_plain_text(call, row, name):
    """Its characters are not metrics."""
    assert list(call([row], name).scores) == [name]


def test_compute_says_why_scores_are_missing_and_what_was_noted():
    """Beside the aggregate stand the reasons with their counts, and the notes."""
    found = qassay.load("ava").compute(predictions=["a", "x"], references=["", "Der Hund lief in das Haus."])
    assert found["reasons"] == {"every reference is empty": found["unscored"]}
    assert any("without a question" in note for note in found["notes"])


def test_compute_takes_the_options_of_score():
    """A stated language other than English keeps its a, an and the."""
    exact = qassay.load("exact_match")
    found = [
        exact.compute(predictions=["a casa"], references=["casa"], language=code, model="mini", device="cpu")["scores"]
        for code in ("auto", "pt")
    ]
    assert found == [[1.0], [0.0]]


@pytest.mark.parametrize("given", [{"a": 1}, {"a"}, "a", b"a", 5, np.array("a"), pd.DataFrame({"a": ["a"]})])
@pytest.mark.parametrize("name", ["predictions", "references"])
def test_what_is_no_list_is_refused(name, given):
    """The keys of a mapping, the characters of a text and the columns of a table are not answers."""
    with pytest.raises(DataError, match=f"{name} must be a list of texts"):
        ROUGE.compute(**{"predictions": ["a"], "references": ["a"], name: given})


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array, lambda texts: pd.Series(texts, index=[5, 0])])
def test_lists_may_be_of_any_kind(kind):
    """Arrays and series are read by position."""
    found = qassay.load("exact_match").compute(
        predictions=kind(["a", "b"]), references=kind(["a", "c"]), questions=kind(["x?", "y?"])
    )
    assert found["scores"] == [1.0, 0.0]


def test_several_references_may_be_an_array():
    """Each row of the array holds the references of one prediction."""
    found = qassay.load("exact_match").compute(predictions=["b"], references=np.array([["a", "b"]]))
    assert found["scores"] == [1.0]


def test_half_a_surrogate_pair_is_refused_at_its_place():
    """As in rows."""
    with pytest.raises(DataError, match=r"predictions\[1\] holds half of a surrogate pair"):
        ROUGE.compute(predictions=["a", "\ud800"], references=["a", "a"])


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: qassay.score(None),
        lambda: qassay.score(5),
        lambda: qassay.score([ROW], ["token_f1"])["nope"],
        lambda: qassay.score([ROW], ["token_f1"])[3],
        lambda: qassay.score([ROW], ["token_f1"]).aggregate("token_f1", "Z"),
        lambda: qassay.score([ROW], ["token_f1"]).score("token_f1", 1),
        lambda: qassay.score([ROW], ["token_f1"]).score("token_f1", "q1"),
        lambda: qassay.load(None),
        lambda: compare_table(qassay.score([ROW, {**ROW, "system": "B"}], ["token_f1"]), draws=0),
    ],
)
def test_every_mistake_is_an_error_of_this_package(mistake):
    """So that one except clause catches them all."""
    with pytest.raises(QassayError):
        mistake()


def test_a_data_frame_without_pandas_names_the_extra(monkeypatch):
    """The remedy is one command."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(QassayError, match=r"qassay\[pandas\]"):
        qassay.score([ROW], ["token_f1"]).to_pandas()


def test_a_data_frame_is_scored():
    """Its rows are answers, and NaN is a missing one."""
    frame = pd.DataFrame({"references": [["a"], ["b"]], "candidate": ["a", float("nan")]})
    table = qassay.score(frame, "exact_match")
    assert table.score("exact_match", 0) == Score(1.0)
    assert table.score("exact_match", 1) == Score(None, "no candidate")


def test_answers_may_lack_what_default_metrics_need():
    """Nobody asked for those metrics: such answers go without their scores, with the reason."""
    table = qassay.score([{**ROW, "question": "what?"}, ROW])
    assert table.score("rouge_l:kpqa", 1) == Score(None, "no question")
    assert table.score("rouge_l", 1).value is not None


def test_rows_are_what_the_program_writes():
    """Judgements, kinds of questions and unknown fields are there."""
    row = {"id": "q", **ROW, "judgement": 1, "question_type": "who", "note": "kept", "scores": 2}
    (found,) = qassay.score([row], "exact_match").rows()
    assert found == {
        "id": "q",
        "system": "",
        "scores": {"exact_match": 0.0},
        "judgement": 1.0,
        "question_type": "who",
        "references_hash": "c35d3ddd2ec4",
        "note": "kept",
        "scores (input)": 2,
    }


def test_rows_of_pairs_are_what_the_program_writes():
    """The answer's context was read, and is not written back."""
    (found,) = qassay.verify([{"id": "q", **PAIR, "answer_context": "a b c", "judgement": 1}], "em").rows()
    assert found == {"id": "q", "system": "", "scores": {"exact_match": 0.0}, "judgement": 1.0} | {
        "references_hash": "c35d3ddd2ec4"
    }


@pytest.mark.parametrize("metric", ["rouge_l", "bleu", "token_f1"])
def test_no_example_is_made_of_rows_of_texts(monkeypatch, metric):
    """Rows become columns, and stay columns up to the aggregates: an object per answer takes longer than scoring it."""
    made = []
    monkeypatch.setattr(ExampleColumns, "__getitem__", _counting(ExampleColumns.__getitem__, made))
    rows = [{"id": str(i), "references": ["Mary Shelley"], "candidate": f"Shelley {i}"} for i in range(3000)]

    found = qassay.score(rows, metric)

    assert found.aggregates[0].n == 3000
    # Which metrics suit is decided by the first one.
    assert len(made) <= 1


def _counting(getitem, made):
    def counted(columns, place):
        if not isinstance(place, slice):
            made.append(place)
        return getitem(columns, place)

    return counted
