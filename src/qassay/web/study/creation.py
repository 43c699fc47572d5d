"""From answers to a new study: items, scores, instructions and the first round."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.errors import DataError, SpecError
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.records import Example, Reference
from qassay.scoring.defaults import default_metrics
from qassay.scoring.scorer import SEED, Scorer, score_examples
from qassay.web.study import projects
from qassay.web.study.rounds import draw
from qassay.web.study.tasks import CUTS, EQUAL, FIRST, SCALES, SECOND, Task, instructions, is_on_scale

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from qassay.scoring.progress import Progress
    from qassay.scoring.table import ScoreTable
    from qassay.web.study.projects import Project

PAIR_SEPARATOR = " | "
"""Between the names of two systems that are compared."""
_SHOWN = {FIRST: 1.0, SECOND: 2.0, EQUAL: 0.0}
_STORED = {shown: stored for stored, shown in _SHOWN.items()}


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What a new study is to be."""

    name: str
    task: Task = Task.LIKERT5
    k: int = 3
    """Judgements per item."""
    metrics: tuple[str, ...] = ()
    """What the answers are scored with; without any, what suits them."""
    judge: str | None = "ava"
    cut: float | None = None
    """From which mean rating on an answer is right; None for the task's own."""
    round_size: int = 50
    uniform: bool = False
    """Whether the first round ignores the judge's doubts, so that correlations need no weights."""
    gold_every: int = 20
    lease_s: int = 600
    seed: int = SEED
    on_error: str = "stop"

    def __post_init__(self) -> None:
        """Raise `SpecError` where no mean rating can reach the cut, or all do."""
        grades = [grade.value for grade in SCALES[self.task]]
        if self.cut is not None and not min(grades) < self.cut <= max(grades):
            raise SpecError(
                f"--cut {self.cut:g} divides nothing; give one above {min(grades):g}, up to {max(grades):g}"
            )


@dataclass(frozen=True, slots=True)
class Item:
    """Something to judge: an answer, or two answers to one question."""

    example: Example
    other: str | None = None
    gold: float | None = None
    why: str | None = None


def create(
    connection: sqlite3.Connection,
    plan: StudyPlan,
    answers: Sequence[Example],
    table: ScoreTable | None,
    *,
    gold: Sequence[Example] = (),
    practice: Sequence[Example] | None = None,
) -> Project:
    """Add a project with its items and scores, draw the first round, and return it.

    The judgements that answers come with are left out: the study is to find them. Without practice items, the packaged
    ones.
    """
    work = [Item(replace(each, judgement=None)) for each in answers]
    if plan.task is Task.PAIR:
        work = pair_up(answers)
    if not work:
        raise DataError("there is nothing to judge; for pairs give the answers of two systems to the same questions")
    judge = None if table is None or plan.judge is None else str(parse_spec(plan.judge))
    found = connection.execute(
        "INSERT INTO project (name, task, k, lease_s, gold_every, seed, state, judge, cut, round_size, notes_json) "
        "VALUES (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?, ?) RETURNING id",
        (
            plan.name,
            str(plan.task),
            plan.k,
            plan.lease_s,
            plan.gold_every,
            plan.seed,
            judge,
            CUTS[plan.task] if plan.cut is None else plan.cut,
            plan.round_size,
            msgspec.json.encode({} if table is None else dict(table.notes)).decode(),
        ),
    ).fetchone()
    number: int = found["id"]
    given = instructions(plan.task)
    projects.add_guideline(connection, number, given.text, list(given.examples))
    rows = [_insert(connection, number, "work", item, None) for item in work]
    for place, item in enumerate(_expected(gold, plan.task, "gold")):
        _insert(connection, number, "gold", item, place)
    trained = _packaged(given.practice) if practice is None else _expected(practice, plan.task, "practice")
    for place, item in enumerate(trained):
        _insert(connection, number, "practice", item, place)
    if table is not None and plan.task is not Task.PAIR:
        _insert_scores(connection, rows, table)
    project = projects.find(connection, number)
    draw(connection, project, plan.round_size or len(rows), uniform=plan.uniform)
    return project


def score_answers(answers: Sequence[Example], plan: StudyPlan, progress: Progress | None = None) -> ScoreTable | None:
    """Score the answers of a study with its metrics and its judge; None for pairs, which have no scores."""
    if plan.task is Task.PAIR:
        return None
    wanted = [str(parse_spec(each)) for each in plan.metrics or default_metrics(answers[0])]
    if plan.judge is not None:
        judge = parse_spec(plan.judge)
        if CATALOGUE[judge.name].declaration.maximum != 1:
            raise SpecError(f"{judge} does not score from 0 to 1; choose another metric as judge")
        wanted = list(dict.fromkeys([*wanted, str(judge)]))
    on_error = "skip" if plan.on_error == "skip" else "stop"
    scorer = Scorer(wanted, defaulted=not plan.metrics, on_error=on_error)  # type: ignore[arg-type]
    bare = [replace(each, judgement=None) for each in answers]
    return score_examples(bare, scorer=scorer, seed=plan.seed, progress=progress)


def pair_up(answers: Sequence[Example]) -> list[Item]:
    """Return every two systems' answers to the same question as one item, in the order of the systems."""
    by_id: dict[str, dict[str, Example]] = {}
    for each in answers:
        by_id.setdefault(each.id, {})[each.system] = each
    systems = list(dict.fromkeys(each.system for each in answers))
    return [
        Item(
            replace(held[a], system=f"{a}{PAIR_SEPARATOR}{b}", judgement=None),
            other=held[b].candidate,
        )
        for held in by_id.values()
        for a, b in combinations(systems, 2)
        if a in held and b in held
    ]


def as_row(example: Example) -> dict[str, Any]:
    """Return an answer as a row of the JSONL format, which reads back as the same answer."""
    row: dict[str, Any] = {
        "id": example.id,
        "system": example.system,
        "question": example.question,
        "references": [
            each.text if each.opinion is None else {"text": each.text, "opinion": str(each.opinion)}
            for each in example.references
        ],
        "candidate": example.candidate,
    }
    rest = {
        "opinion": None if example.opinion is None else str(example.opinion),
        "entities": list(example.entities) or None,
        "context": example.context,
        "question_type": example.question_type,
        "judgement": example.judgement,
    }
    return {**row, **{name: value for name, value in rest.items() if value is not None}, **example.extra}


def shown_value(stored: float | None, *, swapped: bool) -> float | None:
    """Return a comparison as the person saw it, with the two answers in their order."""
    return None if stored is None else _SHOWN[-stored if swapped else stored]


def stored_value(shown: float, *, swapped: bool) -> float:
    """Return a comparison as it is stored, whatever the order in which the answers were shown."""
    stored = _STORED[shown]
    return -stored if swapped and stored else stored


def _expected(given: Sequence[Example], task: Task, kind: str) -> list[Item]:
    for each in given:
        if not is_on_scale(task, each.judgement):
            raise DataError(
                f'the {kind} answer with id "{each.id}" has the judgement {each.judgement}; give one on the scale'
            )
        if task is Task.PAIR and "other" not in each.extra:
            raise DataError(f'the {kind} answer with id "{each.id}" has no "other"; give the answer to compare it with')
    return [
        Item(
            each,
            other=str(each.extra["other"]) if task is Task.PAIR and "other" in each.extra else None,
            gold=stored_value(each.judgement or 0.0, swapped=False) if task is Task.PAIR else each.judgement,
            why=str(each.extra.get("why", "")),
        )
        for each in given
    ]


def _packaged(rows: Sequence[dict[str, Any]]) -> list[Item]:
    return [
        Item(
            Example(
                f"practice-{number}",
                row["question"],
                tuple(Reference(text) for text in row["references"]),
                row["candidate"],
            ),
            other=row.get("other"),
            gold=stored_value(row["judgement"], swapped=False) if "other" in row else row["judgement"],
            why=row["why"],
        )
        for number, row in enumerate(rows, 1)
    ]


def _insert(connection: sqlite3.Connection, project: int, kind: str, item: Item, place: int | None) -> int:
    example = item.example
    content = msgspec.json.encode(as_row(example), enc_hook=str)
    found = connection.execute(
        "INSERT INTO item (project, kind, example_id, system, question, context, references_json, candidate, other, "
        "sha256, example_json, gold, why, position) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING RETURNING id",
        (
            project,
            kind,
            example.id,
            example.system,
            example.question,
            example.context,
            msgspec.json.encode([each.text for each in example.references]).decode(),
            example.candidate,
            item.other,
            sha256(content + (item.other or "").encode()).hexdigest(),
            content.decode(),
            item.gold,
            item.why,
            place,
        ),
    ).fetchone()
    if found is None:
        of = f' of system "{example.system}"' if example.system else ""
        raise DataError(f'the {kind} answer with id "{example.id}"{of} is there twice; give each answer its own id')
    number: int = found["id"]
    return number


def _insert_scores(connection: sqlite3.Connection, rows: Sequence[int], table: ScoreTable) -> None:
    for place, spec in enumerate(table.scores):
        signature = next(each.signature for each in table.aggregates if each.metric == spec)
        notes = table.answer_notes.get(spec, (None,) * len(rows))
        scores = [table.score(spec, i) for i in range(len(table))]
        connection.executemany(
            "INSERT INTO score (item, metric, place, signature, value, reason, noted, asserted) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    item,
                    spec,
                    place,
                    signature,
                    score.value,
                    score.reason,
                    int(note is not None),
                    None if note is None else note.asserted,
                )
                for item, score, note in zip(rows, scores, notes, strict=True)
            ],
        )
