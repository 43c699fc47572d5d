"""Who did what to whom, and which of two has more: the same said from either side, and the reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.training.assertions.compose import listed
from qassay.training.assertions.frames import drawn, fill, frames, wrap
from qassay.training.assertions.rows import AssertionRow, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

_SENTENCE_REFERENCES = 0.4
"""How often the reference is a whole sentence."""


def relation_rows(names: Sequence[tuple[str, str]], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield a relation between two names each: said in one of its forms (right), and with the names exchanged."""
    for subject, other in names:
        relation = frames().relation[int(rng.integers(len(frames().relation)))]
        question = fill(relation.asks, "", o=other).text
        stated = fill(drawn(relation.forms, rng), "", s=subject, o=other).text
        reference = stated if rng.random() < _SENTENCE_REFERENCES else subject
        for (s, o), label in (((subject, other), 1.0), ((other, subject), 0.0)):
            said = fill(drawn(relation.forms, rng), "s", s=s, o=o)
            yield AssertionRow.of(question, reference, wrap(said, rng, 0.15), label, "composed_relation")


def direction_rows(names: Sequence[tuple[str, str]], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield a comparison of two names each: said of either one (right), and with the names exchanged."""
    for subject, other in names:
        direction = frames().direction[int(rng.integers(len(frames().direction)))]
        x, y = (subject, other) if rng.random() < 0.5 else (other, subject)  # noqa: PLR2004 - one half
        question = fill(drawn(direction.asks, rng), "", x=x, y=y).text
        stated = fill(drawn(direction.more, rng), "", s=subject, o=other).text
        reference = stated if rng.random() < _SENTENCE_REFERENCES else subject
        for (s, o), label in (((subject, other), 1.0), ((other, subject), 0.0)):
            for forms in (direction.more, direction.less):
                said = fill(drawn(forms, rng), "s", s=s, o=o)
                # "B is younger" names only the other one, and yet it answers: all of it does.
                said = said if said.spans else Said(said.text, ((0, len(said.text)),))
                yield AssertionRow.of(question, reference, wrap(said, rng, 0.15), label, "composed_direction")


_ACTIVE = (
    "{s} {past} {o}.",
    "It was {s} who {past} {o}.",
    "The one who {past} {o} was {s}.",
    "{s} is the one who {past} {o}.",
)
_PASSIVE = (
    "{o} was {done} by {s}.",
    "It was by {s} that {o} was {done}.",
    "{o} got {done} by {s}.",
    "{o}, {done} by {s}.",
)
_ASKING_SUBJECT = ("Who {past} {o}?", "By whom was {o} {done}?", "Who was it that {past} {o}?")
_ASKING_OBJECT = ("Whom did {s} {base}?", "Who was {done} by {s}?", "Who did {s} {base}?")
_WHOLE = ("Who {past} whom?", "What happened between {x} and {y}?", "What did {s} do?")


def verb_rows(names: Sequence[tuple[str, str]], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield what one did to the other in active and passive sentences (right), and with the names exchanged."""
    verbs = frames().table("verbs")
    for subject, other in names:
        base, past, done = verbs[int(rng.integers(len(verbs)))]
        words = {"base": base, "past": past, "done": done}
        asks, place, gold = [
            (_ASKING_SUBJECT, "s", subject),
            (_ASKING_OBJECT, "o", other),
            (_WHOLE, "so", _said(drawn(_ACTIVE + _PASSIVE, rng), subject, other, words).text),
        ][int(rng.integers(3))]
        x, y = (subject, other) if rng.random() < 0.5 else (other, subject)  # noqa: PLR2004 - one half
        question = _said(drawn(asks, rng), subject, other, {**words, "x": x, "y": y}).text
        reference = gold if rng.random() < 0.7 else _said(drawn(_ACTIVE, rng), subject, other, words).text  # noqa: PLR2004
        for (s, o), label in (((subject, other), 1.0), ((other, subject), 0.0)):
            said = _said(drawn(_ACTIVE + _PASSIVE, rng), s, o, words, place)
            yield AssertionRow.of(question, reference, wrap(said, rng, 0.1), label, "composed_verb")


def _said(frame: str, subject: str, other: str, words: Mapping[str, str], asserted: str = "") -> Said:
    """Fill a frame with a verb's forms first, then with the names."""
    for name, word in words.items():
        frame = frame.replace(f"{{{name}}}", word)
    said = fill(frame, asserted, s=subject, o=other)
    return Said(said.text, ((0, len(said.text)),)) if asserted == "so" else said


_MORE = ("{s} is {more} than {o}.", "{s} is the {more} of the two.", "{s} is {more}.", "Of the two, {s} is {more}.")
_LESS = ("{o} is {less} than {s}.", "{o} is the {less} of the two.", "{o} is not as {plain} as {s}.", "{o} is {less}.")
_COMPARING = ("Which is {more}, {x} or {y}?", "Is {x} or {y} {more}?", "Who is {more}: {x} or {y}?")


def comparison_rows(names: Sequence[tuple[str, str]], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield comparisons by many adjectives, said of either one (right), and with the names exchanged."""
    table = frames().table("comparatives")
    for subject, other in names:
        more, less, plain = table[int(rng.integers(len(table)))]
        words = {"more": more, "less": less, "plain": plain}
        x, y = (subject, other) if rng.random() < 0.5 else (other, subject)  # noqa: PLR2004 - one half
        question = _said(drawn(_COMPARING, rng), "", "", {**words, "x": x, "y": y}).text
        gold = [subject, _said(drawn(_MORE, rng), subject, other, words).text][int(rng.random() < _SENTENCE_REFERENCES)]
        for (s, o), label in (((subject, other), 1.0), ((other, subject), 0.0)):
            said = _said(drawn(_MORE + _LESS, rng), s, o, words, "s")
            said = said if said.spans else Said(said.text, ((0, len(said.text)),))
            yield AssertionRow.of(question, gold, wrap(said, rng, 0.1), label, "composed_comparison")


def polarity_rows(count: int, rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield what something is and is not, by adjectives and their opposites: in other words, and the reverse."""
    table, found = frames().table("opposites"), frames()
    for _ in range(count):
        one, other = table[int(rng.integers(len(table)))]
        is_, is_not = (one, other) if rng.random() < 0.5 else (other, one)  # noqa: PLR2004 - one half
        subject = drawn(found.subjects, rng)
        capital = subject[:1].upper() + subject[1:]
        asked = is_ if rng.random() < 0.5 else is_not  # noqa: PLR2004 - one half
        question = drawn(
            [f"Is {subject} {asked}?", f"What is said about {subject}?", f"How is {subject} described?"], rng
        )
        stated = _adjective(drawn(found.affirmed, rng), capital, is_, is_not)
        short = ("yes" if asked == is_ else "no") if question.startswith("Is ") else is_
        reference = [stated, short, f"It is {is_}."][int(rng.integers(3))]
        for (x, y), label in (((is_, is_not), 1.0), ((is_not, is_), 0.0)):
            frame = drawn([each for each in found.affirmed if not each.startswith("Yes") or asked == x], rng)
            text = _adjective(frame, capital, x, y)
            yield AssertionRow.of(question, reference, Said(text, ((0, len(text)),)), label, "composed_polarity")


def _adjective(frame: str, subject: str, is_: str, is_not: str) -> str:
    return frame.replace("{S}", subject).replace("{x}", is_).replace("{y}", is_not)


def list_rows(names: Sequence[str], count: int, rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield lists of names in another order (right), and with one dropped, replaced or added."""
    found = frames()
    for _ in range(count):
        drawn_names = [names[index] for index in rng.permutation(len(names))[: int(rng.integers(3, 7))]]
        *items, extra = drawn_names
        place = int(rng.integers(len(items)))
        order = [items[index] for index in rng.permutation(len(items))]
        changed = [
            [*order[:place], *order[place + 1 :]],
            [*order[:place], extra, *order[place + 1 :]],
            [*order[:place], extra, *order[place:]],
        ][int(rng.integers(3))]
        question, reference = drawn(found.list_questions, rng), listed(items, rng)
        for chosen, label in ((order, 1.0), (changed, 0.0)):
            frame = drawn(found.list_frames, rng).replace("{n}", str(len(chosen)))
            said = fill(frame, "l", l=listed(chosen, rng))
            yield AssertionRow.of(question, reference, wrap(said, rng, 0.1), label, "composed_list")
