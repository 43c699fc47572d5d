"""Verdicts in the exports of Label Studio and Argilla are read as they are."""

import json

import pytest

import qassay
from commands import qassay as command
from qassay.errors import DataError, SpecError
from qassay.meta.accuracy.label_files import read_labels

MEANINGS = {"right": ["Good", "Fine"], "wrong": "Bad"}


def choice(value, name="verdict"):
    """Return a choice as Label Studio has it in an annotation."""
    return {"from_name": name, "to_name": "answer", "type": "choices", "value": {"choices": [value]}}


LABEL_STUDIO = [
    {
        "id": 11,
        "data": {"id": "q1", "system": "a", "candidate": "x"},
        "annotations": [
            {"id": 1, "completed_by": 1, "was_cancelled": False, "result": [choice("tidy", "style"), choice("Good")]},
            {"id": 2, "completed_by": 2, "was_cancelled": True, "result": []},
        ],
    },
    {
        "id": 12,
        "data": {"id": "q2", "system": "a", "candidate": "y"},
        "annotations": [{"id": 3, "completed_by": 1, "was_cancelled": False, "result": [choice("Bad")]}],
    },
    {"id": 13, "data": {"id": "q3", "system": "a", "candidate": "z"}, "annotations": []},
]
LABEL_STUDIO_COLUMNS = [
    {"id": "q1", "system": "a", "assessment": "Good", "annotator": 1, "annotation_id": 1},
    {"id": "q2", "system": "a", "assessment": {"choices": ["Bad"]}, "annotator": 1, "annotation_id": 3},
    {"id": "q3", "system": "a", "verdict": None, "annotator": 1, "annotation_id": 4},
]
ARGILLA = [
    {
        "id": "q1",
        "status": "completed",
        "fields": {"answer": "x"},
        "metadata": {"system": "a"},
        "suggestions": {},
        "responses": {"verdict": [{"value": "Good", "user_id": "u1"}, {"value": "Fine", "user_id": "u2"}]},
    },
    {
        "id": "q2",
        "status": "completed",
        "fields": {"answer": "y"},
        "metadata": {"system": "a"},
        "suggestions": {},
        "responses": {"verdict": [{"value": "Bad", "user_id": "u1"}]},
    },
    {"id": "q3", "status": "pending", "fields": {"answer": "z"}, "metadata": {"system": "a"}, "responses": {}},
]
ARGILLA_FIRST = [
    {
        "fields": {"answer": "x", "id": name, "system": "a"},
        "responses": [{"user_id": "u", "status": "submitted", "values": {"verdict": {"value": value}}}]
        if value
        else [],
    }
    for name, value in (("q1", "Good"), ("q2", "Bad"), ("q3", None))
]
ARGILLA_COLUMNS = [
    {"id": "q1", "metadata": None, "system": "a", "verdict.responses": ["Good"], "verdict.responses.users": ["u1"]},
    {"id": "q2", "system": "a", "verdict.responses": ["Bad"], "verdict.responses.status": ["submitted"]},
    {"id": "q3", "system": "a", "verdict.responses": ["Bad"], "verdict.responses.status": ["draft"]},
]
EXPORTS = {
    "Label Studio": LABEL_STUDIO,
    "Label Studio, columns": LABEL_STUDIO_COLUMNS,
    "Argilla": ARGILLA,
    "Argilla 1": ARGILLA_FIRST,
    "Argilla, columns": ARGILLA_COLUMNS,
}


@pytest.mark.parametrize("rows", EXPORTS.values(), ids=EXPORTS)
def test_an_export_holds_one_right_and_one_wrong_answer(tmp_path, rows):
    """Every export has the same verdicts; what nobody has judged is waiting."""
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(rows))
    found = read_labels([path], label_map=MEANINGS)
    assert [(each.id, each.system, each.value) for each in found.labels] == [("q1", "a", 1.0), ("q2", "a", 0.0)]
    assert [each.id for each in found.waiting] == ["q3"]


def flat(number, verdict, **data):
    """Return a row as Label Studio writes it to JSON-MIN and CSV: the task's number has taken the place of the id."""
    when = "2026-01-01T00:00:00Z"
    stamps = {"created_at": when, "updated_at": when, "lead_time": 3.2}
    return {**data, "id": number, "assessment": verdict, "annotator": 1, "annotation_id": number, **stamps}


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_a_flat_export_is_matched_by_the_answers_own_id(tmp_path, suffix):
    """The number of a task is not taken for an id, even where an answer has that number."""
    rows = [flat(1, "Good", answer_id="2", system="a"), flat(2, "Bad", answer_id="1", system="a")]
    path = tmp_path / f"export{suffix}"
    lines = [",".join(map(str, each)) for each in (rows[0], *(row.values() for row in rows))]
    path.write_text(json.dumps(rows) if suffix == ".json" else "\n".join(lines))
    found = read_labels([path], label_map=MEANINGS)
    assert [(each.id, each.value) for each in found.labels] == [("2", 1.0), ("1", 0.0)]


def test_a_flat_export_without_the_answers_id_is_refused(tmp_path):
    """The message says what happened to the id, and what to export instead."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps([flat(1, "Good", system="a"), flat(2, "Bad", system="a", answer_id="q2")]))
    with pytest.raises(DataError, match=r'number of a Label Studio task \(1\).*export as JSON.*"answer_id"'):
        read_labels([path], label_map=MEANINGS)
    found = read_labels([path], label_map=MEANINGS, on_error="skip")
    assert ([each.id for each in found.labels], found.skipped_total) == (["q2"], 1)


def test_a_choice_without_a_meaning_is_refused(tmp_path):
    """The message names the option that says what it means."""
    path = tmp_path / "labels.json"
    path.write_text(json.dumps(LABEL_STUDIO))
    with pytest.raises(DataError, match=r"'Good'; .*label_map=\{'right': 'Good'\}"):
        read_labels([path])


def test_a_choice_has_one_meaning():
    """Right and wrong cannot be the same choice."""
    with pytest.raises(SpecError, match='"good" two meanings'):
        qassay.accuracy([], labels=[{"id": "q1", "verdict": 1}], label_map={"right": "Good", "wrong": "good"})


def test_the_command_reads_an_export(tmp_path):
    """`--label-map` makes the export of a study into labels."""
    answers, labels = tmp_path / "answers.jsonl", tmp_path / "export.json"
    rows = [{"id": f"q{i}", "references": ["a"], "candidate": "a", "score": i % 2} for i in range(1, 5)]
    answers.write_text("\n".join(map(json.dumps, rows)))
    tasks = [{**task, "data": {**task["data"], "system": ""}} for task in LABEL_STUDIO]
    labels.write_text(json.dumps(tasks))
    words = ["accuracy", answers, "--judge", "column:score", "--labels", labels, "--json"]
    done = command(*words, "--label-map", "right=Good", "--label-map", "wrong=Bad", check=0)
    assert json.loads(done.stdout)["systems"][0]["labels"] == 2


def test_correlations_are_with_the_choices_of_an_export(tmp_path):
    """Several people's grades of one answer are averaged; without judgements there is nothing to map."""
    answers, export = tmp_path / "answers.jsonl", tmp_path / "export.json"
    rows = [{"id": f"q{i}", "references": ["a b c d"], "candidate": "a b c d"[: 2 * i]} for i in range(1, 5)]
    answers.write_text("\n".join(map(json.dumps, rows)))
    grades = {"q1": ["Bad"], "q2": ["Bad", "Fair"], "q3": ["Fair", "Good"], "q4": ["Good"]}
    tasks = [
        {
            "id": number,
            "data": {"id": name},
            "annotations": [
                {"result": [{"from_name": "grade", "type": "choices", "value": {"choices": [each]}}]} for each in given
            ],
        }
        for number, (name, given) in enumerate(grades.items())
    ]
    export.write_text(json.dumps(tasks))
    words = ["correlate", answers, "-m", "token_recall", "--judgements", export, "--json"]
    meanings = ["--label-map", "1=Bad", "--label-map", "3=Fair", "--label-map", "5=Good"]
    (found,) = json.loads(command(*words, *meanings, check=0).stdout)["correlations"]
    assert (found["n"], found["pearson"]) == (4, pytest.approx(0.9899, abs=1e-4))
    assert (
        "--label-map VERDICT=CHOICE is for --judgements FILE"
        in command("correlate", answers, "-m", "bleu", *meanings, check=2).stderr
    )
