import pytest

from qassay.errors import DataError
from qassay.training.answer_text import content_spans, question_key, words
from qassay.training.files import write_rows
from qassay.training.keyphrase.rows import KeyphraseRow, read_rows

ROW = KeyphraseRow("Who?", "It was Ada.", ((7, 10),), "test", "question:who")


def test_rows_survive_writing_and_reading(tmp_path):
    """What is written comes back."""
    write_rows(tmp_path / "rows.jsonl", [ROW])

    assert list(read_rows(tmp_path / "rows.jsonl")) == [ROW]


@pytest.mark.parametrize(
    "line",
    [
        '{"question": "q"}',
        "not JSON",
        '{"question":"q","answer":"abc","spans":[],"source":"s","group":"g"}',
        '{"question":"q","answer":"abc","spans":[[1,9]],"source":"s","group":"g"}',
        '{"question":"q","answer":"abc","spans":[[2,2]],"source":"s","group":"g"}',
    ],
)
def test_a_bad_row_is_named_by_its_line(tmp_path, line):
    """A row that is not one, or whose spans lie outside its answer, stops with its place."""
    write_rows(tmp_path / "rows.jsonl", [ROW])
    with (tmp_path / "rows.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")

    with pytest.raises(DataError, match=r"rows\.jsonl:2"):
        list(read_rows(tmp_path / "rows.jsonl"))


def test_a_missing_file_names_the_command_that_makes_it(tmp_path):
    """Without data the message says how to get some."""
    with pytest.raises(DataError, match="qassay build keyphrase"):
        list(read_rows(tmp_path / "none.jsonl"))


@pytest.mark.parametrize("other", ["who wrote it", "Who wrote it?", "  WHO wrote,  it ?"])
def test_one_question_has_one_key(other):
    """Case, punctuation and spacing do not make another question."""
    assert question_key(other) == "who wrote it"


@pytest.mark.parametrize(
    ("question", "answer", "key"),
    [
        ("What is he holding?", "he is holding a cup", ["cup"]),
        ("Is it red or blue?", "red", ["red"]),
        ("Who?", "they are", ["they", "are"]),
        ("Where?", "He does not know the town", ["not", "know", "town"]),
    ],
)
def test_content_words_that_the_question_lacks_are_key(question, answer, key):
    """Function words and echoes of the question are left out, unless nothing else is there; negations stay."""
    found = content_spans(answer, question)

    assert [answer[start:end] for start, end in found] == key


def test_words_keep_their_apostrophes():
    """A contraction is one word."""
    assert [word for word, _ in words("It's John's, isn\u2019t it?")] == ["it's", "john's", "isn\u2019t", "it"]
