"""Pairs of a batch as the judge reads them: as written, or with the candidate in its reference's words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.features.text_traits import text_traits
from qassay.metrics.base import subset

if TYPE_CHECKING:
    from qassay.arrays import Ints
    from qassay.equivalence.canonicalise import FiredRule
    from qassay.features.batch import Batch, Pairs

RULE_NOTE = "answers changed before judging by the rule "


class JudgedPairs(NamedTuple):
    """Some pairs, in the batch that has their texts."""

    rows: Ints
    """Which of the given pairs they are."""
    batch: Batch
    pairs: Pairs
    fired: tuple[tuple[FiredRule, ...], ...] = ()
    """The rules that changed the candidate, for each pair where rules did."""

    @property
    def unsure(self) -> list[int]:
        """Which of these pairs a rule calls neither right nor wrong."""
        return [row for row, rules in enumerate(self.fired) if any(rule.unsure for rule in rules)]


def as_written(batch: Batch, pairs: Pairs) -> list[JudgedPairs]:
    """Take all pairs as they are."""
    return [JudgedPairs(np.arange(len(pairs.example)), batch, pairs)]


def canonical_pairs(batch: Batch, pairs: Pairs, rules: tuple[str, ...]) -> list[JudgedPairs]:
    """Take the pairs as they are, and behind them those whose candidates some rules put into their reference's words.

    The latter are a batch of their own, one example per pair, made once for all judges.
    """
    if not rules:
        return as_written(batch, pairs)
    return batch.memo((canonical_pairs, pairs.reference.tobytes(), rules), lambda: _split(batch, pairs, rules))


def _split(batch: Batch, pairs: Pairs, names: tuple[str, ...]) -> list[JudgedPairs]:
    from qassay.equivalence.canonicalise import canonicalise_all  # noqa: PLC0415 - patterns take time to compile
    from qassay.equivalence.registry import active_rules  # noqa: PLC0415
    from qassay.equivalence.rule import AnswerPair  # noqa: PLC0415

    texts, candidate, reference = batch.texts, batch.candidate[pairs.example], batch.reference[pairs.reference]
    # The same letters may be two texts, in two languages.
    differing = [
        row for row in np.flatnonzero(candidate != reference).tolist() if texts[candidate[row]] != texts[reference[row]]
    ]
    owners = pairs.example[differing].tolist()
    sides = reference[differing], candidate[differing]
    given = [
        AnswerPair(batch.questions[i], texts[wanted], texts[stated])
        for i, wanted, stated in zip(owners, *(side.tolist() for side in sides), strict=True)
    ]
    rules = active_rules(names)
    traits = text_traits(batch)
    rows, examples, fired = [], [], []
    changed: dict[str, set[int]] = {}
    made = canonicalise_all(given, rules, (traits[sides[0]], traits[sides[1]]))
    for row, i, pair, found in zip(differing, owners, given, made, strict=True):
        if found is None:
            continue
        example = batch.examples[i]
        rows.append(row)
        fired.append(found.fired)
        held = replace(example.references[0], text=pair.reference)
        examples.append(replace(example, candidate=found.candidate, references=(held,)))
        for rule in found.fired:
            changed.setdefault(rule.name, set()).add(i)
    if not rows:
        return as_written(batch, pairs)
    for name in names:
        batch.note(f"{RULE_NOTE}{name}", changed.get(name, ()))
    kept = np.ones(len(pairs.example), bool)
    kept[rows] = False
    rewritten = batch.part(examples, pairs.example[rows].tolist())
    return [
        JudgedPairs(np.flatnonzero(kept), batch, subset(pairs, kept)),
        JudgedPairs(np.array(rows), rewritten, rewritten.pairs, tuple(fired)),
    ]
