"""Rows of what answers assert, file by file: composed of facts and questions, or written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from qassay.training.assertions.compose import composed
from qassay.training.assertions.facts import FACTS, Rivals
from qassay.training.assertions.opinions import abstention_rows, opinion_rows
from qassay.training.assertions.relations import (
    comparison_rows,
    direction_rows,
    list_rows,
    polarity_rows,
    relation_rows,
    verb_rows,
)
from qassay.training.assertions.written import written_rows
from qassay.training.corpora import squad, yes_no
from qassay.training.splits import held_back

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from qassay.training.assertions.facts import Fact
    from qassay.training.assertions.rows import AssertionRow

RowReader = Callable[["Path", "np.random.Generator"], Iterator["AssertionRow"]]

_SHARES = {"qamr": 0.06}
"""Of which share of a set's facts answers are composed; half, where nothing is said."""
_SHARE = 0.5
_LONG = 4
"""Words of a name that is too long for a list."""
_PAIRS = 2500
"""Pairs of names of which relations and comparisons are composed."""


def facts_in(path: Path, kind: str) -> list[Fact]:
    """Return the facts of a file, without the questions that are kept for the judge's test."""
    return [fact for fact in FACTS[kind](path) if fact.source not in {"evouna", "qed"} or not held_back(fact.question)]


def _composed(kind: str) -> RowReader:
    def read(path: Path, rng: np.random.Generator) -> Iterator[AssertionRow]:
        found = facts_in(path, kind)
        yield from composed(found, Rivals(found), rng, share=_SHARES.get(kind, _SHARE))

    return read


def name_relations(path: Path, rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield relations and comparisons between the names that answer a file's questions."""
    names = [
        fact.gold
        for fact in facts_in(path, "evouna")
        if fact.kind in {"person", "place", "thing"} and fact.gold[:1].isupper() and "," not in fact.gold
    ]
    names = list(dict.fromkeys(names))
    for rows in (relation_rows, direction_rows, verb_rows, comparison_rows):
        drawn = rng.integers(len(names), size=(_PAIRS, 2)).tolist()
        yield from rows([(names[a], names[b]) for a, b in drawn if not _share_word(names[a], names[b])], rng)


def names_listed(path: Path, rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield lists of the short names that answer a file's questions, and what things are and are not."""
    names = {
        fact.gold for fact in facts_in(path, "evouna") if fact.gold[:1].isupper() and len(fact.gold.split()) < _LONG
    }
    yield from list_rows(sorted(name for name in names if "," not in name and " and " not in name), _PAIRS, rng)
    yield from polarity_rows(_PAIRS, rng)


def _share_word(left: str, right: str) -> bool:
    return bool(set(left.split()) & set(right.split()))


READERS: dict[str, RowReader] = {
    "squad_composed": _composed("squad"),
    "evouna_composed": _composed("evouna"),
    "qed_composed": _composed("qed"),
    "trec_composed": _composed("trecqa"),
    "qadialog_composed": _composed("sentences"),
    "qamr_composed": _composed("qamr"),
    "name_relations": name_relations,
    "names_listed": names_listed,
    "boolq_opinions": lambda path, rng: opinion_rows(yes_no.read_boolq(path), rng, "composed_opinion"),
    "pubmedqa_opinions": lambda path, rng: opinion_rows(yes_no.read_pubmedqa(path), rng, "composed_opinion"),
    "squad_abstentions": lambda path, rng: abstention_rows(squad.read(path), rng),
    "written": lambda path, _rng: written_rows(path),
    "written_everyday": lambda path, _rng: written_rows(path, "written_everyday"),
}
"""Readers of assertion rows, by format."""
