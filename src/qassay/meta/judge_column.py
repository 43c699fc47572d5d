"""A judge whose scores stand in the file: a column of probabilities, of verdicts, or of ratings on a scale."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

import numpy as np

from qassay.errors import DataError, SpecError, option
from qassay.io.scores.scored_files import ScoredRow
from qassay.meta.accuracy.label_files import VERDICT_WORDS
from qassay.meta.accuracy.sampled_judge import SampledJudge
from qassay.records import AnswerNotes, Example, references_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from qassay.arrays import Floats

PREFIX = "column:"
SCORES, UNSCORED, VERDICTS = "scores", "unscored", "verdicts"
"""Fields of an answer that hold scores, reasons why there is none, and verdicts in words, each by the judge's name."""
ASKED, SIGNATURES = "asked", "judged_by"
"""Fields that hold the probability of being asked about and the cheap judge otherwise, and the judge's signature."""
NOT_ATTEMPTED = "not_attempted"
"""The verdict on an answer that declines: not right, and no attempt."""
NOT_ASKED = "not asked"
NO_VALUE = "no value in the column"
_OURS = frozenset((SCORES, UNSCORED, VERDICTS, ASKED, SIGNATURES))
_WORDS = {**VERDICT_WORDS, NOT_ATTEMPTED: 0.0}
_SPEC = re.compile(r"column:(?P<name>.+?)(?:,scale=(?P<low>[-+.\deE]+):(?P<high>[-+.\deE]+))?", re.DOTALL)
_NAMED = 8


@dataclass(frozen=True, slots=True)
class JudgeColumn:
    """The column that holds a judge's scores, and the scale of these where it is not from 0 to 1."""

    name: str
    scale: tuple[float, float] | None = None

    @classmethod
    def parse(cls, spec: object) -> Self | None:
        """Read `column:NAME` or `column:NAME,scale=LOW:HIGH`; None for any other judge."""
        if not isinstance(spec, str) or not spec.startswith(PREFIX):
            return None
        found = _SPEC.fullmatch(spec)
        if found is None:
            raise SpecError(f'"{spec}" names no column; write column:NAME, or column:NAME,scale=1:5')
        if found["low"] is None:
            return cls(found["name"])
        try:
            low, high = float(found["low"]), float(found["high"])
        except ValueError:
            low = high = math.nan
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise SpecError(f'the scale of "{spec}" is not LOW:HIGH; write the lowest and the highest value, as in 1:5')
        return cls(found["name"], (low, high))

    @classmethod
    def parse_all(cls, judges: str | Iterable[str] | None) -> list[Self]:
        """Read the columns of one or several judges; raise `SpecError` for anything that is no column."""
        given = [judges] if isinstance(judges, str) else list(judges or ())
        found = [cls.parse(each) for each in given]
        for spec, column in zip(given, found, strict=True):
            if column is None:
                raise SpecError(
                    f'{option("judge")} is "{spec}"; give a column of the input as column:NAME, and metrics with '
                    f"{option('metrics')}"
                )
        return [each for each in found if each is not None]

    @property
    def spec(self) -> str:
        """The judge's name in results; it holds no space."""
        scale = "" if self.scale is None else f",scale={self.scale[0]:g}:{self.scale[1]:g}"
        return f"{PREFIX}{'_'.join(self.name.split())}{scale}"

    def score(self, examples: Sequence[Example]) -> ColumnScores:
        """Return the column's value of every answer; on a stated scale it is moved to lie between 0 and 1."""
        values = np.full(len(examples), np.nan)
        unscored: dict[int, str] = {}
        notes: list[AnswerNotes | None] = []
        for row, example in enumerate(examples):
            given = self._given(example)
            if _is_missing(given):
                unscored[row] = _reason(example, self.name)
            else:
                values[row] = self._number(given, example)
            notes.append(self._note(example, given))
        if len(unscored) == len(examples):
            raise self._no_values(examples)
        noted = tuple(notes) if any(each is not None for each in notes) else ()
        signatures = dict.fromkeys(_of_judge(example, SIGNATURES, self.name) for example in examples)
        sampled = self._sampled(examples, values)
        if sampled is not None:
            values = sampled.combined
            unscored = {row: reason for row, reason in unscored.items() if np.isnan(values[row])}
            # Attempts are known of the answers that the judge was asked about, which are no random sample.
            noted = ()
        return ColumnScores(
            self.spec, values, unscored, noted, [each for each in signatures if isinstance(each, str)], sampled
        )

    def _sampled(self, examples: Sequence[Example], values: Floats) -> SampledJudge | None:
        """Return how the judge was asked where a cheap one was unsure; None where it was asked about all answers."""
        designs = [_of_judge(example, ASKED, self.name) for example in examples]
        ids = [each.id for each in examples]
        return _sampled_judge(
            self.name, designs, ids, values, lambda row, cheap: _of_judge(examples[row], SCORES, cheap)
        )

    def values(self, examples: Sequence[Example]) -> Floats:
        """Return the column's values alone, NaN where there is none."""
        given = [self._given(example) for example in examples]
        known = zip(given, examples, strict=True)
        return np.array([np.nan if _is_missing(value) else self._number(value, example) for value, example in known])

    def _given(self, example: Example) -> object:
        found = field_of(example, self.name)
        if _is_missing(found):
            found = _of_judge(example, SCORES, self.name)
        return found

    def _number(self, given: object, example: Example) -> float:
        word = str(given).strip().casefold().replace(" ", "_") if isinstance(given, bool | str) else ""
        number = _WORDS[word] if word in _WORDS else _as_number(given)
        of = f'"{self.name}" of the answer with id "{example.id}"'
        if not math.isfinite(number):
            raise DataError(f"{of} is {given!r:.60}, which is no score; give a number, yes or no, or nothing")
        if self.scale is None:
            return number
        low, high = self.scale
        if not low <= number <= high:
            raise DataError(f"{of} is {number:g}, outside the scale from {low:g} to {high:g}; correct it or the scale")
        return (number - low) / (high - low)

    def _note(self, example: Example, given: object) -> AnswerNotes | None:
        """Return whether an answer attempts its question, where the verdict has a word for those that do not."""
        verdict = _of_judge(example, VERDICTS, self.name) if VERDICTS in example.extra else given
        if not isinstance(verdict, str):
            return None
        word = verdict.strip().casefold().replace(" ", "_")
        if word not in _WORDS:
            return None
        return AnswerNotes(None if word == NOT_ATTEMPTED else example.candidate or "")

    def _no_values(self, examples: Sequence[Example]) -> DataError:
        names: dict[str, None] = {}
        for example in examples:
            names.update(dict.fromkeys(example.extra))
            stored = example.extra.get(SCORES)
            names.update(dict.fromkeys(stored if isinstance(stored, Mapping) else ()))
        names = {name: None for name in names if name not in _OURS}
        close = get_close_matches(self.name, names, n=1)
        there = f"did you mean {close[0]}?" if close else f"there are: {', '.join([*names][:_NAMED]) or 'none'}"
        return DataError(f'no answer has a value in column "{self.name}"; {there}')


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScores:
    """A column's scores, one per answer."""

    spec: str
    values: Floats
    """NaN where there is none."""
    unscored: Mapping[int, str]
    """Why, by row."""
    notes: tuple[AnswerNotes | None, ...]
    """Which answers attempt their question, where the verdicts say; else empty."""
    signatures: list[str]
    """Who gave the scores, where the rows say."""
    sampled: SampledJudge | None = None
    """Where the judge was asked about some answers only: how; the values are then combined with a cheap judge's."""

    def costly(self) -> ColumnScores:
        """Return the scores of the judge itself, without those of a cheap judge."""
        if self.sampled is None:
            return self
        values = self.sampled.costly
        unscored = {row: self.unscored.get(row, NOT_ASKED) for row in np.flatnonzero(np.isnan(values)).tolist()}
        return replace(self, values=values, unscored=unscored, sampled=None)

    def shares(self) -> Floats:
        """Return the scores as probabilities; raise `DataError` if they are not between 0 and 1."""
        outside = self.values[(self.values < 0) | (self.values > 1)]
        if len(outside):
            low, high = np.nanmin(self.values), np.nanmax(self.values)
            raise DataError(
                f"the scores of {self.spec} reach from {low:g} to {high:g}, and an accuracy needs them from 0 to 1; "
                f"state their scale, as in {option('judge', f'{self.spec},scale={math.floor(low)}:{math.ceil(high)}')}"
            )
        return self.values


def column_rows(
    examples: Sequence[Example], columns: Sequence[JudgeColumn], *, combined: bool = True
) -> list[ScoredRow]:
    """Return every answer with its scores in some columns, as a file of scores would have them.

    A judge that was asked about some answers only has a cheap judge's scores for the others where they are `combined`.
    """
    scored = [column.score(examples) for column in columns]
    if not combined:
        scored = [each.costly() for each in scored]
    return [
        ScoredRow(
            example.id,
            example.system,
            {each.spec: _finite(each.values[row]) for each in scored},
            {each.spec: each.unscored[row] for each in scored if row in each.unscored},
            example.judgement,
            example.question_type,
            example.extra,
            example.question,
            references_hash(example) if example.references else "",
            {each.spec: note for each in scored if each.notes and (note := each.notes[row]) is not None},
        )
        for row, example in enumerate(examples)
    ]


def sampled_columns(examples: Sequence[Example], columns: Sequence[JudgeColumn]) -> dict[str, SampledJudge]:
    """Return, of every judge in some columns that was asked about some of the answers only, how; by its spec."""
    scored = [column.score(examples) for column in columns]
    return {each.spec: each.sampled for each in scored if each.sampled is not None}


def sampled_in_rows(rows: Sequence[ScoredRow]) -> dict[str, SampledJudge]:
    """Return, of every judge that was asked about some of the stored answers only, how; by its name."""
    found: dict[str, SampledJudge] = {}
    held = [each if isinstance(each := row.extra.get(ASKED), Mapping) else {} for row in rows]
    for name in dict.fromkeys(name for each in held for name in each):
        values = np.array([_as_number(row.scores.get(name)) for row in rows])
        sampled = _sampled_judge(
            name,
            [each.get(name) for each in held],
            [row.id for row in rows],
            values,
            lambda row, cheap: rows[row].scores.get(cheap),
        )
        if sampled is not None:
            found[name] = sampled
    return found


def _sampled_judge(
    name: str,
    designs: Sequence[object],
    ids: Sequence[str],
    values: Floats,
    cheap_score: Callable[[int, str], object],
) -> SampledJudge | None:
    """Return how a judge was asked, from what the rows say of it; None where they say nothing."""
    if not any(isinstance(each, Mapping) for each in designs):
        return None
    chances, cheap = np.full(len(values), np.nan), np.full(len(values), np.nan)
    names: dict[str, None] = {}
    for row, design in enumerate(designs):
        chance = _as_number(design.get("probability")) if isinstance(design, Mapping) else math.nan
        if not isinstance(design, Mapping) or not 0 <= chance <= 1:
            raise DataError(
                f'the answer with id "{ids[row]}" does not say with which probability {name} was asked '
                f'about it, as others do; keep "{ASKED}" as it was written'
            )
        otherwise = str(design.get("otherwise"))
        names[otherwise] = None
        chances[row], cheap[row] = chance, _as_number(cheap_score(row, otherwise))
    return SampledJudge(cheap, values, chances, " and ".join(names))


def field_of(example: Example, name: str) -> object:
    """Return a field of an answer that came with it, by its name or by a path with dots; None where there is none."""
    if name in example.extra:
        return example.extra[name]
    if name == "judgement":
        return example.judgement
    found: object = example.extra
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _of_judge(example: Example, field: str, name: str) -> object:
    """Return what a field that holds something by the judge's name has for one."""
    held = example.extra.get(field)
    return held.get(name) if isinstance(held, Mapping) else None


def _reason(example: Example, name: str) -> str:
    reason = _of_judge(example, UNSCORED, name)
    return reason if isinstance(reason, str) else NO_VALUE


def _is_missing(given: object) -> bool:
    return given is None or (isinstance(given, str) and not given.strip()) or given != given  # noqa: PLR0124 - NaN


def _as_number(given: object) -> float:
    try:
        return float(given) if isinstance(given, int | float | str | np.number) else math.nan
    except ValueError:
        return math.nan


def _finite(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
