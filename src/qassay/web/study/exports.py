"""What leaves a study: files that `agree`, `correlate` and `accuracy` read, and the log."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.web.http.endpoint import Download
from qassay.web.http.refusal import unknown
from qassay.web.study.ratings import (
    agreement,
    answer_rows,
    judgement_rows,
    label_rows,
    rating_rows,
    score_rows,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from qassay.web.study.dashboard import Dashboards
    from qassay.web.study.projects import Project

NAMES = (
    "ratings.csv",
    "ratings.jsonl",
    "judgements.csv",
    "judgements.jsonl",
    "labels.csv",
    "labels.jsonl",
    "scores.jsonl",
    "answers.jsonl",
    "events.jsonl",
)


def export(
    connection: sqlite3.Connection, dashboards: Dashboards, project: Project, name: str, least: int | None = None
) -> Download:
    """Return one of the files of a study."""
    if name not in NAMES:
        raise unknown("file of that name")
    what, _, kind = name.partition(".")
    rows: Sequence[Mapping[str, Any]]
    if what == "events":
        rows = event_rows(connection, project)
    elif what == "answers":
        rows = answer_rows(connection, project)
    elif what == "scores":
        rows = score_rows(dashboards.table(connection, project))
    else:
        rows = rating_rows(connection, project)
        if what != "ratings":
            rows = judgement_rows(agreement(rows))
        if what == "labels":
            rows = label_rows(connection, project, rows, least or project.k)
    content = _csv(rows) if kind == "csv" else _lines(rows)
    return Download(name, "text/csv; charset=utf-8" if kind == "csv" else "application/x-ndjson", content)


def event_rows(connection: sqlite3.Connection, project: Project) -> list[dict[str, Any]]:
    """Return everything that happened, in order, with the names of people and items."""
    rows = connection.execute(
        "SELECT seq, uuid, type, example_id AS id, system, kind, name AS annotator, event.value, event.text, reverts, "
        "elapsed_ms, guideline.version AS guideline, at FROM event LEFT JOIN item ON item.id = event.item "
        "LEFT JOIN annotator ON annotator.id = event.annotator LEFT JOIN guideline ON guideline.id = event.guideline "
        "WHERE event.project = ? AND (kind IS NULL OR kind = 'work') ORDER BY seq",
        (project.id,),
    )
    return [dict(row) for row in rows]


def _lines(rows: Sequence[Mapping[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(row, enc_hook=str) + b"\n" for row in rows)


def _csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    buffer = io.StringIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(buffer, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return buffer.getvalue().encode()


def _cell(value: object) -> object:
    """Return a cell."""
    return "" if value is None else value
