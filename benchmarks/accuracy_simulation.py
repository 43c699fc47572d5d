"""Check by simulation that the intervals of `qassay accuracy` hold what they promise, on EVOUNA-NQ.

    python benchmarks/accuracy_simulation.py [--judge token_recall] [--labels 50 100 200] [--repeats 1000] [--json]
    python benchmarks/accuracy_simulation.py --judge ava --calibration none [--held-back] [--scores scores.jsonl]

EVOUNA-NQ has people's verdicts on five systems' answers to some 3,000 questions. Half of the questions make the
judge: the metric's scores become probabilities by isotonic regression. On the other half the labels are hidden, a
few are drawn, and the estimate is compared with the true accuracy, again and again. With --calibration none the
scores are taken as they are, as `qassay accuracy` does, and all questions are used. The embedded judge was trained
on most of them: --held-back takes the tenth that it has not seen. --scores takes what `qassay score -m JUDGE -o FILE`
wrote, so that a slow judge is asked once. --input takes other judged answers (0 or 1).

- random: labels drawn at random
- active: drawn as `--next` draws them, unsure answers more often
- two rounds: half at random, then half as `--next` does
- questions: the answers themselves are a sample, and the accuracy on all questions is asked for (--of questions)
- clusters: the five systems as one that gives five answers a question, labelled question by question

"Narrower" is by how much the mean interval is narrower than Wilson's from as many random labels alone.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.isotonic import IsotonicRegression

from qassay.arrays import Bools, Floats
from qassay.io.input_stream import Reader
from qassay.io.scores.scored_files import read_rows
from qassay.meta.accuracy.label_design import design_of_rounds
from qassay.meta.accuracy.label_selection import next_labels
from qassay.meta.accuracy.ppi import AccuracyEstimate, Population, judge_accuracy, label_accuracy, ppi_accuracy
from qassay.metrics.registry import parse_spec
from qassay.records import Example
from qassay.scoring.scorer import score_examples
from qassay.training.splits import held_back

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))


@dataclass(frozen=True)
class Answers:
    """One system's answers: the judge's scores, the truth, and which question each belongs to."""

    name: str
    scores: Floats
    truth: Floats
    question: list[str]

    def hide(self, shown: Bools) -> Floats:
        """Return the labels of some answers only."""
        return np.where(shown, self.truth, np.nan)


@dataclass(frozen=True)
class Line:
    """What came of one design for one system."""

    system: str
    design: str
    labels: int
    coverage: float
    labels_coverage: float
    """Of the interval from the labels alone."""
    width: float
    narrower: float
    bias: float


class Outcome(NamedTuple):
    """The estimate, the labels' own, and the truth."""

    estimate: AccuracyEstimate
    alone: AccuracyEstimate
    truth: float

    @property
    def held(self) -> tuple[bool, bool]:
        """Which of the two intervals hold the truth."""
        return (
            self.estimate.low <= self.truth <= self.estimate.high,
            self.alone.low <= self.truth <= self.alone.high,
        )


def random(answers: Answers, labels: int, rng: np.random.Generator) -> Outcome:
    """Draw labels at random."""
    known = answers.hide(_drawn(len(answers.truth), labels, rng))
    return Outcome(ppi_accuracy(answers.scores, known), label_accuracy(known), float(answers.truth.mean()))


def active(answers: Answers, labels: int, rng: np.random.Generator) -> Outcome:
    """Draw unsure answers more often."""
    return _in_rounds(answers, 0, labels, rng)


def two_rounds(answers: Answers, labels: int, rng: np.random.Generator) -> Outcome:
    """Draw half at random, half by doubt."""
    return _in_rounds(answers, labels // 2, labels - labels // 2, rng)


def questions(answers: Answers, labels: int, rng: np.random.Generator) -> Outcome:
    """Draw the answers too: as many as five for a label, with replacement, from all there are."""
    n = len(answers.truth)
    rows = rng.integers(0, n, 5 * labels)
    known = np.where(_drawn(len(rows), labels, rng), answers.truth[rows], np.nan)
    whole = Population.QUESTIONS
    return Outcome(
        ppi_accuracy(answers.scores[rows], known, population=whole),
        label_accuracy(known, population=whole),
        float(answers.truth.mean()),
    )


def clusters(answers: Answers, labels: int, rng: np.random.Generator) -> Outcome:
    """Draw whole questions."""
    names = np.array(answers.question)
    distinct = np.unique(names)
    chosen = rng.choice(distinct, labels * len(distinct) // len(names), replace=False)
    known = answers.hide(np.isin(names, chosen))
    return Outcome(
        ppi_accuracy(answers.scores, known, clusters=answers.question),
        label_accuracy(known, clusters=answers.question),
        float(answers.truth.mean()),
    )


DESIGNS: dict[str, Callable[[Answers, int, np.random.Generator], Outcome]] = {
    "random": random,
    "active": active,
    "two rounds": two_rounds,
    "questions": questions,
}


def _drawn(n: int, labels: int, rng: np.random.Generator) -> Bools:
    return np.asarray(rng.permutation(n) < labels)


def _in_rounds(answers: Answers, first: int, second: int, rng: np.random.Generator) -> Outcome:
    n = len(answers.truth)
    shown = _drawn(n, first, rng)
    chosen = next_labels(answers.scores, second, rng, labelled=shown, labels=answers.hide(shown))
    rounds, chance = np.zeros(n, np.int64), np.full(n, np.nan)
    shown[chosen.rows], rounds[chosen.rows], chance[chosen.rows] = True, 1, chosen.probability
    estimate = ppi_accuracy(answers.scores, answers.hide(shown), design=design_of_rounds(shown, rounds, chance))
    alone = label_accuracy(answers.hide(_drawn(n, first + second, rng)))
    return Outcome(estimate, alone, float(answers.truth.mean()))


def score(examples: list[Example], judge: str, scores: Path | None) -> Floats:
    """Score the answers, or find their scores in a file."""
    if scores is None:
        return next(iter(score_examples(examples, [judge]).scores.values()))
    known = {(row.system, row.id): row.scores[str(parse_spec(judge))] for row in read_rows(scores)}
    found = [known[example.system, example.id] for example in examples]
    return np.array([np.nan if value is None else value for value in found])


def read(examples: list[Example], raw: Floats, calibration: str, seed: int) -> list[Answers]:
    """Calibrate the scores on half of the questions and give the other half, or give all as they are."""
    truth = np.array([np.nan if each.judgement is None else each.judgement for each in examples])
    names = np.array([each.id for each in examples])
    system = np.array([each.system for each in examples])
    distinct = np.unique(names)
    calibrating = np.isin(names, np.random.default_rng(seed).permutation(distinct)[: len(distinct) // 2])
    usable = ~(np.isnan(raw) | np.isnan(truth))
    scores = raw
    if calibration == "none":
        calibrating[:] = False
    else:
        fitted = IsotonicRegression(out_of_bounds="clip").fit(raw[calibrating & usable], truth[calibrating & usable])
        scores = np.full(len(raw), np.nan)
        scores[usable] = fitted.predict(raw[usable])
    parts = {name: usable & ~calibrating & (system == name) for name in dict.fromkeys(system.tolist())}
    return [Answers(name, scores[rows], truth[rows], names[rows].tolist()) for name, rows in parts.items()]


def simulate(answers: Answers, design: str, labels: int, repeats: int, rng: np.random.Generator) -> Line:
    """Repeat a design and count how often the interval holds the truth."""
    draw = clusters if design == "clusters" else DESIGNS[design]
    outcomes = [draw(answers, labels, rng) for _ in range(repeats)]
    held, alone_held = np.mean([outcome.held for outcome in outcomes], axis=0).tolist()
    width, alone_width = np.mean(
        [(outcome.estimate.width, outcome.alone.width) for outcome in outcomes], axis=0
    ).tolist()
    bias = float(np.mean([outcome.estimate.estimate - outcome.truth for outcome in outcomes]))
    return Line(answers.name, design, labels, held, alone_held, width, 1 - width / alone_width, bias)


def average(lines: list[Line]) -> list[Line]:
    """Average the systems of each design and number of labels."""
    groups: dict[tuple[str, int], list[Line]] = {}
    for line in lines:
        groups.setdefault((line.design, line.labels), []).append(line)
    numbers = ("coverage", "labels_coverage", "width", "narrower", "bias")
    return [
        Line("mean", design, labels, *(float(np.mean([getattr(line, name) for line in group])) for name in numbers))
        for (design, labels), group in groups.items()
    ]


def report(judge: str, systems: list[Answers], lines: list[Line]) -> None:
    """Print Markdown tables."""
    print(f"Judge: {judge}. Systems: {', '.join(f'{each.name} ({len(each.truth)})' for each in systems)}.\n")
    print("| design | labels | system | coverage | labels alone | width | narrower | bias |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for line in [*lines, *average(lines)]:
        print(
            f"| {line.design} | {line.labels} | {line.system} | {line.coverage:.3f} | {line.labels_coverage:.3f} | "
            f"{line.width:.3f} | {line.narrower:.1%} | {line.bias:+.4f} |"
        )
    print("\nThe judge alone (its interval knows nothing of its errors):\n")
    print("| system | judge | interval | true |")
    print("| --- | --- | --- | --- |")
    for each in systems:
        judged = judge_accuracy(each.scores)
        limits = f"{judged.low:.3f} to {judged.high:.3f}"
        print(f"| {each.name} | {judged.estimate:.3f} | {limits} | {each.truth.mean():.3f} |")


def main() -> None:
    """Run the simulation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    evouna = DATA / "train" / "evouna" / "NQ.json"
    parser.add_argument("--input", type=Path, nargs="+", default=[evouna], help="answers with people's verdicts")
    parser.add_argument("--judge", default="token_recall", help="a metric spec with scores from 0 to 1")
    parser.add_argument("--calibration", choices=["isotonic", "none"], default="isotonic")
    parser.add_argument("--held-back", action="store_true", help="only the questions that no training saw")
    parser.add_argument("--scores", type=Path, help="scores of the judge that `qassay score -o` wrote")
    parser.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    started = time.monotonic()
    examples = [each for each in Reader(options.input) if not options.held_back or held_back(each.question)]
    systems = read(examples, score(examples, options.judge, options.scores), options.calibration, options.seed)
    rng = np.random.default_rng(options.seed)
    together = Answers(
        "all as one",
        np.concatenate([each.scores for each in systems]),
        np.concatenate([each.truth for each in systems]),
        [name for each in systems for name in each.question],
    )
    lines = [
        simulate(answers, design, labels, options.repeats, rng)
        for labels in options.labels
        for design in (*DESIGNS, "clusters")
        for answers in ([together] if design == "clusters" else systems)
    ]
    if options.json:
        means = [asdict(line) for line in average(lines)]
        print(json.dumps({"lines": [asdict(line) for line in lines], "means": means, "seed": options.seed}))
        return
    report(options.judge, systems, lines)
    print(f"\n{options.repeats} repeats, seed {options.seed}, {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
