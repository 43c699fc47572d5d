import gzip
import json

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.accuracy.label_files import read_labels
from qassay.meta.agreement.cleaning import judge_items
from qassay.meta.agreement.rating_rows import Columns
from qassay.meta.agreement.ratings import Ratings, pseudonymise, read_ratings, write_judgements

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
        (
            "r.csv",
            "id,annotator\nq1,ann\n",
            "r.csv:1: there is no rating among id, annotator; call it one of verdict, label",
        ),
        ("r.csv", "id,annotator,value\nq1,ann,\n", "r.csv: there are no ratings in it"),
        ("r.jsonl", '{"id": "q1"}\n', 'r.jsonl:1: has no "annotator"'),
        ("r.jsonl", '{"id": "q1", "ratings": ["maybe"]}\n', "r.jsonl:1: .1. is 'maybe', which is no rating"),
        ("r.jsonl", "{\n", "r.jsonl:1: is not valid JSON"),
        ("r.xlsx", "", r"r.xlsx: ratings are read from .csv, .tsv and .jsonl"),
    ],
)
def test_bad_files_stop_with_place_and_remedy(write, name, text, message):
    """The first bad row is named by file and line."""
    with pytest.raises(DataError, match=message):
        read_ratings(write(name, text), scale=(1, 5))


@pytest.mark.parametrize("name", ["verdict", "label", "correct", "value", "rating", "judgement"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_the_rating_has_any_name_that_a_label_has(write, name, kind):
    """What `accuracy --labels` reads, `agree` reads."""
    row = {"id": "q1", "annotator": "ann", name: 1}
    text = f"id,annotator,{name}\nq1,ann,1\n" if kind == "csv" else f"{json.dumps(row)}\n"

    assert read_ratings(write(f"r.{kind}", text))[0].value.tolist() == [1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", "id,annotator,verdict,value\nq1,ann,1,0\n"),
        ("r.jsonl", '{"id": "q1", "annotator": "ann", "verdict": 1, "value": 0}\n'),
    ],
)
def test_two_ratings_in_a_row_are_refused_unless_one_is_named(write, name, text):
    """Which of the two counts is for the user to say."""
    path = write(name, text)

    with pytest.raises(DataError, match=f'{name}:1: there are "verdict" and "value"; say which is .* columns=.*NAME'):
        read_ratings(path)
    assert read_ratings(path, columns=Columns(value="value"))[0].value.tolist() == [0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.csv", "id,annotator,value\nq1,ann,1\nq1, ,0\n"),
        ("r.jsonl", '{"id": "q1", "annotator": "ann", "value": 1}\n{"id": "q1", "annotator": null, "value": 0}\n'),
    ],
)
def test_a_rating_without_its_annotator_is_refused(write, name, text):
    """Nobody's ratings would all be one person's."""
    with pytest.raises(DataError, match=r"the annotator's name is missing; give every rating one"):
        read_ratings(write(name, text))


def test_a_row_without_rating_and_annotator_waits(write):
    """As `accuracy --next` writes it."""
    ratings, _ = read_ratings(write("r.csv", "id,annotator,value\nq1,ann,1\nq2,,\n"))

    assert ratings.items == (("q1", ""),)


def test_several_files_are_read_as_one(write):
    """Each person's file has that person's ratings, and a rating given twice is refused where it stands."""
    first = write("ann.csv", "id,annotator,value\nq1,ann,4\nq2,ann,2\n")
    second = write("bob.jsonl", '{"id": "q1", "annotator": "bob", "verdict": 5}\n')

    ratings, _ = read_ratings([first, second])

    assert ratings.annotators == ("ann", "bob")
    assert ratings.value.tolist() == [4, 2, 5]
    with pytest.raises(DataError, match=r'ann\.csv:2: "ann" rates "q1" a second time'):
        read_ratings([first, second, first])


def test_an_empty_file_among_several_is_refused(write):
    """One that adds nothing is a mistake."""
    with pytest.raises(DataError, match=r"bob\.csv: there are no ratings in it"):
        read_ratings([write("ann.csv", LONG_CSV), write("bob.csv", "id,annotator,value\n")])


def test_the_draw_that_chose_an_item_goes_with_its_judgement(write, tmp_path):
    """Round and probability are written where all ratings of an item agree on them, as accuracy --labels needs them."""
    text = (
        "id,round,probability_of_selection,annotator,value\n"
        "q1,1,0.25,ann,1\nq1,1,0.25,bob,0\nq2,2,0.5,ann,1\nq2,1,0.125,bob,1\nq3,1,0.125,ann,1\nq3,,,bob,1\n"
    )
    ratings, _ = read_ratings(write("r.csv", text))
    written = tmp_path / "judgements.csv"

    write_judgements(written, [each.row() for each in judge_items(ratings)])

    labels = {label.id: label for label in read_labels([written]).labels}
    assert (labels["q1"].value, labels["q1"].round, labels["q1"].probability) == (0.5, 1, 0.25)
    assert [(labels[name].round, labels[name].probability) for name in ("q2", "q3")] == [(0, None)] * 2


def test_the_columns_of_a_draw_are_no_annotators(write):
    """A wide table may have them too."""
    ratings, _ = read_ratings(write("r.csv", "id,round,probability_of_selection,ann,bob\nq1,1,0.25,4,5\n"))

    assert ratings.annotators == ("ann", "bob")
    assert ratings.drawn == {("q1", ""): ("1", "0.25")}


def test_bad_ratings_can_be_skipped_and_are_listed(write):
    """With skip, the rest is read and the bad row is counted."""
    ratings, context = read_ratings(
        write("r.csv", "id,annotator,value\nq1,ann,9\nq1,bob,3\n"), scale=(1, 5), on_error="skip"
    )

    assert ratings.value.tolist() == [3]
    assert context.skipped_total == 1
    assert "outside the scale" in str(context.skipped[0])


def test_worker_ids_can_be_hashed_on_the_way_in(write):
    """The same person stays one person, unknown, and another salt gives another name."""
    path = write("r.csv", LONG_CSV)

    ratings, _ = read_ratings(path, salt=b"secret")

    assert len(ratings.annotators) == 2
    assert "ann" not in "".join(ratings.annotators)
    assert pseudonymise(["ann"], b"secret") != pseudonymise(["ann"], b"other")


@pytest.mark.parametrize("salt", [b"", b"x" * 65])
def test_a_salt_has_a_length(salt):
    """An empty key would hide nothing."""
    with pytest.raises(DataError, match="give 1 to 64"):
        pseudonymise(["ann"], salt)


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


def test_votes_in_words(tmp_path):
    """Votes may be written as in label files: yes and no, right and wrong, true and false."""
    path = tmp_path / "votes.csv"
    path.write_text("id,ann,bob\nq1,yes,Wrong\nq2,no,TRUE\n")
    ratings, _ = read_ratings(path)
    assert ratings.value.tolist() == [1, 0, 0, 1]
