"""A JSON array is cut into its items wherever the chunks of the file end."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.io import source as source_module
from qassay.io.input_stream import Reader
from qassay.io.parsing.json_array import items
from qassay.io.source import Source

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
objects = st.lists(st.dictionaries(st.text(max_size=4), values, max_size=4), max_size=6)


def cut(path, content, member=None):
    path.write_bytes(content)
    return list(items(Source.at(path), member))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=objects, chunk=st.integers(1, 40), indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_items_do_not_depend_on_the_chunks(tmp_path_factory, monkeypatch, *, rows, chunk, indent, ascii_only):
    """Whatever the items hold, and however short the chunks, they come out whole and in order."""
    monkeypatch.setattr(source_module, "CHUNK", chunk)
    text = json.dumps(rows, indent=indent, ensure_ascii=ascii_only)
    found = cut(tmp_path_factory.mktemp("json") / "rows.json", text.encode())
    assert [json.loads(item) for _, item in found] == rows


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=objects, before=values, after=values, chunk=st.integers(1, 40))
def test_a_member_is_found_among_others(tmp_path_factory, monkeypatch, *, rows, before, after, chunk):
    """The array under a key of the whole file's object is cut, and what stands around it is passed over."""
    monkeypatch.setattr(source_module, "CHUNK", chunk)
    text = json.dumps({"version": before, "inner": {"data": [before]}, "data": rows, "note": after}, indent=1)
    found = cut(tmp_path_factory.mktemp("json") / "rows.json", text.encode(), "data")
    assert [json.loads(item) for _, item in found] == rows


def test_each_item_has_the_line_it_begins_on(tmp_path):
    """The line is the item's own, whatever stands on the lines before."""
    found = cut(tmp_path / "rows.json", b'[\n {"a":\n 1},\n\n {"b": "\\n"}, {"c": 3}\n]')
    assert [line for line, _ in found] == [2, 5, 5]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'[{"a": 1}', "cut short"),
        (b'[{"a": "x', "cut short"),
        (b'[{"a": 1}] {"b": 2}', "more after the end"),
        (b'[{"a": 1}] x', "more after the end"),
        (b'[{"a": 1} {"b": 2}]', "one comma"),
        (b'[{"a": 1},,{"b": 2}]', "one comma"),
        (b'[{"a": 1},]', "fix the JSON"),
        (b"[1, 2]", "not an object"),
        (b'["a"]', "an item is a string"),
        (b"]", "never opened"),
        (b'{"a": 1}', "begin it with ["),
        (b'"a"', "begin it with ["),
        (b"", "cut short"),
    ],
)
def test_a_broken_array_is_refused(tmp_path, content, says):
    """What is not an array of objects is a DataError that says so."""
    with pytest.raises(DataError, match=re.escape(says)):
        cut(tmp_path / "rows.json", content)


def test_rows_of_an_array_are_read(fixtures):
    """The rows of an array are like those of JSON lines; a missing id is the row's number."""
    examples = list(Reader([fixtures / "answers.json"]))
    assert [(example.id, example.candidate) for example in examples] == [
        ("q1", "Jane Austen did"),
        ("answers.json:2", "in 1815"),
        ("answers.json:3", "in 1816"),
    ]
    assert examples[0].extra == {"note": 'a ] " [ b'}


def test_a_bad_row_of_an_array_has_its_line(read):
    """A row that is wrong is refused at the line it begins on."""
    with pytest.raises(DataError, match='"references" is empty') as caught:
        read(b'[\n{"references": ["a"], "candidate": "b"},\n{"references": [], "candidate": "b"}]', "rows.json")
    assert caught.value.line == 3


def test_a_long_item_is_cut_in_linear_time(tmp_path):
    """An item of 20 MB, many chunks long, comes out whole."""
    text = "x" * 20_000_000
    ((_, item),) = cut(tmp_path / "rows.json", json.dumps([{"a": text}]).encode())
    assert json.loads(item) == {"a": text}
