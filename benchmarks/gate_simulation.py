"""How often `compare --fail-if` fails, by simulation: systems without a difference, worse ones, samples, labels, doubt.

Run: python benchmarks/gate_simulation.py [REPEATS]
"""

import sys

import numpy as np

from qassay.arrays import Floats
from qassay.meta.accuracy.estimates import JudgedAnswers
from qassay.meta.accuracy.labels import MatchedLabels
from qassay.meta.accuracy.sampled_judge import SampledJudge, choose_doubtful, corrected_scores
from qassay.meta.comparison.gate import FailIf, one_sided
from qassay.meta.comparison.labelled_difference import labelled_difference
from qassay.meta.comparison.paired_test import compare_systems
from qassay.metrics.base import mean

ALPHA = 0.05
DOUBT = (0.2, 0.8, 0.1)
"""Scores of the cheap judge between which the LLM is asked about all answers, and the share elsewhere."""
LENIENT = 0.25
"""The share of wrong answers that the LLM calls right."""


def verdicts(rng: np.random.Generator, questions: int, loss: float) -> list[Floats]:
    """Return right or wrong answers of two systems to questions of unlike difficulty."""
    hard = rng.beta(2, 1, questions)
    return [(rng.random(questions) < np.clip(hard - lost, 0, 1)).astype(float) for lost in (0.0, loss)]


def by_scores(
    rng: np.random.Generator,
    repeats: int,
    *,
    questions: int,
    loss: float = 0.0,
    margin: float = 0.0,
    samples: int = 1,
    fail_if: FailIf = "worse",
) -> float:
    """Return the share of failures of the gate by scores; several samples are copies of one answer."""
    failed = 0
    for _ in range(repeats):
        sides = [np.repeat(each, samples) for each in verdicts(rng, questions, loss)]
        stats = [np.stack([each, np.ones(len(each))], axis=1) for each in sides]
        clusters = np.repeat(np.arange(questions), samples) if samples > 1 else None
        _, p, _ = one_sided(stats[0], stats[1], mean, fail_if, margin, rng=rng, draws=1000, clusters=clusters)
        failed += (p or 0) <= ALPHA if fail_if == "worse" else (p or 0) > ALPHA
    return failed / repeats


def by_labels(
    rng: np.random.Generator,
    repeats: int,
    *,
    questions: int,
    labels: int,
    loss: float = 0.0,
    margin: float = 0.0,
    bias: float = 0.2,
) -> tuple[float, float]:
    """Return the share of failures by labels, and how often the interval holds; the judge favours the new system."""
    failed = held = 0
    for _ in range(repeats):
        true = verdicts(rng, questions, loss)
        scores = [
            np.clip(0.2 + 0.5 * each + rng.normal(0, 0.15, questions) + lift, 0, 1)
            for each, lift in zip(true, (0.0, bias), strict=True)
        ]
        chosen = rng.permutation(questions)[:labels]
        matched = MatchedLabels.none(2 * questions)
        for side, each in enumerate(true):
            matched.value[side * questions + chosen] = each[chosen]
        systems = ["old"] * questions + ["new"] * questions
        answers = JudgedAnswers(systems, [*range(questions)] * 2, np.concatenate(scores), matched)
        found = labelled_difference(answers, "old", "new")
        failed += found.p_below(margin) <= ALPHA
        # The accuracy on all questions like these, not on those drawn.
        held += found.low <= _expected(loss) <= found.high
    return failed / repeats, held / repeats


def in_doubt(
    rng: np.random.Generator,
    repeats: int,
    *,
    questions: int,
    bias: float = 0.2,
    corrected: bool = True,
    draws: int = 1000,
) -> tuple[float, float]:
    """Return the share of failures by an LLM that was asked in doubt only, and how often the interval holds.

    The LLM finds no difference; the cheap judge, which stands elsewhere, favours one system.
    """
    failed = held = 0
    for _ in range(repeats):
        sides = []
        for right, lift in zip(verdicts(rng, questions, 0.0), (bias, 0.0), strict=True):
            cheap = np.clip(right + rng.normal(0, 0.4, questions) + lift, 0, 1)
            llm = np.maximum(right, rng.random(questions) < LENIENT)
            selection = choose_doubtful(cheap, *DOUBT, rng, system=[""] * questions)
            asked = np.where(selection.chosen, llm, np.nan)
            judges = SampledJudge(cheap, asked, selection.probability(selection.chosen))
            values = corrected_scores(judges, [""] * questions) if corrected else judges.combined
            sides.append(np.stack([values, np.ones(questions)], axis=1))
        _, p, _ = one_sided(sides[0], sides[1], mean, "worse", 0.0, rng=rng, draws=draws)
        failed += (p or 0) <= ALPHA
        found = compare_systems(sides[0], sides[1], mean, rng=rng, draws=draws)
        held += (found.low or 0) <= 0 <= (found.high or 0)
    return failed / repeats, held / repeats


def _expected(loss: float) -> float:
    """Return the expected difference of accuracies over difficulties."""
    hard = np.random.default_rng(1).beta(2, 1, 1_000_000)
    return float((np.clip(hard - loss, 0, 1) - hard).mean()) if loss else 0.0


def main() -> None:
    """Print the rates."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(2026)
    print(f"share of failures, {repeats} repeats, alpha {ALPHA}")
    for questions in (20, 50, 200):
        for samples in (1, 5):
            rate = by_scores(rng, repeats, questions=questions, samples=samples)
            print(f"no difference, {questions} questions, {samples} samples: {rate:.3f}")
    for margin in (0.01, 0.05):
        rate = by_scores(rng, repeats, questions=200, margin=margin)
        print(f"no difference, 200 questions, margin {margin}: {rate:.3f}")
    for loss in (0.05, 0.1, 0.2):
        print(f"{loss} worse, 200 questions: {by_scores(rng, repeats, questions=200, loss=loss):.3f}")
    rate = by_scores(rng, repeats, questions=200, fail_if="not-better")
    print(f"no difference, 200 questions, not-better: {rate:.3f}")
    for labels in (30, 100):
        rate, held = by_labels(rng, repeats, questions=500, labels=labels)
        print(f"no difference, {labels} of 500 labelled, biased judge: {rate:.3f}; interval holds {held:.3f}")
    for questions in (100, 400):
        for corrected in (True, False):
            rate, held = in_doubt(rng, repeats, questions=questions, corrected=corrected)
            how = "corrected" if corrected else "not corrected"
            print(f"no difference, {questions} questions asked in doubt, {how}: {rate:.3f}; interval holds {held:.3f}")
    rate, held = by_labels(rng, repeats, questions=500, labels=100, loss=0.2)
    print(f"0.2 worse, 100 of 500 labelled, biased judge: {rate:.3f}; interval holds {held:.3f}")


if __name__ == "__main__":
    main()
