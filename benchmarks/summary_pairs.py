"""QAEval on right and wrong texts of training sets: what its threshold does, and what weighing would do.

    python benchmarks/summary_pairs.py [--pairs N] [--json FILE]

Each text is held against one that people called right: EVOUNA's long answers to a question, TREC-QA's newspaper
sentences found for a question, students' answers in Beetle and SciEntsBank. AUC of `qaeval` with people's verdicts,
and of `qaeval,verify=is_answered`, where

- cut: an answer counts below the reader's threshold, as in `qassay summary`
- all: every answer counts, whatever the reader's probability
- weighed: every answer counts as much as the reader's probability that there is one
"""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from qassay.io.readers.datasets.answer_selection import read_selection
from qassay.io.source import Source
from qassay.metrics.questions.question_records import SummaryRecord
from qassay.models.load_readers import load_reader
from qassay.training.corpora.judged_answers import read_semeval
from summaries import answer_pairs, area, ask_everything

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data")) / "train"
SAYS_SOMETHING = 6
"""Words of a text that can be asked about."""
OF_QUESTION = 12
"""Right sentences to a question of TREC-QA that are held against another, and as many wrong ones."""


class Held(NamedTuple):
    """A text, the right one that it is held against, and whether people called it right."""

    text: str
    reference: str
    right: bool


def evouna() -> Iterator[Held]:
    """Return two systems' long answers to one training question."""
    for row in answer_pairs(measuring=False):
        yield Held(row.candidate, row.references[0], row.label == 1)


def trec(rng: np.random.Generator) -> Iterator[Held]:
    """Return sentences found for one question, right and wrong ones alike."""
    for found in read_selection(Source.at(DATA / "trecqa" / "TRAIN.xml")):
        right, wrong = (
            [text for text in dict.fromkeys(texts) if len(text.split()) > SAYS_SOMETHING]
            for texts in (found.right, found.wrong)
        )
        for _ in range(OF_QUESTION if len(right) > 1 and wrong else 0):
            reference, other = rng.permutation(right)[:2].tolist()
            yield Held(other, reference, right=True)
            yield Held(str(rng.choice(wrong)), reference, right=False)


def students(corpus: str) -> Iterator[Held]:
    """Yield students' answers against the first model answer."""
    for pair in read_semeval(DATA / "semeval2013" / "semeval-3way.zip", corpus):
        if min(len(text.split()) for text in (pair.answer, pair.references[0])) >= SAYS_SOMETHING:
            yield Held(pair.answer, pair.references[0], pair.label == 1)


def score(record: SummaryRecord, counts: str, method: str, threshold: float) -> float:
    """Return QAEval's score of a text by one way of counting answers."""
    asked = [question for source in record.sources for question in source.questions]
    if not asked:
        return float("nan")
    weights = {
        "cut": [q.none < threshold for q in asked],
        "all": [1.0] * len(asked),
        "weighed": [1 - q.none for q in asked],
    }
    verdicts = [1.0 if method == "is_answered" else q.verdicts.get(method, 0.0) for q in asked]
    return float(np.mean(np.array(weights[counts], float) * np.array(verdicts)))


def measure(pairs: list[Held]) -> dict[str, dict[str, float]]:
    """Ask about every right text, and count the answers in all ways."""
    right = np.array([pair.right for pair in pairs])
    rows = [{"id": str(i), "summary": pair.text, "references": [pair.reference]} for i, pair in enumerate(pairs)]
    asked = ask_everything(rows, ["qaeval"])
    threshold = load_reader().threshold
    return {
        method: {
            counts: area(np.array([score(record, counts, method, threshold) for record in asked]), right)
            for counts in ways
        }
        for method, ways in {"lerc": ("cut", "all", "weighed"), "is_answered": ("cut", "weighed")}.items()
    }


def main() -> None:
    """Print a table, one line a set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1500, help="at most so many of each set")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(7)
    sets = {
        "EVOUNA": evouna(),
        "TREC-QA": trec(rng),
        "Beetle": students("beetle"),
        "SciEntsBank": students("sciEntsBank"),
    }
    found = {}
    print(f"{'':29}qaeval                     is_answered")
    print(f"{'':12} {'pairs':>6} {'right':>6}  {'cut':>7}  {'all':>7}  weighed  {'cut':>9}  {'weighed':>9}")
    for name, given in sets.items():
        distinct = list(dict.fromkeys(given))
        pairs = [distinct[i] for i in rng.permutation(len(distinct))[: options.pairs].tolist()]
        found[name] = measure(pairs)
        lerc, answered = found[name]["lerc"], found[name]["is_answered"]
        share = np.mean([pair.right for pair in pairs])
        columns = [f"{lerc[each]:7.3f}" for each in ("cut", "all", "weighed")]
        columns += [f"{answered[each]:9.3f}" for each in ("cut", "weighed")]
        print(f"{name:12} {len(pairs):6} {share:6.3f}  {'  '.join(columns)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
