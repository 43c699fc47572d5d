import gzip

import pytest

from qassay.errors import DataError
from qassay.meta.accuracy.label_files import count_verdicts, read_labels


def written(folder, text, name="labels.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def values(labels):
    return {(label.system, label.id): label.value for label in labels.labels}


@pytest.mark.parametrize(
    ("verdict", "value"),
    [(verdict, 1.0) for verdict in ("1", "yes", "True", " correct ", "RIGHT", "1.0")]
    + [(verdict, 0.0) for verdict in ("0", "no", "false", "Incorrect", "wrong")],
)
def test_verdicts_in_words_and_numbers(tmp_path, verdict, value):
    """In any case, with or without spaces."""
    labels = read_labels([written(tmp_path, f"id,verdict\nq1,{verdict}\n")])
    assert values(labels) == {("", "q1"): value}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,system,label\nq1,A,1\nq2,A,0\n"),
        ("a.tsv", "id\tsystem\tcorrect\nq1\tA\tyes\nq2\tA\tno\n"),
        ("a.jsonl", '{"id": "q1", "system": "A", "judgement": 1}\n\n{"id": "q2", "system": "A", "judgement": false}\n'),
        ("any.name", "\ufeffid,system,rating\nq1,A,1\nq2,A,0\n"),
        ("a.json", '[{"id": "q1", "system": "A", "value": 1},\n {"id": "q2", "system": "A", "value": 0}]'),
        ("excel.csv", "id;system;value\r\nq1;A;1\r\nq2;A;0\r\n"),
        ("upper.csv", "ID,System,Value\nq1,A,1\nq2,A,0\n"),
        ("upper.jsonl", '{"ID": "q1", "System": "A", "Value": 1}\n{"ID": "q2", "System": "A", "Value": 0}\n'),
    ],
)
def test_tables_and_json(tmp_path, name, text):
    """By content, whatever the name, the separator and the case of the header."""
    assert values(read_labels([written(tmp_path, text, name)])) == {("A", "q1"): 1.0, ("A", "q2"): 0.0}


def test_compressed_files_open(tmp_path):
    """As all inputs do."""
    path = tmp_path / "labels.csv.gz"
    path.write_bytes(gzip.compress(b"id,verdict\nq1,yes\n"))
    assert values(read_labels([path])) == {("", "q1"): 1.0}


def test_ratings_are_right_from_the_cut_on(tmp_path):
    """4 and 5 on a scale from 1 to 5."""
    path = written(tmp_path, "id,rating\na,1\nb,3.9\nc,4\nd,5\n")
    assert list(values(read_labels([path], cut=4)).values()) == [0.0, 0.0, 1.0, 1.0]


def test_rows_without_verdict_wait(tmp_path):
    """Counted, not taken for wrong."""
    labels = read_labels([written(tmp_path, "id,verdict\na,yes\nb,\nc, \n")])
    assert [label.id for label in labels.waiting] == ["b", "c"]


def test_selection_is_kept(tmp_path):
    """Round and probability come back; a probability without a round is of round 1, neither is of round 0."""
    text = "id,value,round,probability_of_selection\na,1,2,0.25\nb,0,,0.5\nc,1,,\n"
    labels = read_labels([written(tmp_path, text)]).labels
    assert [(label.round, label.probability) for label in labels] == [(2, 0.25), (1, 0.5), (0, None)]


def test_several_files_are_one(tmp_path):
    """Round after round in its own file; equal labels count once."""
    first, second = (
        written(tmp_path, "id,value\na,1\nb,0\n", "1.csv"),
        written(tmp_path, "id,value\nb,0\nc,1\n", "2.csv"),
    )
    assert list(values(read_labels([first, second]))) == [("", "a"), ("", "b"), ("", "c")]


def test_contradictory_labels_stop_with_both_lines(tmp_path):
    """And with what can be done."""
    path = written(tmp_path, "id,system,verdict\na,X,yes\nb,X,no\na,X,no\n")
    with pytest.raises(DataError) as problem:
        read_labels([path])
    assert str(problem.value) == (
        f'{path}:4: "a" of system "X" is wrong here and right at {path}:2; '
        "keep one of the two, or average them (repeated='mean')"
    )


def test_contradictory_labels_can_be_averaged(tmp_path):
    """Two of three people say that it is right."""
    labels = read_labels([written(tmp_path, "id,value\na,1\na,0\na,1\nb,1\n")], repeated="mean")
    assert values(labels) == {("", "a"): pytest.approx(2 / 3), ("", "b"): 1.0}
    assert labels.averaged == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,verdict\na,maybe\n", r'labels.csv:2: "verdict" is \'maybe\'; write 1 or 0, yes or no'),
        ("id,verdict\na,4\n", r"cut=4 on a scale to 5"),
        ("id,verdict\n,1\n", r'labels.csv:2: "id" is missing'),
        ("id,value,probability_of_selection\na,1,high\n", r"\"probability_of_selection\" is 'high'"),
        ("id,value,round\na,1,2\n", r'labels.csv:2: "round" is 2 and "probability_of_selection" is missing.*at random'),
        ("id,verdict\na,0.5\nb,4\n", r"labels.csv:3: .*cut=4 on a scale to 5"),
        ("name,verdict\na,1\n", r'labels.csv:1: the header has no column "id"; it has name, verdict'),
        ("id,said\na,1\n", r"the header has no verdict; call it one of verdict, label"),
        ("id,verdict\na,\n", r"no row has a verdict that can be read; give at least one"),
        ("id,verdict\n", r"there are no labels; give at least one"),
        ("", r"is empty; give labels"),
        ("id,verdict\na,1,2\n", r"has 3 cells where the header has 2"),
        ('{"id": "a"}\n', r"there is no verdict; call it one of"),
        ('{"id": "a", "verdict": 1}\n{"id": \n', r"labels.csv:2: is not valid JSON"),
    ],
)
def test_bad_files_stop_with_place_and_remedy(tmp_path, text, message):
    """One message, no traceback."""
    with pytest.raises(DataError, match=message):
        read_labels([written(tmp_path, text)])


def test_bad_rows_can_be_skipped(tmp_path):
    """And are listed with their place."""
    labels = read_labels([written(tmp_path, "id,verdict\na,maybe\nb,yes\n")], on_error="skip")
    assert values(labels) == {("", "b"): 1.0}
    assert "labels.csv:2" in str(labels.skipped[0])


def test_a_missing_file_is_named(tmp_path):
    """As every other input."""
    with pytest.raises(DataError, match=r"none\.csv"):
        read_labels([tmp_path / "none.csv"])


def test_shares_of_people_are_verdicts(tmp_path):
    """The mean of two people who disagree lies between right and wrong."""
    assert values(read_labels([written(tmp_path, "id,value\na,0.5\nb,1\n")])) == {("", "a"): 0.5, ("", "b"): 1.0}


def test_a_comma_may_stand_before_the_decimals(tmp_path):
    """As spreadsheets of half of Europe write them."""
    path = written(tmp_path, "id;value;round;probability_of_selection\na;1;1;0,125\n")
    assert read_labels([path]).labels[0].probability == 0.125


def test_verdicts_are_counted_whatever_they_say(tmp_path):
    """Somebody wrote them, even where they cannot be read."""
    assert count_verdicts(written(tmp_path, "id,value\na,perhaps\nb,\nc,1\n")) == 2
