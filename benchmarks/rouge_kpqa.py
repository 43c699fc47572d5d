"""Which tokens and which longest common subsequence `rouge_l:kpqa` should take, on judged training rows.

    python benchmarks/rouge_kpqa.py [--data FOLDER] [--most N]

FOLDER holds the public training sets (`qassay data list`). For each source of judged answers, at most N rows drawn at
random, it prints Pearson's coefficient of the score with the label: with the heaviest and with any longest common
subsequence, on the metric's own words and on the word pieces that the keyphrase model weighs. `all` is the mean over
the sources. The last table holds intervals of the difference between words and pieces (bootstrap over questions).
"""

import argparse
from pathlib import Path
from unittest import mock

import numpy as np

from qassay import Example, Reference
from qassay.metrics.lexical import heaviest_subsequence
from qassay.scoring.scorer import score_examples
from qassay.training.keyphrase.judged import judged_sources
from qassay.training.keyphrase.rows import JudgedPair

SPECS = ("rouge_l:kpqa,tok=word", "rouge_l:kpqa")
DRAWS = 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/train"))
    parser.add_argument("--most", type=int, default=2000)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    columns = [(which, spec) for which in ("heaviest", "any") for spec in SPECS]
    print(
        f"{'':18s} {'n':>6s}  "
        + "  ".join(f"{which} {'word' if 'word' in spec else 'piece'}" for which, spec in columns)
    )
    found = []
    for source, pairs in judged_sources(options.data, rng).items():
        rows = list(pairs)
        rows = [rows[i] for i in sorted(rng.permutation(len(rows))[: options.most].tolist())]
        labels = np.array([row.label for row in rows])
        scores = {**scored(rows, "heaviest"), **scored(rows, "any")}
        coefficients = [np.corrcoef(scores[column], labels)[0, 1] for column in columns]
        found.append(coefficients)
        line = "  ".join(
            f"{value:{len(which) + 6}.3f}" for (which, _), value in zip(columns, coefficients, strict=True)
        )
        low, high = interval(rows, scores[columns[1]], scores[columns[0]], labels, rng)
        print(f"{source:18s} {len(rows):6d}  {line}  piece - word: {low:+.3f} to {high:+.3f}", flush=True)
    print(f"{'all':18s} {'':6s}  " + "  ".join(f"{value:13.3f}" for value in np.mean(found, axis=0)))


def scored(rows: list[JudgedPair], which: str) -> dict[tuple[str, str], np.ndarray]:
    """Score the rows with the heaviest longest common subsequence, or with any."""
    examples = [
        Example(str(i), row.question, tuple(map(Reference, row.references)), row.candidate)
        for i, row in enumerate(rows)
    ]
    largest = heaviest_subsequence.LARGEST_TABLE if which == "heaviest" else 0
    with mock.patch.object(heaviest_subsequence, "LARGEST_TABLE", largest):
        table = score_examples(examples, SPECS, batch=128, on_error="skip")
    return {(which, spec): np.nan_to_num(table[spec]) for spec in SPECS}


def interval(
    rows: list[JudgedPair], first: np.ndarray, second: np.ndarray, labels: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """Return 95 % of the difference of two coefficients, questions drawn with replacement."""
    _, group = np.unique([row.group for row in rows], return_inverse=True)
    differences = []
    for _ in range(DRAWS):
        drawn = np.bincount(rng.integers(group.max() + 1, size=group.max() + 1), minlength=group.max() + 1)
        weight = drawn[group].astype(float)
        differences.append(_pearson(first, labels, weight) - _pearson(second, labels, weight))
    low, high = np.quantile(differences, (0.025, 0.975))
    return float(low), float(high)


def _pearson(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    x, y = (side - np.average(side, weights=weight) for side in (x, y))
    return float((weight * x * y).sum() / np.sqrt((weight * x * x).sum() * (weight * y * y).sum()))


if __name__ == "__main__":
    main()
