import csv

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.label_files import Label, Labels, read_labels
from qassay.meta.label_selection import Selection
from qassay.meta.labelling import match_labels, write_selection
from qassay.meta.ratings import read_ratings
from qassay.records import Example, Reference

ANSWERS = [
    Example(name, f"What is {name}?", (Reference("this"), Reference("that")), f'it is "{name}", so', system)
    for system in ("A", "B")
    for name in ("q1", "q2", "q3")
]


def labels(*given):
    return Labels(tuple(Label(name, system, value, "labels.csv:2") for name, system, value in given), 0, 0)


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
    write_selection(tmp_path / name, Selection(np.array([4, 0]), np.array([0.5, 0.125])), ANSWERS, 1)
    with pytest.raises(DataError, match="all 2 rows are without a verdict"):
        read_labels([tmp_path / name])


def test_a_filled_selection_comes_back(tmp_path):
    """With round and probability; `agree` reads the same file in long form."""
    path = tmp_path / "next.csv"
    write_selection(path, Selection(np.array([4, 0]), np.array([0.5, 0.125])), ANSWERS, 3)
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
