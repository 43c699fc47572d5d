"""Formats are recognised by what is in a file, and only then by its name."""

import gzip
import io
import json
import re
import sys

import pyarrow as pa
import pytest
from pyarrow import parquet

from qassay.errors import DataError
from qassay.io.input_stream import FORMATS, Reader, ReadOptions, sniff

TOOLS = {"ragas", "deepeval", "lm_eval", "inspect", "promptfoo", "mlflow", "arrow"}
"""Formats of other tools, which have tests of their own."""
RECOGNISED = {
    "answers.jsonl": "jsonl",
    "answers.json": "json",
    "answers.csv": "csv",
    "answers.tsv": "tsv",
    "kpqa.csv": "kpqa",
    "kpqa-misplaced.csv": "kpqa",
    "squad.json": "squad",
    "dureader.json": "dureader",
    "evouna.json": "evouna",
    "as2.tsv": "as2",
    "as2-documents.tsv": "as2",
    "trec.xml": "trec",
    "openqa-golds.tsv": "openqa",
    "summaries.jsonl": "summaries",
    "pairs.jsonl": "pairs",
    "mocha.json": "mocha",
    "qaeval-tac.csv": "qaeval",
}


@pytest.mark.parametrize(("file", "name"), RECOGNISED.items())
def test_a_file_is_recognised_without_its_name(fixtures, tmp_path, file, name):
    """The content alone tells the format, compressed or not."""
    plain, packed = tmp_path / "file", tmp_path / "packed"
    plain.write_bytes((fixtures / file).read_bytes())
    packed.write_bytes(gzip.compress((fixtures / file).read_bytes()))
    assert (sniff(plain), sniff(packed)) == (name, name)


def test_parquet_is_recognised(tmp_path):
    """Parquet is known by its first bytes."""
    path = tmp_path / "file"
    parquet.write_table(pa.table({"candidate": ["a"], "references": [["b"]]}), path)
    assert sniff(path) == "parquet"


def test_every_format_can_be_recognised():
    """No format is left out of the recognition."""
    assert set(FORMATS) == {*RECOGNISED.values(), "parquet", *TOOLS}


@pytest.mark.parametrize(
    "file", ["squad-alpha.json", "squad-beta.json", "dureader-results.json", "openqa-verdicts.tsv"]
)
def test_answers_without_questions_are_no_data(fixtures, file):
    """A file of answers says that it belongs after a file of questions."""
    with pytest.raises(DataError, match="holds answers and no questions"):
        sniff(fixtures / file)


@pytest.mark.parametrize(
    ("name", "content", "format_name"),
    [
        ("answers.jsonl", b"broken", "jsonl"),
        ("answers.ndjson.gz", b"broken", "jsonl"),
        ("answers.csv", b"a,b\n1,2\n", "csv"),
        ("ANSWERS.TSV", b"a\tb\n", "tsv"),
        ("answers", b'{"broken": \n{"references": ["a"]}\n', "jsonl"),
        ("answers", b'{"candidate": "a", "references": ["b"]}', "jsonl"),
        ("answers", b'{"prediction": "a", "gold": "b"}\n{"prediction": "a", "gold": "b"}\n', "jsonl"),
        ("answers.jsonl", b'{"prediction": "a", "gold": "b"}', "jsonl"),
        ("answers", b'{"question_id": 5, "candidate": "a", "references": ["b"]}', "jsonl"),
        ("answers.csv", b'{"candidate": "a", "references": ["b"]}', "jsonl"),
        ("answers", b"\xef\xbb\xbf  [", "json"),
        ("answers", b"candidate,reference1\n", "csv"),
        ("answers", b"candidate\treference1\r\n", "tsv"),
        ("x", b'{"version": "1", "data":\n [{"title": "t", "paragraphs": []}]}', "squad"),
    ],
)
def test_doubtful_files_are_recognised(tmp_path, name, content, format_name):
    """Content comes first, and the extension decides where it leaves the matter open."""
    path = tmp_path / name
    path.write_bytes(content)
    assert sniff(path) == format_name


def test_a_single_row_is_recognised_by_its_mapped_fields(tmp_path):
    """One row of text fields is no map of answers when the mapping names its fields."""
    path = tmp_path / "file"
    path.write_bytes(b'{"output": "b", "note": "c"}')
    with pytest.raises(DataError, match='"references" is missing'):
        list(Reader([path], ReadOptions(mapping={"candidate": "output"})))


def test_a_mapped_column_tells_that_it_is_a_table(tmp_path):
    """A header that has the columns of the mapping is recognised by them."""
    path = tmp_path / "file"
    path.write_bytes(b"output\tgold\nb\ta\n")
    (example,) = Reader([path], ReadOptions(mapping={"candidate": "output", "references": "gold"}))
    assert example.candidate == "b"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b" \r\n\n", "is empty"),
        (b"\xff\xfe{\0}\0", "is UTF-16; save it as UTF-8"),
        (b"\x89PNG\r\n", "the format is not recognised; name it with format= (jsonl, json, csv"),
        (b"once upon a time\n", "the format is not recognised"),
        (b'{\n "a": {\n  "b": 1\n }\n}', "the format is not recognised"),
    ],
)
def test_what_is_not_recognised_is_refused(tmp_path, content, says):
    """A file that looks like nothing known is refused with the list of formats."""
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DataError, match=re.escape(says)):
        sniff(path)


def test_an_unknown_format_is_refused(fixtures):
    """The nearest format is suggested."""
    with pytest.raises(DataError, match=re.escape("there is no format jsnl; did you mean jsonl?")):
        Reader([fixtures / "answers.jsonl"], ReadOptions(format="jsnl"))


def test_standard_input_is_recognised_too(fixtures, monkeypatch):
    """Looking at the beginning does not use it up."""
    content = (fixtures / "evouna.json").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
    assert len(list(Reader(["-"]))) == 5


def test_the_format_can_be_forced(read):
    """A named format is used whatever the content looks like."""
    with pytest.raises(DataError, match="is not valid JSON"):
        read(b"candidate,references\na,b\n", "answers.csv", format="jsonl")


def test_a_far_format_is_not_suggested(fixtures):
    """A few letters in common are no likeness."""
    with pytest.raises(DataError, match=re.escape("there is no format nope (formats:")):
        Reader([fixtures / "answers.jsonl"], ReadOptions(format="nope"))


@pytest.mark.parametrize(
    "row",
    [
        {"question_id": 1, "question": "q", "prediction": "a", "reference": "a"},
        {"question_id": 1, "question": "q", "response": "a", "answers": ["a"]},
        {"question_id": 1, "question": "q", "answer": "a", "answers": ["a"]},
        {"question_id": "q1", "question": "q", "id": "q1#0", "scores": {"token_f1": 1.0}},
        {"question_id": 1, "question": "q"},
    ],
)
def test_ordinary_rows_with_a_question_id_are_not_dureaders(tmp_path, row):
    """The field is common; DuReader's answers, without another field for one, are not."""
    path = tmp_path / "file"
    path.write_text("\n".join([json.dumps(row)] * 2))
    assert sniff(path) == "jsonl"


def test_mapped_fields_are_ones_own(tmp_path, fixtures):
    """Where fields are renamed, a table that looks like a known set is read by the names that were given."""
    options = ReadOptions(mapping={"candidate": "answer"})
    assert [each.candidate for each in Reader([fixtures / "kpqa.csv"], options)]
    path = tmp_path / "answers.jsonl"
    path.write_text('{"question_id": 1, "question": "q", "answers": ["a"], "fake_answers": ["b"], "mine": "c"}\n')
    options = ReadOptions(mapping={"candidate": "mine", "references": "answers"})
    (found,) = Reader([path], options)
    assert (found.candidate, found.references[0].text) == ("c", "a")


def test_a_format_with_fixed_fields_takes_no_mapping(fixtures):
    """Named, it says so."""
    options = ReadOptions(format="squad", mapping={"candidate": "answer"})
    with pytest.raises(DataError, match="does not apply to the format squad"):
        list(Reader([fixtures / "squad.json"], options))
