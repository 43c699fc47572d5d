"""What the candidates of training rows assert, as the answer reader finds it in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.features.assertions import assertions
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.records import Example, Reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.training.judge.inputs import Asserted
    from qassay.training.judge.rows import JudgeRow

_AT_ONCE = 512


def asserted_spans(rows: Sequence[JudgeRow]) -> list[Asserted]:
    """Return where each row's candidate asserts something; nowhere where it declines."""
    resources = Resources()
    found: list[Asserted] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        examples = [
            Example(str(number), row.question, (Reference(row.references[0]),), row.candidate)
            for number, row in enumerate(some)
        ]
        read = assertions(Batch(examples, resources))
        found += [((each.start, each.end),) if each.attempted else () for each in read]
    return found
