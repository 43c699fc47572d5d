"""Phrases inside the texts that they come from: an answer in its passage, a prediction in a summary."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from qassay.records import ANSWER_CONTEXT
from qassay.text.normalise import compose

if TYPE_CHECKING:
    from qassay.records import Example
    from qassay.text.sentences import Span

ANSWER_SPAN, PREDICTION_SPAN = "answer_span", "prediction_span"
"""The fields with the spans of reference and candidate in their texts; searched for where they are missing."""
NOT_IN_CONTEXT = "phrases that are not in their context, encoded without it"
LONGEST_CONTEXT = 6000
"""Characters of a text that are encoded around a phrase."""


class PhraseInText(NamedTuple):
    """A text and the span of a phrase in it."""

    text: str
    span: Span
    lost: bool = False
    """Whether the phrase has a context that does not contain it."""


def place_candidate(example: Example) -> PhraseInText:
    """Return the candidate inside its context, or by itself."""
    return _place(example.candidate or "", example.context, example.extra.get(PREDICTION_SPAN))


def place_reference(example: Example, number: int) -> PhraseInText:
    """Return a reference inside the text that it comes from, or by itself."""
    context = example.extra.get(ANSWER_CONTEXT)
    span = example.extra.get(ANSWER_SPAN) if number == 0 else None
    return _place(example.references[number].text, context if isinstance(context, str) else None, span)


def surrounding_context(example: Example, longest: int) -> str | None:
    """Return the part of the candidate's context around the candidate; all of it where the candidate is not there."""
    context, phrase = example.context, example.candidate
    if not context or not phrase:
        return context or None
    span = _span(phrase, context, example.extra.get(PREDICTION_SPAN))
    return context if span is None else surroundings(context, span, longest).text


def find_phrase(phrase: str, context: str) -> Span | None:
    """Find the first place where a phrase stands as words of a text, in whatever case; else as it is written."""
    found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", context, re.IGNORECASE)
    if found:
        return found.span()
    start = context.find(phrase)
    return None if start < 0 else (start, start + len(phrase))


def surroundings(context: str, span: Span, longest: int = LONGEST_CONTEXT) -> PhraseInText:
    """Return the part of a long text around a phrase, cut at blanks, and where the phrase stands in it.

    Parts begin at steps of half their length, so that phrases that stand near each other share one.
    """
    if len(context) <= longest:
        return PhraseInText(context, span)
    step = longest // 2
    middle = (span[0] + span[1]) // 2
    start = max(0, (middle - step // 2) // step * step)
    end = max(start + longest, span[1])
    start = 0 if start == 0 else min(context.find(" ", start) + 1 or start, span[0])
    end = len(context) if end >= len(context) else max(context.rfind(" ", span[1], end), span[1])
    return PhraseInText(context[start:end], (span[0] - start, span[1] - start))


def _place(phrase: str, context: str | None, given: object) -> PhraseInText:
    phrase = compose(phrase)
    if not context or not phrase:
        return PhraseInText(phrase, (0, len(phrase)))
    context = compose(context)
    span = _span(phrase, context, given)
    if span is None:
        return PhraseInText(phrase, (0, len(phrase)), lost=True)
    return surroundings(context, span)


def _span(phrase: str, context: str, given: object) -> Span | None:
    """Return where a phrase stands: where it is said to, if it does, else where it is found."""
    match given:
        case [int(start), int(end)] if context[start:end] == phrase:
            return start, end
        case _:
            return find_phrase(phrase, context)
