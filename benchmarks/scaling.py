"""Time and peak memory of `qassay score` over rows, references, words, workers and nodes, with fitted exponents.

    python benchmarks/scaling.py [--rows 10000000] [--learned 10000] [--nodes 4] [--only CURVE ...]

Each run is a process of its own on a file of made-up rows; its time is that of the whole command, starting included.
An exponent is the slope of log processor seconds, less those of the smallest run, over log size. Nodes are a Ray
cluster on this machine, one CPU each (extra `ray`; `--nodes 0` leaves them out). `--only` measures some curves; the
others are those of scaling.json. Writes docs/measured/scaling.json, scaling.svg and scaling.md; exits with 1 where
time grows faster than rows^1.05.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from measured_command import run_measured

OUT = Path(__file__).parents[1] / "docs" / "measured"
CURVES = (
    "rows, rouge_l",
    "rows, ava",
    "references, rouge_l",
    "words, rouge_l",
    "workers, rouge_l",
    "nodes, rouge_l",
)
WORDS = [
    a + b for a in ("ba", "co", "di", "fu", "ma", "ne", "po", "ri", "su", "ta") for b in ("lan", "mer", "ton", "vis")
]
PANEL = 240
ANSWERS = 100_000_000
GPU_RATE = 26_684
"""Answers per second of `ava` on an H200 with 16 workers, once started (docs/gpu.md)."""
MOST_EXPONENT = 1.05
WORKER_ROWS, NODE_ROWS, SHARDS = 1_000_000, 400_000, 16
REFERENCE_ROWS, WORD_ROWS = 20_000, 10_000
BLOCK = 4096
ID_BYTES = 16
"""What finding repeated ids holds for each answer."""
NODE_PRICE, GPU_PRICE, POWER_PRICE = 0.10, 3.50, 0.02
"""Assumed dollars per hour: a rented machine with two cores, one with an H200, and the power of a laptop (65 W)."""


class Run(NamedTuple):
    """One run and what it took."""

    curve: str
    size: int
    seconds: float
    processor: float
    """Seconds of all cores together, of the command and the processes that it started."""
    megabytes: float


def write_rows(path: Path, rows: int, references: int, words: int, first: int = 0) -> None:
    """Write made-up rows with ids from `first` on; no two are likely to share a text."""
    rng = np.random.default_rng(first)
    with path.open("w", encoding="utf-8") as out:
        for start in range(0, rows, BLOCK):
            size = min(BLOCK, rows - start)
            drawn = rng.integers(len(WORDS), size=(size, 2 + references, words)).tolist()
            for i, (asked, answered, *given) in enumerate(drawn, first + start):
                question, candidate = _sentence(asked)[:30], _sentence(answered)
                listed = ", ".join([f'"{_sentence(each)}"' for each in given])
                # The words need no escapes.
                out.write(
                    f'{{"id": "{i}", "question": "What is {question}?", "candidate": "{candidate}", '
                    f'"references": [{listed}]}}\n'
                )


def _sentence(drawn: list[int]) -> str:
    return " ".join(map(WORDS.__getitem__, drawn))


def measure(
    curve: str, size: int, metric: str, rows: int, *, references: int = 1, words: int = 10, workers: int = 1
) -> Run:
    """Score a file in a process of its own; its peak memory is that of its largest process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write_rows(path, rows, references, words)
        return timed(curve, size, [str(path), "-m", metric, "--workers", str(workers)])


def measure_nodes(nodes: int) -> Run:
    """Score shards on a Ray cluster of so many nodes on this machine, one CPU each; memory is the driver's."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - an optional extra

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for node in range(nodes):
            cluster.add_node(wait=False, num_cpus=1, node_ip_address=f"127.0.0.{node + 2}")
        cluster.wait_for_nodes()
        with tempfile.TemporaryDirectory() as folder:
            inputs = Path(folder) / "answers"
            inputs.mkdir()
            for shard in range(SHARDS):
                write_rows(inputs / f"{shard:02}.jsonl", NODE_ROWS // SHARDS, 1, 10, shard * NODE_ROWS // SHARDS)
            options = ["-m", "rouge_l", "--engine", "ray", "-o", f"{folder}/scores"]
            return timed("nodes, rouge_l", nodes, [str(inputs), *options], RAY_ADDRESS=cluster.address)
    finally:
        cluster.shutdown()


def timed(curve: str, size: int, arguments: list[str], **environment: str) -> Run:
    """Run `qassay score` and return its time and peak memory."""
    used = run_measured([sys.executable, "-m", "qassay", "score", *arguments, "-q"], **environment)
    run = Run(curve, size, used.seconds, used.processor, used.peak / (1 << 20))
    print(f"{curve:28} {size:>10,} {run.seconds:8.2f} s {run.processor:8.2f} s {run.megabytes:7.0f} MB", flush=True)
    return run


def exponent(runs: list[Run]) -> float | None:
    """Return the slope of log processor time over log size, without that of the smallest run.

    Runs that take less than twice as long as the smallest say more of starting than of size.
    """
    base, rest = runs[0], runs[1:]
    slower = [each for each in rest if each.processor > 2 * base.processor]
    sizes = np.log([each.size - base.size for each in slower])
    times = np.log([each.processor - base.processor for each in slower])
    return float(np.polyfit(sizes, times, 1)[0]) if len(slower) > 1 else None


def picture(curves: dict[str, list[Run]]) -> str:
    """Draw seconds over size, both as logarithms, one panel per curve."""
    parts = []
    for n, (name, runs) in enumerate(curves.items()):
        logs = [(np.log10(each.size), np.log10(each.seconds)) for each in runs]
        low, high = np.min(logs, axis=0), np.max(logs, axis=0)
        spread = np.maximum(high - low, 1e-9)
        places = [
            (40 + 170 * (x - low[0]) / spread[0] + n * PANEL, 170 - 130 * (y - low[1]) / spread[1]) for x, y in logs
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<text x="{n * PANEL + 20}" y="16" font-weight="bold">{name}</text>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="#2266aa" stroke-width="2"/>')
        for (x, y), each in zip(places, runs, strict=True):
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#2266aa"/>')
            parts.append(f'<text x="{x:.1f}" y="{y - 7:.1f}" text-anchor="middle">{each.seconds:.1f} s</text>')
            parts.append(f'<text x="{x:.1f}" y="190" text-anchor="middle">{_short(each.size)}</text>')
    box = f'viewBox="0 0 {PANEL * len(curves)} 200"'
    start = f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="10">'
    return f"{start}{''.join(parts)}</svg>\n"


def _short(size: int) -> str:
    """Return a number as an axis shows it: 10k, 1M."""
    for unit, sign in ((1_000_000, "M"), (1000, "k")):
        if size >= unit:
            return f"{size / unit:g}{sign}"
    return str(size)


def rate(runs: list[Run]) -> float:
    """Return rows per second once started, from the smallest and the largest run."""
    return (runs[-1].size - runs[0].size) / (runs[-1].seconds - runs[0].seconds)


def _cost(where: str, lexical: float | None, learned: float, price: float) -> str:
    """Return the line of a table: hours and dollars for all answers, at rates per second and a price per hour."""
    hours = [None if each is None else ANSWERS / each / 3600 for each in (lexical, learned)]
    shown = ["" if each is None else f"{each:.2f} h, ${each * price:.2f}" for each in hours]
    return f"| {where} | {' | '.join(shown)} |"


def page(curves: dict[str, list[Run]], fitted: dict[str, float | None]) -> str:
    """Return the page of the results."""
    table = [
        f"| {each.curve} | {each.size:,} | {each.seconds:.2f} | {each.processor:.2f} | {each.megabytes:.0f} |"
        for found in curves.values()
        for each in found
    ]
    slopes = [
        f"| {name} | {'not measurable' if slope is None else format(slope, '.2f')} |" for name, slope in fitted.items()
    ]
    rows = curves["rows, rouge_l"]
    lexical, learned = (rate(curves[name]) for name in ("rows, rouge_l", "rows, ava"))
    growth = rows[-1].megabytes - rows[0].megabytes - ID_BYTES * rows[-1].size / (1 << 20)
    costs = [
        _cost("this machine, one process (power)", lexical, learned, POWER_PRICE),
        _cost("one H200 with 16 cores, [measured there](../gpu.md#speed)", None, GPU_RATE, GPU_PRICE),
        _cost("ten machines like this one, one process each", 10 * lexical, 10 * learned, 10 * NODE_PRICE),
    ]
    cluster = (
        [
            f"Nodes are a Ray cluster on this machine, one CPU each, with {NODE_ROWS:,} rows in {SHARDS} shards;",
            "starting Ray's workers is in the time. Up to four nodes share two cores here, so more than two cannot",
            "be faster: the curve shows what handing out shards costs. Memory and processor seconds are those of the",
            "process that started it, through which no row passes.",
        ]
        if any(name.startswith("nodes") for name in curves)
        else []
    )
    return "\n".join(
        [
            "# Time and memory as inputs grow",
            "",
            "```sh",
            "python benchmarks/scaling.py",
            "```",
            "",
            "Each line is one run of `qassay score` on a file of made-up rows of ten words and one reference, starting",
            "included, on two cores: single runs, whose times vary by some tens of percent. Memory is that of the",
            f"largest process. References are measured on {REFERENCE_ROWS:,} rows, words on {WORD_ROWS:,},",
            f"workers on {WORKER_ROWS:,}.",
            *cluster,
            "",
            "![Seconds over size](scaling.svg)",
            "",
            "| curve | size | seconds | processor seconds | MB |",
            "|---|---|---|---|---|",
            *table,
            "",
            "Exponents of processor time over size, without the smallest run's time; runs that take less than twice",
            "that are left out, since they say more of starting:",
            "",
            "| curve | exponent |",
            "|---|---|",
            *slopes,
            "",
            f"Memory from {rows[0].size:,} to {rows[-1].size:,} rows grows by the {ID_BYTES} bytes per answer by which",
            f"repeated ids are found, {ID_BYTES * rows[-1].size / (1 << 20):.0f} MB, and by {growth:.0f} MB besides.",
            "`ava` remembers what it found of up to 65,536 texts: its memory grows until these are full.",
            "",
            "What 100 million answers take, computed from these rates, and what they cost at assumed prices per hour:",
            f"${NODE_PRICE:.2f} for a machine of two cores, ${GPU_PRICE:.2f} for one with an H200,",
            f"${POWER_PRICE:.2f} for a laptop's power.",
            "",
            "| | `rouge_l` | `ava` |",
            "|---|---|---|",
            *costs,
            "",
            "Ten machines are computed as ten times one: shards are independent, and only their statistics meet.",
            "",
        ]
    )


def measured(curve: str, *, rows: int, learned: int, nodes: int) -> list[Run]:
    """Return the runs of a curve, up to the most rows and nodes."""
    match curve:
        case "rows, rouge_l":
            return [measure(curve, n, "rouge_l", n) for n in (10**power for power in range(3, 8)) if n <= rows]
        case "rows, ava":
            return [measure(curve, n, "ava", n) for n in (100, 300, 1000, 3000, 10_000) if n <= learned]
        case "references, rouge_l":
            return [measure(curve, n, "rouge_l", REFERENCE_ROWS, references=n) for n in (1, 7, 25, 50)]
        case "words, rouge_l":
            return [measure(curve, n, "rouge_l", WORD_ROWS, words=n) for n in (10, 100, 300, 1000)]
        case "workers, rouge_l":
            return [measure(curve, n, "rouge_l", min(rows, WORKER_ROWS), workers=n) for n in (1, 2)]
        case _:
            return [measure_nodes(n) for n in range(1, nodes + 1)]


def recorded() -> dict[str, list[Run]]:
    """Return the curves of the last measurement."""
    curves: dict[str, list[Run]] = {}
    for run in json.loads((OUT / "scaling.json").read_text())["runs"]:
        curves.setdefault(run[0], []).append(Run(*run))
    return curves


def main() -> None:
    """Measure, fit and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="most rows of rouge_l")
    parser.add_argument("--learned", type=int, default=10_000, help="most rows of ava")
    parser.add_argument("--nodes", type=int, default=4, help="most nodes of a cluster")
    parser.add_argument("--only", choices=CURVES, nargs="+", help="curves to measure")
    given = parser.parse_args()
    measure("warming up", 1, "ava", 10)
    curves = recorded() if given.only else {}
    for name in given.only or CURVES:
        curves[name] = measured(name, rows=given.rows, learned=given.learned, nodes=given.nodes)
    curves = {name: curves[name] for name in CURVES if curves.get(name)}
    runs = [run for found in curves.values() for run in found]
    fitted = {name: exponent(found) for name, found in curves.items() if not name.startswith(("workers", "nodes"))}
    for name, slope in fitted.items():
        print(f"{name}: exponent {'-' if slope is None else format(slope, '.2f')}")
    (OUT / "scaling.json").write_text(json.dumps({"runs": runs, "exponents": fitted}, indent=1) + "\n")
    (OUT / "scaling.md").write_text(page(curves, fitted))
    (OUT / "scaling.svg").write_text(picture(curves))
    if any((slope or 0) > MOST_EXPONENT for name, slope in fitted.items() if name.startswith("rows")):
        raise SystemExit(f"time grows faster than rows^{MOST_EXPONENT}")


if __name__ == "__main__":
    main()
