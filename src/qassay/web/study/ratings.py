"""What people said, as rows that `agree`, `correlate` and `accuracy` read; gold and practice are never among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from qassay.api.agree import AgreementResult, agree
from qassay.io.parsing.rows import to_example
from qassay.io.scores.writers import encode_row
from qassay.meta.accuracy.label_files import PROBABILITY, ROUND
from qassay.records import AnswerNotes
from qassay.scoring.table import Aggregate, ScoreTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from qassay.records import Example
    from qassay.web.study.projects import Project

Row = dict[str, Any]


def excluded(connection: sqlite3.Connection, project: Project) -> frozenset[int]:
    """Return whose ratings do not count: the last word on each person decides."""
    rows = connection.execute(
        "SELECT annotator FROM excluded JOIN annotator AS person ON person.id = annotator WHERE project = ?",
        (project.id,),
    )
    return frozenset(row["annotator"] for row in rows)


def rating_rows(connection: sqlite3.Connection, project: Project) -> list[Row]:
    """Return every rating that stands and counts, in the order in which they were given."""
    rows = connection.execute(
        "SELECT example_id, system, name, counted.value, round, probability "
        "FROM counted JOIN item ON item.id = counted.item JOIN annotator ON annotator.id = counted.annotator "
        "WHERE item.project = ? AND kind = 'work' AND counted.value IS NOT NULL ORDER BY counted.event",
        (project.id,),
    )
    return [
        {
            "id": row["example_id"],
            "system": row["system"],
            "annotator": row["name"],
            "value": row["value"],
            ROUND: row["round"],
            PROBABILITY: row["probability"],
        }
        for row in rows
    ]


def agreement(ratings: Sequence[Row]) -> AgreementResult | None:
    """Return what `qassay agree` finds in the ratings; None without any."""
    return agree(ratings) if ratings else None


def judgement_rows(found: AgreementResult | None) -> list[Row]:
    """Return one judgement per item, as `qassay agree -o` writes them."""
    return [] if found is None else found.judgements()


def verdicts(connection: sqlite3.Connection, project: Project) -> dict[tuple[str, str], float]:
    """Return what adjudicators decided, the last word on each item."""
    rows = connection.execute(
        "SELECT example_id, system, event.value FROM event JOIN item ON item.id = event.item "
        "WHERE event.project = ? AND type = 'adjudicate' ORDER BY seq",
        (project.id,),
    )
    return {(row["example_id"], row["system"]): row["value"] for row in rows}


def label_rows(connection: sqlite3.Connection, project: Project, judgements: Sequence[Row], least: int) -> list[Row]:
    """Return a label for every item of the rounds: the adjudicated value, else the judgement of `least` people or more.

    Items that have neither wait, without a verdict; they stay in the list, since it says how they were drawn.
    """
    decided = verdicts(connection, project)
    people = {(row["id"], row["system"]): row for row in judgements}
    rows = connection.execute(
        "SELECT example_id, system, round, probability FROM item "
        "WHERE project = ? AND kind = 'work' AND round IS NOT NULL ORDER BY round, position",
        (project.id,),
    )
    labels = []
    for row in rows:
        key = row["example_id"], row["system"]
        judged = people.get(key)
        enough = judged is not None and judged["ratings"] + judged["removed"] >= least
        value = decided.get(key, judged["judgement"] if judged is not None and enough else None)
        labels.append(
            {"id": key[0], "system": key[1], "verdict": value, ROUND: row["round"], PROBABILITY: row["probability"]}
        )
    return labels


def examples(connection: sqlite3.Connection, project: Project) -> list[Example]:
    """Return the answers of a project, as they were given."""
    rows = connection.execute(
        "SELECT example_json FROM item WHERE project = ? AND kind = 'work' ORDER BY id", (project.id,)
    )
    return [
        to_example(msgspec.json.decode(row["example_json"]), "answers", number, "")
        for number, row in enumerate(rows, 1)
    ]


def answer_rows(connection: sqlite3.Connection, project: Project) -> list[Row]:
    """Return the answers of a project as rows of the JSONL format."""
    rows = connection.execute(
        "SELECT example_json FROM item WHERE project = ? AND kind = 'work' ORDER BY id", (project.id,)
    )
    return [msgspec.json.decode(row["example_json"]) for row in rows]


def stored_table(connection: sqlite3.Connection, project: Project) -> ScoreTable | None:
    """Return the scores that were stored when the project was made; None without any."""
    given = tuple(examples(connection, project))
    place = {
        row["id"]: i
        for i, row in enumerate(
            connection.execute("SELECT id FROM item WHERE project = ? AND kind = 'work' ORDER BY id", (project.id,))
        )
    }
    scores: dict[str, Any] = {}
    reasons: dict[str, dict[int, str]] = {}
    notes: dict[str, list[AnswerNotes | None]] = {}
    signatures: dict[str, str] = {}
    for row in connection.execute(
        "SELECT score.* FROM score JOIN item ON item.id = score.item WHERE project = ? ORDER BY place, item.id",
        (project.id,),
    ):
        spec, at = row["metric"], place[row["item"]]
        values = scores.setdefault(spec, np.full(len(given), np.nan))
        signatures[spec] = row["signature"]
        if row["value"] is not None:
            values[at] = row["value"]
        if row["reason"] is not None:
            reasons.setdefault(spec, {})[at] = row["reason"]
        if row["noted"]:
            notes.setdefault(spec, [None] * len(given))[at] = AnswerNotes(row["asserted"])
    if not scores:
        return None
    (noted,) = connection.execute("SELECT notes_json FROM project WHERE id = ?", (project.id,)).fetchone()
    return ScoreTable(
        examples=given,
        scores=scores,
        stats={},
        unscored={spec: reasons.get(spec, {}) for spec in scores},
        aggregates=tuple(
            Aggregate("", spec, None, None, None, 0, 0, signature) for spec, signature in signatures.items()
        ),
        notes=msgspec.json.decode(noted),
        seed=project.seed,
        answer_notes=notes,
    )


def score_rows(table: ScoreTable | None) -> list[Row]:
    """Return the scores as `qassay score -o` writes them."""
    if table is None:
        return []
    found = []
    for i, example in enumerate(table.examples):
        values = {spec: table.score(spec, i) for spec in table.scores}
        found.append(
            encode_row(
                example,
                {spec: each.value for spec, each in values.items()},
                {spec: each.reason for spec, each in values.items() if each.reason},
                table.notes_of(i),
            )
        )
    return found
