"""JSON lines: what a row may be, and what is said when it is not."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Opinion, Reference

GOOD = '{"references": ["a"], "candidate": "b"}'


def test_every_field_is_read(fixtures):
    """A row with all fields becomes an example with all of them, and unknown ones are kept."""
    first = next(iter(Reader([fixtures / "answers.jsonl"])))
    assert first == Example(
        id="q1",
        question="Who wrote Emma?",
        references=(Reference("Jane Austen"), Reference("Austen", Opinion.YES)),
        candidate="Jane Austen did",
        system="A",
        opinion=Opinion.YES,
        entities=("Jane Austen",),
        context="Emma is a novel by Jane Austen.",
        question_type="entity",
        judgement=4.5,
        extra={"source": "library"},
    )


def test_a_null_candidate_is_missing_and_an_empty_one_is_not(fixtures):
    """Null means that there is no answer; an empty string is an answer that says nothing."""
    examples = list(Reader([fixtures / "answers.jsonl"]))
    assert [example.candidate for example in examples[1:]] == [None, ""]


def test_a_missing_id_is_file_and_line(fixtures):
    """Rows without an id are named after their place, and whole numbers are ids too."""
    examples = list(Reader([fixtures / "answers.jsonl"]))
    assert [example.id for example in examples] == ["q1", "answers.jsonl:2", "3"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.encode() + b"\r\n",
        b"\n\n  \r\n" + GOOD.encode() + b"\n\t\n",
        GOOD.encode().replace(b"}", b', "question": null, "id": null, "system": null, "opinion": null}'),
        b" " + GOOD.encode() + b" ",
    ],
    ids=["byte order mark", "CRLF", "blank lines", "nulls", "spaces"],
)
def test_harmless_oddities_are_accepted(read, content):
    """What editors and other systems add to a file does not change its one row."""
    (example,) = read(content)
    assert (example.references, example.candidate, example.system) == ((Reference("a"),), "b", "")


BAD_ROWS = {
    "references as string": (
        '{"references": "Paris", "candidate": "b"}',
        '"references" must be a list; write ["Paris"]',
    ),
    "references as list of lists": ('{"references": [["a"]], "candidate": "b"}', "list of lists"),
    "references empty": ('{"references": [], "candidate": "b"}', '"references" is empty; give at least one'),
    "references null": ('{"references": null, "candidate": "b"}', "must be a list of strings and is null"),
    "references of numbers": ('{"references": [5], "candidate": "b"}', '"references" holds a number'),
    "references of nulls": ('{"references": [null], "candidate": "b"}', '"references" holds null'),
    "reference without text": ('{"references": [{"opinion": "no"}], "candidate": "b"}', 'no "text"'),
    "reference with more": ('{"references": [{"text": "a", "x": 1}], "candidate": "b"}', 'takes "text" and "opinion"'),
    "reference singular": ('{"reference": ["a"], "candidate": "b"}', "use columns={'references': 'reference'}"),
    "references misspelt": ('{"refrences": ["a"], "candidate": "b"}', "use columns={'references': 'refrences'}"),
    "label is no reference": ('{"label": 2.0, "candidate": "b"}', "columns={'references': 'NAME'}"),
    "references nowhere": ('{"candidate": "b"}', "columns={'references': 'NAME'}"),
    "candidate missing": ('{"references": ["a"]}', '"candidate" is missing'),
    "candidate called prediction": ('{"references": ["a"], "prediction": "b"}', "columns={'candidate': 'prediction'}"),
    "candidate a number": ('{"references": ["a"], "candidate": 7}', 'a number; write it in quotes: "7"'),
    "candidate a boolean": ('{"references": ["a"], "candidate": true}', "must be a string and is a boolean"),
    "candidate a list": ('{"references": ["a"], "candidate": ["b"]}', "must be a string and is a list"),
    "scores instead of answers": ('{"id": "1", "scores": {}}', "what `qassay score` wrote"),
    "id a boolean": ('{"id": false, "references": ["a"], "candidate": "b"}', '"id" must be a string'),
    "id a fraction": ('{"id": 1.5, "references": ["a"], "candidate": "b"}', '"id" must be a string'),
    "id empty": ('{"id": "", "references": ["a"], "candidate": "b"}', '"id" is empty'),
    "question a list": ('{"question": [], "references": ["a"], "candidate": "b"}', '"question" must be a string'),
    "system a number": ('{"system": 4, "references": ["a"], "candidate": "b"}', '"system" must be a string'),
    "context an object": ('{"context": {}, "references": ["a"], "candidate": "b"}', '"context" must be a string'),
    "entities a string": ('{"entities": "x", "references": ["a"], "candidate": "b"}', '"entities" must be a list'),
    "entities of numbers": ('{"entities": [1], "references": ["a"], "candidate": "b"}', '"entities" holds a number'),
    "opinion unknown": ('{"opinion": "maybe", "references": ["a"], "candidate": "b"}', "use yes, no, depends"),
    "opinion a boolean": ('{"opinion": true, "references": ["a"], "candidate": "b"}', "use yes, no, depends"),
    "judgement a string": ('{"judgement": "4", "references": ["a"], "candidate": "b"}', '"judgement" must be a number'),
    "judgement a boolean": ('{"judgement": true, "references": ["a"], "candidate": "b"}', "1 or 0 for right or wrong"),
    "judgement NaN": (
        '{"judgement": NaN, "references": ["a"], "candidate": "b"}',
        "NaN, which is not JSON; write null",
    ),
    "judgement infinite": ('{"judgement": -Infinity, "references": ["a"], "candidate": "b"}', "Infinity, which is not"),
    "judgement too large": ('{"judgement": 1e999, "references": ["a"], "candidate": "b"}', "out of range"),
    "judgement a huge integer": (f'{{"judgement": 1{"0" * 400}, "references": ["a"], "candidate": "b"}}', "judgement"),
    "a scalar": ("5", "is not a JSON object"),
    "an array": ('["a"]', "is not a JSON object"),
    "half a row": ('{"references": ["a"], "cand', "is not valid JSON"),
    "two rows on a line": (GOOD + GOOD, "is not valid JSON"),
    "not JSON": ("references: a", "is not valid JSON"),
    "half a surrogate pair": ('{"references": ["\\ud800"], "candidate": "b"}', "half of a surrogate pair"),
    "reversed surrogates": ('{"references": ["a"], "candidate": "\\udc00\\ud800"}', "half of a surrogate pair"),
    "deep nesting": (
        f'{{"references": ["a"], "candidate": "b", "x": {"[" * 90000}{"]" * 90000}}}',
        "nested too deeply",
    ),
}


@pytest.mark.parametrize(("row", "says"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_bad_row_is_refused_with_place_and_remedy(read, row, says):
    """Every bad row stops the reading, and the message says where and why."""
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        read(f"{GOOD}\n{row}\n".encode())
    assert caught.value.line == 2
    assert str(caught.value.path).endswith("answers.jsonl")


@pytest.mark.parametrize("row", [row for row, _ in BAD_ROWS.values()], ids=BAD_ROWS)
def test_a_bad_row_is_skipped_when_asked(tmp_path, row):
    """With skip the bad row is left out and listed, and its neighbours are read."""
    path = tmp_path / "answers.jsonl"
    path.write_text(f"{GOOD}\n{row}\n{GOOD}\n", encoding="utf-8")
    reader = Reader([path], ReadOptions(on_error="skip"))
    assert [example.id for example in reader] == ["answers.jsonl:1", "answers.jsonl:3"]
    assert [skipped.place for skipped in reader.skipped] == [f"{path}:2"]
    assert reader.skipped_total == 1


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"references": ["a"], "candidate": "\xff"}', "is not UTF-8 (byte 0xff)"),
        (b'{"references": ["a"], "candidate": "\xed\xa0\x80"}', "is not UTF-8"),
        (b'{"references": ["a"], "candidate": "\x00"}', "NUL byte"),
    ],
    ids=["Latin-1", "an encoded surrogate", "NUL"],
)
def test_bytes_that_are_no_text_are_refused(read, line, says):
    """Bytes that are not UTF-8, and NUL bytes, are errors at their line."""
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        read(GOOD.encode() + b"\n" + line)
    assert caught.value.line == 2


def test_rows_before_a_bad_one_are_given_first(tmp_path):
    """A bad row does not take the good ones before it along."""
    path = tmp_path / "answers.jsonl"
    path.write_text(f"{GOOD}\n{GOOD}\n5\n", encoding="utf-8")
    reading = iter(Reader([path]))
    assert [next(reading).id, next(reading).id] == ["answers.jsonl:1", "answers.jsonl:2"]
    with pytest.raises(DataError, match="is not a JSON object"):
        next(reading)


def test_a_line_of_50_megabytes_is_read(read):
    """A very long line is one row like any other."""
    candidate = "word " * 10_000_000
    (example,) = read(json.dumps({"references": ["a"], "candidate": candidate}).encode())
    assert example.candidate == candidate


def test_fields_are_renamed(read):
    """With a mapping, their names are taken for ours."""
    row = b'{"qid": 7, "gold": ["a"], "prediction": "b", "candidate": "kept"}'
    (example,) = read(row, mapping={"id": "qid", "references": "gold", "candidate": "prediction"})
    assert (example.id, example.references, example.candidate) == ("7", (Reference("a"),), "b")
    assert example.extra == {"candidate (input)": "kept"}


def test_two_fields_can_swap_names(read):
    """Renaming happens all at once."""
    row = b'{"references": ["a"], "candidate": "b", "question": "c", "context": "q"}'
    (example,) = read(row, mapping={"question": "context", "context": "question"})
    assert (example.question, example.context) == ("q", "c")


@pytest.mark.parametrize(
    ("mapping", "says"),
    [
        ({"canddate": "x"}, "did you mean candidate?"),
        ({"candidate": "x", "question": "x"}, "gives x to two fields"),
        ({"candidate": "output"}, '"output" is missing, which columns= takes for "candidate"'),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(read, mapping, says):
    """Fields that do not exist, on our side or theirs, are named."""
    with pytest.raises(DataError, match=re.escape(says)):
        read(GOOD.encode(), mapping=mapping)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
rows = st.fixed_dictionaries(
    {"references": st.lists(texts, min_size=1, max_size=3), "candidate": st.none() | texts},
    optional={
        "question": texts,
        "system": texts,
        "opinion": st.sampled_from(["yes", "no", "depends"]),
        "entities": st.lists(texts, max_size=2),
        "context": texts,
        "question_type": texts,
        "judgement": st.floats(allow_nan=False, allow_infinity=False),
        "note": st.integers(-(2**70), 2**70) | texts,
    },
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(row=rows)
def test_what_is_written_as_json_is_read_back(tmp_path, row):
    """Any row that JSON can hold comes back as it was."""
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    (example,) = Reader([path])
    assert example == Example(
        id="answers.jsonl:1",
        question=row.get("question", ""),
        references=tuple(Reference(text) for text in row["references"]),
        candidate=row["candidate"],
        system=row.get("system", ""),
        opinion=Opinion(row["opinion"]) if "opinion" in row else None,
        entities=tuple(row.get("entities", ())),
        context=row.get("context"),
        question_type=row.get("question_type"),
        judgement=row.get("judgement"),
        extra={"note": row["note"]} if "note" in row else {},
    )


@pytest.mark.parametrize(
    "row",
    [
        '{"references": ["a"], "candidate": "b", "candidate": "c"}',
        '{"references": ["a"], "candidate" : "b", "candidate"\t: "c"}',
        '{"references": ["a"], "candidate": "at 12:30", "c\\u0061ndidate": "c"}',
        '{"references": [{"text": "a", "text": "b"}], "candidate": "c"}',
    ],
    ids=["plain", "spaced", "escaped", "nested"],
)
def test_two_fields_of_one_name_are_refused(read, row):
    """Nobody can tell which of them is meant."""
    with pytest.raises(DataError, match=r'1: has "(candidate|text)" twice; keep one'):
        read(row.encode(), "rows.jsonl")


def test_text_that_looks_like_a_second_field_is_none(read):
    """Colons and quotes within texts and lists of objects are no fields."""
    (example,) = read(
        b'{"references": [{"text": "a"}, {"text": "b"}], "candidate": "\\"references\\": 1"}', "rows.jsonl"
    )
    assert example.candidate == '"references": 1'
