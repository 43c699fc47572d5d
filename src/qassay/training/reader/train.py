"""From reader data to a model folder: what `qassay train reader` does."""

from __future__ import annotations

import shutil
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from qassay.errors import DataError, ModelError, SpecError
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.reader import ANSWER_READER, DESCRIPTION, OnnxReader, ReaderHead
from qassay.training import output_folder
from qassay.training.base_model import cutter
from qassay.training.export.heads import export_reader
from qassay.training.files import read_sides
from qassay.training.model_card import write_card
from qassay.training.reader.build import OPEN
from qassay.training.reader.inputs import (
    LONGEST_ANSWER,
    LONGEST_ASSERTED,
    LONGEST_QUESTION,
    SHORT_SHARE,
    WINDOW,
    prepare,
)
from qassay.training.reader.job import ReaderJob
from qassay.training.reader.quality import MeasuredAnswers
from qassay.training.reader.rows import read_reader_rows
from qassay.training.reader.teachers import Distillation, with_opinions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from qassay.training.plan import Plan
    from qassay.training.reader.quality import ReaderQuality
    from qassay.training.reader.rows import ReaderRow
    from qassay.training.splits import QuestionFold

TUNED = "reader.safetensors"
"""The tuned weights before export, from which another training can start."""
UNFINISHED = "unfinished"
"""The folder beside a reader for the weights of an interrupted training, from which another can start too."""
_MOST_WINDOWS = 8


class ReaderKind(NamedTuple):
    """What a reader reads, and its files."""

    title: str
    description: str
    longest: int
    """Pieces of an answer."""
    window: int = WINDOW
    """Pieces of a passage that are read at once; training cuts longer passages at `WINDOW`."""
    margin: float = 3.0
    """How much less than the best further answers may score."""

    @property
    def name(self) -> str:
        """What its files' names begin with."""
        return self.description.removesuffix(".json")

    @property
    def tuned(self) -> str:
        """The file of the tuned weights before export."""
        return f"{self.name}.safetensors"

    @property
    def files(self) -> tuple[str, ...]:
        """The files in a model folder."""
        return output_folder.ANSWER_READER if self == OF_ANSWERS else output_folder.READER


OF_PASSAGES = ReaderKind("A reader", DESCRIPTION, LONGEST_ANSWER)
OF_ANSWERS = ReaderKind("An answer reader", ANSWER_READER, LONGEST_ASSERTED, window=384, margin=0.7)


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
    teaching: Distillation | None = None,
    kind: ReaderKind = OF_PASSAGES,
    leave_out: QuestionFold | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> ReaderQuality:
    """Train a reader on what `qassay build reader` or `answer-reader` wrote, and write it into a model folder.

    `base` is the Hugging Face folder of all-MiniLM-L6-v2, whose lower layers the embedded model shares; `start` is the
    folder of an earlier reader to carry on from. With several `seeds` one network per seed is trained on the same rows,
    and what is written is the average of their weights. With `teaching` teachers are trained first, and the networks
    learn what these think, of the questions in `open.jsonl` too. The development rows make probabilities of the
    scores and choose the threshold; what comes back is the quality there. Questions of the fold `leave_out` are neither
    among them nor trained on, and the folder says which fold it was.
    """
    if seeds < 1:
        raise SpecError(f"{seeds} seeds; train at least one network")
    if start and not (start / TUNED).is_file():
        raise ModelError(f"{start}: there is no {TUNED}; start from a folder that `qassay train reader` wrote")
    output_folder.check_head(folder, kind.files, base=base)
    teaching = teaching or Distillation()
    rows = read_sides(data, read_reader_rows, ("train", "dev", OPEN) if teaching.teachers else ("train", "dev"))
    if leave_out:
        rows = _without(rows, leave_out, data)
        if start and start.resolve() != (folder / UNFINISHED).resolve():
            report(f"the reader in {start} may know the questions that are left out")
    _check_shares(plan, {row.source for row in rows["train"]})
    rng = np.random.default_rng(plan.seed)
    drawn = [row for row in rows["train"] if rng.random() < plan.shares.get(row.source, 1.0)]
    asked = prepare(drawn, cutter(base), rng, short=SHORT_SHARE, longest=kind.longest)
    report(f"{len(asked.questions)} questions, {sum(map(len, asked.texts))} word pieces of texts")
    with output_folder.filled(folder) as place:
        job = ReaderJob(base, asked, plan, device, place / kind.tuned, start and start / TUNED)
        try:
            if teaching.teachers:
                unmarked = prepare(rows[OPEN], cutter(base), rng, short=SHORT_SHARE)
                report(f"{len(unmarked.questions)} questions without marked answers")
                job = replace(job, inputs=with_opinions(job, unmarked, teaching, processes=processes, report=report))
            train_networks(job, seeds, processes, report)
        except KeyboardInterrupt:
            _keep(job.tuned, folder / UNFINISHED)
            raise
        output_folder.copy_others(folder, place, kind.files)
        export_from_file(place / kind.tuned, place, trunk_depth=plan.trunk_depth, kind=kind)
        found = _calibrated(place, rows["dev"], kind)
        if leave_out:
            describe(place, kind, left_out=leave_out)
        write_card(
            place,
            kind.title,
            base.name,
            plan=asdict(plan) | ({"leave_out": str(leave_out)} if leave_out else {}),
            measured=asdict(found),
            data=data,
            curves=False,
            beside=folder,
        )
    shutil.rmtree(folder / UNFINISHED, ignore_errors=True)
    return found


def _without(rows: Mapping[str, Sequence[ReaderRow]], fold: QuestionFold, data: Path) -> dict[str, list[ReaderRow]]:
    """Return each side's rows whose questions are not in a fold."""
    left: dict[str, list[ReaderRow]] = {}
    for side, found in rows.items():
        held = fold.holds([row.question for row in found]).tolist()
        left[side] = [row for row, out in zip(found, held, strict=True) if not out]
        if not left[side]:
            raise DataError(f"all questions are in fold {fold}; give more questions or folds", data / f"{side}.jsonl")
    if all(len(left[side]) == len(found) for side, found in rows.items()):
        raise DataError(f"no question is in fold {fold}; give fewer folds, or more questions", data)
    return left


def _check_shares(plan: Plan, sources: set[str]) -> None:
    unknown = sorted(set(plan.shares) - sources)
    if unknown:
        raise SpecError(f"no training row is of {', '.join(unknown)}; there are {', '.join(sorted(sources))}")


def train_networks(job: ReaderJob, seeds: int, processes: int, report: Callable[[str], None] = lambda _: None) -> None:
    """Train one network, or several and write the average of their weights."""
    if seeds == 1:
        job.run(processes)
        return
    first = job.plan.seed
    trained = {seed: job.tuned.with_name(f"seed-{seed}.safetensors") for seed in range(first, first + seeds)}
    for seed, path in trained.items():
        report(f"seed {seed}")
        replace(job, plan=replace(job.plan, seed=seed), tuned=path).run(processes)
    _unite(list(trained.values()), job.tuned)


def _keep(tuned: Path, unfinished: Path) -> None:
    """Keep what an interrupted training has learnt, if anything."""
    if tuned.is_file():
        unfinished.mkdir(parents=True, exist_ok=True)
        shutil.move(tuned, unfinished / TUNED)


def _calibrated(folder: Path, rows: Sequence[ReaderRow], kind: ReaderKind) -> ReaderQuality:
    """Make probabilities of a reader's scores, choose the threshold, and say how good the reader is with them."""
    reader = OnnxReader(OnnxEncoder(str(folder), folder), kind.description)
    measured = MeasuredAnswers.of(reader.answer([(row.question, row.passage) for row in rows]), rows)
    scale, shift = measured.calibration()
    measured = measured.calibrated(scale, shift)
    threshold = round(measured.best_threshold(), 4)
    describe(folder, kind, scale=scale, shift=shift, threshold=threshold)
    return measured.at(threshold)


def _unite(trained: Sequence[Path], united: Path) -> None:
    """Write the average of several networks' weights, which stand for them from then on."""
    from safetensors.torch import load_file, save_file  # noqa: PLC0415 - part of the extra `train`

    from qassay.training.fit import averaged  # noqa: PLC0415 - loads torch

    save_file(averaged([load_file(path) for path in trained]), united)
    for path in trained:
        path.unlink()


def export_from_file(
    tuned: Path, folder: Path, *, trunk_depth: int, int8: bool = True, kind: ReaderKind = OF_PASSAGES
) -> None:
    """Write tuned weights as a graph into a model folder."""
    from safetensors.numpy import load_file  # noqa: PLC0415 - part of the extra `train`

    head = ReaderHead(
        layer=trunk_depth,
        graph=f"{kind.name}.onnx",
        weights=f"{kind.name}.npz",
        window=kind.window,
        most_windows=_MOST_WINDOWS,
        longest_question=LONGEST_QUESTION,
        longest_answer=kind.longest,
        margin=kind.margin,
        threshold=0.5,
    )
    weights = {name: array.astype(np.float32) for name, array in load_file(tuned).items()}
    export_reader(weights, folder, head, int8=int8)


def describe(folder: Path, kind: ReaderKind = OF_PASSAGES, **changed: Any) -> None:  # noqa: ANN401 - what the fields take
    """Change fields of a reader's description in its folder (`ReaderHead`)."""
    path = folder / kind.description
    head = msgspec.json.decode(path.read_bytes(), type=ReaderHead)
    path.write_bytes(
        msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(head, **changed)), indent=1) + b"\n"
    )
