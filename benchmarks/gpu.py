"""Time `bert_score:kpqa` and `ava` from JSONL text to scores, on a GPU and on the CPU, and compare their scores.

    PYTHONPATH=src python benchmarks/gpu.py [--rows N] [--workers N ...] [--cpu-rows N] [--device cuda|cpu]

The rows are made up (`gpu_rows.py`): every question, reference and answer is another text, about 46 word pieces in all,
so that no cache helps. Beside each rate stands the bare forward rate of the networks on the same texts, tokenised and
packed before. Rates with workers are those of the second half of the rows, of which there must be several times as many
as the workers hold at once; what a process needs to start is shown beside them. `--device cpu`
runs the GPU's code on torch's CPU device, to try it out.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import qassay
from gpu_rows import write_rows
from gpu_timing import seconds, wait_for
from qassay.models import load
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.folder import IDS
from qassay.models.gpu.runtime import TorchRuntime
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.judge import JudgeInput, OnnxJudge

if TYPE_CHECKING:
    from collections.abc import Iterator

METRICS = ("bert_score:kpqa", "ava")
DEMO = Path(qassay.__file__).parent / "assets" / "demo.jsonl"
NEAR = 2e-3


class Clock:
    """Notes when how many answers were done."""

    def __init__(self) -> None:
        self.times: list[tuple[int, float]] = []

    def begin(self, what: str, total: int | None) -> None:
        """Note the begin of a pass."""

    def advance(self, done: int, total: int | None) -> None:  # noqa: ARG002 - the protocol's
        """Note the number of answers done."""
        self.times.append((done, time.perf_counter()))

    def rate(self, behind: int, end: float) -> float:
        """Return the answers per second behind the first ones."""
        start = next(((done, when) for done, when in self.times if done >= behind), self.times[0])
        return (self.times[-1][0] - start[0]) / max(end - start[1], 1e-9)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=400_000, help="rows of a run with workers")
    parser.add_argument("--one", type=int, default=16_384, help="rows of the run in one process")
    parser.add_argument("--cpu-rows", type=int, default=8_192, help="rows of the run on the CPU and of the comparison")
    parser.add_argument("--workers", type=int, nargs="*", default=[14])
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--metrics", nargs="*", default=METRICS)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--only", choices=("forward", "one", "workers", "compare"), nargs="*", help="parts to run")
    parser.add_argument("--kernels", action="store_true", help="show where the device's time goes")
    given = parser.parse_args()
    device = torch.device(given.device)
    parts = given.only or ("forward", "one", "workers", "compare")
    _describe(device)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder / "one.jsonl", given.one)
        write_rows(folder / "cpu.jsonl", given.cpu_rows, seed=2)
        write_rows(folder / "many.jsonl", given.rows, seed=3)
        if device.type == "cpu":
            # The command line has no name for this: it is the GPU's code without a GPU.
            load._gpu_runtime = partial(TorchRuntime, device="cpu")  # noqa: SLF001 - as above
        if "forward" in parts:
            rows = [_fields(line) for line in (folder / "one.jsonl").read_text().splitlines()]
            _forward(rows, device, kernels=given.kernels)
        for metric in given.metrics if "one" in parts else ():
            _in_one_process(folder / "one.jsonl", metric, given.batch, kernels=given.kernels)
        for metric in given.metrics if "workers" in parts and device.type == "cuda" else ():
            for workers in given.workers:
                _with_workers(folder / "many.jsonl", metric, given.batch, workers, given.rows)
        for metric in given.metrics if "compare" in parts else ():
            _compare(folder / "cpu.jsonl", metric, given.batch)
            _compare(DEMO, metric, given.batch)


def _describe(device: torch.device) -> None:
    name = torch.cuda.get_device_name() if device.type == "cuda" else "torch's CPU device"
    print(
        f"{name}, {len(os.sched_getaffinity(0))} cores, torch {torch.__version__}, numpy {np.__version__}", flush=True
    )


def _fields(line: str) -> tuple[str, str, str]:
    import json  # noqa: PLC0415 - here alone

    row = json.loads(line)
    return row["question"], row["references"][0], row["candidate"]


def _forward(rows: list[tuple[str, str, str]], device: torch.device, *, kernels: bool) -> None:
    """Time tokenising and the bare networks."""
    runtime = TorchRuntime(EMBEDDED_FOLDER, str(device))
    encoder = OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=runtime)
    texts = [text for row in rows for text in row[1:]]
    start = time.perf_counter()
    cut = encoder._cutter.cut(texts)  # noqa: SLF001 - a part is timed
    print(f"\ncutting into word pieces, one core: {len(texts) / (time.perf_counter() - start):,.0f} texts/s")
    start = time.perf_counter()
    encoder._tokenizer.encode_batch_fast(texts)  # noqa: SLF001 - as above
    print(f"the Rust tokenizer, all cores: {len(texts) / (time.perf_counter() - start):,.0f} texts/s")
    _timed_networks(
        runtime, encoder.steps(1), [{IDS: each.ids} for each in cut], "encoder, layer 1", "texts", kernels=kernels
    )
    judge = OnnxJudge(encoder)
    inputs = [JudgeInput(*row) for row in rows]
    found = judge._cut([text for row in rows for text in row])  # noqa: SLF001 - as above
    items = [dict(zip((IDS, "marks_of_pieces"), row, strict=True)) for row in judge._rows(inputs, found)]  # noqa: SLF001
    pieces = statistics.mean(len(each[IDS]) for each in items)
    steps = [*encoder.steps(2), judge.step]
    _timed_networks(runtime, steps, items, f"encoder and judge, {pieces:.1f} pieces", "pairs", kernels=kernels)


def _timed_networks(
    runtime: TorchRuntime, steps: list[Any], items: list[dict[str, Any]], what: str, unit: str, *, kernels: bool
) -> None:
    """Time the networks alone, on batches that are on the device already."""
    batches = [values for _, values in runtime._batches(items)]  # noqa: SLF001
    networks = [runtime.network(step.graph, step.weights) for step in steps]

    def forward() -> None:
        for batch in batches:
            values = dict(batch)
            for step, network in zip(steps, networks, strict=True):
                made = network.run({name: values[step.source(name)] for name in network.graph.inputs})
                values.update(zip(step.gives, made, strict=True))
        wait_for(runtime.device)

    forward()
    took = min(seconds(forward) for _ in range(3))

    def everything() -> None:
        runtime.run(steps, items, [steps[-1].gives[0]])
        wait_for(runtime.device)

    whole = min(seconds(everything) for _ in range(2))
    print(
        f"{what}: bare forward {len(items) / took:,.0f} {unit}/s; with packing and handing out "
        f"{len(items) / whole:,.0f} {unit}/s ({len(batches)} batches)",
        flush=True,
    )
    if kernels and runtime.device.type == "cuda":
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            forward()
        _print_kernels(profile, len(items))


def _print_kernels(profile: torch.profiler.profile, pairs: int) -> None:
    """Print the device's time, whole and by kernel."""
    found = sorted(profile.key_averages(), key=lambda each: -each.self_device_time_total)
    total = sum(each.self_device_time_total for each in found)
    print(f"  the device was busy for {total / pairs:.1f} microseconds per text or pair:")
    for each in found[:16]:
        print(f"  {each.self_device_time_total / total:6.1%} {each.count:6} x {each.key[:110]}")


@contextmanager
def _inside(spent: Counter[str]) -> Iterator[None]:
    """Add up the seconds inside the runtime's methods."""
    originals = {name: getattr(TorchRuntime, name) for name in ("run", "fetch")}

    def timed(name: str, *given: Any) -> Any:  # noqa: ANN401 - whatever it returns
        start = time.perf_counter()
        found = originals[name](*given)
        spent[name] += time.perf_counter() - start  # type: ignore[assignment]
        return found

    for name in originals:
        setattr(TorchRuntime, name, lambda *given, name=name: timed(name, *given))
    try:
        yield
    finally:
        for name, method in originals.items():
            setattr(TorchRuntime, name, method)


def _score(path: Path, metric: str, **options: Any) -> tuple[list[float | None], float, Clock]:  # noqa: ANN401
    clock = Clock()
    start = time.perf_counter()
    with qassay.score(str(path), [metric], progress=clock, **options) as scores:
        took = time.perf_counter() - start
        return [row["scores"].get(metric) for row in scores.rows()], took, clock


def _in_one_process(path: Path, metric: str, batch: int, *, kernels: bool) -> None:
    _score(DEMO, metric, device="cuda", on_error="skip")  # opens the models
    spent: Counter[str] = Counter()
    with _inside(spent):
        found, took, _ = _score(path, metric, device="cuda", batch=batch)
    if kernels and torch.cuda.is_available():
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            _score(path, metric, device="cuda", batch=batch)
        _print_kernels(profile, len(found))
    parts = ", ".join(f"{name} {took:.2f} s" for name, took in spent.items())
    print(
        f"\n{metric}, one process: {len(found) / took:,.0f} pairs/s ({took:.2f} s for {len(found):,}; {parts}, "
        f"the rest in Python)",
        flush=True,
    )


def _with_workers(path: Path, metric: str, batch: int, workers: int, rows: int) -> None:
    found, took, clock = _score(path, metric, device="cuda", batch=batch, workers=workers)
    # Chunks come out in their order: what was done while the first one was waited for must not count.
    steady = clock.rate(max(rows // 2, 2 * batch * workers), clock.times[-1][1])
    print(
        f"{metric}, {workers} workers: {steady:,.0f} pairs/s once started, {rows / took:,.0f} with starting them "
        f"({took:.1f} s for {len(found):,}; first chunk after {clock.times[0][1] - clock.times[-1][1] + took:.1f} s)",
        flush=True,
    )


def _compare(path: Path, metric: str, batch: int) -> None:
    on_gpu, _, _ = _score(path, metric, device="cuda", batch=batch, on_error="skip")
    on_cpu, took, _ = _score(path, metric, device="cpu", on_error="skip")
    pairs = [(a, b) for a, b in zip(on_gpu, on_cpu, strict=True) if a is not None and b is not None]
    gpu, cpu = np.array(pairs).T
    off = np.abs(gpu - cpu)
    flipped = (gpu >= 0.5) != (cpu >= 0.5)  # noqa: PLR2004 - the verdict's threshold
    print(
        f"\n{metric} on {path.name}, CPU ({len(on_cpu) / took:,.0f} pairs/s) against GPU, {len(off):,} scores: "
        f"equal to 1e-6 {np.mean(off < 1e-6):.1%}, within {NEAR} {np.mean(off <= NEAR):.1%}, 99th percentile "  # noqa: PLR2004
        f"{np.quantile(off, 0.99):.4f}, largest {off.max():.4f}; mean {gpu.mean():.5f} against {cpu.mean():.5f}; "
        f"{flipped.sum()} on the other side of .5, at most {np.abs(cpu[flipped] - 0.5).max(initial=0):.4f} from it",
        flush=True,
    )


if __name__ == "__main__":
    main()
