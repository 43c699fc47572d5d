"""How many mentions of an article's subject are replaced in HotpotQA's paragraphs, and a hundred of them to read.

    python benchmarks/coreference.py [--seed N] [--json FILE]

Every paragraph of the files of HotpotQA is resolved once. Printed are the numbers of paragraphs, of sentences that are
changed and of sentences that begin with a pronoun and stay as they are, and a hundred changed sentences, drawn at
random, each with the article's title and the sentence before it.
"""

import argparse
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from qassay.training.coreference import resolve_by_title
from qassay.training.corpora.hotpotqa import read

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "train" / "hotpotqa"
FILES = ("hipporag_hotpotqa_train_100.json", "hotpot_dev_distractor_subset.json")
_DRAWN = 100
_PRONOUN = re.compile(r"\s*(?:He|She|It|His|Her|Its)\b")


@dataclass(frozen=True)
class Change:
    """A sentence with its mention replaced."""

    title: str
    before: str
    """The sentence in front of it."""
    given: str
    resolved: str


def paragraphs() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each distinct paragraph of the files once."""
    rows = (row for name in FILES for row in read(DATA / name))
    yield from dict.fromkeys((title, tuple(sentences)) for row in rows for title, sentences in row.paragraphs)


def resolve() -> tuple[dict[str, int], list[Change]]:
    """Resolve all paragraphs; return the counts and the changed sentences."""
    counts = {"paragraphs": 0, "changed": 0, "pronouns that stay": 0}
    changes = []
    for title, given in paragraphs():
        counts["paragraphs"] += 1
        resolved = resolve_by_title(title, given)
        for number in range(1, len(given)):
            if resolved[number] != given[number]:
                counts["changed"] += 1
                changes.append(Change(title, resolved[number - 1].strip(), given[number].strip(), resolved[number]))
            elif _PRONOUN.match(given[number]):
                counts["pronouns that stay"] += 1
    return counts, changes


def main() -> None:
    """Count, draw and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    counts, changes = resolve()
    drawn = sorted(np.random.default_rng(options.seed).permutation(len(changes))[:_DRAWN].tolist())
    print(", ".join(f"{name}: {count:,}" for name, count in counts.items()))
    for number, each in enumerate((changes[i] for i in drawn), 1):
        print(f"{number}. [{each.title}] {each.before} | {each.given} -> {each.resolved.strip()}")
    if options.json:
        found = {**counts, "drawn": [asdict(changes[i]) for i in drawn]}
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
