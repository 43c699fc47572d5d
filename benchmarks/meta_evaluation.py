"""Check that the statistics keep their promises, and time them.

    python benchmarks/meta_evaluation.py [--runs 1000] [--only errors|coverage|speed]
        [--level answer|input|system] [--coefficient pearson|spearman|kendall]

1. Error rates: on simulated metrics with no true difference, each test at 5 % should reject in 3-7 % of the runs.
2. Coverage: 95 % intervals should hold the true value in 93-97 % of the runs.
3. Speed: bootstrap intervals against a loop over scipy, PERM-BOTH against a loop over numpy, in the same run.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from qassay.arrays import Floats
from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha
from qassay.meta.agreement.ratings import Ratings
from qassay.meta.comparison.paired_test import compare_means
from qassay.meta.correlation.correlate import correlate
from qassay.meta.correlation.levels import Level, ResamplingUnit
from qassay.meta.correlation.metric_comparison import metric_difference
from qassay.meta.correlation.permutation import permutation_difference
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.panel import Panel
from qassay.meta.statistics.weighted import Coefficient

SCIPY = {
    Coefficient.PEARSON: stats.pearsonr,
    Coefficient.SPEARMAN: stats.spearmanr,
    Coefficient.KENDALL: stats.kendalltau,
}


@dataclass(frozen=True)
class World:
    """Where simulated answers come from: systems of unequal quality, easy and hard questions, metrics with noise."""

    systems: int
    questions: int
    system_spread: float = 0.5
    question_spread: float = 0.5
    noise: float = 1.0
    likert: bool = False
    fixed_systems: bool = False

    def __str__(self) -> str:
        return f"{self.systems} x {self.questions}{', Likert' if self.likert else ''}"

    def panel(self, rng: np.random.Generator, systems: int | None = None, questions: int | None = None) -> Panel:
        """Return people's judgements and two metrics of equal worth."""
        rows, columns = systems or self.systems, questions or self.questions
        effects = np.linspace(-1, 1, rows) if self.fixed_systems else rng.normal(size=rows)
        quality = (
            self.system_spread * effects[:, None]
            + self.question_spread * rng.normal(size=columns)
            + rng.normal(size=(rows, columns))
        )
        scores = [quality + self.noise * rng.normal(size=quality.shape) for _ in range(2)]
        judgement = quality
        if self.likert:
            judgement = np.clip(np.round(3 + quality + 0.5 * rng.normal(size=quality.shape)), 1, 5)
            scores = [1 / (1 + np.exp(-values)) for values in scores]
        return Panel.build(
            judgement.ravel(),
            {"a": scores[0].ravel(), "b": scores[1].ravel()},
            system=np.repeat(np.arange(rows), columns).tolist(),
            question=np.tile(np.arange(columns), rows).tolist(),
        )


SUMMEVAL = World(systems=16, questions=100, system_spread=0.1, noise=2.0)
"""As many systems and questions as SummEval has, and coefficients as ROUGE has there (Kendall .39)."""
ALMOST_PERFECT = World(systems=16, questions=100)
"""Metrics that rank almost all pairs of systems as people do (Kendall .88)."""


def row(title: str, rate: float, runs: int, low: float, high: float, *more: str) -> None:
    """Print one rate with its Monte-Carlo error and whether it lies where it should."""
    error = np.sqrt(max(rate * (1 - rate), 1e-9) / runs)
    cells = (title, f"{100 * rate:.1f} ± {100 * error:.1f} %", *more, "yes" if low <= rate <= high else "NO")
    print(f"| {' | '.join(cells)} |", flush=True)


def error_rates(runs: int, levels: Sequence[Level], coefficients: Sequence[Coefficient]) -> None:
    """Count rejections at 5 % where there is nothing to find."""
    print("\n| test of two metrics, no true difference | rejects at 5 % | within 3-7 % |\n|---|---|---|")
    for level, world in (
        (Level.ANSWER, World(systems=5, questions=40)),
        (Level.ANSWER, World(systems=5, questions=40, likert=True)),
        (Level.INPUT, World(systems=16, questions=100)),
        (Level.SYSTEM, SUMMEVAL),
        (Level.SYSTEM, ALMOST_PERFECT),
    ):
        if level not in levels:
            continue
        for coefficient in coefficients:
            for test in DifferenceTest:
                rng = np.random.default_rng(1)
                p_values = [
                    metric_difference(
                        world.panel(rng), "a", "b", test=test, level=level, coefficient=coefficient, rng=rng, draws=399
                    ).p
                    for _ in range(runs)
                ]
                known = [p for p in p_values if p is not None]
                if known:
                    rate = float(np.mean(np.array(known) < 0.05))  # noqa: PLR2004 - the level that is tested
                    row(f"{test}, {coefficient}, {level} ({world})", rate, len(known), 0.03, 0.07)
    print("\n| test of two systems, no true difference | rejects at 5 % | within 3-7 % |\n|---|---|---|")
    rng = np.random.default_rng(1)
    numbers = [compare_means(rng.random(100), rng.random(100), rng=rng, draws=399) for _ in range(runs)]
    decisions = [
        compare_means(*(rng.random((2, 200)) < 0.7).astype(np.float64), rng=rng, draws=399)  # noqa: PLR2004 - accuracy
        for _ in range(runs)
    ]
    for name, results in (("means of 100 numbers", numbers), ("200 right-or-wrong decisions", decisions)):
        for kind in ("p_permutation", "p_bootstrap"):
            rate = float(np.mean([getattr(result, kind) < 0.05 for result in results]))  # noqa: PLR2004 - as above
            row(f"{kind.removeprefix('p_')}, {name}", rate, runs, 0.03, 0.07)


def coverage(runs: int, levels: Sequence[Level], coefficients: Sequence[Coefficient]) -> None:
    """Count how often 95 % intervals hold the value that an endless sample would give, and how wide they are.

    The width is that of 95 % of the estimates, so that 1 is as wide as need be and more is cautious.
    """
    print("\n| interval | holds the truth | width | within 93-97 % |\n|---|---|---|---|")
    worlds = (
        # One answer a question: nothing depends on anything.
        (Level.ANSWER, ResamplingUnit.ANSWERS, World(1, 100, system_spread=0), {"questions": 1_000_000}),
        (Level.ANSWER, ResamplingUnit.ANSWERS, World(1, 100, system_spread=0, likert=True), {"questions": 1_000_000}),
        (Level.ANSWER, ResamplingUnit.ANSWERS, World(1, 500, system_spread=0, likert=True), {"questions": 1_000_000}),
        # Five systems' answers to one question depend on each other.
        (
            Level.ANSWER,
            ResamplingUnit.INPUTS,
            World(5, 100, question_spread=1, fixed_systems=True),
            {"questions": 200_000},
        ),
        (Level.INPUT, ResamplingUnit.INPUTS, World(16, 100, fixed_systems=True), {"questions": 50_000}),
        (Level.SYSTEM, ResamplingUnit.SYSTEMS, SUMMEVAL, {"systems": 20_000}),
        (Level.SYSTEM, ResamplingUnit.SYSTEMS, ALMOST_PERFECT, {"systems": 20_000}),
        (Level.SYSTEM, ResamplingUnit.BOTH, SUMMEVAL, {"systems": 20_000}),
    )
    for level, unit, world, endless in worlds:
        if level not in levels:
            continue
        many = world.panel(np.random.default_rng(3), **endless)
        for coefficient in coefficients:
            rng = np.random.default_rng(2)
            truth = correlate(many, level, [coefficient], ["a"])[0].value or 0.0
            found = [
                correlate(world.panel(rng), level, [coefficient], ["a"], draws=999, rng=rng, unit=unit)[0]
                for _ in range(runs)
            ]
            values = [each.value for each in found if each.value is not None]
            limits = [each.interval for each in found if each.interval is not None]
            held = [each.low <= truth <= each.high for each in limits]
            needed = np.subtract(*np.quantile(values, [0.975, 0.025]))
            width = np.mean([each.high - each.low for each in limits]) / needed
            name = f"{coefficient} = {truth:.2f}, {level} level, resampling {unit} ({world})"
            row(name, float(np.mean(held)), len(held), 0.93, 0.97, f"{width:.2f}")
    if len(levels) == len(Level):
        _alpha_coverage(runs)
        _verdict_coverage(runs)


def _alpha_coverage(runs: int) -> None:
    rng = np.random.default_rng(2)

    def rated(items: int) -> Ratings:
        truth = rng.normal(3, 1, items)
        values = np.clip(np.round(truth[:, None] + 0.7 * rng.normal(size=(items, 5))), 1, 5)
        names = [(str(i), "") for i in range(items) for _ in range(5)]
        return Ratings.build(names, [str(j) for _ in range(items) for j in range(5)], values.ravel())

    endless = rated(50_000)
    for measurement in Measurement:
        truth = krippendorff_alpha(endless, measurement).value or 0.0
        found = [krippendorff_alpha(rated(100), measurement, draws=999, rng=rng) for _ in range(runs)]
        held = [(each.low or 0) <= truth <= (each.high or 0) for each in found]
        needed = np.subtract(*np.quantile([each.value or 0 for each in found], [0.975, 0.025]))
        width = np.mean([(each.high or 0) - (each.low or 0) for each in found]) / needed
        name = f"alpha = {truth:.2f}, {measurement} (100 items x 5 people)"
        row(name, float(np.mean(held)), len(held), 0.93, 0.97, f"{width:.2f}")


def _verdict_coverage(runs: int) -> None:
    """Two verdicts, right or wrong, that differ on a few items: resamples without those few agree perfectly.

    Samples without any difference have no interval and are not counted.
    """
    for n, differing in ((30, 0.1), (60, 0.05), (100, 0.03), (100, 0.1), (300, 0.03)):
        rng = np.random.default_rng(2)
        truth = 1 - 2 * differing
        alphas, pearsons = [], []
        for _ in range(runs):
            first = (rng.random(n) < 0.5).astype(np.float64)  # noqa: PLR2004 - half of them right
            second = np.where(rng.random(n) < differing, 1 - first, first)
            names = [(str(i), "") for i in range(n)] * 2
            ratings = Ratings.build(names, ["a"] * n + ["b"] * n, np.concatenate([first, second]))
            alphas.append(krippendorff_alpha(ratings, Measurement.NOMINAL, draws=999, rng=rng))
            panel = Panel.build(first, {"a": second})
            pearsons.append(correlate(panel, Level.ANSWER, [Coefficient.PEARSON], draws=999, rng=rng)[0])
        for name, values, limits in (
            ("alpha", [each.value for each in alphas], [(each.low, each.high) for each in alphas]),
            (
                "pearson",
                [each.value for each in pearsons],
                [(each.interval.low, each.interval.high) if each.interval else (None, None) for each in pearsons],
            ),
        ):
            pairs = zip(values, limits, strict=True)
            known = [(value, low, high) for value, (low, high) in pairs if value and low is not None and high]
            needed = np.subtract(*np.quantile([value for value, *_ in known], [0.975, 0.025]))
            width = np.mean([high - low for _, low, high in known]) / needed
            rate = float(np.mean([low <= truth <= high for _, low, high in known]))
            row(f"{name} = {truth:.2f}, two verdicts on {n} items", rate, len(known), 0.93, 1, f"{width:.2f}")


def seconds(call: Callable[[], object]) -> float:
    """Time one call by the clock, as a user would; give the machine nothing else to do."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _scipy_loop(panel: Panel, rng: np.random.Generator, draws: int, tests: tuple[Callable[..., object], ...]) -> None:
    for _ in range(draws):
        rows = rng.integers(0, len(panel), len(panel))
        judged = panel.judgement[rows]
        for scores in panel.scores.values():
            for test in tests:
                test(scores[rows], judged)


def _numpy_kendall(x: Floats, z: Floats) -> float:
    sign_x, sign_z = np.sign(x[:, None] - x), np.sign(z[:, None] - z)
    return float((sign_x * sign_z).sum() / np.sqrt((sign_x**2).sum() * (sign_z**2).sum()))


def _numpy_pearson(x: Floats, z: Floats) -> float:
    x, z = x - x.mean(), z - z.mean()
    return float((x * z).sum() / np.sqrt((x * x).sum() * (z * z).sum()))


def _columns(level: Level, matrix: Floats) -> Iterator[Floats]:
    return iter(matrix.T) if level is Level.INPUT else iter([matrix.mean(axis=1)])


def _permutation_loop(panel: Panel, level: Level, coefficient: Coefficient, draws: int) -> None:
    """PERM-BOTH as one would write it: for every permutation, for every question, one coefficient."""
    rng = np.random.default_rng(0)
    correlate_one = _numpy_kendall if coefficient is Coefficient.KENDALL else _numpy_pearson
    shape = (len(panel.systems), len(panel.questions))
    x, y, z = (column.reshape(shape) for column in (panel.scores["a"], panel.scores["b"], panel.judgement))
    for _ in range(draws):
        swap = rng.integers(0, 2, shape).astype(bool)
        for first, second in ((x, y), (y, x)):
            swapped = np.where(swap, second, first)
            pairs = zip(_columns(level, swapped), _columns(level, z), strict=True)
            np.mean([correlate_one(scores, judged) for scores, judged in pairs])


def _permutation_loop_vectorised(panel: Panel, draws: int) -> None:
    """Summary-level Kendall with all questions of one permutation in one array: a stronger opponent."""
    rng = np.random.default_rng(0)
    shape = (len(panel.systems), len(panel.questions))
    x, y, z = (column.reshape(shape).T for column in (panel.scores["a"], panel.scores["b"], panel.judgement))
    sign_z = np.sign(z[:, :, None] - z[:, None, :])
    spread_z = (sign_z**2).sum(axis=(1, 2))
    for _ in range(draws):
        swap = rng.integers(0, 2, x.shape).astype(bool)
        for first, second in ((x, y), (y, x)):
            swapped = np.where(swap, second, first)
            sign = np.sign(swapped[:, :, None] - swapped[:, None, :])
            np.mean((sign * sign_z).sum(axis=(1, 2)) / np.sqrt((sign**2).sum(axis=(1, 2)) * spread_z))


def speed() -> None:
    """Time the vectorised resampling against plain loops; loops run fewer draws, scaled up."""
    rng = np.random.default_rng(4)
    judgement = rng.integers(5, 51, 10_000) / 10
    for kind, judged in (("46 different", judgement), ("10,000 different", judgement + 0.1 * rng.random(10_000))):
        panel = Panel.build(judged, {f"m{i}": judgement + (i + 1) * rng.random(10_000) for i in range(10)})
        print(f"\n| 1,000 draws, 10 metrics x 10,000 answers, {kind} judgements | Qassay ", end="")
        print("| scipy loop (20 draws, scaled) | times faster |\n|---|---|---|---|")
        for coefficients in ([*Coefficient], *([each] for each in Coefficient)):
            ours = seconds(
                lambda panel=panel, wanted=coefficients: correlate(  # type: ignore[misc]
                    panel, Level.ANSWER, wanted, draws=1000, rng=rng, unit=ResamplingUnit.ANSWERS
                )
            )
            tests = tuple(SCIPY[each] for each in coefficients)
            theirs = 50 * seconds(lambda panel=panel, loop=tests: _scipy_loop(panel, rng, 20, loop))  # type: ignore[misc]
            name = ", ".join(coefficients)
            print(f"| {name} | {ours:.2f} s | {theirs:.1f} s | {theirs / ours:.0f} |", flush=True)
    panel = World(systems=16, questions=100).panel(rng)
    print("\n| PERM-BOTH, 10,000 permutations, 16 x 100 | Qassay | numpy loop (100, scaled) | times faster |")
    print("|---|---|---|---|")
    for level in (Level.SYSTEM, Level.INPUT):
        for coefficient in (Coefficient.PEARSON, Coefficient.KENDALL):
            ours = seconds(
                lambda level=level, coefficient=coefficient: permutation_difference(  # type: ignore[misc]
                    panel, "a", "b", level=level, coefficient=coefficient, rng=rng, draws=10_000
                )
            )
            theirs = 100 * seconds(
                lambda level=level, coefficient=coefficient: _permutation_loop(  # type: ignore[misc]
                    panel, level, coefficient, 100
                )
            )
            print(f"| {level} level, {coefficient} | {ours:.2f} s | {theirs:.1f} s | {theirs / ours:.0f} |", flush=True)
    theirs = 100 * seconds(lambda: _permutation_loop_vectorised(panel, 100))
    print(
        f"| input level, kendall, questions vectorised in the loop | {ours:.2f} s | {theirs:.1f} s "
        f"| {theirs / ours:.0f} |"
    )


def main() -> None:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="simulated data sets a row")
    parser.add_argument("--only", choices=["errors", "coverage", "speed"])
    parser.add_argument("--level", type=Level, action="append", help="only rows about metrics at this level (repeat)")
    parser.add_argument("--coefficient", type=Coefficient, action="append", help="only rows with this one (repeat)")
    options = parser.parse_args()
    chosen = options.level or tuple(Level), options.coefficient or tuple(Coefficient)
    if options.only in {None, "errors"}:
        error_rates(options.runs, *chosen)
    if options.only in {None, "coverage"}:
        coverage(options.runs, *chosen)
    if options.only in {None, "speed"}:
        speed()


if __name__ == "__main__":
    main()
