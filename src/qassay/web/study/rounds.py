"""Rounds: which items are judged next, drawn with known probabilities as `accuracy --next` draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import QassayError
from qassay.meta.accuracy.label_selection import next_labels
from qassay.web.http.refusal import RefusedError
from qassay.web.study.ratings import agreement, judgement_rows, label_rows, rating_rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from qassay.arrays import Floats
    from qassay.web.study.projects import Project

_NO_DOUBT = 0.5
"""What a judge that is not there says of every answer."""


def draw(connection: sqlite3.Connection, project: Project, n: int, *, uniform: bool = False) -> int:
    """Draw the next round of at most `n` items and return its number.

    The probabilities depend on the judge's scores and on the labels of the rounds before, which show where it errs, and
    the seed is that of `accuracy --next`: the same round is drawn there from the same scores and labels.
    """
    rows = connection.execute(
        "SELECT item.id, example_id, system, round, value "
        "FROM item LEFT JOIN score ON score.item = item.id AND metric = ? "
        "WHERE project = ? AND kind = 'work' ORDER BY item.id",
        (project.judge, project.id),
    ).fetchall()
    taken = np.array([row["round"] is not None for row in rows])
    if taken.all():
        raise RefusedError(409, "conflict", "every item is in a round; there is nothing left to draw")
    scores = np.array([np.nan if row["value"] is None else row["value"] for row in rows], np.float64)
    if project.judge is None:
        scores = np.full(len(rows), _NO_DOUBT)
    if np.isnan(scores[~taken]).all():
        raise RefusedError(409, "conflict", "the judge has no score of any item that is left; nothing can be drawn")
    number = 1 + max((row["round"] or 0 for row in rows), default=0)
    chosen = next_labels(
        scores,
        n,
        np.random.default_rng([project.seed, number]),
        system=[row["system"] for row in rows],
        labelled=taken,
        labels=_labels(connection, project, rows),
        uniform=1.0 if uniform else None,
    )
    places = zip(chosen.rows.tolist(), chosen.probability.tolist(), strict=True)
    connection.executemany(
        "UPDATE item SET round = ?, probability = ?, position = ? WHERE id = ?",
        [(number, chance, place, rows[row]["id"]) for place, (row, chance) in enumerate(places)],
    )
    return number


def _labels(connection: sqlite3.Connection, project: Project, rows: Sequence[sqlite3.Row]) -> Floats:
    """Return the label of each item, as `labels.csv` has it; NaN where there is none."""
    try:
        judgements = judgement_rows(agreement(rating_rows(connection, project)))
    except QassayError:
        judgements = []
    known = {
        (each["id"], each["system"]): each["verdict"]
        for each in label_rows(connection, project, judgements, project.k)
        if each["verdict"] is not None
    }
    found = np.array([known.get((row["example_id"], row["system"]), np.nan) for row in rows], np.float64)
    return found if project.cut is None else np.where(np.isnan(found), np.nan, found >= project.cut)


def drawn_rounds(connection: sqlite3.Connection, project: Project) -> list[dict[str, Any]]:
    """Return the rounds so far; a round is uniform where all of a system's items were equally likely."""
    rows = connection.execute(
        "SELECT round, count(*) AS n, sum(judged >= ?1) AS complete, "
        "max(highest - lowest) < 1e-9 AS uniform FROM ("
        "  SELECT item.round, item.id, (SELECT count(value) FROM counted WHERE item = item.id) AS judged, "
        "  max(probability) OVER (PARTITION BY round, system) AS highest, "
        "  min(probability) OVER (PARTITION BY round, system) AS lowest "
        "  FROM item WHERE project = ?2 AND kind = 'work' AND round IS NOT NULL) GROUP BY round ORDER BY round",
        (project.k, project.id),
    )
    return [
        {"round": row["round"], "n": row["n"], "complete": row["complete"], "uniform": bool(row["uniform"])}
        for row in rows
    ]
