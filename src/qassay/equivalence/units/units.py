"""Units of measurement and currencies, with what English texts call them."""

from __future__ import annotations

from typing import NamedTuple

from qassay.equivalence.tables import read_table

TEMPERATURE, SHARE = "temperature", "share"


class Unit(NamedTuple):
    """A unit: so many of its kind's own unit, counted from a zero that temperatures do not share."""

    kind: str
    name: str
    factor: float
    zero: float
    system: str
    """Imperial or metric, where a kind has both."""
    forms: tuple[str, ...]

    def value(self, number: float) -> float:
        """Express a number of this unit in the kind's own."""
        return number * self.factor + self.zero

    def number(self, value: float) -> float:
        """Express a value in this unit."""
        return (value - self.zero) / self.factor


UNITS = tuple(
    Unit(kind, name, float(factor), float(zero), system, tuple(forms.split("|")))
    for kind, name, factor, zero, system, forms in read_table("units")
)
BY_NAME = {(unit.kind, unit.name): unit for unit in UNITS}
CURRENCY_SIGNS = {"$": "dollars", "us$": "dollars", "\u00a3": "pounds sterling", "\u20ac": "euros"}
"""Signs that stand before an amount of money."""
