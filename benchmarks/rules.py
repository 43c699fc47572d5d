"""What each equivalence rule gains and harms: verdicts with all rules, and with all but one.

    python benchmarks/rules.py DATA [--json FILE]

DATA is what `qassay build judge` wrote. Of its training and development rows those are judged in which a rule changes
the candidate, against all references of the row, and held against the label. Printed for each rule, and for all
together: rows, right verdicts without and with it, verdicts that it puts right and wrong with the sign test's p-value,
and what it takes off the log loss per row, with a 95 % interval from resampled questions.

Rows whose wrong answers were made by exchanging words in a right sentence are left out unless `--exchanged`: such a
sentence often still says the right thing in brackets, in another unit or as an acronym ("Tesla was 118 (1.88 m) tall").
So are SQuAD's predictions, which are labelled by shared words, and QAMR, whose wrong answers are other people's words
for the same thing. The network was trained on the training rows as they are written, which flatters "without".
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from qassay import score
from qassay.equivalence.canonicalise import canonicalise
from qassay.equivalence.registry import RULES, active_rules
from qassay.equivalence.rule import RULE_NAMES
from qassay.training.judge.rows import JudgeRow, read_rows

RIGHT = 0.5
CLIP = 0.01
"""Probabilities count no further than this from 0 and 1, for the log loss."""
DRAWS = 2000
EXCHANGED = frozenset({"squad_predictions", "qamr"})
Pair = tuple[str, str, str, str]
"""Question, reference, candidate, context."""


class ChangedRow(NamedTuple):
    """A row that some rules change, and its pairs with all rules, with none, and without each that fired."""

    label: float
    group: str
    pairs: dict[str, list[Pair]]


def read_pairs(row: JudgeRow, names: Sequence[str]) -> tuple[list[Pair], set[str]]:
    """Return a row's pairs as some rules leave them, and the rules that fired."""
    found = []
    fired: set[str] = set()
    for reference in row.references:
        changed = canonicalise(row.question, reference, row.candidate, active_rules(tuple(names)))
        candidate = row.candidate
        if changed is not None and reference != row.candidate:
            candidate = changed.candidate
            fired |= {rule.name for rule in changed.fired}
        found.append((row.question, reference, candidate, row.context or ""))
    return found, fired


def changed_rows(rows: Iterable[JudgeRow], *, exchanged: bool) -> list[ChangedRow]:
    """Find the rows that rules change."""
    changed = []
    for row in rows:
        if not exchanged and (row.source.endswith("_spans") or row.source in EXCHANGED):
            continue
        pairs, fired = read_pairs(row, RULE_NAMES)
        if fired:
            without = {name: read_pairs(row, [each for each in RULE_NAMES if each != name])[0] for name in fired}
            changed.append(ChangedRow(row.label, row.group, {"with": pairs, "all": read_pairs(row, ())[0], **without}))
    return changed


def probabilities(rows: Sequence[ChangedRow], metric: str) -> dict[Pair, float]:
    """Judge every distinct pair once, as it is written."""
    pairs = list(dict.fromkeys(pair for row in rows for each in row.pairs.values() for pair in each))
    examples = [
        {"id": str(i), "question": question, "references": [reference], "candidate": candidate}
        | ({"context": context} if context else {})
        for i, (question, reference, candidate, context) in enumerate(pairs)
    ]
    spec = f"{metric},rules=off"
    return dict(zip(pairs, np.asarray(score(examples, [spec])[spec], np.float64).tolist(), strict=True))


def measure(rows: Sequence[ChangedRow], without: str, judged: dict[Pair, float]) -> dict[str, Any]:
    """Compare the verdicts with all rules and without one, or without `all`, on the rows that it changes."""
    rows = [row for row in rows if without in row.pairs and row.pairs[without] != row.pairs["with"]]
    labels = np.array([row.label for row in rows])
    before, after = (
        np.array([np.nanmax([judged[pair] for pair in row.pairs[key]]) for row in rows]) for key in (without, "with")
    )
    right = [(scores >= RIGHT) == (labels >= RIGHT) for scores in (before, after)]
    better, worse = int((right[1] & ~right[0]).sum()), int((right[0] & ~right[1]).sum())
    gain = log_loss(before, labels) - log_loss(after, labels)
    return {
        "rows": len(rows),
        "accuracy_without": float(right[0].mean()),
        "accuracy_with": float(right[1].mean()),
        "put_right": better,
        "put_wrong": worse,
        "p": float(binomtest(better, better + worse).pvalue) if better + worse else 1.0,
        "log_loss_gain": float(gain.mean()),
        "interval": interval(gain, [row.group for row in rows]),
    }


def log_loss(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the log loss of each row."""
    clipped = np.clip(scores, CLIP, 1 - CLIP)
    return np.asarray(-(labels * np.log(clipped) + (1 - labels) * np.log(1 - clipped)))


def interval(gain: np.ndarray, groups: Sequence[str]) -> tuple[float, float]:
    """Resample questions with all their rows."""
    rng = np.random.default_rng(0)
    _, group = np.unique(groups, return_inverse=True)
    sums, sizes = np.bincount(group, gain), np.bincount(group)
    drawn = rng.integers(0, len(sums), (DRAWS, len(sums)))
    low, high = np.percentile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--exchanged", action="store_true", help="with the rows that are left out otherwise")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = changed_rows(
        (row for side in ("train", "dev") for row in read_rows(options.data / f"{side}.jsonl")),
        exchanged=options.exchanged,
    )
    lines = []
    for metric in ("ava", "lerc"):
        judged = probabilities(rows, metric)
        print(f"\n{metric}\n| rule | rows | accuracy without | with | put right | wrong | p | log loss gain | 95 % |")
        print("|---|---|---|---|---|---|---|---|---|")
        for name in ("all", *(rule.name for rule in RULES)):
            if not any(name in row.pairs for row in rows):
                print(f"| {name} | 0 |")
                continue
            found = {"metric": metric, "rule": name, **measure(rows, name, judged)}
            lines.append(found)
            print(
                f"| {name} | {found['rows']} | {found['accuracy_without']:.3f} | {found['accuracy_with']:.3f} "
                f"| {found['put_right']} | {found['put_wrong']} | {found['p']:.2g} | {found['log_loss_gain']:+.3f} "
                f"| {found['interval'][0]:+.3f} to {found['interval'][1]:+.3f} |"
            )
    if options.json:
        options.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
