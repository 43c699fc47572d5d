"""Lexical metrics side by side with rouge-score and sacrebleu, and `qassay score` from file to file.

    python benchmarks/lexical.py             short and long pairs, then 200,000 rows with one and two workers
    python benchmarks/lexical.py --memory    also 2,000,000 rows, for the peak of memory (takes minutes)

Every contender runs in a process of its own on the same pairs, three times with its caches cleared, and its best
time counts. Rates and ratios are of processor time, which other work on the machine disturbs less than the clock.
The pairs come from the KPQA data ($QASSAY_DATA, or shared/data beside the project): a random answer with one of its
references. A second set makes every text distinct, so that nothing is gained by seeing a text again.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from measured_command import run_measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).parents[2] / "shared" / "data"))
FILES = ("marco_all.csv", "avsd_all.csv", "marcomulti_unilm.csv")
SEED = 12345
TIMES = 3
LONG_WORDS, LONG_PAIRS = 300, 200
SMALL, LARGE = 200_000, 2_000_000
SIX = ("exact_match", "token_f1", "bleu", "rouge_1", "rouge_2", "rouge_l")
FILE_METRICS = ("exact_match", "token_f1", "bleu", "rouge_l")
LIMIT_MB, LIMIT_GROWTH, ID_BYTES = 400, 1.3, 16

Pair = tuple[str, str]


class Target(NamedTuple):
    """What a contender must reach on some pairs, against which peer."""

    contender: str
    peer: str
    times: dict[str, float]


CONTENDERS = {
    "rouge-score rougeL": (),
    "sacrebleu sentence_score": (),
    "qassay rouge_l": ("rouge_l",),
    "qassay bleu": ("bleu",),
    "qassay bleu,tok=13a": ("bleu,tok=13a",),
    "qassay six metrics": SIX,
}
TARGETS = (
    Target("qassay rouge_l", "rouge-score rougeL", {"drawn": 8, "distinct": 8, "300 words": 100}),
    Target("qassay bleu", "sacrebleu sentence_score", {"drawn": 6, "distinct": 6}),
    Target("qassay bleu,tok=13a", "sacrebleu sentence_score", {"drawn": 6, "distinct": 6}),
    Target("qassay six metrics", "sacrebleu sentence_score", {"drawn": 2, "distinct": 2}),
)


def real_pairs() -> list[list[Pair]]:
    """Read every judged answer with each of its references."""
    rows = []
    for name in FILES:
        with (DATA / "bench" / "kpqa_human" / name).open(encoding="utf-8", newline="") as file:
            rows += list(csv.DictReader(file))
    return [
        [(row["answer"], text) for key, text in row.items() if key.startswith("reference") and text] for row in rows
    ]


def drawn_pairs(rng: np.random.Generator, size: int) -> Iterator[Pair]:
    """Draw answers, and one reference for each."""
    pairs = real_pairs()
    for i in rng.integers(len(pairs), size=size).tolist():
        yield pairs[i][int(rng.integers(len(pairs[i])))]


def long_pairs(rng: np.random.Generator) -> list[Pair]:
    """Join drawn answers, and their references, to texts of 300 words."""
    drawn = drawn_pairs(rng, LONG_PAIRS * LONG_WORDS)
    pairs = []
    for _ in range(LONG_PAIRS):
        candidate: list[str] = []
        reference: list[str] = []
        while min(len(candidate), len(reference)) < LONG_WORDS:
            ours, theirs = next(drawn)
            candidate += ours.split()
            reference += theirs.split()
        pairs.append((" ".join(candidate[:LONG_WORDS]), " ".join(reference[:LONG_WORDS])))
    return pairs


def contender(name: str, pairs: list[Pair]) -> Callable[[], object]:
    """Make the function that scores all pairs, one answer at a time or in batches, as its library is meant to."""
    if name == "rouge-score rougeL":
        from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - a peer's process loads the peer alone

        rouge = RougeScorer(["rougeL"])
        return lambda: [rouge.score(reference, candidate) for candidate, reference in pairs]
    if name == "sacrebleu sentence_score":
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - as above
        from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a  # noqa: PLC0415 - as above
        from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp  # noqa: PLC0415 - as above

        def run() -> object:
            for cached in (Tokenizer13a.__call__, TokenizerRegexp.__call__):
                cached.cache_clear()
            bleu = BLEU(effective_order=True)
            return [bleu.sentence_score(candidate, [reference]) for candidate, reference in pairs]

        return run
    from qassay.records import Example, Reference  # noqa: PLC0415 - as above
    from qassay.scoring.scorer import BATCH, Scorer, batches  # noqa: PLC0415 - as above

    examples = [Example(str(i), "", (Reference(text),), candidate) for i, (candidate, text) in enumerate(pairs)]
    scorer = Scorer(CONTENDERS[name])
    return lambda: [scorer.score(chunk).scores for chunk in batches(examples, BATCH)]


def time_contender(name: str, path: Path) -> None:
    """Print the best processor and clock time of a contender; runs in its own process."""
    pairs = [(ours, theirs) for ours, theirs in json.loads(path.read_text(encoding="utf-8"))]
    contender(name, pairs[:50])()
    run = contender(name, pairs)
    best = (float("inf"), float("inf"))
    for _ in range(TIMES):
        clock, processor = time.perf_counter(), time.process_time()
        run()
        best = min(best, (time.process_time() - processor, time.perf_counter() - clock))
    print(json.dumps(best))


def measure(name: str, path: Path) -> tuple[float, float]:
    """Time a contender in a process of its own."""
    command = [sys.executable, __file__, "--contender", name, "--pairs-file", str(path)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - this very file
    processor, clock = json.loads(run.stdout.splitlines()[-1])
    return processor, clock


def compare(folder: Path, size: int) -> bool:
    """Time all contenders on all sets of pairs, print one table, and tell whether all targets are met."""
    short = list(drawn_pairs(np.random.default_rng(SEED), size))
    sets = {
        "drawn": short,
        "distinct": [(f"{ours} u{i}", f"{theirs} v{i}") for i, (ours, theirs) in enumerate(short)],
        "300 words": long_pairs(np.random.default_rng(SEED)),
    }
    words = np.mean([len(text.split()) for pair in short for text in pair])
    print(
        f"{size:,} pairs drawn with seed {SEED}, {words:.1f} words a text; {LONG_PAIRS} pairs of {LONG_WORDS} words\n"
    )
    print(f"{'pairs':<10} {'contender':<26} {'pairs/s (CPU)':>14} {'(clock)':>10}  ratio")
    met = True
    for label, pairs in sets.items():
        path = folder / "pairs.json"
        path.write_text(json.dumps(pairs), encoding="utf-8")
        times = {name: measure(name, path) for name in CONTENDERS}
        for name, (processor, clock) in times.items():
            verdicts = [verdict(target, label, times) for target in TARGETS if target.contender == name]
            met &= all(good for _, good in verdicts)
            told = "; ".join(text for text, _ in verdicts)
            print(f"{label:<10} {name:<26} {len(pairs) / processor:>14,.0f} {len(pairs) / clock:>10,.0f}  {told}")
    return met


def verdict(target: Target, label: str, times: dict[str, tuple[float, float]]) -> tuple[str, bool]:
    """Return how many times faster than its peer a contender is, and whether that is enough."""
    ratio = times[target.peer][0] / times[target.contender][0]
    wanted = target.times.get(label)
    good = wanted is None or ratio >= wanted
    aim = "" if wanted is None else f", target {wanted:g}x: {'met' if good else 'MISSED'}"
    return f"{ratio:.1f}x {target.peer}{aim}", good


def write_rows(path: Path, size: int) -> None:
    """Write answers with distinct ids and texts."""
    pairs = list(drawn_pairs(np.random.default_rng(SEED), 20_000))
    with path.open("w", encoding="utf-8") as file:
        for i in range(size):
            candidate, reference = pairs[i % len(pairs)]
            row = {"id": f"q{i}", "references": [f"{reference} v{i}"], "candidate": f"{candidate} u{i}"}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def score_file(path: Path, workers: int) -> tuple[float, float]:
    """Run `qassay score` and give its seconds by the clock and the peak of its largest process in MB."""
    metrics = [word for metric in FILE_METRICS for word in ("-m", metric)]
    program = [sys.executable, "-c", "from qassay.cli.main import run; run()"]
    command = [
        *program,
        "score",
        str(path),
        *metrics,
        "--workers",
        str(workers),
        "-o",
        str(path.with_suffix(".out.jsonl")),
        "-q",
    ]
    used = run_measured(command)
    return used.seconds, used.peak / 1e6


def run_files(folder: Path, *, rows: int, memory: bool) -> bool:
    """Score files of rows from end to end, and print rates and peaks of memory."""
    print(f"\n`qassay score` from file to file, reading and writing included: {', '.join(FILE_METRICS)}\n")
    print(f"{'rows':>10} {'workers':>8} {'rows/s':>10} {'seconds':>8} {'peak MB':>8}")
    peaks: dict[int, float] = {}
    for size in (rows, *((LARGE,) if memory else ())):
        path = folder / f"{size}.jsonl"
        write_rows(path, size)
        for workers in (1, 2):
            seconds, peak = score_file(path, workers)
            peaks[size] = max(peaks.get(size, 0), peak)
            print(f"{size:>10,} {workers:>8} {size / seconds:>10,.0f} {seconds:>8.1f} {peak:>8.0f}")
        path.unlink()
    if not memory:
        return True
    counted = peaks[LARGE] - ID_BYTES * LARGE / 1e6
    growth = counted / (peaks[rows] - ID_BYTES * rows / 1e6)
    met = counted < LIMIT_MB and growth <= LIMIT_GROWTH
    print(f"\nwithout {ID_BYTES} bytes a row for finding duplicate ids: {counted:.0f} MB, {growth:.2f}x ", end="")
    print(f"that of {rows:,} rows; at most {LIMIT_MB} MB and {LIMIT_GROWTH}x: {'met' if met else 'MISSED'}")
    return met


def main() -> None:
    """Run everything and exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=20_000, help="how many short pairs to draw")
    parser.add_argument("--rows", type=int, default=SMALL, help="rows of the file to score; 0 leaves files out")
    parser.add_argument("--memory", action="store_true", help=f"also score {LARGE:,} rows")
    parser.add_argument("--contender", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--pairs-file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.contender:
        time_contender(options.contender, options.pairs_file)
        return
    if not (DATA / "bench" / "kpqa_human").exists():
        raise SystemExit(f"needs the KPQA data: {DATA / 'bench' / 'kpqa_human'} is not there; set QASSAY_DATA")
    with tempfile.TemporaryDirectory() as folder:
        met = compare(Path(folder), options.pairs)
        if options.rows:
            met &= run_files(Path(folder), rows=options.rows, memory=options.memory)
    if not met:
        raise SystemExit("a target was missed")


if __name__ == "__main__":
    main()
