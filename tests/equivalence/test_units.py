"""Units and amounts."""

import pytest

from qassay.equivalence.units.amounts import amounts
from qassay.equivalence.units.units import UNITS


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.kind}-{unit.name}")
def test_units_convert_there_and_back(unit):
    """A number of a unit, expressed in its kind's own and back, is the number."""
    assert unit.number(unit.value(12.5)) == pytest.approx(12.5)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("5 km", [("length", 5000)]),
        ("five kilometers and 30 metres", [("length", 5030)]),
        ("twenty-five minutes", [("time", 1500)]),
        ("two hundred miles", [("length", 321868.8)]),
        ("12 pounds", [("mass", 5443.10844), ("pounds sterling", 12)]),
        ("\u20ac3.5m", [("euros", 3.5e6)]),
        ("US$40", [("dollars", 40)]),
        ("1 h 5 min", [("time", 3900)]),
        ("5 kmx, 3rd mile, v5 m", []),
        ("km 5", []),
    ],
)
def test_amounts_are_found_with_their_kind_and_size(text, found):
    """What has two meanings is found as both."""
    assert [(each.kind, pytest.approx(each.value)) for each in amounts(text)] == found
