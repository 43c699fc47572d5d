"""Rows in memory -> examples, with the checks of JSON lines."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from qassay.errors import DataError
from qassay.io.example_columns import ExampleColumns, checked_columns, plain_columns
from qassay.io.input_stream import ONE_ID_EACH, distinct, repeated
from qassay.io.parsing.read_context import FIELDS, Reading
from qassay.io.parsing.rows import need_text, to_example
from qassay.io.readers.formats import tool_formats
from qassay.io.readers.tools.tool_rows import adapt_rows, tool_of
from qassay.records import Example

Convert = Callable[[dict[str, Any], str, int, str], Example]


def columns_in_memory(rows: object, system: str) -> ExampleColumns | list[object]:
    """Return rows of texts as columns, and all other rows as they are; `system` is for rows that name none."""
    table: Any = rows
    if hasattr(table, "to_pydict") and hasattr(table, "schema") and hasattr(table, "num_rows"):
        _check_columns(table.schema.names)
        if found := checked_columns(table.to_pydict(), table.num_rows, "rows", system):
            return found
    everything = list(each_row(rows))
    return plain_columns(everything, "rows", system) or everything


def from_rows(rows: Iterable[object], source: str = "rows", convert: Convert = to_example) -> Iterator[Example]:
    """Yield the examples of dictionaries, or of the rows of a table; the place of a row is `row 3`.

    NaN and pandas' NA stand for nothing, and numpy arrays for lists, as tables have them.
    """

    def converted(row: object, number: int) -> Example:
        if not isinstance(row, Mapping):
            raise DataError(f"is a {type(row).__name__}; give a dictionary")
        return convert({field: _plain(value) for field, value in row.items()}, source, number, "")

    return _checked(each_row(rows), "row", converted)


def from_examples(examples: Iterable[object], *, bare: bool = False) -> Iterator[Example]:
    """Yield a caller's examples after the checks that dictionaries get; the place of one is `example 3`."""

    def converted(example: object, number: int) -> Example:
        row = {field: _plain(getattr(example, field)) for field in FIELDS}
        if not isinstance(extra := getattr(example, "extra", {}), Mapping):
            raise DataError(f'"extra" is a {type(extra).__name__}; give a dictionary')
        return replace(to_example(row, "example", number, "", bare=bare), extra=extra)

    return _checked(examples, "example", converted)


def each_row(rows: object) -> Iterable[object]:
    """Return the rows of a list or a table: a data frame of pandas or polars, or any other Arrow table.

    Raise `DataError` for anything else, and for a table with two columns of one name.
    """
    table: Any = rows
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(rows, pandas.DataFrame):
        _check_columns(table.columns)
        return list(table.to_dict("records"))
    if hasattr(rows, "iter_rows"):
        return list(table.iter_rows(named=True))
    if hasattr(rows, "collect") and hasattr(rows, "collect_schema"):
        return list(table.collect().iter_rows(named=True))
    if hasattr(rows, "read_all"):
        table = table.read_all()
    if not hasattr(table, "to_pylist") and hasattr(table, "__arrow_c_stream__"):
        table = _from_arrow(table)
    if hasattr(table, "to_pylist") and hasattr(table, "schema"):
        _check_columns(table.schema.names)
        return list(table.to_pylist())
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable) or getattr(rows, "ndim", 1) == 0:
        raise DataError(
            f"rows are a {type(rows).__name__}; give a list of dictionaries, or a table of pandas, polars or Arrow"
        )
    return rows


def _check_columns(names: Iterable[object]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise DataError(f'the table has the column "{name}" twice; rename one column')
        seen.add(name)


def _from_arrow(table: object) -> Any:  # noqa: ANN401 - the library is not typed
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional and heavy
    except ImportError as error:
        raise DataError('an Arrow table needs pyarrow; pip install "qassay[parquet]"') from error
    return pa.table(table)


def _checked(given: Iterable[object], kind: str, convert: Callable[[object, int], Example]) -> Iterator[Example]:
    def placed() -> Reading:
        number = 0
        for number, each in enumerate(given, 1):
            try:
                example = convert(each, number)
                need_text(example)
            except DataError as error:
                raise DataError(error.problem, f"{kind} {number}") from error
            yield example, kind, number
        if not number:
            raise DataError("there are no rows; give at least one")

    def refuse(example: Example, _: str, number: int) -> None:
        raise DataError(f"{repeated(example)}; {ONE_ID_EACH}", f"{kind} {number}")

    return distinct(placed(), refuse)


def adapted(rows: Sequence[object], mapping: Mapping[str, str]) -> Sequence[object]:
    """Return the answers in rows that another tool made, such as Ragas; any other rows as they are."""
    first = rows[0] if rows else None
    if not isinstance(first, Mapping) or tool_of(first, tool_formats()) is None:
        return rows
    plain = [{f: _plain(v) for f, v in row.items()} if isinstance(row, Mapping) else row for row in rows]
    return [row for row, _ in adapt_rows(plain, mapping, tool_formats())]  # type: ignore[arg-type]  # checked later


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        held = value.tolist()
        return [_plain(each) for each in held] if value.ndim else _plain(held)
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if type(value) is dict:
        return {name: _plain(each) for name, each in value.items()}
    return None if _is_nothing(value) else value


def _is_nothing(value: object) -> bool:
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)
