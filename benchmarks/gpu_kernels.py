"""Time the GPU's kernels one by one, and the networks that they make up; compare the judge with onnxruntime's.

    PYTHONPATH=src python benchmarks/gpu_kernels.py [--rows N] [--pairs N] [--compared N] [--only PART ...]

Parts: `start` (what a process needs before its first batch, with kernels compiled and from their cache), `kernels`
(microseconds, bytes per second and whether the bits are those of torch's own operations, for several block sizes),
`networks` (bare forward rates and launches), `compare` (the judge's probabilities against onnxruntime's here). Bits are
compared for every row of the table that says so, on a small batch. `--device cpu` tries out the last two without a GPU,
and `kernels` too in Triton's interpreter, with few rows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from gpu_rows import write_rows
from gpu_timing import seconds, wait_for
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.gpu import linear, operations
from qassay.models.gpu.linear import Norm, Quantised
from qassay.models.gpu.ragged import Layout, Ragged
from qassay.models.gpu.runtime import TorchRuntime
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.judge import JudgeInput, OnnxJudge
from qassay.models.onnx.keyphrase import OnnxWeigher
from qassay.models.onnx.reader import ANSWER_READER, OnnxReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.models.runtime import Rows, Step

PARTS = ("start", "kernels", "networks", "compare")
PIECES, WIDTH, WIDE, HEADS = 46, 384, 1536, 12
FLOAT, INT, BYTE = 4, 4, 1
NEAR = 2e-3


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1 << 17, help="rows of a batch, for single kernels")
    parser.add_argument("--pairs", type=int, default=4_096, help="pairs for the rates of networks")
    parser.add_argument("--compared", type=int, default=300, help="pairs of the comparison with onnxruntime")
    parser.add_argument("--only", choices=PARTS, nargs="*", default=PARTS)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--started", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    device = torch.device(given.device)
    if given.started:
        _start(device)
        return
    _describe(device)
    if "start" in given.only:
        _starts(given.device)
    if "kernels" in given.only:
        _kernels(given.rows, device)
    if "networks" in given.only or "compare" in given.only:
        with tempfile.TemporaryDirectory() as name:
            path = Path(name) / "rows.jsonl"
            write_rows(path, max(given.pairs, given.compared))
            rows = [_fields(line) for line in path.read_text().splitlines()]
        if "networks" in given.only:
            _networks(rows[: given.pairs], device)
        if "compare" in given.only:
            _compare(rows[: given.compared], device)


def _describe(device: torch.device) -> None:
    try:
        import triton  # noqa: PLC0415 - may be absent

        version = triton.__version__
    except ImportError:
        version = "none"
    name = torch.cuda.get_device_name() if device.type == "cuda" else "torch's CPU device"
    cores = len(os.sched_getaffinity(0))
    print(f"{name}, {cores} cores, torch {torch.__version__}, triton {version}, numpy {np.__version__}", flush=True)


def _fields(line: str) -> tuple[str, str, str]:
    import json  # noqa: PLC0415 - here alone

    row = json.loads(line)
    return row["question"], row["references"][0], row["candidate"]


def _starts(device: str) -> None:
    """Start a process with an empty cache of kernels, and another one with what the first one left there."""
    with tempfile.TemporaryDirectory() as cache:
        for state in ("cold", "warm"):
            start = time.perf_counter()
            done = subprocess.run(  # noqa: S603 - this program
                [sys.executable, __file__, "--started", "--device", device],
                env={**os.environ, "TRITON_CACHE_DIR": cache},
                check=False,
                capture_output=True,
                text=True,
            )
            print(f"\nstart, {state} cache: {time.perf_counter() - start:.1f} s in all\n{done.stdout}{done.stderr}")


def _start(device: torch.device) -> None:
    """Time what comes before the first batch, in a process of its own."""
    start = time.perf_counter()
    torch.zeros(1, device=device)
    wait_for(device)
    begun = time.perf_counter()
    found = operations.operations_on(device)
    wait_for(device)
    print(f"  device {begun - start:.2f} s, kernels and their check {time.perf_counter() - begun:.2f} s")
    for name, chosen in found._asdict().items():
        print(f"  {name}: {'torch' if chosen == getattr(operations.PLAIN, name) else f'kernel {_settings(chosen)}'}")


def _settings(chosen: object) -> str:
    return str(chosen.keywords) if isinstance(chosen, partial) else ""


class Timed(NamedTuple):
    """A kernel with its settings, and what it moves through memory per row."""

    name: str
    run: Callable[[], Any]
    moved: int
    exact: Callable[[], bool] | None = None


def _kernels(rows: int, device: torch.device) -> None:
    from qassay.models.gpu import launch  # noqa: PLC0415 - needs Triton

    batch = Batch(rows, device)
    print(
        f"\n{'kernel':<64}{'bits':>8}{'us':>10}{'GB/s':>8}   ({batch.layout.rows:,} rows, items of {PIECES})",
        flush=True,
    )
    for each in [*_products(batch), *_passes(launch, batch), *_attentions(launch, batch)]:
        try:
            bits = {None: "", True: "equal", False: "OFF"}[each.exact() if each.exact else None]
            took = _microseconds(each.run, device)
        except Exception as problem:  # noqa: BLE001 - the others are still of interest
            print(f"{each.name:<64} failed: {type(problem).__name__}: {str(problem)[:200]}", flush=True)
            continue
        print(f"{each.name:<64}{bits:>8}{took:>10.1f}{batch.layout.rows * each.moved / took / 1e3:>8.0f}", flush=True)


class Batch:
    """Made-up rows of a batch, and a small one of which torch's own operations find the wanted bits."""

    def __init__(self, rows: int, device: torch.device) -> None:
        self.device = device
        self.layout = Layout(np.full(max(1, rows // PIECES), PIECES, np.int64), device)
        self.random = torch.Generator(device=device).manual_seed(1)
        self.small = operations.Samples(device)

    def numbers(self, *shape: int) -> torch.Tensor:
        """Return normally distributed numbers."""
        return torch.randn(shape, generator=self.random, device=self.device)

    def rows(self, width: int) -> Ragged:
        """Return rows of a width, without ranges."""
        return Ragged(self.numbers(self.layout.rows, width), self.layout)

    def weights(self, width: int, out: int) -> Quantised:
        """Return weights of a dense layer."""
        weight = torch.randint(-127, 128, (width, out), generator=torch.Generator().manual_seed(2), dtype=torch.int8)
        return Quantised.on(self.device, weight, torch.full((out,), 1e-4), torch.zeros(out))


def _products(batch: Batch) -> list[Timed]:
    found = []
    for width, out in ((WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, WIDE), (WIDE, WIDTH)):
        integers = torch.randint(-128, 128, (batch.layout.rows, width), device=batch.device, dtype=torch.int8)
        work = partial(linear.multiply, integers, batch.weights(width, out))
        found.append(Timed(f"product {width} x {out}", work, width * BYTE + out * INT))
    return found


def _passes(launch: Any, batch: Batch) -> list[Timed]:  # noqa: ANN401 - a module that needs Triton
    """Return the kernels between products, with block sizes to choose from."""
    small, block = batch.small, launch.Block
    found = []
    narrow, wide, states = batch.rows(WIDTH), batch.rows(WIDE), batch.rows(WIDTH)
    ranged = {width: rows._replace(ranges=launch.ranges_of(rows)) for width, rows in ((WIDTH, narrow), (WIDE, wide))}
    small_ranges = torch.stack(linear.ranges_of(small.rows)).add(0.0).view(torch.int32)
    for shape in (block(8, 128, 4), block(4, 128, 4), block(16, 128, 4)):
        work = partial(launch.ranges_of, narrow, block=shape)
        right = partial(_equal, partial(launch.ranges_of, small.rows, block=shape), small_ranges)
        found.append(Timed(f"ranges 384 {tuple(shape)}", work, WIDTH * FLOAT, right))
    for width in (WIDTH, WIDE):
        for shape in (block(8, 128, 4), block(4, 128, 4), block(16, 128, 4), block(4, 512, 4)):
            work = partial(launch.quantise, ranged[width], block=shape)
            right = partial(_same_integers, launch, small, shape)
            found.append(Timed(f"quantise {width} {tuple(shape)}", work, width * (FLOAT + BYTE), right))
    norm = Norm(batch.numbers(WIDTH), batch.numbers(WIDTH), 1e-12)
    for out, gelu in ((3 * WIDTH, False), (WIDE, True)):
        weights = batch.weights(WIDTH, out)
        product = linear.multiply(launch.quantise(ranged[WIDTH])[0], weights)
        ranges = ranged[WIDTH].ranges
        for shape in (block(8, 128, 4), block(4, 128, 4), block(16, 128, 4), block(16, 128, 8), block(4, 512, 4)):
            work = partial(launch.scale_product, product, batch.layout, ranges, weights, gelu=gelu, block=shape)
            right = partial(_same_scaled, launch, small, shape, gelu=gelu)
            found.append(Timed(f"scale {out}{' and Gelu' * gelu} {tuple(shape)}", work, out * (INT + FLOAT), right))
    square = batch.weights(WIDTH, WIDTH)
    product = linear.multiply(launch.quantise(ranged[WIDTH])[0], square)
    for shape in (block(16, 8, 1), block(32, 8, 1), block(32, 8, 2), block(64, 8, 4), block(16, 8, 2)):
        work = partial(launch.normalise, states, narrow.values, norm, block=shape)
        right = partial(_same_sums, launch, small, shape)
        found.append(Timed(f"add and normalise {tuple(shape)}", work, 3 * WIDTH * FLOAT, right))
        work = partial(launch.normalise, states, product, norm, (ranged[WIDTH].ranges, square), block=shape)
        right = partial(_same_product_sums, launch, small, shape)
        found.append(Timed(f"scale, add and normalise {tuple(shape)}", work, 3 * WIDTH * FLOAT, right))
    unfused = partial(_unfused, launch, product, launch.ranges_of(narrow), square, (states, norm))
    found.append(Timed("scale, then add and normalise, in two kernels", unfused, 5 * WIDTH * FLOAT))
    return found


def _unfused(
    launch: Any,  # noqa: ANN401 - as above
    product: torch.Tensor,
    ranges: torch.Tensor,
    weights: Quantised,
    sums: tuple[Ragged, Norm],
) -> Ragged:
    states, norm = sums
    scaled = launch.scale_product(product, states.layout, ranges, weights, gelu=False)
    found: Ragged = launch.normalise(states, scaled.values, norm)
    return found


def _on_cpu() -> operations.Samples:
    """Return the same samples on the CPU, whose results are the wanted ones."""
    return operations.Samples(torch.device("cpu"))


def _same_integers(launch: Any, small: operations.Samples, shape: object) -> bool:  # noqa: ANN401 - as above
    rows = _on_cpu().rows
    step, zero = (each[rows.layout.item, None] for each in linear.steps_and_zeros(rows))
    wanted = torch.round(rows.values / step).add(zero).clamp(0, 255).sub(128)
    return torch.equal(launch.quantise(small.rows, block=shape)[0].float().cpu(), wanted)


def _same_scaled(launch: Any, small: operations.Samples, shape: object, *, gelu: bool) -> bool:  # noqa: ANN401 - as above
    integers, ranges = launch.quantise(small.rows)
    product = linear.multiply(integers, small.weights)
    found = launch.scale_product(product, small.rows.layout, ranges, small.weights, gelu=gelu, block=shape)
    cpu = _on_cpu()
    return operations.same_bits(found, linear.linear(cpu.rows, cpu.weights, gelu=gelu))


def _same_sums(launch: Any, small: operations.Samples, shape: object) -> bool:  # noqa: ANN401 - as above
    states, change, norm = small.sums
    found = launch.normalise(states, change.values, norm, block=shape)
    return operations.same_bits(found, linear.add_and_norm(*_on_cpu().sums))


def _same_product_sums(launch: Any, small: operations.Samples, shape: object) -> bool:  # noqa: ANN401 - as above
    rows, weights, states, norm = small.product_sums
    integers, ranges = launch.quantise(rows)
    found = launch.normalise(states, linear.multiply(integers, weights), norm, (ranges, weights), block=shape)
    return operations.same_bits(found, linear.linear_and_norm(*_on_cpu().product_sums))


def _attentions(launch: Any, batch: Batch) -> list[Timed]:  # noqa: ANN401 - as above
    small, block = batch.small, launch.Block
    joined = batch.numbers(batch.layout.rows, 3 * WIDTH)
    given = (*(Ragged(part, batch.layout) for part in joined.chunk(3, dim=1)), HEADS)
    one = Layout(np.ones(len(batch.layout), np.int64), batch.device)
    lone = (Ragged(batch.numbers(len(one), WIDTH), one), *given[1:])
    found = []
    once = [(16, 64, 1), (16, 64, 2), (32, 64, 2), (32, 64, 4), (64, 64, 4), (64, 64, 8)]
    for shape in once:
        options = {"dot": True, "block": block(*shape)}
        found.append(_attention(launch, small.attention, given, f"attention, keys at once {shape}", options))
    for dot in (True, False):
        for shape in ((16, 16, 1), (32, 16, 2), (64, 16, 4), (64, 16, 8)):
            # No item has so few keys that they would be taken at once.
            options = {"dot": dot, "block": block(16, 0, 1), "long_block": block(*shape)}
            name = f"attention, 16 keys at a time {'dot' if dot else 'no dot'} {shape}"
            found.append(_attention(launch, small.attention, given, name, options))
    found.append(Timed("attention of one query", partial(launch.attend, *lone), 2 * WIDTH * FLOAT))
    return found


def _attention(
    launch: Any,  # noqa: ANN401 - as above
    small: tuple[Any, ...],
    given: tuple[Any, ...],
    name: str,
    options: dict[str, Any],
) -> Timed:
    run = partial(launch.attend, **options)
    right = partial(_same, partial(run, *small), partial(operations.PLAIN.attend, *small))
    return Timed(name, partial(run, *given), 4 * WIDTH * FLOAT, right)


def _same(run: Callable[[], Ragged], wanted: Callable[[], Ragged]) -> bool:
    return operations.same_bits(run(), wanted())


def _equal(run: Callable[[], torch.Tensor], wanted: torch.Tensor) -> bool:
    return torch.equal(run(), wanted)


def _microseconds(work: Callable[[], Any], device: torch.device, repeats: int = 20) -> float:
    """Return the median time of a call."""
    if device.type != "cuda":
        start = time.perf_counter()
        work()
        return (time.perf_counter() - start) * 1e6
    for _ in range(3):
        work()
    event = partial(torch.cuda.Event, enable_timing=True)
    events = [(event(), event()) for _ in range(repeats)]
    # While the device waits, the launches are queued, so that their own time does not count.
    torch.cuda._sleep(50_000_000)  # type: ignore[no-untyped-call]  # noqa: SLF001 - there is no other way
    for before, after in events:
        before.record()
        work()
        after.record()
    torch.cuda.synchronize()
    return float(np.median([before.elapsed_time(after) for before, after in events])) * 1e3


class Recorded(NamedTuple):
    """A call of the runtime."""

    steps: Sequence[Step]
    items: Sequence[dict[str, Rows]]


def _recorded(runtime: TorchRuntime, work: Callable[[], Any]) -> list[Recorded]:
    """Return the calls of a runtime that some work makes."""
    found: list[Recorded] = []
    original = runtime.run

    def run(steps: Any, items: Any, wanted: Any) -> Any:  # noqa: ANN401 - as the runtime has it
        found.append(Recorded(steps, items))
        return original(steps, items, wanted)

    runtime.run = run  # type: ignore[method-assign]
    try:
        work()
    finally:
        del runtime.run
    return found


def _networks(rows: list[tuple[str, str, str]], device: torch.device) -> None:
    """Time the networks of `ava`, on batches that are on the device already."""
    runtime = TorchRuntime(EMBEDDED_FOLDER, str(device))
    encoder = OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=runtime)
    judge, reader, weigher = OnnxJudge(encoder), OnnxReader(encoder, ANSWER_READER), OnnxWeigher(encoder)
    pairs = [(question, candidate) for question, _, candidate in rows]
    texts = list(dict.fromkeys(text for row in rows for text in row))
    print(f"\n{'networks':<48}{'per s':>10}{'us':>8}{'with packing':>14}{'launches':>10}{'busy us':>9}", flush=True)
    total = 0.0
    for name, work in (
        ("encoder, layers 1 and 2, each text", partial(encoder.encode, texts, 2)),
        ("encoder and judge", partial(judge.judge, [JudgeInput(*row) for row in rows])),
        ("answer reader, states known", partial(reader.answer, pairs)),
        ("keyphrase weights, states known", partial(weigher.weigh, pairs)),
    ):
        total += _timed_network(runtime, name, _recorded(runtime, work), len(rows))
    print(f"all of them: {total:.1f} microseconds per pair", flush=True)


def _timed_network(runtime: TorchRuntime, name: str, calls: list[Recorded], pairs: int) -> float:
    """Print the rate of some calls; return their microseconds per pair."""
    prepared = []
    for call in calls:
        networks = [runtime.network(step.graph, step.weights) for step in call.steps]
        batches = runtime._batches(call.items)  # noqa: SLF001 - timed apart
        prepared += [(call.steps, networks, values) for _, values in batches]

    def forward() -> None:
        for steps, networks, batch in prepared:
            values = dict(batch)
            for step, network in zip(steps, networks, strict=True):
                made = network.run({own: values[step.source(own)] for own in network.graph.inputs})
                values.update(zip(step.gives, made, strict=True))
        wait_for(runtime.device)

    def everything() -> None:
        for call in calls:
            runtime.run(call.steps, call.items, [call.steps[-1].gives[0]])
        wait_for(runtime.device)

    forward()
    took = min(seconds(forward) for _ in range(3)) / pairs * 1e6
    whole = min(seconds(everything) for _ in range(2)) / pairs * 1e6
    launches, busy = _profiled(forward, runtime.device)
    print(
        f"{name:<48}{1e6 / took:>10,.0f}{took:>8.1f}{whole:>14.1f}{launches:>10}{busy / pairs:>9.1f}"
        f"   ({len(prepared)} batches)",
        flush=True,
    )
    return took


def _profiled(work: Callable[[], None], device: torch.device) -> tuple[int, float]:
    """Return how many kernels ran, and for how many microseconds; print those that took longest."""
    if device.type != "cuda":
        return 0, 0.0
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
    found = sorted(profile.key_averages(), key=lambda each: -each.self_device_time_total)
    total = sum(each.self_device_time_total for each in found)
    for each in found[:14]:
        print(f"  {each.self_device_time_total / total:6.1%} {each.count:6} x {each.key[:100]}")
    return sum(each.count for each in found), total


def _compare(rows: list[tuple[str, str, str]], device: torch.device) -> None:
    """Print how far the judge's probabilities are from onnxruntime's."""
    pairs = [JudgeInput(*row) for row in rows]
    runtime = TorchRuntime(EMBEDDED_FOLDER, str(device))
    ours, theirs = (
        1 / (1 + np.exp(-OnnxJudge(encoder).judge(pairs)))
        for encoder in (OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=runtime), OnnxEncoder("mini", EMBEDDED_FOLDER))
    )
    off = np.abs(ours - theirs)
    print(
        f"\njudge on {device.type} against onnxruntime, {len(off)} pairs: equal bits {np.mean(off == 0):.1%}, "
        f"within 1e-6 {np.mean(off < 1e-6):.1%}, within {NEAR} {np.mean(off <= NEAR):.1%}, largest {off.max():.2e}; "  # noqa: PLR2004
        f"{int(np.sum((ours >= 0.5) != (theirs >= 0.5)))} on the other side of .5",  # noqa: PLR2004
        flush=True,
    )


if __name__ == "__main__":
    main()
