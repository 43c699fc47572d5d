"""What each candidate of a batch asserts in answer to its question, as the reader finds it."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.dates.dates import DATE, placed_dates
from qassay.features.first_pass import each_readable
from qassay.models.base import is_foreign
from qassay.records import AnswerNotes
from qassay.text.refusal import declines, is_no_answer, is_refusal, repeats, without_hedge
from qassay.text.traits import find_traits, has_trait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.features.batch import Batch
    from qassay.models.onnx.reader import OnnxReader

SHORT = 3
"""Candidates of up to so many words are taken as they are, unless they decline to answer."""
_CERTAIN = 0.5


class Assertion(NamedTuple):
    """What a candidate says in answer to its question, which may be less than everything that it mentions."""

    text: str
    """The asserted words; where `attempted` is false, the likeliest ones if there are any."""
    start: int
    end: int
    """Character positions in the candidate."""
    none: float
    """Probability that the candidate asserts nothing: it refuses, says something else, or repeats the question."""
    others: tuple[tuple[int, int], ...] = ()
    """Further spans of the candidate that it asserts beside the first, the likeliest first: items of a list, or
    another answer. No two overlap."""
    threshold: float = _CERTAIN
    """The probability of nothing from which on the candidate counts as no attempt."""

    @property
    def attempted(self) -> bool:
        """Whether the candidate answers at all."""
        return self.none < self.threshold


NOTHING_ASSERTED = Assertion("", 0, 0, 1.0)


def assertions(batch: Batch) -> tuple[Assertion, ...]:
    """Return what each candidate asserts, one per example; each distinct pair of question and candidate is read once.

    A candidate without a question asserts all of itself, and so do a short one that declines nothing, and one that the
    reader cannot read: in a script that it does not know, or beyond what memory holds. A blank or missing one asserts
    nothing, nor does the question again. A doubt behind an answer ("but I'm not sure") is not read.
    """
    return batch.memo((assertions,), lambda: _read(batch))


def asserted_words(batch: Batch) -> list[AnswerNotes]:
    """Return what each candidate asserts as a metric notes it: the words in their order, None without an attempt."""
    return [_noted(*each) for each in zip(batch.candidates, assertions(batch), strict=True)]


def _noted(candidate: str, assertion: Assertion) -> AnswerNotes:
    if not assertion.attempted:
        return AnswerNotes(None)
    spans = tuple(sorted([(assertion.start, assertion.end), *assertion.others]))
    return AnswerNotes("; ".join(candidate[start:end].strip() for start, end in spans), spans)


def _read(batch: Batch) -> tuple[Assertion, ...]:
    given = list(zip(batch.questions, batch.candidates, strict=True))
    decided = [_without_reading(*each) for each in given]
    unread = [each for each, known in zip(given, decided, strict=True) if known is None]
    found = iter(each_readable(unread, lambda some: _asked(batch, some), lambda each, _: _everything(each[1])))
    return tuple(known or next(found) for known in decided)


def _asked(batch: Batch, given: Sequence[tuple[str, str]]) -> list[Assertion]:
    """Ask the reader each question of its candidate, unless it was asked for a part of the batch."""
    known: dict[tuple[str, str], Assertion] = batch.shared_memo(assertions, dict)
    pairs = [(question, without_hedge(candidate)) for question, candidate in given]
    new = [pair for pair in dict.fromkeys(pairs) if pair not in known]
    if new:
        known.update(zip(new, _answered(batch.resources.answer_reader(), new), strict=True))
    return [known[pair] for pair in pairs]


def _answered(reader: OnnxReader, pairs: Sequence[tuple[str, str]]) -> list[Assertion]:
    """Return what the reader finds in each candidate.

    A reader of passages doubts that "In New York." answers anything and knows no refusals: with it, wording decides
    whether a candidate is an attempt.
    """
    found = reader.answer(pairs, further=True)
    threshold = reader.threshold if reader.reads_answers else inf
    dated = has_trait(find_traits([candidate for _, candidate in pairs]), DATE).tolist()
    asserted = [
        NOTHING_ASSERTED if not reader.reads_answers and declines(candidate) else Assertion(*each, threshold)
        for (_, candidate), each in zip(pairs, found, strict=True)
    ]
    return [
        with_whole_dates(each, candidate) if may_be_cut else each
        for (_, candidate), each, may_be_cut in zip(pairs, asserted, dated, strict=True)
    ]


def with_whole_dates(assertion: Assertion, candidate: str) -> Assertion:
    """Return an assertion whose spans end at no day or year inside a date: "July 4, 1776" says more than "1776"."""
    places = [(start, end) for _, start, end in placed_dates(candidate)]
    first, *others = [_with_dates(span, places) for span in ((assertion.start, assertion.end), *assertion.others)]
    kept: list[tuple[int, int]] = [first]
    for start, end in others:
        if all(end <= low or high <= start for low, high in kept):
            kept.append((start, end))
    return assertion._replace(text=candidate[slice(*first)], start=first[0], end=first[1], others=tuple(kept[1:]))


def _with_dates(span: tuple[int, int], places: Sequence[tuple[int, int]]) -> tuple[int, int]:
    touched = [place for place in places if place[0] < span[1] and span[0] < place[1]]
    return min([span[0], *(low for low, _ in touched)]), max([span[1], *(high for _, high in touched)])


def _everything(candidate: str) -> Assertion:
    return Assertion(candidate, 0, len(candidate), 0.0)


def _without_reading(question: str, candidate: str) -> Assertion | None:
    """Return what a candidate asserts where no model need read it, otherwise None."""
    if not candidate.strip():
        return NOTHING_ASSERTED
    if not question.strip() or is_foreign(candidate):
        return _everything(candidate)
    if len(candidate.split()) > SHORT:
        return NOTHING_ASSERTED if repeats(candidate, question) else None
    return NOTHING_ASSERTED if is_no_answer(candidate) or is_refusal(candidate) else _everything(candidate)
