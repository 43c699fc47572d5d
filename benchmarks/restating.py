"""Answers that the judge reads in their reference's own terms: verdicts before and after.

    python benchmarks/restating.py DATA [--json FILE]

DATA is what `qassay build judge` wrote. Every pair of its rows whose candidate is put into other terms is judged both
as it is written and as it is read, and held against the label. The judge's network was trained on these rows, as they
are written; what reading them in the same terms changes was not.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from qassay import score
from qassay.equivalence.canonicalise import restated
from qassay.metrics.learned.canonical_pairs import as_written
from qassay.metrics.learned.judges import LearnedMetric
from qassay.training.judge.rows import read_rows

RIGHT = 0.5


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    labels, sources, seen = [], [], 0
    for side in ("train", "dev"):
        for row in read_rows(options.data / f"{side}.jsonl"):
            for reference in row.references:
                seen += 1
                if restated(row.question, reference, row.candidate):
                    asked = {"question": row.question, "references": [reference], "candidate": row.candidate}
                    rows.append({"id": str(len(rows)), **asked})
                    labels.append(row.label)
                    sources.append(row.source)
    print(f"{seen:,} pairs, {len(rows):,} of them read in other terms")
    read = np.asarray(score(rows, ["ava"])["ava"])
    with mock.patch.object(LearnedMetric, "sides", lambda _, batch, pairs: as_written(batch, pairs)):
        written = np.asarray(score(rows, ["ava"])["ava"])
    found = table(written, read, np.array(labels), sources)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


def table(written: np.ndarray, read: np.ndarray, labels: np.ndarray, sources: list[str]) -> dict[str, Any]:
    """Print accuracy and squared error for each source and for all."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, source in enumerate(sources):
        places[source].append(i)
    places["all"] = list(range(len(sources)))
    found = {}
    print(f"{'':22}    n   accuracy: as written, as read   squared error: as written, as read")
    for source, chosen in places.items():
        right = [((scores[chosen] >= RIGHT) == (labels[chosen] >= RIGHT)).mean() for scores in (written, read)]
        error = [((scores[chosen] - labels[chosen]) ** 2).mean() for scores in (written, read)]
        print(f"{source:22}{len(chosen):5}   {right[0]:.3f} {right[1]:.3f}   {error[0]:.3f} {error[1]:.3f}")
        found[source] = {"n": len(chosen), "accuracy": right, "squared_error": error}
    return found


if __name__ == "__main__":
    main()
