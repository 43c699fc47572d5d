"""Numbers in English texts: figures, words, ordinals, Roman numerals, magnitudes, decades and centuries."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from qassay.equivalence.quick_checks import may_have_word
from qassay.equivalence.tables import read_table
from qassay.text.traits import CAPITALS, FIGURE, word_trait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_WORDS = {word: (float(value), kind) for word, value, kind in read_table("number_words")}
_SMALL = {word: value for word, (value, kind) in _WORDS.items() if not kind.startswith(("magnitude", "group"))}
GROUPS = {word: value for word, (value, kind) in _WORDS.items() if kind == "group"}
"""Words that things are counted by: two dozen."""
_TENS = frozenset(word for word, (_, kind) in _WORDS.items() if kind == "tens")
_BELOW_TEN = frozenset(
    word
    for word, (value, kind) in _WORDS.items()
    if kind in {"cardinal", "ordinal"} and 0 < value < 10  # noqa: PLR2004
)
CARDINALS = tuple(word for word, (value, kind) in _WORDS.items() if kind in {"cardinal", "tens"} and value)
"""The words that other numbers are made of."""
NUMBER_WORDS = {
    **{word: f"{value:.0f}" for word, value in _SMALL.items()},
    **{ten + unit: f"{_SMALL[ten] + _SMALL[unit]:.0f}" for ten in _TENS for unit in _BELOW_TEN},
    "dozen": f"{GROUPS['dozen']:.0f}",
}
"""English cardinals and ordinals below a hundred, in one word without a hyphen, with their figures."""
MAGNITUDES = {word: value for word, (value, kind) in _WORDS.items() if kind == "magnitude"}
"""Words that multiply the number before them."""
MAGNITUDE_LETTERS = {word: value for word, (value, kind) in _WORDS.items() if kind == "magnitude letter"}
"""The same as letters behind a sum of money."""
_COUNTING_LETTERS = frozenset({"k", "K", "M"})
"""Those that other numbers have too; a small m is a metre."""
_FRACTIONS = {"half": 0.5, "quarter": 0.25}
_AND_A_HALF = ("and", "a", "half")
_MULTIPLIERS = {**MAGNITUDES, **GROUPS}
_MONEY = frozenset("$£€¥₹")

_TOKENS = re.compile(
    r"(?P<figures>(?>\d{1,3}(?:,\d{3}){1,40}(?!\d)|\d{1,15})"
    r"(?:\.\d{1,15}|\. \d{1,3}(?= ?(?:%|per ?cent|million|billion|trillion)))?)"  # some systems write "$2. 2 billion"
    r"(?P<tail>['\u2019]?[^\W\d_]{1,3}(?![^\W\d_]))?"
    r"|(?P<word>[^\W\d_]+)"
)
_FIGURE = re.compile(r"\d")
_BEGINNINGS = frozenset({*NUMBER_WORDS, *MAGNITUDES, *_FRACTIONS})
"""The words that a number may begin with."""
NUMBER = FIGURE | CAPITALS | word_trait(_BEGINNINGS)
"""The traits of texts that may have numbers."""
_ROMAN_LETTERS = frozenset("IVXLC")
_ROMAN_WORDS = re.compile(r"(?<![^\W\d_])[IVXLC]{2,}(?![^\W\d_])")
_ROMAN = re.compile(r"(?:X[CL]|L?X{0,3})(?:I[XV]|V?I{0,3})")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_CENTURIES = frozenset({"century", "centuries"})
_DECADES = re.compile(r"[12]\d\d0")
_FOOTNOTED = re.compile(r"(?:1\d|20)\d\d\d{1,2}")
_DECADE, _MILLENNIUM = 9, 1000
_NO_YEAR = -1.0
NEAR = 0.06
"""Of a number's size: no rounding goes further."""
_LARGE = 10_000
_HUNDRED = 100
_COARSEST = 0.1
"""Of a number's size: a rounding to less than one and a half digits says too little."""


class Quantity(NamedTuple):
    """A number, or a stretch of years."""

    low: float
    high: float
    bare: float
    """The figure before a word like `million`; the number itself where there is none."""
    unit: float = 1.0
    """The place of the last figure that counts: 0.1 for 2.5, 100,000,000 for 2.5 billion, a thousand for 12,000."""
    year: float = _NO_YEAR
    """The year in it, where the last figures may be the number of a footnote: 1899 in `18991`."""

    def met_by(self, given: Quantity) -> bool:
        """Whether an answer's number says the same as this, which is wanted.

        That is: the same number; one within the wanted years; the wanted year's decade, or its century in the first
        millennium, whose years are seldom known; the same figure without its magnitude, which may stand in the
        question; or a rounding of one to the other.
        """
        if self.low <= given.low and given.high <= self.high:
            return self.high - self.low <= _DECADE or given.low == given.high or given.high - given.low > _DECADE
        if given.low <= self.low and self.high <= given.high:
            return given.high - given.low <= _DECADE or self.high < _MILLENNIUM or self.high - self.low > _DECADE
        if self.low != self.high or given.low != given.high:
            return False
        if math.isclose(self.low, given.low) or self.low == given.year or self.year == given.low:
            return True
        return self._same_figure(given) or self.rounds(given)

    def _same_figure(self, given: Quantity) -> bool:
        """Whether one has no magnitude and is the figure before the other's."""
        return math.isclose(self.bare, given.bare) and self._comparable(given)

    def _comparable(self, given: Quantity) -> bool:
        """Whether one has no magnitude, and the other's is one that a question may give: not a dozen."""
        large, small = max(self, given), min(self, given)
        return small.bare == small.low and (large.bare == large.low or large.low >= _HUNDRED * large.bare)

    def rounds(self, other: Quantity) -> bool:
        """Whether one is a rounding of the other."""
        unit = max(self.unit, other.unit)
        size = min(abs(self.low), abs(other.low))
        if self.unit == other.unit or unit > _COARSEST * size or (min(self.unit, other.unit) == 1 and size < _LARGE):
            return False
        return abs(self.low - other.low) <= unit / 2 * (1 + 1e-9)

    def gap(self, given: Quantity) -> float:
        """Return how far an answer's number is off, as a share of this one."""
        if self.met_by(given):
            return 0.0
        off = _off(self.low, given.low)
        return min(off, _off(self.bare, given.bare)) if self._comparable(given) else off


def _off(value: float, other: float) -> float:
    return abs(value - other) / max(abs(value), 1e-9)


@lru_cache(maxsize=1 << 14)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the distinct numbers of a text, without signs."""
    return tuple(dict.fromkeys(number for _, _, number in placed_quantities(text)))


@lru_cache(maxsize=1 << 14)
def placed_quantities(text: str) -> tuple[tuple[int, int, Quantity], ...]:
    """Return every number of a text, without its sign, between the places where it begins and ends."""
    return tuple(_placed(_Tokens(text))) if _may_have_numbers(text) else ()


def _may_have_numbers(text: str) -> bool:
    """Whether a text has a figure, or a word that a number may begin with; quick, since most texts have none."""
    return (
        _FIGURE.search(text) is not None
        or may_have_word(text, _BEGINNINGS)
        or any(map(roman_figures, _ROMAN_WORDS.findall(text)))
    )


def _placed(tokens: _Tokens) -> Iterator[tuple[int, int, Quantity]]:
    while tokens.to_beginning():
        start = tokens.start()
        number = _of_words(tokens) if tokens.word() else _of_figures(tokens)
        if number is not None:
            yield start, tokens.end(), number


class Numbers:
    """The numbers of a text, in which others are looked for without comparing all with all."""

    def __init__(self, text: str) -> None:
        self.all = quantities(text)
        self._values = frozenset(each.low for each in self.all if each.low == each.high)
        self._by_value = sorted(self.all)
        self._by_figure = sorted((each for each in self.all if each.bare != each.low), key=_figure)
        self._years = {each.year: each for each in self.all}
        self._stretches = [each for each in self.all if each.low != each.high]

    def meet(self, wanted: Quantity) -> bool:
        """Whether one of the numbers says the same as what is wanted."""
        if wanted.low in self._values and wanted.low == wanted.high:
            return True
        return any(wanted.met_by(given) for given in self._near(wanted))

    def gap(self, wanted: Quantity) -> float:
        """Return the relative distance of the nearest number, infinite where none is near."""
        if self.meet(wanted):
            return 0.0
        return min((wanted.gap(given) for given in self._near(wanted)), default=math.inf)

    def _near(self, wanted: Quantity) -> Iterator[Quantity]:
        """Return the numbers from which a gap is small, or which may mean the same for another reason."""
        yield from self._stretches
        yield from _between(self._by_value, wanted.low, wanted.high, _value_of)
        yield from _between(self._by_figure, wanted.bare, wanted.bare, _figure)
        if wanted.bare != wanted.low:
            yield from _between(self._by_value, wanted.bare, wanted.bare, _value_of)
        if wanted.low in self._years:
            yield self._years[wanted.low]
        if wanted.year != _NO_YEAR:
            yield from _between(self._by_value, wanted.year, wanted.year, _value_of)


def _value_of(quantity: Quantity) -> float:
    return quantity.low


def _figure(quantity: Quantity) -> float:
    return quantity.bare


def _between(
    ordered: Sequence[Quantity], low: float, high: float, key: Callable[[Quantity], float]
) -> Sequence[Quantity]:
    start = bisect_left(ordered, low * (1 - NEAR), key=key)
    return ordered[start : bisect_right(ordered, high * (1 + NEAR), lo=start, key=key)]


class _Tokens:
    """Figures and words of a text, read one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = list(_TOKENS.finditer(text))
        self._at = 0

    def to_beginning(self) -> bool:
        """Go on to the next figures, or the next word that a number may begin with; whether there are any."""
        for place in range(self._at, len(self._tokens)):
            word = self._tokens[place]["word"]
            if word is None or word.lower() in _BEGINNINGS or roman_figures(word):
                self._at = place
                return True
        self._at = len(self._tokens)
        return False

    def take(self) -> re.Match[str]:
        self._at += 1
        return self._tokens[self._at - 1]

    def start(self) -> int:
        """Return the place where the next one begins."""
        return self._tokens[self._at].start()

    def end(self) -> int:
        """Return the place where the one that was taken last ends."""
        return self._tokens[self._at - 1].end()

    def word(self, ahead: int = 0) -> str:
        """Return a word that lies ahead, in small letters; nothing where there is none."""
        place = self._at + ahead
        return (self._tokens[place]["word"] or "").lower() if place < len(self._tokens) else ""

    def words_ahead(self, count: int) -> tuple[str, ...]:
        """Return the next words, in small letters."""
        return tuple(self.word(ahead) for ahead in range(count))

    def joined(self) -> str:
        """Return the next word, if only spaces or a hyphen part it from what was taken last."""
        word = self.word()
        between = word and self.text[self._tokens[self._at - 1].end() : self._tokens[self._at].start()]
        return word if between and not between.strip(" -\t\n\u00a0") else ""


def _of_figures(tokens: _Tokens) -> Quantity:
    token = tokens.take()
    figures = token["figures"]
    plain = figures.replace(",", "").replace(" ", "")
    value, tail = float(plain), (token["tail"] or "").lower().strip("'\u2019")
    if tail in {"st", "nd", "rd", "th"} and tokens.joined() in _CENTURIES:
        return _century(value)
    if tail == "s" and _DECADES.fullmatch(plain):
        return Quantity(value, value + (99 if plain.endswith("00") else _DECADE), value)
    scale = 1.0
    if not tail and tokens.joined() in _MULTIPLIERS and tokens.word() != "score":
        scale = _MULTIPLIERS[tokens.take()[0].lower()]
    elif tail in MAGNITUDE_LETTERS and (
        len(tail) > 1 or token["tail"] in _COUNTING_LETTERS or tokens.text[max(0, token.start() - 1)] in _MONEY
    ):
        scale = MAGNITUDE_LETTERS[tail]
    year = float(plain[:4]) if plain == figures and _FOOTNOTED.fullmatch(plain) else _NO_YEAR
    return Quantity(value * scale, value * scale, value, _place(plain) * scale, year)


def _of_words(tokens: _Tokens) -> Quantity | None:
    taken = tokens.take()["word"]
    run = [taken.lower()]
    if run[0] in _FRACTIONS:
        return _of_fraction(tokens, _FRACTIONS[run[0]])
    if run[0] not in _SMALL and run[0] not in MAGNITUDES and run[0] != "dozen":
        figures = NUMBER_WORDS.get(run[0]) or roman_figures(taken)
        return _whole(float(figures)) if figures else None
    while following := tokens.joined():
        if following == "and" and run[-1] in _MULTIPLIERS and tokens.word(1) in _SMALL:
            tokens.take()
        elif not _continues(run[-1], following):
            break
        run.append(tokens.take()[0].lower())
    if run[-1] not in _MULTIPLIERS and tokens.joined() in _CENTURIES:
        return _century(_value(run))
    if run[-1] not in _MULTIPLIERS and tokens.words_ahead(3) == _AND_A_HALF:
        return _and_a_half(tokens, _value(run))
    value = _value(run)
    return _whole(value)._replace(bare=_value(run[:-1])) if run[-1] in GROUPS and run[1:] else _whole(value)


def _continues(word: str, following: str) -> bool:
    """Whether a word of a number goes on with another: forty-two, two dozen, five hundred."""
    if following in MAGNITUDES:
        return True
    if following in GROUPS:
        return word in _SMALL
    return (following in _SMALL and word in _MULTIPLIERS) or (following in _BELOW_TEN and word in _TENS)


def _of_fraction(tokens: _Tokens, share: float) -> Quantity | None:
    """Read half a dozen, half a million, a quarter of a million; a fraction of anything else is no number here."""
    for words in (("a",), (), ("of", "a")):
        if tokens.words_ahead(len(words)) == words and (scale := _MULTIPLIERS.get(tokens.word(len(words)))):
            for _ in range(len(words) + 1):
                tokens.take()
            return _whole(share * scale)
    return None


def _and_a_half(tokens: _Tokens, value: float) -> Quantity:
    """Read two and a half, and one and a half million."""
    for _ in _AND_A_HALF:
        tokens.take()
    scale = 1.0
    if tokens.joined() in _MULTIPLIERS:
        scale = _MULTIPLIERS[tokens.take()[0].lower()]
    return Quantity((value + 0.5) * scale, (value + 0.5) * scale, value + 0.5, 0.1 * scale)


def _value(run: Sequence[str]) -> float:
    total, current = 0.0, 0.0
    for word in run:
        if word not in _MULTIPLIERS:
            current += _SMALL[word]
        elif word == "hundred" or word in GROUPS:
            # Nobody counts more hundreds; a text that repeats the word must not run out of numbers.
            current = min(max(current, 1.0), _LARGE) * _MULTIPLIERS[word]
        else:
            total, current = total + max(current, 1.0) * MAGNITUDES[word], 0.0
    return total + current


def _whole(value: float) -> Quantity:
    return Quantity(value, value, value, _place(f"{value:.0f}"))


def _century(number: float) -> Quantity:
    return Quantity(100 * (number - 1), 100 * number, 100 * (number - 1))


def _place(plain: str) -> float:
    whole, _, decimals = plain.partition(".")
    if decimals:
        return 10.0 ** -len(decimals)
    figures = whole.rstrip("0")
    return 10.0 ** (len(whole) - len(figures)) if figures and float(whole) >= _LARGE else 1.0


def roman_figures(word: str) -> str | None:
    """Return the figures of a Roman numeral from II to XCIX, in capitals; single letters are taken for letters."""
    if len(word) < 2 or word[0] not in _ROMAN_LETTERS or not _ROMAN.fullmatch(word):  # noqa: PLR2004 - see above
        return None
    values = [_ROMAN_VALUES[letter] for letter in word]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return str(sum(-value if value < after else value for value, after in pairs))
