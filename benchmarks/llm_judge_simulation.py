"""Check by simulation that intervals hold with a biased LLM as judge, asked about all answers or in doubt only.

    python benchmarks/llm_judge_simulation.py [--repeats 1000] [--answers 1000] [--labels 100] [--json]

In every repeat there are new answers, a part of them right. A cheap judge scores all of them with noise. The LLM calls
a quarter of the wrong answers right and a few of the right ones wrong, more often where the cheap judge errs too, and
says so with too much confidence. The estimates are those of `qassay accuracy`:

- llm: the LLM is asked about all answers; people label some at random
- llm, next: the labelled answers are drawn as `--next` draws them, unsure ones more often
- doubt: the LLM is asked where the cheap judge scores from 0.2 to 0.8, and about a tenth of the others at random
- doubt, next: the same, with labels drawn as `--next` draws them
- doubt, half: a budget ends when half of these were asked about
- llm alone: no labels; the truth is the share of right answers, which the LLM misses by its bias
- doubt, its own: no labels; the truth is the LLM's mean over all such answers, which `--doubt` estimates from a part

"Narrower" is by how much the mean interval is narrower than that from as many random labels alone.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from qassay.arrays import Bools, Floats
from qassay.meta.accuracy.estimates import JudgedAnswers, SystemAccuracy, estimate_systems
from qassay.meta.accuracy.label_selection import next_labels
from qassay.meta.accuracy.labels import MatchedLabels
from qassay.meta.accuracy.sampled_judge import SampledJudge, choose_doubtful

RIGHT = 0.7
KINDS, WRONGLY_RIGHT, WRONGLY_WRONG = 2, (0.15, 0.45), (0.02, 0.08)
"""Answers are easy or hard; the LLM's errors on wrong and on right answers of either kind."""
HARD = 1 / 3
SURE = 0.97
"""The LLM's probability for its verdict."""
LIMITS, ELSEWHERE = (0.2, 0.8), 0.1


class World(NamedTuple):
    """Answers in rows."""

    truth: Floats
    cheap: Floats
    llm: Floats


@dataclass(frozen=True)
class Line:
    """What came of one design."""

    design: str
    coverage: float
    bias: float
    width: float
    narrower: float | None
    asked: float
    """Share of answers that the LLM was asked about."""


def make_world(n: int, rng: np.random.Generator) -> World:
    """Draw answers, the cheap judge's scores and the LLM's."""
    right, hard = rng.random(n) < RIGHT, (rng.random(n) < HARD).astype(int)
    logit = np.where(right, 1.0, -1.0) * np.where(hard == 1, 0.5, 2.5) + rng.normal(size=n)
    errs = rng.random(n) < np.where(right, np.array(WRONGLY_WRONG)[hard], np.array(WRONGLY_RIGHT)[hard])
    return World(right.astype(float), 1 / (1 + np.exp(-logit)), np.where(right != errs, SURE, 1 - SURE))


def llm_mean() -> float:
    """Return the LLM's mean score over all answers that could be drawn."""
    shares = np.array([1 - HARD, HARD])
    called = RIGHT * (1 - shares @ np.array(WRONGLY_WRONG)) + (1 - RIGHT) * (shares @ np.array(WRONGLY_RIGHT))
    return float(called * SURE + (1 - called) * (1 - SURE))


def in_doubt(world: World, rng: np.random.Generator, budget: float = 1.0) -> SampledJudge:
    """Ask the LLM as `qassay judge --doubt` does, of the chosen answers only a share where a budget ends."""
    n = len(world.truth)
    selection = choose_doubtful(world.cheap, *LIMITS, ELSEWHERE, rng, system=[""] * n)
    chosen = np.flatnonzero(selection.chosen)
    asked: Bools = np.zeros(n, dtype=bool)
    asked[rng.permutation(chosen)[: round(budget * len(chosen))]] = True
    return SampledJudge(world.cheap, np.where(asked, world.llm, np.nan), selection.probability(asked))


def estimate(
    world: World, sampled: SampledJudge | None, labels: int, rng: np.random.Generator, *, active: bool = False
) -> SystemAccuracy:
    """Estimate the accuracy from judge and labels as `qassay accuracy` does."""
    n = len(world.truth)
    scores = world.llm if sampled is None else sampled.combined
    matched = None
    if labels:
        matched = MatchedLabels.none(n)
        if active:
            drawn = next_labels(scores, labels, rng)
            rows = drawn.rows
            matched.round[rows], matched.probability[rows] = 1, drawn.probability
        else:
            rows = rng.permutation(n)[:labels]
        matched.value[rows] = world.truth[rows]
    answers = JudgedAnswers([""] * n, list(range(n)), scores, matched, sampled=sampled)
    return estimate_systems(answers).systems[0]


Design = Callable[[World, int, np.random.Generator], tuple[SystemAccuracy, SampledJudge | None, float]]


def _people(*, doubt: bool, active: bool = False, budget: float = 1.0) -> Design:
    def design(
        world: World, labels: int, rng: np.random.Generator
    ) -> tuple[SystemAccuracy, SampledJudge | None, float]:
        sampled = in_doubt(world, rng, budget) if doubt else None
        return estimate(world, sampled, labels, rng, active=active), sampled, float(world.truth.mean())

    return design


def _llm_alone(
    world: World, _labels: int, rng: np.random.Generator
) -> tuple[SystemAccuracy, SampledJudge | None, float]:
    return estimate(world, None, 0, rng), None, RIGHT


def _its_own(world: World, _labels: int, rng: np.random.Generator) -> tuple[SystemAccuracy, SampledJudge | None, float]:
    sampled = in_doubt(world, rng)
    return estimate(world, sampled, 0, rng), sampled, llm_mean()


DESIGNS: dict[str, Design] = {
    "llm": _people(doubt=False),
    "llm, next": _people(doubt=False, active=True),
    "doubt": _people(doubt=True),
    "doubt, next": _people(doubt=True, active=True),
    "doubt, half": _people(doubt=True, budget=0.5),
    "llm alone": _llm_alone,
    "doubt, its own": _its_own,
}


def simulate(name: str, repeats: int, n: int, labels: int, seed: int) -> Line:
    """Repeat one design."""
    held, errors, widths, alone, asked = [], [], [], [], []
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        found, sampled, truth = DESIGNS[name](make_world(n, rng), labels, rng)
        best = found.best
        held.append(best.low <= truth <= best.high)
        errors.append(best.estimate - truth)
        widths.append(best.width)
        alone.append(None if found.labels_only is None else found.labels_only.width)
        asked.append(1.0 if sampled is None else float((~np.isnan(sampled.costly)).mean()))
    others = [each for each in alone if each is not None]
    # With unequal probabilities, the labels alone are wider than random ones; these are what is compared with.
    plain = float(np.mean(others)) if others and "next" not in name else None
    narrower = None if plain is None else 1 - float(np.mean(widths)) / plain
    width, bias = float(np.mean(widths)), float(np.mean(errors))
    return Line(name, float(np.mean(held)), bias, width, narrower, float(np.mean(asked)))


def main() -> None:
    """Print a line for each design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--answers", type=int, default=1000)
    parser.add_argument("--labels", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines = [simulate(name, given.repeats, given.answers, given.labels, given.seed) for name in DESIGNS]
    if given.json:
        print(json.dumps([asdict(line) for line in lines]))
        return
    print(f"{given.repeats} repeats, {given.answers} answers, {given.labels} labels, 95 % intervals")
    print(f"{'design':16} {'coverage':>8} {'bias':>7} {'width':>6} {'narrower':>8} {'asked':>6}")
    for line in lines:
        narrower = "-" if line.narrower is None else f"{line.narrower:.1%}"
        print(
            f"{line.design:16} {line.coverage:8.1%} {line.bias:+7.3f} {line.width:6.3f} {narrower:>8} {line.asked:6.0%}"
        )


if __name__ == "__main__":
    main()
