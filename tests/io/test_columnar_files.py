"""Files of texts are read as columns, and give what rows one by one give."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

import qassay
from qassay.errors import DataError
from qassay.io.example_columns import ExampleColumns, rebatched
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Reference
from qassay.scoring.checkpoint import identity_lines

Rows = list[dict[str, Any]]


def plain_rows(size: int) -> Rows:
    """Make rows of texts; every seventh has no candidate."""
    return [
        {"id": f"q{i}", "references": [f"word {i % 5}", "é"], "candidate": None if i % 7 == 0 else f"word {i % 3}"}
        for i in range(size)
    ]


def write(path: Path, rows: Rows) -> Path:
    """Write rows in the format that the extension says."""
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".arrow":
        table = pa.Table.from_pylist(rows)
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=1000)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(params=["answers.jsonl", "answers.parquet", "answers.arrow"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file of each format."""
    return tmp_path / str(request.param)


def test_texts_are_read_as_columns(path: Path) -> None:
    """No example is made for a file of texts."""
    found = list(Reader([write(path, plain_rows(5000))]).sequences())
    assert all(isinstance(each, ExampleColumns) for each in found)
    assert sum(map(len, found)) == 5000


def test_columns_hold_the_examples_of_the_rows(path: Path) -> None:
    """A mapping of a field to itself makes the reader go row by row, to the same examples."""
    write(path, plain_rows(3000))
    by_row = list(Reader([path], ReadOptions(mapping={"candidate": "candidate"})))
    assert list(Reader([path])) == by_row


def test_other_rows_are_read_one_by_one(path: Path) -> None:
    """A field that is not a text's makes rows of its batch; those around it stay columns."""
    rows = plain_rows(5000)
    rows[2100]["id"] = None
    found = list(Reader([write(path, rows)]).sequences())
    names = [example.id for chunk in found for example in chunk]
    assert names[2099:2102] == ["q2099", f"{path.name}:2101", "q2101"]
    assert {isinstance(each, ExampleColumns) for each in found} == {True, False}


def test_a_bad_row_is_named_by_its_line(path: Path) -> None:
    """The place of a row within columns is that of the file, and what comes before is read."""
    rows = plain_rows(5000)
    rows[4000]["references"] = []
    write(path, rows)
    with pytest.raises(DataError, match=r'4001: "references" is empty'):
        list(Reader([path]))
    reader = Reader([path], ReadOptions(on_error="skip"))
    assert len(list(reader)) == 4999
    assert reader.skipped_total == 1


def test_a_repeated_id_across_chunks_is_refused(path: Path) -> None:
    """The first of two answers with one id counts, wherever they are."""
    rows = plain_rows(5000)
    rows[4500]["id"] = "q3"
    write(path, rows)
    with pytest.raises(DataError, match=r'4501: the id "q3" appears twice'):
        list(Reader([path]))
    assert len(list(Reader([path], ReadOptions(on_error="skip")))) == 4999


def test_scores_of_columns_are_those_of_rows(path: Path, tmp_path: Path) -> None:
    """Rows and aggregates are the same to the last byte."""
    write(path, plain_rows(3000))
    columns, rows = tmp_path / "columns.jsonl", tmp_path / "rows.jsonl"
    first = qassay.score(path, ["rouge_l", "bleu"], output=columns)
    second = qassay.score(path, ["rouge_l", "bleu"], output=rows, columns={"candidate": "candidate"})
    assert columns.read_bytes() == rows.read_bytes()
    assert first.aggregates == second.aggregates


def test_a_table_holds_what_the_lines_hold(path: Path, tmp_path: Path) -> None:
    """Parquet and JSON lines of one run have the same scores and reasons."""
    write(path, plain_rows(40))
    lines, table = tmp_path / "out.jsonl", tmp_path / "out.parquet"
    qassay.score(path, "rouge_l", output=lines)
    qassay.score(path, "rouge_l", output=table)
    written = [json.loads(line) for line in lines.read_text().splitlines()]
    found = parquet.read_table(table).to_pylist()
    assert [row["rouge_l"] for row in found] == [row["scores"]["rouge_l"] for row in written]
    assert [row["rouge_l unscored"] for row in found] == [row.get("unscored", {}).get("rouge_l") for row in written]


def examples(*names: str) -> list[Example]:
    """Make examples of these ids."""
    return [Example(name, "?", (Reference("x"),), "x", "") for name in names]


def columns(*names: str) -> ExampleColumns:
    """Make the same examples as columns."""
    size = len(names)
    return ExampleColumns(list(names), ["?"] * size, [["x"]] * size, ["x"] * size, [""] * size)


@pytest.mark.parametrize(
    "chunks", [[columns("a", "b", "c"), columns("d")], [examples("a"), columns("b", "c"), examples("d")]]
)
def test_chunks_are_cut_and_joined(chunks: Sequence[Sequence[Example]]) -> None:
    """Batches have the wanted size, in order, whatever the chunks."""
    found = list(rebatched(chunks, 2))
    assert [[each.id for each in batch] for batch in found] == [["a", "b"], ["c", "d"]]


def test_columns_joined_stay_columns() -> None:
    """Nothing is made an example that need not be."""
    (found,) = rebatched([columns("a"), columns("b")], 2)
    assert isinstance(found, ExampleColumns)


def test_answers_are_told_apart_alike_in_columns_and_rows() -> None:
    """A run that is taken up finds its answers, whichever way they are read."""
    assert identity_lines(columns("a", "b")) == identity_lines(examples("a")) + identity_lines(examples("b"))
