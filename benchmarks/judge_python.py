"""Time what `ava` does beside its networks, in microseconds per judged pair on one core, by stage.

    PYTHONPATH=src python benchmarks/judge_python.py [--rows N] [--made] [--profile] [--repeat N]

On a GPU the networks take a few dozen microseconds per pair, so that the rest decides the rate. The networks' outputs
are recorded in a process of its own; the measured one reads them from there by their inputs, which is not counted.
The rows are EVOUNA's: a question, its first accepted answer and a system's answer, 36 to 56 word pieces together; with
`--made` the made-up ones of `gpu.py`. As many other rows are scored before, which fills the caches of words.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import hashlib
import os
import pickle
import pstats
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

import qassay
from gpu_rows import write_rows
from qassay.models.load import load_encoder
from qassay.models.onnx.runtime import OnnxRuntime
from qassay.scoring.engines.local import GC_THRESHOLDS
from qassay.training.corpora import evouna

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from qassay.models.runtime import Rows, Step

DATA = Path(os.environ.get("QASSAY_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
FEWEST, MOST = 36, 56
"""Word pieces of a row's texts."""
STAGES = {
    "rules": ["metrics.learned.canonical_pairs:_split"],
    "word search": ["equivalence.searched_texts:SearchedTexts.shares"],
    "lexical signals": ["metrics.learned.signals:lexical_signals"],
    "model signals": ["metrics.learned.signals:model_signals"],
    "what answers assert": ["features.assertions:_read"],
    "signals of what they assert": ["metrics.learned.asserted_signals:asserted_signals"],
    "rows of the judge": ["models.onnx.judge:OnnxJudge.judge"],
    "pieces of words": ["models.onnx.word_pieces:PieceCutter.cut"],
    "references' order": ["metrics.learned.screening:screened_scores"],
    "readability, notes": [
        "metrics.learned.base:LearnedMetric._usable",
        "features.batch:Batch.take_notes",
        "metrics.learned.base:LearnedMetric.answer_notes",
        "metrics.learned.base:LearnedMetric.unscored",
    ],
    "encoder and heads": [
        "models.onnx.encoder:OnnxEncoder.match",
        "models.onnx.encoder:OnnxEncoder.encode",
        "models.onnx.keyphrase:OnnxWeigher.weigh",
        "models.onnx.reader:OnnxReader.answer",
    ],
}
REST = "intake, tokens, aggregation"


class Recording:
    """The networks' outputs by their inputs, in place of the runtime."""

    def __init__(self, known: dict[bytes, Any]) -> None:
        self.known = known
        self.spent = 0.0

    @contextmanager
    def replacing(self) -> Iterator[None]:
        """Answer for the runtime, which runs what is not known."""
        real = OnnxRuntime.run

        def run(
            runtime: OnnxRuntime, steps: Sequence[Step], items: Sequence[Mapping[str, Rows]], wanted: Sequence[str]
        ) -> list[tuple[Rows, ...]]:
            start = time.process_time()
            keys = [_key(steps, item) for item in items]
            new = {key: item for key, item in zip(keys, items, strict=True) if key not in self.known}
            if new:
                self.known.update(zip(new, real(runtime, steps, list(new.values()), wanted), strict=True))
            found = [self.known[key] for key in keys]
            self.spent += time.process_time() - start
            return found

        OnnxRuntime.run = run  # type: ignore[method-assign,assignment]
        try:
            yield
        finally:
            OnnxRuntime.run = real  # type: ignore[method-assign]


def _key(steps: Sequence[Step], item: Mapping[str, Any]) -> bytes:
    made = hashlib.blake2b(repr(steps).encode(), digest_size=16)
    for name, rows in sorted(item.items()):
        made.update(f"{name} {rows.shape}".encode())
        made.update(np.ascontiguousarray(rows).tobytes())
    return made.digest()


class Stopwatch:
    """Seconds inside functions, without those inside other ones that are watched."""

    def __init__(self, recording: Recording) -> None:
        self.seconds: Counter[str] = Counter()
        self._recording = recording
        self._running: list[str] = []
        self._since = 0.0
        self._own = self._own_seconds()

    def _own_seconds(self, times: int = 10_000) -> float:
        """Return what a look at the clock takes."""
        start = self._now()
        for _ in range(times):
            self._now()
        return (self._now() - start) / times

    def _now(self) -> float:
        return time.process_time() - self._recording.spent

    def _turn(self) -> None:
        now = self._now()
        stage = self._running[-1] if self._running else REST
        self.seconds[stage] += now - self._since - self._own  # type: ignore[assignment]
        self._since = now

    def watch(self) -> None:
        """Watch the functions of all stages from now on."""
        for stage, places in STAGES.items():
            for place in places:
                module, _, path = place.partition(":")
                owner: Any = import_module(f"qassay.{module}")
                *outer, name = path.split(".")
                for each in outer:
                    owner = getattr(owner, each)
                static = isinstance(vars(owner)[name], staticmethod)
                watched = self._watched(stage, getattr(owner, name))
                setattr(owner, name, staticmethod(watched) if static else watched)
                for other in [] if outer else list(sys.modules.values()):
                    # Modules that have the function by its name.
                    same = getattr(vars(other).get(name), "__wrapped__", vars(other).get(name)) is watched.__wrapped__
                    if same and other.__name__.startswith("qassay."):
                        setattr(other, name, watched)

    def _watched(self, stage: str, work: Any) -> Any:  # noqa: ANN401 - any function
        @wraps(work)
        def timed(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as above
            self._turn()
            self._running.append(stage)
            try:
                return work(*given, **named)
            finally:
                self._turn()
                self._running.pop()

        return timed

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what happens in the block."""
        self.seconds.clear()
        self._since = self._now()
        yield
        self._turn()


def _training_rows(count: int) -> list[dict[str, Any]]:
    """Return rows of EVOUNA's whose texts have the wanted length, in an order that mixes the systems."""
    found: list[dict[str, Any]] = []
    pieces = load_encoder().pieces
    for row in evouna.read(DATA / "train" / "evouna" / "NQ.json"):
        for number, answer in enumerate(row.answers if row.accepted else ()):
            question, reference, candidate = texts = row.question, row.accepted[0], answer.text
            if len(found) < count and FEWEST <= sum(len(pieces(text)) for text in texts) <= MOST:
                made = {"question": question, "references": [reference], "candidate": candidate}
                found.append({"id": f"{len(found)}-{number}", **made})
    return found


def _score(path: Path) -> list[float]:
    with qassay.score(str(path), ["ava"], batch=2048, device="cpu", progress=None) as scores:
        return [row["scores"]["ava"] for row in scores.rows()]


def _measure(folder: Path, recorded: Path, repeat: int, *, profile: bool) -> None:
    """Score recorded rows, and print where the time goes."""
    recording = Recording(pickle.loads(recorded.read_bytes()))  # noqa: S301 - written by this program
    watch = Stopwatch(recording)
    with recording.replacing():
        _score(folder / "before.jsonl")
        if profile:
            with cProfile.Profile() as found:
                _score(folder / "rows0.jsonl")
            pstats.Stats(found).sort_stats("tottime").print_stats(45)
            return
        watch.watch()
        # As in worker processes.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        counts: list[Counter[str]] = []
        for number in range(repeat):
            with watch.running():
                rows = len(_score(folder / f"rows{number}.jsonl"))
            counts.append(Counter({name: seconds / rows for name, seconds in watch.seconds.items()}))
    best = min(counts, key=lambda each: sum(each.values()))
    for stage in (*STAGES, REST):
        print(f"{stage:32} {1e6 * best[stage]:7.1f}")
    print(f"{'microseconds per pair':32} {1e6 * sum(best.values()):7.1f}")


def main() -> None:
    """Record, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--made", action="store_true", help="made-up rows instead of training data")
    parser.add_argument("--profile", action="store_true", help="the functions that take longest instead of the stages")
    parser.add_argument("--repeat", type=int, default=2, help="the best of so many parts of the rows counts")
    parser.add_argument("--recorded", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.recorded is not None:
        _measure(given.recorded.parent, given.recorded, given.repeat, profile=given.profile)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = given.rows * (1 + given.repeat)
        if given.made:
            write_rows(folder / "all.jsonl", count)
            rows = [msgspec.json.decode(line) for line in (folder / "all.jsonl").read_bytes().splitlines()]
        else:
            rows = _training_rows(count)
        parts = ["before", *(f"rows{number}" for number in range(given.repeat))]
        recording = Recording({})
        with recording.replacing():
            for number, part in enumerate(parts):
                some = rows[number :: len(parts)]
                (folder / f"{part}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, some)))
                _score(folder / f"{part}.jsonl")
        (folder / "recorded").write_bytes(pickle.dumps(recording.known))
        print(f"{len(rows)} rows recorded in {recording.spent:.0f} s", flush=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        flags = ["--recorded", str(folder / "recorded"), "--repeat", str(given.repeat)]
        subprocess.run(  # noqa: S603 - this program
            [sys.executable, __file__, *flags, *(["--profile"] if given.profile else [])], check=True, env=environment
        )


if __name__ == "__main__":
    main()
