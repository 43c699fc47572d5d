"""What `score` writes comes back the same, from every kind of file."""

import gzip
import json
import math
import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qassay.errors import DataError, OutputError
from qassay.io.scores.scored_files import ScoredRow, is_scored, read_rows, read_scored
from qassay.io.scores.writers import encode_jsonl, encode_row, open_writer
from qassay.records import Example, Reference

KINDS = ["scores.jsonl", "scores.jsonl.gz", "scores.csv", "scores.tsv", "scores.parquet"]
SPECS = ["bleu,n=2", "rouge_l"]
ROWS = [
    ScoredRow(
        "1", "A", {"bleu,n=2": 0.1 + 0.2, "rouge_l": None}, {"rouge_l": "no candidate"}, 4.5, "entity", {"x": "y"}
    ),
    ScoredRow("2", "", {"bleu,n=2": 0.0, "rouge_l": 1.0}, references_hash="2fa5f34c947b"),
]


def example(**changes):
    fields = {"id": "1", "question": "q", "references": (Reference("a"),), "candidate": "b"}
    return Example(**(fields | changes))


def test_a_row_is_encoded_as_promised():
    """Id, system and scores always; the rest where there is any."""
    row = encode_row(example(system="A"), {"bleu": 0.5}, {})
    assert row == {
        "id": "1",
        "system": "A",
        "scores": {"bleu": 0.5},
        "question": "q",
        "references_hash": "2fa5f34c947b",
    }


def test_everything_known_of_an_answer_is_encoded():
    """Reasons, question, judgement, question type and the input's own fields are written back."""
    given_example = example(judgement=3.0, question_type="entity", extra={"source": "web"})
    assert encode_row(given_example, {"bleu": None}, {"bleu": "no candidate"}) == {
        "id": "1",
        "system": "",
        "scores": {"bleu": None},
        "unscored": {"bleu": "no candidate"},
        "question": "q",
        "judgement": 3.0,
        "question_type": "entity",
        "references_hash": "2fa5f34c947b",
        "source": "web",
    }


def test_a_field_of_the_input_does_not_replace_ours():
    """An input's own field of our name is kept under another."""
    row = encode_row(example(extra={"scores": 5}), {"bleu": 0.5}, {})
    assert (row["scores"], row["scores (input)"]) == ({"bleu": 0.5}, 5)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_written_as_null(value):
    """NaN is not JSON; a score that cannot be had is null."""
    assert encode_jsonl([encode_row(example(), {"bleu": value}, {})]) == (
        b'{"id":"1","system":"","scores":{"bleu":null},"question":"q","references_hash":"2fa5f34c947b"}\n'
    )


@pytest.mark.parametrize("name", KINDS)
def test_rows_come_back(tmp_path, name):
    """Scores, reasons, judgement, type and extra fields survive every kind of file."""
    path = tmp_path / name
    open_writer(path, SPECS).write(iter(ROWS))
    assert list(read_scored(path)) == ROWS
    assert is_scored(path)


scores = st.none() | st.floats(0, 1)
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
scored_rows = st.builds(
    ScoredRow,
    id=names,
    system=names | st.just(""),
    scores=st.fixed_dictionaries({"bleu,n=2": scores, "rouge_l": scores}),
    unscored=st.dictionaries(st.sampled_from(SPECS), names, max_size=1),
    judgement=st.none() | st.floats(-10, 10),
    question_type=st.none() | names,
    question=names | st.just(""),
    references_hash=names | st.just(""),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(scored_rows, min_size=1, max_size=4))
@pytest.mark.parametrize("name", KINDS)
def test_any_rows_come_back(tmp_path, name, rows):
    """Whatever the names and numbers, what is read is what was written."""
    path = tmp_path / name
    open_writer(path, SPECS).write(rows)
    assert list(read_scored(path)) == rows


def test_a_table_has_a_column_of_reasons_where_there_are_any(tmp_path):
    """Columns that would be empty are left out."""
    path = tmp_path / "scores.csv"
    open_writer(path, SPECS).write(ROWS)
    assert path.read_text("utf-8").splitlines() == [
        'id,system,judgement,question_type,"bleu,n=2",rouge_l,rouge_l unscored,references_hash,extra.x',
        "1,A,4.5,entity,0.30000000000000004,,no candidate,,y",
        "2,,,,0.0,1.0,,2fa5f34c947b,",
    ]


def test_json_lines_of_a_run_are_read(tmp_path):
    """What the scoring loop wrote itself is read as rows."""
    path = tmp_path / "rows.jsonl"
    path.write_bytes(encode_jsonl([encode_row(example(extra={"n": [1, None]}), {"bleu": 0.5}, {})]))
    (row,) = read_rows(path)
    assert row == ScoredRow(
        "1", "", {"bleu": 0.5}, extra={"n": [1, None]}, question="q", references_hash="2fa5f34c947b"
    )


def test_equal_scores_make_equal_compressed_files(tmp_path):
    """No time and no name is inside."""
    first, second = tmp_path / "first.jsonl.gz", tmp_path / "second.jsonl.gz"
    open_writer(first, SPECS).write(ROWS)
    open_writer(second, SPECS).write(ROWS)
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()).count(b"\n") == 2


def test_an_unknown_kind_of_file_is_refused(tmp_path):
    """The kinds are listed, and nothing is written."""
    with pytest.raises(OutputError, match=re.escape(".jsonl, .jsonl.gz, .csv, .tsv, .parquet")):
        open_writer(tmp_path / "scores.xlsx", SPECS)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", KINDS)
def test_a_folder_that_is_not_there_is_a_message(tmp_path, name):
    """What the operating system says becomes an error with the path."""
    with pytest.raises(OutputError, match="cannot be written"):
        open_writer(tmp_path / "nowhere" / name, SPECS).write(ROWS)


def broken_rows():
    yield ROWS[0]
    raise DataError("the rows end badly")


@pytest.mark.parametrize("name", KINDS)
def test_an_older_file_stays_when_writing_fails(tmp_path, name):
    """A file is replaced by a whole one or not at all."""
    path = tmp_path / name
    path.write_bytes(b"older")
    with pytest.raises(DataError, match="the rows end badly"):
        open_writer(path, SPECS).write(broken_rows())
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"older"]


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    """The optional package is named when it is needed."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OutputError, match="pip install"):
        open_writer(tmp_path / "scores.parquet", SPECS).write(ROWS)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('{"id": "1", "system": "", "candidate": "a", "references": ["b"]}', 'scores.jsonl:1: has no "scores"'),
        ('{"id": "1", "scores": {"bleu": "high"}}', "\"bleu\" is 'high'; it must be a number or null"),
        ('{"id": "1", "scores": {"bleu": true}}', '"bleu" is True'),
        ('{"id": 1, "scores": {}}', '"id" is 1; it must be a string'),
        ('{"id": "1", "scores": []}', 'has no "scores"'),
        ('{"id": "1", "scores": {', "is not valid JSON"),
    ],
)
def test_json_lines_that_are_no_scores_are_refused(tmp_path, content, says):
    """Rows of another shape are errors at their line."""
    path = tmp_path / "scores.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(says)):
        list(read_scored(path))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("id,system,candidate\n1,A,b\n", "holds no scores"),
        ("id,system\n1,A\n", "holds no scores"),
        ("id,system,bleu\n1,A,high\n", "scores.csv:2: \"bleu\" is 'high'"),
        ("id,system,bleu\n1,A,nan\n", "a missing score is null"),
        ("id,system,bleu\n,A,1\n", '"id" is None'),
    ],
)
def test_tables_that_are_no_scores_are_refused(tmp_path, content, says):
    """Tables of another shape are errors."""
    path = tmp_path / "scores.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(says)):
        list(read_scored(path))


def test_a_bad_row_of_scores_names_no_option_that_is_not_there(tmp_path):
    """Scores are read whole, whatever --on-error says."""
    path = tmp_path / "scores.csv"
    path.write_text("id,system,bleu\n1,A,0.5,more\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"scores\.csv:2: ") as caught:
        list(read_scored(path))
    assert "on_error" not in str(caught.value)


@pytest.mark.parametrize("file", ["answers.jsonl", "answers.csv", "kpqa.csv", "squad.json", "as2.tsv", "nowhere.jsonl"])
def test_answers_are_no_scores(fixtures, file):
    """Files of answers are told from files of scores."""
    assert not is_scored(fixtures / file)


def test_other_formats_are_no_scores(fixtures):
    """The format that it is instead is named."""
    with pytest.raises(DataError, match=re.escape("holds no scores (it is evouna)")):
        list(read_scored(fixtures / "evouna.json"))


def test_extra_values_that_are_no_text_are_json_in_tables(tmp_path):
    """A table keeps lists and numbers of the input as JSON."""
    path = tmp_path / "scores.csv"
    open_writer(path, []).write([ScoredRow("1", "", {}, extra={"n": [1, None], "m": 2})])
    assert json.loads(path.read_text("utf-8").splitlines()[1].split('"')[1]) == [1, None]


@pytest.mark.parametrize("name", ["scores.jsonl", "scores.csv", "scores.tsv", "scores.parquet"])
def test_the_question_comes_back(tmp_path, name):
    """What groups answers for intervals and levels is written with their scores."""
    rows = [ScoredRow("1", "A", {"bleu": 0.5}, question="Who?"), ScoredRow("2", "A", {"bleu": 0.5})]
    open_writer(tmp_path / name, ["bleu"]).write(rows)
    assert [row.question for row in read_scored(tmp_path / name)] == ["Who?", ""]
