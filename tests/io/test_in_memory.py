"""What Python callers hold: dictionaries, data frames and examples, checked as files are."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import qassay
from qassay.errors import DataError
from qassay.io.in_memory import from_examples, from_rows
from qassay.io.readers.row_files.summaries import to_pair, to_summary
from qassay.records import Example, Opinion, Reference

HUGE = 10**5000
"""More digits than Python writes out."""
TABLE = pa.table(
    {
        "references": [["a"], ["b", "c"]],
        "candidate": ["a", None],
        "judgement": [1.0, float("nan")],
        "note": [None, "kept"],
    }
)
TABLES = {
    "a pandas frame": TABLE.to_pandas(),
    "a polars frame": pl.from_arrow(TABLE),
    "a lazy polars frame": pl.from_arrow(TABLE).lazy(),
    "an Arrow table": TABLE,
    "an Arrow batch": TABLE.to_batches()[0],
    "a reader of Arrow batches": TABLE.to_reader(),
}


class Exported:
    """A table that another library shares by Arrow's interface alone."""

    def __arrow_c_stream__(self, requested_schema=None):
        return TABLE.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("table", [*TABLES.values(), Exported()], ids=[*TABLES, "Arrow's interface"])
def test_tables_are_rows(table):
    """Whatever library holds it, a table becomes examples; nulls and NaN are missing."""
    first, second = from_rows(table)
    assert (first.candidate, first.judgement, first.references) == ("a", 1.0, (Reference("a"),))
    assert (second.candidate, second.judgement, second.extra) == (None, None, {"note": "kept"})


TWICE = ["references", "candidate", "candidate"]


@pytest.mark.parametrize(
    "table",
    [pd.DataFrame([[["a"], "b", "c"]], columns=TWICE), pa.table([[["a"]], ["b"], ["c"]], names=TWICE)],
    ids=["pandas", "Arrow"],
)
def test_two_columns_of_one_name_are_refused(table):
    """Nobody can tell which of them is meant."""
    with pytest.raises(DataError, match='the table has the column "candidate" twice; rename one'):
        list(from_rows(table))


def test_an_array_of_no_dimension_has_no_rows():
    """It can be iterated over in name only."""
    with pytest.raises(DataError, match="rows are a ndarray; give a list"):
        list(from_rows(np.array(5)))


def test_python_rows_become_examples():
    """Tuples, numbers of NumPy and reference objects are understood."""
    (example,) = from_rows(
        [
            {
                "references": ("a", {"text": "b", "opinion": "NO"}, Reference("c")),
                "candidate": "d",
                "judgement": np.float32(0.5),
                "id": np.int64(3),
                "note": [1],
            }
        ]
    )
    assert example == Example(
        "3",
        "",
        (Reference("a"), Reference("b", Opinion.NO), Reference("c")),
        "d",
        judgement=0.5,
        extra={"note": [1]},
    )


def test_python_rows_are_left_as_they_were():
    """The caller's dictionaries are not used up."""
    row = {"references": ["a"], "candidate": "b", "note": 1}
    list(from_rows([row]))
    assert row == {"references": ["a"], "candidate": "b", "note": 1}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"references": "a", "candidate": "b"}, 'row 2: "references" must be a list'),
        ({"references": ["a"], "candidate": 7}, 'row 2: "candidate" is a number'),
        ({"references": ["a"], "candidate": "b", "judgement": float("inf")}, 'row 2: "judgement" is inf'),
        ({"references": ["a"], "candidate": "\ud800"}, "row 2: holds half of a surrogate pair"),
        ({"references": ["a"], "candidate": "b", "id": "rows:1"}, 'row 2: the id "rows:1" appears twice'),
        ({"references": ["a"], "candidate": "b", "note": "\ud800"}, "row 2: holds half of a surrogate pair"),
        ({"references": ["a"], "candidate": "b", "note": [{"\ud800": 1}]}, "row 2: holds half of a surrogate pair"),
        ({"references": ["a"], "candidate": HUGE}, 'row 2: "candidate" is a number'),
        ({"references": ["a"], "candidate": "b", "id": HUGE}, 'row 2: "id" is a number of thousands of digits'),
        ({"references": ["a"], "candidate": "b", "judgement": HUGE}, 'row 2: "judgement" is a number of thousands'),
        ({"references": ["a"], "candidate": "b", "opinion": HUGE}, 'row 2: "opinion" is a number of thousands'),
        ("a", "row 2: is a str; give a dictionary"),
    ],
)
def test_bad_python_rows_are_refused_with_their_number(row, says):
    """The place of a Python row is its number."""
    with pytest.raises(DataError) as caught:
        list(from_rows([{"references": ["a"], "candidate": "b"}, row]))
    assert str(caught.value).startswith(says)


def test_no_python_rows_are_refused():
    """Nothing to score is a mistake."""
    with pytest.raises(DataError, match="there are no rows"):
        list(from_rows([]))


@pytest.mark.parametrize("nothing", [float("nan"), np.float32("nan"), pd.NA, pd.NaT, None])
def test_what_pandas_has_for_nothing_is_a_missing_answer(nothing):
    """It is never a text, and never a number."""
    (example,) = from_rows([{"references": ["a"], "candidate": nothing}])
    assert example.candidate is None


@pytest.mark.parametrize(
    ("row", "convert"),
    [
        ({"summary": float("nan"), "references": ["a"], "judgement": float("nan")}, to_summary),
        ({"prediction": float("nan"), "answer": "a", "prediction_context": pd.NA}, to_pair),
    ],
)
def test_nothing_is_missing_in_every_kind_of_row(row, convert):
    """Summaries, predictions, judgements and contexts may be missing too."""
    (example,) = from_rows([row], convert=convert)
    assert (example.candidate, example.judgement, example.context) == (None, None, None)


def test_arrays_are_lists():
    """A data frame that was read from Parquet holds arrays of references and entities."""
    (example,) = from_rows([{"references": np.array(["a", "b"]), "entities": np.array(["c"]), "candidate": "d"}])
    assert (example.references, example.entities) == ((Reference("a"), Reference("b")), ("c",))


def test_a_data_frame_gives_its_rows():
    """One row an answer, whatever the index."""
    frame = pd.DataFrame({"references": [["a"], ["b"]], "candidate": ["c", None]}, index=[7, 7])
    assert [example.candidate for example in from_rows(frame)] == ["c", None]


@pytest.mark.parametrize("rows", [None, 5, "rows", {"references": ["a"], "candidate": "b"}])
def test_what_has_no_rows_is_refused(rows):
    """The message says what was given and what to give."""
    with pytest.raises(DataError, match=f"rows are a {type(rows).__name__}; give a list of dictionaries"):
        list(from_rows(rows))


def made(**fields):
    return Example(**{"id": "1", "question": "", "references": (Reference("a"),), "candidate": "b", **fields})


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({}, 'example 2: the id "1" appears twice'),
        ({"id": ""}, 'example 2: "id" is empty'),
        ({"references": ()}, 'example 2: "references" is empty'),
        ({"references": "a"}, 'example 2: "references" must be a list; write ["a"]'),
        ({"references": (Reference(5),)}, 'example 2: "text" must be a string and is a number'),
        ({"references": (Reference("a", "maybe"),)}, "example 2: \"opinion\" is 'maybe'"),
        ({"candidate": 5}, 'example 2: "candidate" is a number'),
        ({"candidate": "\ud800"}, "example 2: holds half of a surrogate pair"),
        ({"opinion": "perhaps"}, "example 2: \"opinion\" is 'perhaps'"),
        ({"extra": [1]}, 'example 2: "extra" is a list'),
    ],
)
def test_examples_have_the_checks_of_dictionaries(fields, says):
    """Their messages are the same, and their place is their number."""
    with pytest.raises(DataError) as caught:
        list(from_examples([made(), made(**{"id": "2", **fields} if fields else {})]))
    assert str(caught.value).startswith(says)


def test_good_examples_pass_as_they_are():
    """Nothing is lost on the way, not even a field that has a name of ours."""
    example = made(
        system="A",
        opinion=Opinion.YES,
        entities=("c",),
        context="d",
        question_type="e",
        judgement=0.5,
        extra={"candidate": 1},
    )
    assert list(from_examples([example])) == [example]


def test_arrays_without_dimensions_are_what_they_hold():
    """A text, a number or nothing in a numpy array of its own is taken for itself."""
    rows = [
        {"id": "1", "references": ["a"], "candidate": np.array("a"), "g": np.array(0.5), "question": np.array(np.nan)}
    ]
    (found,) = from_rows(rows)
    assert (found.candidate, found.extra["g"], found.question) == ("a", 0.5, "")


@pytest.mark.parametrize("theirs", [None, 5, "", ["gold"]])
def test_columns_are_names(theirs):
    """A field is named by a text."""
    with pytest.raises(qassay.SpecError, match="for references; give the name of a field"):
        qassay.score([{"gold": "a", "candidate": "a"}], "token_f1", columns={"references": theirs})
