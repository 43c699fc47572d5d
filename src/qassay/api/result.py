"""What every workflow returns: numbers as plain data, as a data frame, as a page and in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qassay.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

_SHOWN = 60
"""Rows that a notebook shows."""


class Result(ABC):
    """What a workflow found."""

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the document that the command prints with `--json`."""

    @abstractmethod
    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write a page to open in a browser, which names the `call` that made it, and return its path."""

    @abstractmethod
    def _rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the table that stands for the result."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the result's table as a data frame (needs pandas)."""
        return data_frame(self._rows())

    def _repr_html_(self) -> str:
        rows = self._rows()
        flat = {name for row in rows for name, value in row.items() if not isinstance(value, dict | list | tuple)}
        columns = [name for name in dict.fromkeys(name for row in rows for name in row) if name in flat]
        cells = [[row.get(name) for name in columns] for row in rows[:_SHOWN]]
        return html_table(columns, cells, f"{len(rows) - _SHOWN:,} more rows" if len(rows) > _SHOWN else "")


def html_table(columns: Sequence[str], rows: Sequence[Sequence[object]], caption: str = "") -> str:
    """Return a small table as HTML; numbers have three places."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>" for row in rows)
    note = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{note}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return "\N{EN DASH}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def data_frame(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return rows as a data frame (needs pandas)."""
    try:
        import pandas as pd  # noqa: PLC0415 - optional and heavy
    except ImportError as error:
        raise OutputError('a data frame needs pandas; pip install "qassay[pandas]"') from error
    return pd.DataFrame(list(rows))


def page_path(path: str | Path) -> Path:
    """Accept the name of a page."""
    page = Path(path)
    if page.suffix.lower() not in {".html", ".htm"}:
        raise OutputError("a report is a page; give it a name that ends in .html", page)
    return page
