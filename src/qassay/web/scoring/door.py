"""What answers of requests must be before they reach the scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qassay.errors import DataError
from qassay.io.parsing.rows import to_example
from qassay.web.http.refusal import RefusedError, invalid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.records import Example

LONGEST = 20_000
"""Characters of a text."""
MOST_REFERENCES = 64
MOST_ANSWERS = 256


def examples_of(rows: Sequence[Mapping[str, Any]]) -> list[Example]:
    """Return the answers of a request, checked as those of files are."""
    if not rows:
        raise invalid("there are no answers; give at least one")
    if len(rows) > MOST_ANSWERS:
        raise RefusedError(413, "too_large", f"{len(rows)} answers; send at most {MOST_ANSWERS}, or /score.jsonl")
    return [example_of(row, number) for number, row in enumerate(rows, 1)]


def example_of(row: Mapping[str, Any], number: int) -> Example:
    """Return one answer; a message names its number."""
    try:
        return to_example(dict(row), "answers", number, "", bare=True)
    except DataError as problem:
        raise DataError(f"answers[{number - 1}]: {problem.problem}") from problem


def check_lengths(example: Example) -> None:
    """Raise a `RefusedError` where a text is longer than it may be."""
    contexts = example.extra.get("contexts", ())
    texts = [example.question, example.candidate or "", example.context or ""]
    texts += [each.text for each in example.references]
    texts += [str(each) for each in ([contexts] if isinstance(contexts, str) else contexts or ())]
    longest = max(map(len, texts))
    if longest > LONGEST:
        raise RefusedError(
            413, "too_large", f"a text has {longest:,} characters, and {LONGEST:,} are allowed; use `qassay score`"
        )
    if len(texts) > MOST_REFERENCES:
        raise RefusedError(413, "too_large", f"an answer has {len(texts)} texts, and {MOST_REFERENCES} are allowed")
