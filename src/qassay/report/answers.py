"""The order of scored answers on a page, and the selection of answers that it holds."""

from __future__ import annotations

import hashlib
import heapq
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from qassay.metrics.registry import CATALOGUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from qassay.metrics.base import Metric
    from qassay.records import AnswerNotes, Example
    from qassay.report.explain.evidence import AnswerEvidence

UNNAMED, EVERYTHING = "unnamed", "all answers"
LIMIT = 2000
"""Answers that a page holds at most."""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer with its scores."""

    example: Example
    scores: Mapping[str, float | None]
    """By canonical spec; `None` where there is none."""
    unscored: Mapping[str, str]
    """Why a score is missing."""
    notes: Mapping[str, AnswerNotes] = field(default_factory=dict)
    """What metrics noted of the answer, by spec."""
    evidence: AnswerEvidence | None = None
    """What the scores are made of, where it was computed."""


Row = TypeVar("Row", bound=AnswerRow)


@dataclass(frozen=True, slots=True)
class Ordering:
    """The order of answers: by the metrics of the highest `precedence`."""

    maxima: Mapping[str, float] = field(default_factory=dict)
    """The highest score of each metric; 1 where it is not named."""
    precedence: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, metrics: Iterable[Metric]) -> Ordering:
        """Return the ordering that a run's metrics declare."""
        listed = list(metrics)
        return cls(
            {str(each.spec): each.declaration.maximum for each in listed},
            {str(each.spec): each.precedence for each in listed},
        )

    @classmethod
    def of_specs(cls, specs: Iterable[str]) -> Ordering:
        """Return the ordering of metrics by their specs; a name that is no metric of the catalogue comes last."""
        known = {spec: CATALOGUE.get(re.split("[:,]", spec)[0]) for spec in specs}
        entries = {spec: entry for spec, entry in known.items() if entry is not None}
        return cls(
            {spec: entry.declaration.maximum for spec, entry in entries.items()},
            {spec: entry.metric.precedence for spec, entry in entries.items()},
        )

    def leading(self, specs: Iterable[str]) -> list[str]:
        """Return those of some metrics that order answers: all of the highest precedence among them."""
        listed = list(specs)
        highest = max((self.precedence.get(spec, 0) for spec in listed), default=0)
        return [spec for spec in listed if self.precedence.get(spec, 0) == highest]

    def value(self, scores: Mapping[str, float | None]) -> float | None:
        """Return the mean of the leading scores, each as a share of its metric's maximum; `None` without any score.

        Where the leading metrics have no score, those next in precedence decide.
        """
        known = {spec: score for spec, score in scores.items() if score is not None}
        shares = [known[spec] / self.maxima.get(spec, 1.0) for spec in self.leading(known)]
        return sum(shares) / len(shares) if shares else None


@dataclass(frozen=True, slots=True)
class PageAnswers(Generic[Row]):
    """The answers that a page holds, the worst first, those without any score last."""

    rows: Sequence[Row]
    total: int
    """How many answers there are in all."""
    worst: int = 0
    """How many were chosen for being among the worst; questions with all their answers where there are several."""
    best: int = 0
    drawn: int = 0
    """How many were drawn at random from the others."""
    unscored: int = 0
    by_question: bool = False

    @property
    def left_out(self) -> int:
        """How many answers are not among the rows."""
        return self.total - len(self.rows)

    def describe(self, noun: str = "answer") -> str:
        """Return a sentence on what was selected."""
        if not self.left_out:
            return f"All {self.total:,} {_plural(noun)}" if self.total != 1 else ""
        unscored = f", {self.unscored:,} without a score" if self.unscored else ""
        parts = f"the {self.worst:,} worst{unscored}, the {self.best:,} best and {self.drawn:,} drawn at random"
        of = f"{len(self.rows):,} of {self.total:,} {_plural(noun)}: "
        if self.by_question:
            return f"{of}every system's to the questions of {parts}"
        return f"{of}{parts}"


def system_names(systems: Iterable[str]) -> dict[str, str]:
    """Return the display name of each system, in the order of their first appearance."""
    distinct = list(dict.fromkeys(systems))
    return {system: system or (UNNAMED if len(distinct) > 1 else EVERYTHING) for system in distinct}


def worst_first(rows: Iterable[Row], ordering: Ordering, limit: int | None = None) -> list[Row]:
    """Sort answers by the ordering's value, in bounded memory if there is a limit; equal values keep their order.

    Answers without any score are not the worst: they follow at the end.
    """
    keyed = ((_sort_key(ordering.value(row.scores)), i, row) for i, row in enumerate(rows))
    return [row for *_, row in (sorted(keyed) if limit is None else heapq.nsmallest(limit, keyed))]


def select_answers(rows: Callable[[], Iterable[Row]], ordering: Ordering, limit: int = LIMIT) -> PageAnswers[Row]:
    """Select what a page holds: all answers up to the limit, and of more the worst, the best and a sample of the rest.

    A selected question comes with the answers of all systems, so that they can be compared. Memory is bounded by the
    limit; `rows` is called a second time where there are more answers. The sample depends on the ids alone.
    """
    kept: list[Row] = []
    total = 0
    candidates = _Candidates(limit)
    for row in rows():
        total += 1
        if total <= limit:
            kept.append(row)
        candidates.add(row.example.id, ordering.value(row.scores))
    if total <= limit:
        return PageAnswers(worst_first(kept, ordering), total)
    worst, best, drawn, unscored = candidates.choose()
    wanted = {*worst, *best, *drawn, *unscored}
    found = worst_first((row for row in rows() if row.example.id in wanted), ordering, limit)
    counts = (len(worst), len(best), len(drawn), len(unscored))
    return PageAnswers(found, total, *counts, by_question=candidates.answers_per_question > 1)


class _Candidates:
    """The ids of answers that may be selected, in memory bounded by the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._worst: list[tuple[float, int, str]] = []
        self._best: list[tuple[float, int, str]] = []
        self._unscored: dict[str, None] = {}
        self._drawn: list[tuple[int, str]] = []
        """The ids with the lowest hashes, the highest of them first: a sample that no order of answers changes."""
        self._answers: dict[str, int] = {}
        """How many answers each drawn id has."""
        self._seen = 0

    @property
    def answers_per_question(self) -> int:
        """How many systems answered one question, at most, of the sample."""
        return max(self._answers.values(), default=1)

    def add(self, name: str, value: float | None) -> None:
        """Consider one answer."""
        self._seen += 1
        if value is None:
            if len(self._unscored) < self._limit:
                self._unscored[name] = None
            return
        _push(self._worst, (-value, -self._seen, name), self._limit)
        _push(self._best, (value, -self._seen, name), self._limit)
        if name in self._answers:
            self._answers[name] += 1
            return
        number = -int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest())
        self._answers[name] = 1
        dropped = _push(self._drawn, (number, name), self._limit)
        if dropped is not None:
            del self._answers[dropped[1]]

    def choose(self) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return the ids of the worst, the best, a sample of the others, and some without a score."""
        places = max(1, self._limit // self.answers_per_question)
        unscored = list(self._unscored)[: max(places // 10, places - len(self._answers))]
        taken = set(unscored)
        places -= len(unscored)
        best_places = places // 4
        worst = _first(self._worst, places - 2 * best_places, taken)
        best = _first(self._best, best_places, taken)
        drawn = _first(self._drawn, best_places, taken)
        return worst, best, drawn, unscored


_Key = TypeVar("_Key", bound=tuple[object, ...])


def _push(heap: list[_Key], entry: _Key, limit: int) -> _Key | None:
    """Add an entry and return the lowest one once there are too many."""
    if len(heap) < limit:
        heapq.heappush(heap, entry)
        return None
    return heapq.heappushpop(heap, entry)


def _first(heap: Iterable[tuple[object, ...]], most: int, taken: set[str]) -> list[str]:
    """Return the first ids, the highest entries first, that were not taken yet, and take them."""
    found: list[str] = []
    for *_, name in sorted(heap, reverse=True):
        if len(found) < most and str(name) not in taken:
            found.append(str(name))
            taken.add(str(name))
    return found


def _sort_key(value: float | None) -> tuple[bool, float]:
    return value is None, 0.0 if value is None else value


def _plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
