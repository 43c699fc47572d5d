"""From reader data to a model folder: what `qassay train reader` does."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.errors import SpecError
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx import OnnxEncoder
from qassay.models.reader import DESCRIPTION, OnnxReader, ReaderHead
from qassay.train.base_model import base_weights, cutter
from qassay.train.crew import work_together
from qassay.train.export_heads import export_reader
from qassay.train.reader import ReaderNetwork, train
from qassay.train.reader_inputs import LONGEST_ANSWER, LONGEST_QUESTION, WINDOW, prepare
from qassay.train.reader_quality import Measured
from qassay.train.reader_rows import read_reader_rows
from qassay.train.row_files import read_sides

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from qassay.train.crew import Crew
    from qassay.train.reader import Plan
    from qassay.train.reader_inputs import Asked
    from qassay.train.reader_quality import Quality

TUNED = "reader.safetensors"
"""The tuned weights before export, from which another training can start."""
_MOST_WINDOWS = 8


def train_from_files(
    base: Path,
    data: Path,
    folder: Path,
    plan: Plan,
    *,
    start: Path | None = None,
    device: str = "cpu",
    processes: int = 1,
    seeds: int = 1,
    report: Callable[[str], None] = lambda _: None,
) -> Quality:
    """Train a reader on what `qassay build reader` wrote, and write it into a model folder.

    `base` is the Hugging Face folder of all-MiniLM-L6-v2, whose lower layers the embedded model shares; `start` is the
    folder of an earlier reader to carry on from. With several `seeds` one network a seed is trained on the same rows,
    and what is written is the average of their weights. The threshold is the one that is best on the development rows;
    what comes back is the quality there.
    """
    if seeds < 1:
        raise SpecError(f"{seeds} seeds; train at least one network")
    rows = read_sides(data, read_reader_rows, ("train", "dev"))
    rng = np.random.default_rng(plan.seed)
    drawn = [row for row in rows["train"] if rng.random() < plan.shares.get(row.source, 1.0)]
    asked = prepare(drawn, cutter(base), rng, short=plan.short)
    report(f"{len(asked.questions)} questions, {sum(map(len, asked.texts))} word pieces of texts")
    folder.mkdir(parents=True, exist_ok=True)
    # A process without a passage would have nothing to do.
    crew = min(processes, len(set(asked.passages)))
    jobs = [
        _Job(
            base,
            asked,
            replace(plan, seed=seed),
            device,
            start,
            folder / (TUNED if seeds == 1 else f"seed-{seed}.safetensors"),
        )
        for seed in range(plan.seed, plan.seed + seeds)
    ]
    for job in jobs:
        if seeds > 1:
            report(f"seed {job.plan.seed}")
        work_together(crew, _train_share, job)
    if seeds > 1:
        _unite([job.tuned for job in jobs], folder / TUNED)
    shutil.copytree(EMBEDDED_FOLDER, folder, dirs_exist_ok=True)
    export_from_file(folder / TUNED, folder, trunk_depth=plan.trunk_depth)
    reader = OnnxReader(OnnxEncoder(str(folder), folder))
    measured = Measured.of(reader.answer([(row.question, row.passage) for row in rows["dev"]]), rows["dev"])
    threshold = round(measured.best_threshold(), 4)
    set_threshold(folder, threshold)
    return measured.at(threshold)


@dataclass(frozen=True, slots=True)
class _Job:
    """What every process of a training needs to know."""

    base: Path
    asked: Asked
    plan: Plan
    device: str
    start: Path | None
    tuned: Path
    """Where the trained weights go."""


def _train_share(crew: Crew, job: _Job) -> None:
    import torch  # noqa: PLC0415 - heavy
    from safetensors.torch import load_file, save_file  # noqa: PLC0415 - part of the extra `train`

    # Networks can only be averaged when they were trained from the same start: the seed is for order and dropout alone.
    torch.manual_seed(0)
    weights = base_weights(job.base)
    network = ReaderNetwork(weights, job.plan.trunk_depth)
    if job.start:
        network.load_state_dict(load_file(job.start / TUNED))
    torch.manual_seed(job.plan.seed)

    def save() -> None:
        save_file({name: value.cpu().contiguous() for name, value in network.state_dict().items()}, job.tuned)

    def tell(progress: float, loss: float) -> None:
        if crew.rank == 0:
            # A process of its own knows no terminal; its standard error is the command's.
            sys.stderr.write(f"{progress:.1%}, loss {loss:.3f}\n")
            save()

    train(network, weights, job.asked.share(crew.rank, crew.size), job.plan, job.device, crew=crew, report=tell)
    if crew.rank == 0:
        save()


def _unite(trained: Sequence[Path], united: Path) -> None:
    """Write the average of several networks' weights, which stand for them from then on."""
    from safetensors.torch import load_file, save_file  # noqa: PLC0415 - part of the extra `train`

    from qassay.train.averaging import averaged  # noqa: PLC0415 - loads torch

    save_file(averaged([load_file(path) for path in trained]), united)
    for path in trained:
        path.unlink()


def export_from_file(tuned: Path, folder: Path, *, trunk_depth: int, int8: bool = True) -> None:
    """Write tuned weights as a graph into a model folder."""
    from safetensors.numpy import load_file  # noqa: PLC0415 - part of the extra `train`

    head = ReaderHead(
        layer=trunk_depth,
        graph="reader.onnx",
        weights="reader.npz",
        window=WINDOW,
        most_windows=_MOST_WINDOWS,
        longest_question=LONGEST_QUESTION,
        longest_answer=LONGEST_ANSWER,
        threshold=0.5,
    )
    weights = {name: array.astype(np.float32) for name, array in load_file(tuned).items()}
    export_reader(weights, folder, head, int8=int8)


def set_threshold(folder: Path, threshold: float) -> None:
    """Change the probability of no answer from which on a question counts as unanswerable."""
    path = folder / DESCRIPTION
    head = msgspec.json.decode(path.read_bytes(), type=ReaderHead)
    changed = msgspec.structs.replace(head, threshold=threshold)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(changed), indent=1) + b"\n")
