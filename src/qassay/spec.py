"""Metric specs: `name[:weights][,key=value…]`, parsed against what the catalogue declares.

`parse(str(spec)) == spec`; the canonical string has its keys sorted and its defaults left out, and is the column
header and the JSON key wherever the metric's scores appear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from math import isfinite, nan
from typing import TYPE_CHECKING, Literal, Protocol

from qassay.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Value = int | float | str | bool
Corpus = Literal["mean", "pooled"]
ALL, OFF = "all", "off"
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a metric: its type is its default's, its range or choices are checked when parsing."""

    name: str
    default: Value
    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """Names that may be joined by +, for a parameter that is `all` of them, `off`, or some."""
    weighted_default: Value | None = None
    """The default when the metric carries weights, where it is another one."""
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Other names for choices, which a canonical spec does not use."""

    def default_for(self, weights: str | None) -> Value:
        """Return the value that is meant when the spec does not name one."""
        if weights is not None and self.weighted_default is not None:
            return self.weighted_default
        return self.default

    def read(self, text: str, metric: str) -> Value:
        """Turn the spec's text into a checked value."""
        if isinstance(self.default, bool):
            return self._read_word(text, metric)
        if self.parts:
            return self._read_parts(text, metric)
        if isinstance(self.default, str):
            return self._read_choice(text, metric)
        return self._read_number(text, metric)

    def _read_word(self, text: str, metric: str) -> bool:
        if text.lower() not in _WORDS:
            raise SpecError(f'{metric}: "{self.name}={text}" is neither yes nor no')
        return _WORDS[text.lower()]

    def _read_choice(self, text: str, metric: str) -> str:
        text = self.aliases.get(text, text)
        if self.choices and text not in self.choices:
            raise SpecError(
                f'{metric}: "{self.name}={text}" is not one of {", ".join(self.choices)}{_nearest(text, self.choices)}'
            )
        if not text:
            raise SpecError(f'{metric}: "{self.name}=" has no value')
        return text

    def _read_parts(self, text: str, metric: str) -> str:
        """Return `all`, `off`, or the given names in their own order, joined by +."""
        if text in {ALL, OFF}:
            return text
        given = [name.strip() for name in text.split("+")]
        for name in given:
            if name not in self.parts:
                raise SpecError(
                    f'{metric}: "{name}" in "{self.name}={text}" is not one of {", ".join(self.parts)}'
                    f"{_nearest(name, self.parts)}; {ALL} and {OFF} stand alone"
                )
        return ALL if set(given) == set(self.parts) else "+".join(name for name in self.parts if name in given)

    def chosen_parts(self, value: str) -> tuple[str, ...]:
        """Return the names that a value of this parameter stands for."""
        return {ALL: self.parts, OFF: ()}.get(value, tuple(value.split("+")))

    def _read_number(self, text: str, metric: str) -> int | float:
        whole = isinstance(self.default, int)
        number = float(text) if _NUMBER.fullmatch(text) else nan
        if not isfinite(number) or (whole and not number.is_integer()):
            raise SpecError(f'{metric}: "{self.name}={text}" is not a{" whole" if whole else ""} number')
        value = int(number) if whole else number
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise SpecError(f"{metric}: {self.name}={text} is out of range; it goes {self.range}")
        return value

    @property
    def range(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.parts:
            return f"{ALL}, {OFF}, or some of {', '.join(self.parts)}, joined by +"
        if isinstance(self.default, bool):
            return "yes or no"
        if self.low is None:
            return "any text" if isinstance(self.default, str) else "any number"
        return f"from {self.low:g} to {self.high:g}" if self.high is not None else f"from {self.low:g} upwards"


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the catalogue says of a metric before anything is calculated."""

    name: str
    summary: str
    source: str
    params: tuple[Param, ...] = ()
    weightings: Collection[str] = ()
    """The names that may follow the colon; a registry of weightings takes in those that are registered later."""
    corpus: Corpus = "mean"
    """`mean` where the published corpus number is the mean of the answers', `pooled` where counts are summed."""
    maximum: float = 1.0
    """The highest score, which identical texts get."""
    needs: frozenset[str] = frozenset()
    """The fields, beyond candidate and references, that an answer must have."""

    def param(self, name: str) -> Param | None:
        """Find a parameter by its name."""
        return next((param for param in self.params if param.name == name), None)


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric with its parameters: the options that differ from the defaults, sorted by name."""

    name: str
    weights: str | None = None
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        head = self.name if self.weights is None else f"{self.name}:{self.weights}"
        return ",".join([head, *(f"{key}={_show(value)}" for key, value in self.options)])

    def resolve(self, declaration: Declaration) -> dict[str, Value]:
        """Return every parameter's value, defaults included."""
        defaults = {param.name: param.default_for(self.weights) for param in declaration.params}
        return {**defaults, **dict(self.options)}


class Declared(Protocol):
    """Anything that is declared."""

    @property
    def declaration(self) -> Declaration:
        """What is declared of it."""


def parse(text: str, catalogue: Mapping[str, Declared]) -> MetricSpec:
    """Read a spec and check it; what is unknown, doubled or malformed is an error that names the nearest."""
    head, *pairs = text.strip().split(",")
    name, colon, weights = head.strip().partition(":")
    if name not in catalogue:
        raise SpecError(f'there is no metric "{name}"{_nearest(name, tuple(catalogue))}; `qassay metrics` lists them')
    declaration = catalogue[name].declaration
    name = declaration.name
    if colon:
        _check_weights(weights, declaration)
    given: dict[str, Value] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        param = declaration.param(key)
        if param is None:
            names = tuple(each.name for each in declaration.params)
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise SpecError(f'{name} has no parameter "{key}"{_nearest(key, names)}; {takes}')
        if not equals:
            raise SpecError(f'{name}: "{key}" needs a value, as in {key}={_show(param.default)}')
        if key in given:
            raise SpecError(f'{name}: "{key}" is given twice')
        given[key] = param.read(value, name)
    spec = MetricSpec(name, weights if colon else None)
    return with_options(spec, given, declaration)


def with_options(spec: MetricSpec, values: Mapping[str, Value], declaration: Declaration) -> MetricSpec:
    """Return the spec with these options set, in canonical form."""
    merged = {**dict(spec.options), **values}
    kept = {
        param.name: merged[param.name]
        for param in declaration.params
        if param.name in merged and merged[param.name] != param.default_for(spec.weights)
    }
    return MetricSpec(spec.name, spec.weights, tuple(sorted(kept.items())))


def _check_weights(weights: str, declaration: Declaration) -> None:
    if not declaration.weightings:
        raise SpecError(f'{declaration.name} takes no weights; write "{declaration.name}"')
    if weights not in declaration.weightings:
        raise SpecError(
            f'{declaration.name} has no weighting "{weights}"{_nearest(weights, tuple(declaration.weightings))}; '
            f"it takes {', '.join(declaration.weightings)}"
        )


def _show(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _nearest(word: str, words: tuple[str, ...]) -> str:
    close = get_close_matches(word, words, n=1, cutoff=0.5)
    return f'; did you mean "{close[0]}"?' if close else ""
