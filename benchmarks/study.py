"""Play a study on AVSD's released judgements: how many labels an interval takes, and whether it holds.

    python benchmarks/study.py [--runs 500] [--k 3] [--reach 0.03] [--fixed 300] [--judge ava] [--scores FILE] [--json]
    python benchmarks/study.py --input NQ.json --system fid --answers 800 --fixed 200

AVSD's file has the mean rating of 1,000 answers on a scale from 1 to 5. In each run, people are played: each of `k`
rates an answer by its released mean with noise (`--noise`, the standard deviation), rounded to the scale, and an answer
is right if the mean of its ratings is at least 4, as a study of `qassay serve --task likert5 --k 3` counts it. The
truth is the share of right answers among all 1,000. Rounds of 50 are drawn

- as `qassay serve` and `accuracy --next` draw them: unsure answers more often, with known probabilities, and from the
  second round on by the errors that the labels so far show
- by doubts alone: the same without learning from labels
- at random, with the same estimate from judge and labels
- at random, with the labels alone

until the interval is at most `reach` wide to either side, as a lead does who watches it: the labels that this took, and
how often the interval then holds. The promise is made for a number of labels that was fixed before: the coverage at
`--fixed` labels is that. --scores takes what `qassay score -m JUDGE -o FILE` wrote, so that the judge is asked once.
--input takes other judged answers, of one --system; verdicts (0 or 1) are taken as they are, without noise.

The last line says how true the judge's doubts are: by quarter of the answers, from the one that it is surest of to the
one that it is least sure of, the squared error of the labels around their regression on its scores.
"""

import argparse
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from qassay.arrays import Bools, Floats
from qassay.io.input_stream import Reader
from qassay.io.scores.scored_files import read_rows
from qassay.meta.accuracy.label_design import design_of_rounds, simple_random
from qassay.meta.accuracy.label_selection import next_labels
from qassay.meta.accuracy.ppi import AccuracyEstimate, label_accuracy, ppi_accuracy
from qassay.metrics.registry import parse_spec
from qassay.scoring.scorer import score_examples

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
AVSD = "bench/kpqa_human/avsd_all.csv"
CUT, LOWEST, HIGHEST = 4, 1, 5
DESIGNS = ("next", "doubts alone", "random", "labels alone")
BY_DOUBT = ("next", "doubts alone")
QUARTERS = 4


@dataclass(frozen=True)
class Line:
    """What came of one way of drawing."""

    design: str
    labels: float
    """Median of the labels until the interval was narrow enough."""
    low: float
    high: float
    """The tenth and the ninetieth percentile of them."""
    coverage_when_stopped: float
    fixed: int
    coverage: float
    """At the fixed number of labels."""
    width: float
    """Mean width there."""
    bias: float


class Draws:
    """Labels of one run, round by round."""

    def __init__(self, design: str, scores: Floats, labels: Floats, rng: np.random.Generator) -> None:
        self._design, self._scores, self._labels, self._rng = design, scores, labels, rng
        self.shown: Bools = np.zeros(len(labels), dtype=bool)
        self._round = np.zeros(len(labels), np.int64)
        self._chance = np.full(len(labels), np.nan)
        self._rounds = 0

    def draw(self, n: int) -> None:
        """Label the next round."""
        self._rounds += 1
        if self._design in BY_DOUBT:
            known = np.where(self.shown, self._labels, np.nan) if self._design == "next" else None
            chosen = next_labels(self._scores, n, self._rng, labelled=self.shown, labels=known)
            rows = chosen.rows
            self._chance[rows] = chosen.probability
        else:
            rows = self._rng.choice(np.flatnonzero(~self.shown), min(n, int((~self.shown).sum())), replace=False)
        self.shown[rows] = True
        self._round[rows] = self._rounds

    def estimate(self) -> AccuracyEstimate:
        """Estimate the accuracy from what is labelled so far."""
        values = np.where(self.shown, self._labels, np.nan)
        if self._design in BY_DOUBT:
            design = design_of_rounds(self.shown, self._round, self._chance)
        else:
            design = simple_random(self.shown)
        if self._design == "labels alone":
            return label_accuracy(values, design=design)
        return ppi_accuracy(self._scores, values, design=design)


def play(means: Floats, k: int, noise: float, rng: np.random.Generator) -> Floats:
    """Return which answers k people find right; verdicts are what they are."""
    if np.isin(means, (0, 1)).all():
        return means
    given = means[:, None] + rng.normal(0, noise, (len(means), k))
    ratings = np.clip(np.rint(given), LOWEST, HIGHEST)
    return np.asarray(ratings.mean(axis=1) >= CUT, np.float64)


def simulate(design: str, scores: Floats, means: Floats, options: argparse.Namespace) -> Line:
    """Run the study many times with one way of drawing."""
    needed, stopped, held, widths, errors = [], [], [], [], []
    for run in range(options.runs):
        rng = np.random.default_rng([options.seed, run])
        labels = play(means, options.k, options.noise, rng)
        truth = float(labels.mean())
        draws = Draws(design, scores, labels, rng)
        narrow = False
        while not narrow or draws.shown.sum() < options.fixed:
            draws.draw(options.round)
            count = int(draws.shown.sum())
            found = draws.estimate()
            if not narrow and (found.width <= 2 * options.reach or count == len(labels)):
                narrow = True
                needed.append(count)
                stopped.append(found.low <= truth <= found.high)
            if count == options.fixed:
                held.append(found.low <= truth <= found.high)
                widths.append(found.width)
                errors.append(found.estimate - truth)
    low, middle, high = np.percentile(needed, (10, 50, 90)).tolist()
    return Line(
        design,
        middle,
        low,
        high,
        float(np.mean(stopped)),
        options.fixed,
        float(np.mean(held)),
        float(np.mean(widths)),
        float(np.mean(errors)),
    )


def errors_by_doubt(scores: Floats, means: Floats, options: argparse.Namespace) -> list[float]:
    """Return the mean squared error that the estimate leaves open, by quarter of the answers from sure to unsure."""
    parts = np.array_split(np.argsort(scores * (1 - scores), kind="stable"), QUARTERS)
    found = []
    for run in range(options.runs):
        labels = play(means, options.k, options.noise, np.random.default_rng([options.seed, run]))
        slope, constant = np.polyfit(scores, labels, 1)
        squared = (labels - slope * scores - constant) ** 2
        found.append([float(squared[part].mean()) for part in parts])
    averages: list[float] = np.mean(found, axis=0).tolist()
    return averages


def judge_scores(judge: str, path: Path | None, options: argparse.Namespace) -> tuple[Floats, Floats]:
    """Return the judge's scores and people's mean ratings."""
    examples = [
        each for each in Reader([str(options.input)]) if options.system is None or each.system == options.system
    ][: options.answers]
    means = np.array([each.judgement for each in examples], np.float64)
    spec = str(parse_spec(judge))
    if path is not None:
        stored = {row.id: row.scores[spec] for row in read_rows(path)}
        return np.array([stored[each.id] for each in examples], np.float64), means
    return score_examples(examples, [spec])[spec], means


def main() -> None:
    """Print a line per way of drawing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--noise", type=float, default=0.7)
    parser.add_argument("--round", type=int, default=50)
    parser.add_argument("--reach", type=float, default=0.03)
    parser.add_argument("--fixed", type=int, default=300)
    parser.add_argument("--judge", default="ava")
    parser.add_argument("--scores", type=Path)
    parser.add_argument("--input", type=Path, default=DATA / AVSD)
    parser.add_argument("--system")
    parser.add_argument("--answers", type=int, help="the first so many")
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    scores, means = judge_scores(options.judge, options.scores, options)
    lines = [simulate(design, scores, means, options) for design in DESIGNS]
    if options.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
        return
    wanted = f"labels for ±{options.reach:g} (10-90 %)"
    print(f"{'drawn':14} {wanted:28} holds then  holds at {options.fixed}     width    bias")
    for line in lines:
        span = f"{line.labels:.0f} ({line.low:.0f}-{line.high:.0f})"
        print(
            f"{line.design:14} {span:28} {line.coverage_when_stopped:9.1%} {line.coverage:13.1%} "
            f"{line.width:9.4f} {line.bias:+.4f}"
        )
    quarters = " ".join(f"{each:.3f}" for each in errors_by_doubt(scores, means, options))
    print(f"squared error left open, from the quarter the judge is surest of to the least sure: {quarters}")


if __name__ == "__main__":
    main()
