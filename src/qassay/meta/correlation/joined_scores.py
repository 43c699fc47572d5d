"""Scores of several files, joined by the answers that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.io.scores.scored_files import ScoredRow
    from qassay.scoring.table import ScoreTable


def join_rows(rows: Sequence[ScoredRow]) -> list[ScoredRow]:
    """Make one row per answer (its id and system) of rows with scores under different metrics.

    The same metric twice for one answer is a `DataError`, and so are two judgements that are not the same.
    """
    joined: dict[tuple[str, str], ScoredRow] = {}
    for row in rows:
        key = row.system, row.id
        known = joined.get(key)
        joined[key] = row if known is None else _joined(known, row)
    return list(joined.values())


def add_scores(table: ScoreTable, rows: Sequence[ScoredRow]) -> ScoreTable:
    """Add scores of a file to a table, for the answers that have any; judgements too, where answers lack one."""
    if not rows:
        return table
    found = _by_answer(table, rows)
    scores, stats, unscored = dict(table.scores), dict(table.stats), dict(table.unscored)
    for spec in dict.fromkeys(spec for row in rows for spec in row.scores):
        if spec in scores:
            raise DataError(f"{spec} is scored here and in a file of scores; rename the one in the file")
        values = np.array([np.nan if row is None or (v := row.scores.get(spec)) is None else v for row in found])
        known = ~np.isnan(values)
        scores[spec] = values
        stats[spec] = np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=1)
        unscored[spec] = dict.fromkeys(np.flatnonzero(~known).tolist(), "no score in the file")
    examples = tuple(
        each if row is None or each.judgement is not None else replace(each, judgement=row.judgement)
        for each, row in zip(table.examples, found, strict=True)
    )
    added = frozenset(scores) - frozenset(table.scores)
    return replace(table, examples=examples, scores=scores, stats=stats, unscored=unscored, stored=table.stored | added)


def _by_answer(table: ScoreTable, rows: Sequence[ScoredRow]) -> list[ScoredRow | None]:
    by_key = {(row.system, row.id): row for row in rows}
    systems = {each.system for each in table.examples}
    found = [
        by_key.get((each.system, each.id)) or (by_key.get(("", each.id)) if len(systems) == 1 else None)
        for each in table.examples
    ]
    if not any(found):
        theirs, ours = rows[0], table.examples[0]
        raise DataError(
            f'no score is of one of these answers: the first is of "{theirs.id}" (system "{theirs.system}"), the first '
            f'answer is "{ours.id}" (system "{ours.system}"); give the ids and systems of the answers'
        )
    return found


def _joined(one: ScoredRow, other: ScoredRow) -> ScoredRow:
    of_system = f' of system "{one.system}"' if one.system else ""
    twice = [spec for spec in other.scores if spec in one.scores]
    if twice:
        raise DataError(f'the scores of "{one.id}"{of_system} under {twice[0]} appear twice; give each file once')
    if None not in (one.judgement, other.judgement) and one.judgement != other.judgement:
        raise DataError(f'"{one.id}"{of_system} has two judgements, {one.judgement:g} and {other.judgement:g}')
    return replace(
        one,
        scores={**one.scores, **other.scores},
        unscored={**one.unscored, **other.unscored},
        judgement=other.judgement if one.judgement is None else one.judgement,
        question_type=other.question_type if one.question_type is None else one.question_type,
        extra=_joined_extra(one.extra, other.extra),
        question=one.question or other.question,
        references_hash=one.references_hash or other.references_hash,
    )


def _joined_extra(one: Mapping[str, object], other: Mapping[str, object]) -> dict[str, object]:
    """Return the further fields of both; where both hold a map, as of how judges were asked, its entries too."""
    joined = {**other, **one}
    for name, held in one.items():
        also = other.get(name)
        if isinstance(held, Mapping) and isinstance(also, Mapping):
            joined[name] = {**also, **held}
    return joined
