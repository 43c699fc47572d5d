"""How the judges do on probes: pairs of answer and reference, written by hand, that tell assertion from mention.

    python benchmarks/probes.py [--metric SPEC…] [--file FILE…] [--errors] [--json FILE]

The probes lie in `tests/probes`: `known.jsonl` was written with the judge's errors in view and served to look at while
it was developed; `unseen.jsonl` by someone who had seen neither the rules nor the training rows, and served nothing but
the figures; `everyday.jsonl` likewise, but errors on it showed what to write for training; `fresh.jsonl` was written
after that training and served nothing but the figures. Each has 20 categories, about half of a category's pairs right.
No question is near one of the answers written for training.

By category: accuracy at .5, and over all: accuracy, AUC, expected calibration error (ten bins), the share of wrong
answers that mention the reference and are called right, and the share of right answers of 40 words and more that are
called right.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from qassay.arrays import Bools, Floats
from qassay.meta.accuracy.classification import calibrate, classify
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.answer_text import find_phrase, question_key

FOLDER = Path(__file__).parents[1] / "tests" / "probes"
FILES = ("known", "unseen", "everyday", "fresh")
METRICS = ("token_f1", "token_recall", "lerc", "ava")
RIGHT = 0.5
LONG = 40


class Probes(NamedTuple):
    """Pairs with their labels."""

    examples: list[Example]
    category: list[str]
    right: Bools

    @property
    def mention(self) -> Bools:
        """Which candidates name a reference, whatever they assert."""
        return np.array(
            [
                any(
                    find_phrase(question_key(example.candidate or ""), question_key(each.text))
                    for each in example.references
                )
                for example in self.examples
            ]
        )

    @property
    def long(self) -> Bools:
        """Which candidates are long."""
        return np.array([len((example.candidate or "").split()) >= LONG for example in self.examples])


def read(files: Sequence[str] = FILES) -> Probes:
    """Read probes by the name of their file."""
    rows = [json.loads(line) for name in files for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
    examples = [
        Example(row["id"], row["question"], tuple(map(Reference, row["references"])), row["candidate"]) for row in rows
    ]
    return Probes(examples, [row["category"] for row in rows], np.array([row["right"] for row in rows], bool))


def measure(probes: Probes, scores: Floats) -> dict[str, float]:
    """Return the figures over all probes."""
    found = classify(scores, probes.right.astype(np.float64), RIGHT)
    called = scores >= RIGHT
    mentioning, long_right = probes.mention & ~probes.right, probes.long & probes.right
    return {
        "accuracy": float(found.accuracy or 0.0),
        "auc": float(found.auc or 0.0),
        "calibration error": float(calibrate(scores, probes.right.astype(np.float64)).error or 0.0),
        "wrong mentions called right": float(called[mentioning].mean()),
        "right long answers accepted": float(called[long_right].mean()),
    }


def by_category(probes: Probes, scores: Floats) -> dict[str, float]:
    """Return the accuracy in each category."""
    category = np.array(probes.category)
    hit = (scores >= RIGHT) == probes.right
    return {name: float(hit[category == name].mean()) for name in dict.fromkeys(probes.category)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metric", action="append", help="a metric's spec; by default the judges and two lexical ones")
    parser.add_argument("--file", action="append", choices=FILES, help="by default all")
    parser.add_argument(
        "--errors", action="store_true", help="list the pairs of known.jsonl that the last metric gets wrong"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    metrics = given.metric or list(METRICS)
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for files in [[name] for name in given.file or FILES] + ([list(FILES)] if not given.file else []):
        probes = read(files)
        table = score_examples(probes.examples, metrics, batch=128)
        name = " and ".join(files)
        print(f"\n{name}: {len(probes.examples)} pairs\n\n| | {' | '.join(metrics)} |\n|---|{'---|' * len(metrics)}")
        found = {
            spec: {**measure(probes, scores), **by_category(probes, scores)} for spec, scores in table.scores.items()
        }
        for line in next(iter(found.values())):
            print(f"| {line} | {' | '.join(f'{found[spec][line]:.3f}' for spec in found)} |")
        figures[name] = found
        if given.errors and files == ["known"]:
            scores = list(table.scores.values())[-1]
            for i in np.flatnonzero((scores >= RIGHT) != probes.right):
                each = probes.examples[i]
                said = (each.candidate or "")[:200]
                print(f"{scores[i]:.2f} {probes.category[i]} | {each.question} | {each.references[0].text} | {said}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
