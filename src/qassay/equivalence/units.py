"""Units of measurement and currencies, with what English texts call them."""

from __future__ import annotations

from typing import NamedTuple


class Unit(NamedTuple):
    """A unit: so many of its kind's own unit, counted from a zero that temperatures do not share."""

    kind: str
    name: str
    factor: float
    forms: tuple[str, ...]
    """Regular expressions, in small letters unless they say otherwise."""
    zero: float = 0.0

    def value(self, number: float) -> float:
        """Express a number of this unit in the kind's own."""
        return number * self.factor + self.zero

    def number(self, value: float) -> float:
        """Express a value in this unit."""
        return (value - self.zero) / self.factor


def _metric(kind: str, stem: str, short: str, factor: float) -> Unit:
    return Unit(kind, stem, factor, (rf"{stem}(?:re|er)s?", f"(?-i:{short})"))


UNITS = (
    Unit("time", "second", 1, ("seconds?", "secs?")),
    Unit("time", "minute", 60, ("minutes?", "mins?")),
    Unit("time", "hour", 3600, ("hours?", "hrs?", "(?-i:h)")),
    Unit("time", "day", 86400, ("days?",)),
    Unit("time", "week", 604800, ("weeks?",)),
    Unit("time", "fortnight", 1209600, ("fortnights?",)),
    Unit("long time", "month", 1, ("months?",)),
    Unit("long time", "year", 12, ("years?", "yrs?")),
    Unit("long time", "decade", 120, ("decades?",)),
    Unit("long time", "century", 1200, ("century", "centuries")),
    _metric("length", "millimet", "mm", 0.001),
    _metric("length", "centimet", "cm", 0.01),
    _metric("length", "met", "m", 1),
    _metric("length", "kilomet", "km", 1000),
    Unit("length", "inch", 0.0254, ("inch(?:es)?", r"(?<=\d )(?-i:in)(?=\W|$)(?!\s\w)")),
    Unit("length", "foot", 0.3048, ("foot", "feet", "ft")),
    Unit("length", "yard", 0.9144, ("yards?", "yds?")),
    Unit("length", "mile", 1609.344, ("miles?", "mi")),
    Unit("mass", "milligram", 0.001, ("milligram(?:me)?s?", "mg")),
    Unit("mass", "gram", 1, ("gram(?:me)?s?", "(?-i:g)")),
    Unit("mass", "kilogram", 1000, ("kilogram(?:me)?s?", "kilos?", "kgs?")),
    Unit("mass", "tonne", 1e6, ("tonnes?", "metric tons?")),
    Unit("mass", "pound", 453.59237, ("pounds?", "lbs?")),
    Unit("mass", "ounce", 28.349523, ("ounces?", "oz")),
    Unit("volume", "millilitre", 0.001, ("millilit(?:re|er)s?", "ml")),
    Unit("volume", "litre", 1, ("lit(?:re|er)s?", "(?-i:l)")),
    Unit("volume", "gallon", 3.785412, ("gallons?",)),
    Unit("speed", "km/h", 1, ("km/h", "kmh", "kph", r"kilomet(?:re|er)s? (?:per|an) hour")),
    Unit("speed", "mph", 1.609344, ("mph", r"miles? (?:per|an) hour")),
    Unit("speed", "m/s", 3.6, ("m/s", r"met(?:re|er)s? (?:per|a) second")),
    Unit("area", "square metre", 1, (r"sq\.? ?m", "m\u00b2", "m2", r"square met(?:re|er)s?")),
    Unit("area", "square kilometre", 1e6, (r"sq\.? ?km", "km\u00b2", "km2", r"square kilomet(?:re|er)s?")),
    Unit("area", "square foot", 0.09290304, (r"sq\.? ?ft", r"square (?:feet|foot)")),
    Unit("area", "square mile", 2589988.11, (r"sq\.? ?mi", r"square miles?")),
    Unit("area", "acre", 4046.8564, ("acres?",)),
    Unit("area", "hectare", 10000, ("hectares?", "ha")),
    Unit("temperature", "degree Celsius", 1, ("\u00b0 ?c", "\u2103", r"degrees? (?:celsius|centigrade|c)", "celsius")),
    Unit(
        "temperature", "degree Fahrenheit", 5 / 9, ("\u00b0 ?f", r"degrees? (?:fahrenheit|f)", "fahrenheit"), -160 / 9
    ),
    Unit("temperature", "kelvin", 1, ("kelvins?", "(?-i:K)"), -273.15),
    Unit("share", "per cent", 1, ("%", "per ?cent", "pct")),
    Unit("dollars", "dollar", 1, ("(?:us )?dollars?", "usd")),
    Unit("pounds sterling", "pound", 1, ("pounds?(?: sterling)?", "gbp")),
    Unit("euros", "euro", 1, ("euros?", "eur")),
)
IMPERIAL = frozenset(
    {"inch", "foot", "yard", "mile", "pound", "ounce", "gallon", "mph", "square foot", "square mile", "acre"}
)
"""The others of their kinds are metric; lengths of time are of one system."""
SIGNS = {"$": "dollars", "us$": "dollars", "\u00a3": "pounds sterling", "\u20ac": "euros"}
"""Signs that stand before an amount of money."""
