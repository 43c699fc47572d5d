"""What LERC should read of a phrase: verdicts of people on answers, by the questions that a program asks about them.

    python benchmarks/phrases.py [--pairs N] [--json FILE]

QAEval asks about one system's answer to a training question of EVOUNA-NQ, which people judged right, and answers on
another system's. Where the expected phrase is the right answer to the question that people had in mind (token F1
with a reference of .6 and more), their verdict on the other answer says whether the phrases should agree. AUC with that
verdict of what `lerc` reads: question and surroundings, one of them, or neither; the difference from both, with its
standard error over pairs; and the accuracy at the best threshold. Then AUC of the mean over all questions of a pair.

All pairs take about five minutes on two cores.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from qassay.arrays import Bools, Floats, Ints
from qassay.io.input_stream import Reader
from qassay.meta.accuracy.classification import classify
from qassay.meta.accuracy.verdict_quality import verification_quality
from qassay.metrics.questions.question_records import QuestionRecord
from qassay.records import ANSWER_CONTEXT, Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training.answer_text import token_f1
from qassay.training.judge.rows import JudgeRow
from summaries import DATA, answer_pairs, as_summaries, ask_everything

ABOUT_THE_ANSWER = 0.6
"""The token F1 with a reference from which on an expected phrase counts as the right answer."""
ANSWERED = 0.7
"""The embedded reader's threshold: the probability of no answer from which on a phrase does not count."""
LERC = "lerc,context=phrase,unread=score"
READS = {
    "question and surroundings": (f"{LERC},question=yes", True),
    "surroundings": (f"{LERC},question=no", True),
    "question": (f"{LERC},question=yes", False),
    "neither": (f"{LERC},question=no", False),
}
"""What is read besides reference and candidate: the metric, and whether it is given the context."""
OTHERS = ("token_f1", "bert_score,context=phrase,rescale=run", "ava,unread=score")
DRAWS = 200
SEED = 12345


@dataclass(frozen=True)
class Phrases:
    """The answered questions of all pairs."""

    examples: list[Example]
    pair: Ints
    """The pair that each question is about."""
    about: Bools
    """Whether the expected phrase is the right answer."""
    right: Bools
    """One per pair: whether people called the other answer right."""
    asked: Ints
    """One per pair: how many questions were asked, answered or not."""


def phrases(rows: Sequence[JudgeRow]) -> Phrases:
    """Ask about one answer of each pair, and answer on the other."""
    golds: dict[str, list[str]] = {}
    for example in Reader([DATA.parent / "train/evouna/NQ.json"]):
        golds.setdefault(example.question, [reference.text for reference in example.references])
    examples: list[Example] = []
    pairs, about, asked = [], [], []
    for number, (row, record) in enumerate(
        zip(rows, ask_everything(as_summaries(rows), ["qaeval,verify=exact_match"]), strict=True)
    ):
        questions = [question for source in record.sources for question in source.questions]
        asked.append(len(questions))
        for question in questions:
            if question.none < ANSWERED and question.prediction:
                examples.append(_example(str(len(examples)), row, question))
                pairs.append(number)
                likeness = max(token_f1(question.answer, gold) for gold in golds[row.question])
                about.append(likeness >= ABOUT_THE_ANSWER)
    right = np.array([row.label for row in rows]) == 1
    return Phrases(examples, np.array(pairs, np.int64), np.array(about, bool), right, np.array(asked, np.int64))


def _example(number: str, row: JudgeRow, question: QuestionRecord) -> Example:
    extra = {
        ANSWER_CONTEXT: row.references[0],
        "answer_span": tuple(question.answer_span),
        "prediction_span": tuple(question.prediction_span),
    }
    expected = (Reference(question.answer),)
    return Example(number, question.question, expected, question.prediction, context=row.candidate, extra=extra)


def scores_of(examples: Sequence[Example]) -> dict[str, Floats]:
    """Return the scores of all variants."""
    found = {
        name: score_examples(
            examples if context else [replace(each, context=None) for each in examples], [spec], batch=512
        ).scores
        for name, (spec, context) in READS.items()
    }
    flat = {name: np.asarray(next(iter(scores.values())), np.float64) for name, scores in found.items()}
    return flat | {name: np.asarray(v, np.float64) for name, v in score_examples(examples, OTHERS).scores.items()}


def area(scores: Floats, right: Bools) -> float:
    """Return the area under the curve."""
    return float(classify(scores, right.astype(np.float64), 0.5).auc or np.nan)


def by_question(found: Phrases) -> dict[str, dict[str, float]]:
    """Hold the scores of the questions about the right answer against people's verdicts."""
    chosen = np.flatnonzero(found.about)
    right = found.right[found.pair[chosen]]
    scores = scores_of([found.examples[i] for i in chosen.tolist()])
    first = scores[next(iter(READS))]
    rng = np.random.default_rng(SEED)
    methods, _ = verification_quality(scores, right.astype(float).tolist(), rng)
    accuracy = {each.method: each.accuracy for each in methods}
    groups = np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(found.pair[chosen])) + 1)
    draws = [
        np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups)).tolist()]) for _ in range(DRAWS)
    ]
    print(f"{len(chosen)} questions about the right answer, {right.mean():.1%} answered rightly")
    lines = {}
    for name, values in scores.items():
        apart = np.array([area(values[rows], right[rows]) - area(first[rows], right[rows]) for rows in draws])
        lines[name] = {
            "auc": area(values, right),
            "difference": float(apart.mean()),
            "error": float(apart.std()),
            "accuracy": accuracy[name],
        }
        show(name, lines[name])
    return lines


def by_answer(found: Phrases) -> dict[str, float]:
    """Hold the mean over all questions of a pair against people's verdicts."""
    known = found.asked > 0
    lines = {}
    for name in list(READS)[:2]:
        scores = score_examples(found.examples, [READS[name][0]], batch=512).scores
        values = np.asarray(next(iter(scores.values())), np.float64)
        means = np.bincount(found.pair, values, minlength=len(known))[known] / found.asked[known]
        lines[name] = area(means, found.right[known])
        print(f"{name:40} {lines[name]:.3f}   n = {known.sum()}")
    return lines


def show(name: str, line: Mapping[str, float]) -> None:
    """Print a variant's figures."""
    apart = f"{line['difference']:+.4f} ± {line['error']:.4f}"
    print(f"{name:40} {line['auc']:.4f}   {apart}   {line['accuracy']:.4f}")


def main() -> None:
    """Ask, score and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, help="so many pairs, drawn at random; by default all")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    rows = answer_pairs(measuring=False)
    if options.pairs:
        chosen = np.random.default_rng(SEED).permutation(len(rows))[: options.pairs]
        rows = [rows[i] for i in sorted(chosen.tolist())]
    found = phrases(rows)
    figures = {"questions": by_question(found), "answers": by_answer(found)}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
