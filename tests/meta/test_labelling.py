import csv

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.accuracy.label_files import Label, Labels, read_labels
from qassay.meta.accuracy.label_selection import LabelSelection
from qassay.meta.accuracy.labels import add_judgements, check_list, match_labels, write_selection
from qassay.meta.agreement.ratings import read_ratings
from qassay.records import Example, Reference

ANSWERS = [
    Example(name, f"What is {name}?", (Reference("this"), Reference("that")), f'it is "{name}", so', system)
    for system in ("A", "B")
    for name in ("q1", "q2", "q3")
]


def labels(*given):
    return Labels(tuple(Label(name, system, value, "labels.csv:2") for name, system, value in given), (), 0)


def test_labels_find_their_answers_by_system_and_id():
    """One value a row of the answers; the rest is missing."""
    matched = match_labels(labels(("q2", "A", 1.0), ("q1", "B", 0.0)), ANSWERS)
    assert matched.labelled.tolist() == [False, True, False, True, False, False]
    assert matched.value[[1, 3]].tolist() == [1.0, 0.0]


def test_one_system_needs_no_name():
    """The id is enough where it is clear."""
    assert match_labels(labels(("q2", "", 1.0)), ANSWERS[:3]).labelled.tolist() == [False, True, False]


def test_a_label_that_could_be_of_two_systems_is_refused():
    """Rather than counted for both or for the first."""
    with pytest.raises(DataError, match=r'labels.csv:2: .*"q2" names no system, and 2 systems .*"A", "B".*"system"'):
        match_labels(labels(("q2", "", 1.0)), ANSWERS)


def test_unknown_labels_are_counted():
    """An id that is not there, and a system that is not."""
    assert match_labels(labels(("q1", "A", 1.0), ("q9", "A", 1.0), ("q1", "C", 0.0)), ANSWERS).unknown == 2


def test_no_label_that_fits_is_an_error():
    """It shows an id of each side."""
    with pytest.raises(DataError, match=r'id "7" of system "A", the first answer has id "q1" of system "A"'):
        match_labels(labels(("7", "A", 1.0)), ANSWERS)


def test_an_answer_labelled_with_and_without_system_is_refused():
    """Which of the two holds cannot be told."""
    with pytest.raises(DataError, match="with and without its system"):
        match_labels(labels(("q1", "A", 1.0), ("q1", "", 0.0)), ANSWERS[:3])


@pytest.mark.parametrize("name", ["next.csv", "next.tsv", "next.jsonl"])
def test_a_written_selection_is_a_label_file_in_waiting(tmp_path, name):
    """All rows wait for a verdict."""
    write_selection(tmp_path / name, LabelSelection(np.array([4, 0]), np.array([0.5, 0.125])), ANSWERS, 1)
    with pytest.raises(DataError, match="no row has a verdict"):
        read_labels([tmp_path / name])


def test_a_filled_selection_comes_back(tmp_path):
    """With round and probability; `agree` reads the same file in long form."""
    path = tmp_path / "next.csv"
    write_selection(path, LabelSelection(np.array([4, 0]), np.array([0.5, 0.125])), ANSWERS, 3)
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert rows[0]["candidate"] == 'it is "q2", so'
    assert rows[0]["reference"] == "this | that"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows([{**rows[0], "annotator": "ann", "value": "1"}, {**rows[1], "annotator": "ann", "value": "0"}])
    matched = match_labels(read_labels([path]), ANSWERS)
    ratings, _ = read_ratings(path)
    assert matched.value[[4, 0]].tolist() == [1.0, 0.0]
    assert matched.probability[[4, 0]].tolist() == [0.5, 0.125]
    assert matched.round[[4, 0]].tolist() == [3, 3]
    assert ratings.items == (("q2", "B"), ("q1", "A"))


def test_answers_that_wait_keep_their_round():
    """Until somebody labels them; one that is labelled in another file does not wait."""
    given = (Label("q1", "A", 1.0, "l:2", 1, 0.5),)
    waiting = tuple(Label(name, "A", np.nan, "l:3", 1, 0.25) for name in ("q1", "q2"))
    matched = match_labels(Labels(given, waiting, 0), ANSWERS)
    assert matched.waiting.tolist() == [False, True, False, False, False, False]
    assert matched.round.tolist() == [1, 1, 0, 0, 0, 0]


JUDGED = np.array([1.0, np.nan, 0.0])


def test_judgements_join_the_labels():
    """Each answer has what either side says of it."""
    joined = add_judgements(match_labels(labels(("q2", "A", 0.0)), ANSWERS[:3]), JUDGED)
    assert joined.value.tolist() == [1.0, 0.0, 0.0]


def test_a_judgement_that_contradicts_a_label_is_refused():
    """With the label's place and what can be done."""
    matched = match_labels(labels(("q1", "A", 0.0)), ANSWERS[:3])
    with pytest.raises(DataError, match=r'labels.csv:2: "q1" of system "A" is wrong here and right inside the answers'):
        add_judgements(matched, JUDGED)


def test_a_judgement_is_one_verdict_among_all():
    """Two people said wrong and one inside the answers right: a third."""
    given = Label("q1", "A", 0.0, "l:2", verdicts=2)
    joined = add_judgements(match_labels(Labels((given,), (), 0), ANSWERS[:3]), JUDGED, "mean")
    assert joined.value[0] == pytest.approx(1 / 3)
    assert joined.averaged == 1


def test_a_judged_answer_of_a_list_has_its_probability():
    """It was chosen, wherever the verdict was written."""
    waiting = (Label("q1", "A", np.nan, "l:3", 1, 0.25),)
    joined = add_judgements(match_labels(Labels((Label("q2", "A", 1.0, "l:2"),), waiting, 0), ANSWERS[:3]), JUDGED)
    assert (joined.round[0], joined.probability[0], joined.waiting[0]) == (1, 0.25, False)


def test_a_list_with_verdicts_is_not_written_over(tmp_path):
    """People's work would be gone."""
    (tmp_path / "list.csv").write_text("id,value\nq1,\nq2,1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"list\.csv: holds verdicts of people \(1\).*labels="):
        check_list(tmp_path / "list.csv")


def test_a_file_that_is_no_list_is_not_written_over(tmp_path):
    """It may be anything."""
    (tmp_path / "other.csv").write_text("name,price\ntea,3\n", encoding="utf-8")
    with pytest.raises(DataError, match="is no list of answers to label"):
        check_list(tmp_path / "other.csv")


@pytest.mark.parametrize("text", ["", "id,value\nq1,\nq2,\n"])
def test_an_unfilled_list_may_be_replaced(tmp_path, text):
    """Nothing is lost with it."""
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    check_list(tmp_path / "list.csv")
    assert (tmp_path / "list.csv").read_text(encoding="utf-8") == text


def test_a_list_has_one_of_three_endings(tmp_path):
    """The message speaks of lists, for there are no verdicts yet."""
    with pytest.raises(DataError, match=r"list\.txt: lists of answers to label are written as \.csv, \.tsv or \.jsonl"):
        check_list(tmp_path / "list.txt")
