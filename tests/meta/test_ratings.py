import gzip
import json

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.agreement import judge_items
from qassay.meta.ratings import Columns, Ratings, hashed, read_ratings, write_judgements

LONG_CSV = "id,system,annotator,value\nq1,A,ann,4\nq1,A,bob,5\nq2,A,ann,\nq2,A,bob,2\n"
WIDE_TSV = "id\tsystem\tann\tbob\nq1\tA\t4\t5\nq2\tA\t\t2\n"
LONG_JSONL = "".join(
    f"{json.dumps(dict(zip(('id', 'system', 'annotator', 'value'), row, strict=True)))}\n"
    for row in [("q1", "A", "ann", 4), ("q1", "A", "bob", 5), ("q2", "A", "ann", None), ("q2", "A", "bob", 2)]
)
WIDE_JSONL = (
    '{"id": "q1", "system": "A", "ratings": {"ann": 4, "bob": 5}}\n'
    '{"id": "q2", "system": "A", "ratings": {"ann": null, "bob": 2}}\n'
)


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("name", "text"),
    [("r.csv", LONG_CSV), ("r.tsv", WIDE_TSV), ("long.jsonl", LONG_JSONL), ("wide.jsonl", WIDE_JSONL)],
)
def test_long_and_wide_files_give_the_same_ratings(write, name, text):
    """The same four cells in four files, one of them empty."""
    ratings, _ = read_ratings(write(name, text))

    people = [ratings.annotators[code] for code in ratings.annotator]
    items = [ratings.items[code] for code in ratings.item]
    assert list(zip(items, people, ratings.value.tolist(), strict=True)) == [
        (("q1", "A"), "ann", 4.0),
        (("q1", "A"), "bob", 5.0),
        (("q2", "A"), "bob", 2.0),
    ]


def test_a_list_of_ratings_numbers_its_annotators(write):
    """Where nobody is named, the place in the list stands for the person."""
    ratings, _ = read_ratings(write("r.jsonl", '{"id": 7, "ratings": [3, null, 5]}\n'))

    assert ratings.items == (("7", ""),)
    assert ratings.annotators == ("1", "3")


def test_compressed_files_open(tmp_path):
    """As everywhere else in Qassay."""
    path = tmp_path / "r.csv.gz"
    path.write_bytes(gzip.compress(LONG_CSV.encode()))

    assert len(read_ratings(path)[0]) == 3


def test_columns_can_be_named(write):
    """MTurk's names, and only the columns that are annotators."""
    path = write("r.csv", "HITId,question,w1,w2\nh1,why?,3,4\n")

    ratings, _ = read_ratings(path, columns=Columns(item="HITId", annotators=("w1", "w2")))

    assert ratings.value.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.csv", "id,annotator,value\nq1,ann,6\n", "r.csv:2: rating 6 is outside the scale from 1 to 5"),
        ("r.csv", "id,annotator,value\nq1,ann,good\n", "r.csv:2: \"value\" is 'good', which is no rating"),
        ("r.csv", "id,annotator,value\nq1,ann,inf\n", "r.csv:2: \"value\" is 'inf', which is no rating"),
        ("r.csv", "id,annotator,value\nq1,ann,3\nq1,ann,4\n", 'r.csv:3: "ann" rates "q1" a second time'),
        ("r.csv", "id,annotator\nq1,ann\n", 'r.csv:1: there is no column "value" among id, annotator'),
        ("r.csv", "id,annotator,value\nq1,ann,\n", "r.csv: there are no ratings in it"),
        ("r.jsonl", '{"id": "q1"}\n', 'r.jsonl:1: has no "annotator"'),
        ("r.jsonl", '{"id": "q1", "ratings": [true]}\n', 'r.jsonl:1: "1" is True, which is no rating'),
        ("r.jsonl", "{\n", "r.jsonl:1: is not valid JSON"),
        ("r.xlsx", "", r"r.xlsx: ratings are read from .csv, .tsv and .jsonl"),
    ],
)
def test_bad_files_stop_with_place_and_remedy(write, name, text, message):
    """The first bad row is named by file and line."""
    with pytest.raises(DataError, match=message):
        read_ratings(write(name, text), scale=(1, 5))


def test_bad_ratings_can_be_skipped_and_are_listed(write):
    """With skip, the rest is read and the bad row is counted."""
    ratings, intake = read_ratings(
        write("r.csv", "id,annotator,value\nq1,ann,9\nq1,bob,3\n"), scale=(1, 5), on_error="skip"
    )

    assert ratings.value.tolist() == [3]
    assert intake.skipped_total == 1
    assert "outside the scale" in str(intake.skipped[0])


def test_worker_ids_can_be_hashed_on_the_way_in(write):
    """The same person stays one person, unknown, and another salt gives another name."""
    path = write("r.csv", LONG_CSV)

    ratings, _ = read_ratings(path, salt=b"secret")

    assert len(ratings.annotators) == 2
    assert "ann" not in "".join(ratings.annotators)
    assert hashed(["ann"], b"secret") != hashed(["ann"], b"other")


@pytest.mark.parametrize("salt", [b"", b"x" * 65])
def test_a_salt_has_a_length(salt):
    """An empty key would hide nothing."""
    with pytest.raises(DataError, match="give 1 to 64"):
        hashed(["ann"], salt)


@pytest.mark.parametrize(
    ("values", "annotators", "message"),
    [
        ([1, 9], ["a", "b"], "row 2: rating 9 is outside the scale"),
        ([1, 2], ["a", "a"], 'row 2: "a" rates "q" of system "S" a second time'),
        ([1, np.inf], ["a", "b"], "ratings has 1 infinite values"),
        ([1], ["a", "b"], "for every rating"),
    ],
)
def test_bad_arrays_are_refused(values, annotators, message):
    """What a file's reader refuses, arrays are refused for too."""
    with pytest.raises(DataError, match=message):
        Ratings.build([("q", "S")] * 2, annotators, values, scale=(1, 5))


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("j.jsonl", '{"id":"q1","system":"A","judgement":4.5,"ratings":2,"removed":0,"se":0.5}'),
        ("j.csv", "id,system,judgement,ratings,removed,se"),
        ("j.tsv", "id\tsystem\tjudgement\tratings\tremoved\tse"),
    ],
)
def test_clean_judgements_are_written(write, tmp_path, name, first):
    """One row an item; nothing else is left in the folder."""
    ratings, _ = read_ratings(write("r.csv", LONG_CSV))
    rows = [judgement.row() for judgement in judge_items(ratings)]

    write_judgements(tmp_path / name, rows)

    assert (tmp_path / name).read_text(encoding="utf-8").splitlines()[0] == first
    assert {path.name for path in tmp_path.iterdir()} == {"r.csv", name}


def test_judgements_are_not_written_in_an_unknown_form(tmp_path):
    """The message names the forms there are."""
    with pytest.raises(DataError, match=r"written as .jsonl, .csv or .tsv"):
        write_judgements(tmp_path / "j.xlsx", [])
