"""Compare keyphrase models, layers and metrics on judged answers from training sets, which is what they are chosen by.

    python benchmarks/dev_suite.py [--model REF ...] [-m SPEC ...] [--most N]

The suite holds answers with labels of their correctness: people's verdicts and ratings, teachers' marks, and answers
that are right or wrong by construction. No question of it is trained on, and none is of an evaluation set. Printed is
Pearson's correlation with the labels, one column a source.
"""

import argparse
import os
from pathlib import Path

import numpy as np

from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.keyphrase.build import build
from qassay.training.keyphrase.judged import judged_sources, split_judged
from qassay.training.keyphrase.rows import JudgedPair
from qassay.training.sources import questions_in, read_recipe
from qassay.training.splits import sample

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
METRICS = ("token_f1:kpqa", "rouge_l:kpqa", "bleu:kpqa,n=1", "bert_score:kpqa", "token_f1", "bert_score")
EVALUATION = (
    "kpqa_human/*.csv",
    "openqa_eval/NQ301*.tsv",
    "openqa_eval/model_outputs/NQ301*.jsonl",
    "wikiqa/*.tsv",
    "trecqa/*.xml",
    "answer_verification/*.csv",
    "answer_verification/*.jsonl",
)
"""Files whose questions stay out of training."""


def suite(most: int) -> list[JudgedPair]:
    """Draw the suite: the choosing side of every source."""
    held_out = questions_in(path for pattern in EVALUATION for path in sorted((DATA / "bench").glob(pattern)))
    data = build(read_recipe("keyphrase", DATA / "train"), rng=np.random.default_rng(0), held_out=held_out)
    _, dev = split_judged(judged_sources(DATA / "train", np.random.default_rng(0)), data, held_out)
    return sample(dev, most, np.random.default_rng(1))


def correlations(pairs: list[JudgedPair], metrics: list[str], model: str) -> dict[str, dict[str, float]]:
    """Score the suite and correlate each metric with the labels, source by source."""
    examples = [
        Example(str(number), pair.question, tuple(map(Reference, pair.references)), pair.candidate)
        for number, pair in enumerate(pairs)
    ]
    table = score_examples(examples, metrics, model=model)
    labels = np.array([pair.label for pair in pairs])
    sources = np.array([pair.source for pair in pairs])
    found: dict[str, dict[str, float]] = {}
    for metric, spec in zip(metrics, table.scores, strict=True):  # a spec also names the model
        scores = np.array([table.score(spec, number).value for number in range(len(pairs))], float)
        scored = ~np.isnan(scores)
        found[metric] = {
            source: float(np.corrcoef(*(each[scored & (sources == source)] for each in (scores, labels)))[0, 1])
            for source in dict.fromkeys(sources.tolist())
        }
    return found


def main() -> None:
    """Print one table a model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", action="append", help="a model of which to use the weights; mini unless given")
    parser.add_argument("-m", "--metric", action="append", help=f"default: {', '.join(METRICS)}")
    parser.add_argument("--most", type=int, default=400, help="the most answers of each source")
    options = parser.parse_args()
    pairs = suite(options.most)
    for model in options.model or ["mini"]:
        rows = correlations(pairs, options.metric or list(METRICS), model)
        names = list(next(iter(rows.values())))
        print(f"{model}: {len(pairs)} answers")
        print(f"{'':24}{'mean':>8}" + "".join(f"{name[:10]:>12}" for name in names))
        for metric, row in rows.items():
            print(f"{metric:24}{np.mean(list(row.values())):8.3f}" + "".join(f"{row[name]:12.3f}" for name in names))


if __name__ == "__main__":
    main()
