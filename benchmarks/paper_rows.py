"""Rows of published tables with ours beside them: what `benchmarks/papers.py` collects, keeps and prints."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

WORKS, PARTLY, NOT = "yes", "partly", "no"
STATES = (WORKS, PARTLY, NOT)
"""Measured as published; measured with another model or on other data; not measured."""
NOTHING = "–"  # noqa: RUF001 - stands for a missing number


@dataclass(frozen=True)
class Row:
    """One row of a published table, with ours in the same columns."""

    name: str
    ours: tuple[str, ...]
    paper: tuple[str, ...]
    """Empty where the paper has a drawing and no numbers."""
    state: str = WORKS
    why: str = ""
    """Why it does not work, or only partly."""

    def __post_init__(self) -> None:
        if self.state not in STATES or (self.state == WORKS) != (not self.why):
            raise ValueError(f"{self.name}: a row that is not measured as published says why, and no other does")


@dataclass(frozen=True)
class PaperTable:
    """A table or figure of a paper."""

    paper: str
    name: str
    """As the paper calls it: Table 3."""
    about: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""

    @classmethod
    def read(cls, stored: dict[str, Any]) -> "PaperTable":
        """Take back what `asdict` made."""
        rows = tuple(
            Row(each["name"], tuple(each["ours"]), tuple(each["paper"]), each["state"], each["why"])
            for each in stored["rows"]
        )
        return cls(**{**stored, "columns": tuple(stored["columns"]), "rows": rows})

    def stored(self) -> dict[str, Any]:
        """Return what a JSON file keeps."""
        return asdict(self)


def number(value: float | None, digits: int = 3) -> str:
    """Print a coefficient as the papers do: .349."""
    if value is None or value != value:  # noqa: PLR0124 - not a number
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def missing(name: str, paper: Sequence[str], why: str) -> Row:
    """Return a row that is not measured."""
    return Row(name, (NOTHING,) * len(paper), tuple(paper), NOT, why)


def row(name: str, ours: Sequence[str], paper: Sequence[str], why: str = "") -> Row:
    """Return a row that is measured: as published, or, with a reason, partly."""
    return Row(name, tuple(ours), tuple(paper), PARTLY if why else WORKS, why)


def counts(tables: Iterable[PaperTable]) -> Counter[str]:
    """Count rows by state."""
    return Counter(each.state for table in tables for each in table.rows)


def markdown(table: PaperTable) -> str:
    """Write one table: the paper's figures beside ours, a mark for each row, and below it the reasons."""
    drawn = not any(each.paper for each in table.rows)
    pairs = [name for column in table.columns for name in (column or "ours", "paper")[: 1 if drawn else 2]]
    lines = [f"### {table.name}: {table.about}", ""]
    if table.note:
        lines += [table.note, ""]
    lines += [_line(["", *pairs, "as published"]), "|" + "---|" * (len(pairs) + 2)]
    reasons = list(dict.fromkeys(each.why for each in table.rows if each.why))
    for each in table.rows:
        cells = each.ours if drawn else [cell for pair in zip(each.ours, each.paper, strict=True) for cell in pair]
        place = f" ({reasons.index(each.why) + 1})" if each.why and len(reasons) > 1 else ""
        lines.append(_line([each.name, *cells, f"{each.state}{place}"]))
    if reasons:
        lines.append("")
        several = len(reasons) > 1
        lines += [
            f"{f'{i}. ' if several else ''}{reason[0].upper()}{reason[1:]}." for i, reason in enumerate(reasons, 1)
        ]
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def order(table: PaperTable) -> tuple[int, int]:
    """Sort worked examples first, then tables and figures by their numbers, then the rest."""
    kind, _, place = table.name.partition(" ")
    kinds = ("Examples", "Table", "Figure")
    return (kinds.index(kind), int(place)) if kind in kinds[1:] else (0 if kind in kinds else len(kinds), 0)


def summary(tables: Sequence[PaperTable]) -> str:
    """Write how many rows of each table are measured as published, partly and not."""
    lines = [_line(["", "rows", "as published", "partly", "not"]), "|---|---|---|---|---|"]
    for paper, name in dict.fromkeys((each.paper, each.name) for each in tables):
        found = counts(each for each in tables if (each.paper, each.name) == (paper, name))
        states = (str(found[state]) if found[state] else "" for state in STATES)
        lines.append(_line([f"{paper}, {name}", str(found.total()), *states]))
    found = counts(tables)
    lines.append(_line(["all", str(found.total()), *(str(found[state]) for state in STATES)]))
    return "\n".join(lines)
