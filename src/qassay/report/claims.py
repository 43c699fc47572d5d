"""Sentences of an answer with the verdict on each, as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.metrics.breakdown import CheckedClaim


class ShownClaim(NamedTuple):
    """A sentence in three parts: before what is wrong, what is wrong, and after it."""

    before: str
    wrong: str
    after: str
    consistent: float
    supported: bool
    support: str
    """The passage that comes nearest to it; empty where there is none."""


def shown_claims(text: str, claims: Sequence[CheckedClaim]) -> list[ShownClaim]:
    """Return the sentences of a text that were checked; one whose fault cannot be placed is all before it."""
    found = []
    for claim in claims:
        start, end = claim.wrong or (claim.end, claim.end)
        parts = (text[claim.start : start], text[start:end], text[end : claim.end])
        found.append(ShownClaim(*parts, claim.consistent, claim.supported, claim.support))
    return found
