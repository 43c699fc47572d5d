"""What a lead watches: agreement, each system's accuracy, metrics against people, and the annotators."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from statistics import median
from time import monotonic
from typing import TYPE_CHECKING, Any

from qassay.api.accuracy import AccuracyResult
from qassay.api.correlate import correlate
from qassay.api.inputs import LeftOut, as_files
from qassay.errors import QassayError
from qassay.meta.accuracy.estimates import estimate_systems
from qassay.meta.accuracy.judged_run import JudgedRun, JudgeScores, judge_answers
from qassay.meta.accuracy.label_files import read_labels
from qassay.meta.accuracy.ppi import Population
from qassay.web.study import projects
from qassay.web.study.ratings import (
    agreement,
    excluded,
    judgement_rows,
    label_rows,
    rating_rows,
    score_rows,
    stored_table,
)
from qassay.web.study.rounds import drawn_rounds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from qassay.api.agree import AgreementResult
    from qassay.scoring.table import ScoreTable
    from qassay.web.store.database import Database
    from qassay.web.study.projects import Project
    from qassay.web.study.ratings import Row

_MOST_REMARKS = 50
FRESH_SECONDS = 2.0
"""How old a dashboard may be before it is computed anew."""
FIXED_NUMBER = (
    "intervals are for a number of labels that was fixed before; stopping as soon as one is narrow makes it a little "
    "too narrow"
)
DOUBT_DRAWN = (
    "correlations do not weigh the items by how they were drawn, and some rounds were drawn by the judge's doubts; "
    "a uniform round is free of that"
)


@dataclass(slots=True)
class _Kept:
    """A dashboard, with what it was computed from and when."""

    key: tuple[Any, ...]
    at: float
    content: dict[str, Any]


@dataclass
class Dashboards:
    """Dashboards that are computed at most every two seconds, and only after something happened."""

    database: Database
    _kept: dict[tuple[int, int], _Kept] = field(default_factory=dict)
    _tables: dict[int, ScoreTable | None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, number: int, least: int | None = None) -> tuple[str, dict[str, Any]]:
        """Return a project's dashboard and what identifies its state."""
        with self._lock, self.database.read() as connection:
            project = projects.find(connection, number)
            least = min(project.k, least or project.k)
            key = (*_state(connection, project), least)
            kept = self._kept.get((number, least))
            if kept is None or (kept.key != key and monotonic() - kept.at >= FRESH_SECONDS):
                content = self._compute(connection, project, least)
                kept = self._kept[number, least] = _Kept(key, monotonic(), content)
            return '"' + "-".join(map(str, kept.key)) + '"', kept.content

    def table(self, connection: sqlite3.Connection, project: Project) -> ScoreTable | None:
        """Return the stored scores of a project, which never change."""
        if project.id not in self._tables:
            self._tables[project.id] = stored_table(connection, project)
        return self._tables[project.id]

    def _compute(self, connection: sqlite3.Connection, project: Project, least: int) -> dict[str, Any]:
        notes: list[str] = []
        table = self.table(connection, project)
        ratings = rating_rows(connection, project)
        rounds = drawn_rounds(connection, project)
        agreed: AgreementResult | None = None
        found: dict[str, Any] = {"agreement": None, "accuracy": None, "correlations": None}
        try:
            agreed = agreement(ratings)
            found["agreement"] = None if agreed is None else agreed.to_dict()
        except QassayError as problem:
            notes.append(f"no agreement yet: {problem}")
        judgements = judgement_rows(agreed)
        labels = label_rows(connection, project, judgements, least)
        if table is not None and project.judge is not None:
            try:
                found["accuracy"] = estimate(project, table, labels).to_dict()
                notes.append(FIXED_NUMBER)
            except QassayError as problem:
                notes.append(f"no accuracy yet: {problem}")
        if table is not None and judgements:
            try:
                found["correlations"] = correlate(score_rows(table), judgements=judgements).to_dict()
                if not all(each["uniform"] for each in rounds):
                    notes.append(DOUBT_DRAWN)
            except QassayError as problem:
                notes.append(f"no correlations yet: {problem}")
        return {
            "seq": _state(connection, project)[0],
            "project": projects.described(connection, project),
            "least": least,
            **found,
            "annotators": annotators(connection, project, agreed),
            "rounds": rounds,
            "remarks": remarks(connection, project),
            "notes": notes,
        }


def estimate(project: Project, table: ScoreTable, labels: Sequence[Row]) -> AccuracyResult:
    """Return each system's accuracy from the judge's stored scores and the labels, as `qassay accuracy` finds it."""
    run = judged_run(project, table, labels)
    found = estimate_systems(run.answers)
    return AccuracyResult(found, run, Population.ANSWERS, LeftOut(), project.seed, None, project.name)


def judged_run(project: Project, table: ScoreTable, labels: Sequence[Row]) -> JudgedRun:
    """Join the judge's stored scores with the labels."""
    judge = project.judge or ""
    verdicts = None
    if any(row["verdict"] is not None for row in labels):
        with as_files(list(labels), "labels") as files:
            verdicts = read_labels(files, cut=project.cut)
    scored = JudgeScores(
        judge,
        table[judge],
        next(each.signature for each in table.aggregates if each.metric == judge),
        tuple(f"{note}: {count:,}" for note, count in table.notes.items()),
        table.answer_notes.get(judge, ()),
    )
    return judge_answers(table.examples, judge, labels=verdicts, cut=project.cut, scored=scored)


def annotators(
    connection: sqlite3.Connection, project: Project, agreed: AgreementResult | None
) -> list[dict[str, Any]]:
    """Return each person's work: how much, how fast, how gold was judged, and how they compare with the others."""
    compared = {} if agreed is None else {each.annotator: each for each in agreed.study.annotators}
    left_out = excluded(connection, project)
    people = connection.execute(
        "SELECT * FROM annotator WHERE (project = ?1 OR project IS NULL) AND role != 'program' ORDER BY id",
        (project.id,),
    ).fetchall()
    counts = connection.execute(
        "SELECT annotator, kind, current.value, gold FROM current JOIN item ON item.id = current.item "
        "WHERE project = ?",
        (project.id,),
    ).fetchall()
    events = connection.execute(
        "SELECT annotator, type, elapsed_ms FROM event WHERE project = ? AND type IN ('judge', 'flag', 'comment')",
        (project.id,),
    ).fetchall()
    found = []
    for person in people:
        own = [row for row in counts if row["annotator"] == person["id"]]
        did = [row for row in events if row["annotator"] == person["id"]]
        if not own and not did and person["role"] == "owner":
            continue
        work = [row["value"] for row in own if row["kind"] == "work"]
        gold = [(row["value"], row["gold"]) for row in own if row["kind"] == "gold" and row["value"] is not None]
        seconds = [row["elapsed_ms"] / 1000 for row in did if row["type"] == "judge" and row["elapsed_ms"] is not None]
        beside = compared.get(person["name"])
        found.append(
            {
                "id": person["id"],
                "name": person["name"],
                "role": person["role"],
                "judgements": sum(value is not None for value in work),
                "cannot": sum(value is None for value in work),
                "flags": sum(row["type"] == "flag" for row in did),
                "comments": sum(row["type"] == "comment" for row in did),
                "gold": {
                    "right": sum(value == expected for value, expected in gold),
                    "total": len(gold),
                    "mean_error": sum(abs(value - expected) for value, expected in gold) / len(gold) if gold else None,
                },
                "seconds": {"median": median(seconds) if seconds else None, "total": sum(seconds)},
                "bias": None if beside is None else beside.bias,
                "deviation": None if beside is None else beside.deviation,
                "agreement": None if beside is None else beside.agreement,
                "removed": 0 if beside is None else beside.removed,
                "excluded": person["id"] in left_out,
                "revoked": person["revoked_at"] is not None,
            }
        )
    return found


def remarks(connection: sqlite3.Connection, project: Project) -> list[dict[str, Any]]:
    """Return what people said of gold and practice items, newest first: those are not among the items to adjudicate."""
    rows = connection.execute(
        "SELECT kind, question, name, type, event.text FROM event JOIN item ON item.id = event.item "
        "JOIN annotator ON annotator.id = event.annotator "
        "WHERE event.project = ? AND kind != 'work' AND type IN ('flag', 'comment') ORDER BY seq DESC LIMIT ?",
        (project.id, _MOST_REMARKS),
    )
    return [dict(row) for row in rows]


def _state(connection: sqlite3.Connection, project: Project) -> tuple[int, int, int]:
    """Return what changes with every event, every round and every person."""
    (seq,) = connection.execute("SELECT coalesce(max(seq), 0) FROM event WHERE project = ?", (project.id,)).fetchone()
    (drawn,) = connection.execute("SELECT count(round) FROM item WHERE project = ?", (project.id,)).fetchone()
    (people,) = connection.execute(
        "SELECT count(*) * 1000 + count(revoked_at) FROM annotator WHERE project = ?", (project.id,)
    ).fetchone()
    return seq, drawn, people
