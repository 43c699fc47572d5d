"""Rows as columns: the examples that one would get one by one, or nothing where a row needs a closer look."""

import pickle

import pytest

import qassay
from qassay.io.example_columns import ExampleColumns, plain_columns
from qassay.io.in_memory import columns_in_memory, from_rows

ROWS = [
    {"id": "1", "references": ["Röntgen", "Wilhelm"], "candidate": "Röntgen", "question": "Who?", "system": "A"},
    {"id": "2", "references": ["b"], "candidate": None, "question": "", "system": "A"},
    {"id": "1", "references": [""], "candidate": "", "question": "Why?", "system": "B"},
]


def columns(rows, system=""):
    return plain_columns(rows, "rows", system)


def test_same_examples():
    """Columns hold the examples that rows become one by one."""
    assert columns(ROWS) == tuple(from_rows(ROWS))


def test_ids_and_systems_of_rows_without():
    """Rows without ids are numbered, and those without a system get the one that is given."""
    found = columns([{"references": ["a"], "candidate": "a"}] * 2, "S")
    assert [(each.id, each.system) for each in found] == [("rows:1", "S"), ("rows:2", "S")]


def test_slices_and_places():
    """A slice is columns again; places count from either end."""
    found = columns(ROWS)
    assert isinstance(found[1:], ExampleColumns)
    assert found[1:][0] == found[1]
    assert found[-1].system == "B"


def test_some_rows():
    """Rows can be taken in any order, with other candidates if need be."""
    found = columns(ROWS)
    assert found.take([2, 0]) == (found[2], found[0])
    assert [each.candidate for each in found.take([2, 0]).with_candidates(["x", "y"])] == ["x", "y"]


def test_travels():
    """Columns can be sent to another process."""
    assert pickle.loads(pickle.dumps(columns(ROWS))) == columns(ROWS)  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    "changed",
    [
        {"candidate": 1},
        {"candidate": float("nan")},
        {"references": []},
        {"references": "b"},
        {"references": ["a", None]},
        {"references": [{"text": "a", "opinion": "yes"}]},
        {"references": ("b",)},
        {"id": ""},
        {"id": 5},
        {"id": "1"},
        {"question": None},
        {"candidate": "\ud800"},
        {"context": "more"},
        {"judgement": 1},
    ],
    ids=str,
)
def test_closer_look(changed):
    """What must be converted or refused is left to the code that does it row by row."""
    assert columns([ROWS[0], {**ROWS[1], **changed}]) is None


def test_rows_with_other_fields():
    """So are rows that differ in their fields, and what is no dictionary."""
    assert columns([ROWS[0], {"id": "2", "references": ["b"], "candidate": "b"}]) is None
    assert columns([ROWS[0], "b"]) is None


@pytest.mark.parametrize("spec", ["bleu", "rouge_l", "token_f1", "rouge_l:kpqa"])
def test_scores_do_not_depend_on_the_way_in(spec):
    """Columns and examples get the same scores, aggregates and signatures."""
    rows = [{**row, "id": f"{row['id']}{i}", "question": "Who?"} for i in range(5) for row in ROWS]
    bulk, single = qassay.score(rows, spec), qassay.score(list(from_rows(rows)), spec)
    assert bulk.aggregates == single.aggregates
    assert bulk.to_dict() == single.to_dict()
    assert list(bulk.rows()) == list(single.rows())


def test_arrow_table():
    """An Arrow table is columns already; its examples are those of its rows."""
    pa = pytest.importorskip("pyarrow")
    rows = [{**row, "candidate": row["candidate"] or "x"} for row in ROWS]
    found = columns_in_memory(pa.Table.from_pylist(rows), "")
    assert isinstance(found, ExampleColumns)
    assert found == tuple(from_rows(rows))


def test_arrow_table_that_needs_a_closer_look():
    """A table with other columns is read row by row."""
    pa = pytest.importorskip("pyarrow")
    found = qassay.score(pa.Table.from_pylist([{**row, "context": "c"} for row in ROWS]), "token_f1")
    assert found.examples[0].context == "c"
