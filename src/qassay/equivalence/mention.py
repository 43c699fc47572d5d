"""What a text states in one of many possible forms: an amount, a time, a name."""

from __future__ import annotations

from typing import NamedTuple


class Stated(NamedTuple):
    """One thing that a text says, with its place in it."""

    start: int
    end: int
    kind: str
    """What can be compared: lengths with lengths, amounts in dollars with amounts in dollars."""
    value: float
    """In a unit that all of the kind share."""
    unit: str = ""
    """What the value is given in; the same for all forms of a unit."""
    written: str = ""
    """How the unit is written."""
    number: float | None = None
    """The number before the unit, where there is one."""


def apart(found: list[Stated]) -> list[Stated]:
    """Keep, of things that overlap, the one that begins first and is longest, for each kind of thing."""
    kept: list[Stated] = []
    ends: dict[str, int] = {}
    for each in sorted(found, key=lambda each: (each.start, -each.end)):
        if each.start >= ends.get(each.kind, 0):
            kept.append(each)
            ends[each.kind] = each.end
    return kept
