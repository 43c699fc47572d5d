"""From judged answers to a judge's model folder: what `qassay train judge` does."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError, ModelError, SpecError
from qassay.features import Resources
from qassay.meta.classification import calibrate, classify
from qassay.metrics.catalogue import create
from qassay.metrics.learned import Ava
from qassay.models.ava_design import READER
from qassay.models.base import EMBEDDED, EMBEDDED_FOLDER, parse_ref
from qassay.models.hf import local_folder
from qassay.models.judge_layer import JudgeLayer, probability
from qassay.train import ava
from qassay.train.judge import Plan
from qassay.train.judge_layer import check_rows, cross_fitted, fit, measure, sampled
from qassay.train.judge_rows import DEV, TRAIN, JudgeRow, group_of, read_rows, side_of
from qassay.train.judge_trainers import NOTHING, Extra, export_network, is_trunk, train_on_encoder
from qassay.train.judged_pairs import JudgedPair
from qassay.train.judged_rows import answers
from qassay.train.model_card import write_card
from qassay.train.row_files import read_sides
from qassay.train.source_files import read_json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Floats
    from qassay.train.judge_layer import Measured


@dataclass(frozen=True, slots=True)
class Reached:
    """What the trained judge does on the rows of one source that a layer can be fitted on, each judged without it."""

    source: str
    n: int
    accuracy: float | None
    f1: float | None
    auc: float | None
    calibration_error: float | None


@dataclass(frozen=True, slots=True)
class Training:
    """How a judge or a reader of LERC's kind is trained; what is None is as the base's trainer has it."""

    epochs: int | None = None
    rate: float | None = None
    seed: int = 0
    seeds: int | None = None
    """Networks to train and average, on the embedded model's trunk: 3 unless said otherwise."""
    device: str = "cpu"
    seen: Path | None = None
    """The file of judged pairs that the keyphrase head was trained on, if any: on those its weights know too much."""
    folds: int = 0
    """Folds in which networks first judge rows unseen, on the embedded model's trunk; 0 for labels as they are."""
    polish: int = 0
    """Epochs on people's verdicts at the end, on the embedded model's trunk."""

    def to_dict(self) -> dict[str, object]:
        """Give what was said, for the model's card."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        return {**said, "seen": self.seen.name} if self.seen else said

    def on_trunk(self, context: float | None = None) -> Plan:
        """Give the plan for the embedded model's trunk."""
        plan = Plan(seed=self.seed) if context is None else Plan(seed=self.seed, context=context)
        return replace(plan, epochs=self.epochs or plan.epochs, rate=self.rate or plan.rate)

    def on_encoder(self) -> ava.Plan:
        """Give the plan for an encoder of its own."""
        if self.seeds not in {None, 1}:
            raise SpecError(f"{self.seeds} seeds; networks are averaged on the embedded model's trunk alone")
        plan = ava.Plan(READER, epochs=3, longest=384, batch=32, seed=self.seed)
        return replace(plan, epochs=self.epochs or plan.epochs, rate=self.rate or plan.rate)


def read_data(data: Path) -> dict[str, list[JudgeRow]]:
    """Read what `qassay build judge` wrote, or a file of judged answers, which is split by question."""
    if data.is_dir():
        return read_sides(data, read_rows, (TRAIN, DEV))
    rows: dict[str, list[JudgeRow]] = {TRAIN: [], DEV: []}
    for row in answers(data, np.random.default_rng(0)):
        rows[side_of(row)].append(row)
    for side, found in rows.items():
        if not found:
            raise DataError(f"no judged answer fell to the {side} side of the split; judge more of them", data)
    return rows


def train_from_files(
    base: str, data: Path, folder: Path, how: Training, *, report: Callable[[str], None] = lambda _: None
) -> list[Reached]:
    """Train a judge and write it with its layer as a model folder.

    With `mini` as base the embedded network stays and the layer alone is fitted. With all-MiniLM-L6-v2 a network is
    trained on the embedded model's trunk, which runs without torch. Any other encoder is trained as a whole.
    """
    rows = read_data(data)
    reached = _trained(base, rows, folder, how, report)
    measured = {
        f"{each.source}, {name}": value
        for each in reached
        for name, value in asdict(each).items()
        if isinstance(value, float)
    }
    write_card(folder, "A judge", base, plan=how.to_dict(), measured=measured, data=data, curves=False)
    return reached


def _trained(
    base: str,
    rows: Mapping[str, Sequence[JudgeRow]],
    folder: Path,
    how: Training,
    report: Callable[[str], None],
) -> list[Reached]:
    extra = Extra(how.folds, how.polish)
    if any(extra) and (base == EMBEDDED or not is_trunk(base)):
        raise SpecError(
            f"{how.folds} folds, {how.polish} epochs of polish; both are for networks on all-MiniLM-L6-v2's trunk alone"
        )
    if base == EMBEDDED:
        weighed = [*rows[TRAIN], *rows[DEV]]
        check_rows(weighed)
        shutil.copytree(EMBEDDED_FOLDER, folder, dirs_exist_ok=True)
        layer, reached = fit_from_rows(weighed, folder, seen=how.seen)
        layer.write(folder)
        return reached
    if is_trunk(base):
        return train_on_trunk(
            local_folder(parse_ref(base)),
            rows,
            folder,
            how.on_trunk(),
            seeds=3 if how.seeds is None else how.seeds,
            extra=extra,
            device=how.device,
            seen=how.seen,
            report=report,
        )
    check_rows(rows[DEV])
    train_on_encoder(base, rows, folder, how.on_encoder(), device=how.device, report=report)
    layer, reached = fit_from_rows(rows[DEV], folder, seen=how.seen)
    layer.write(folder)
    return reached


def train_on_trunk(
    base: Path,
    rows: Mapping[str, Sequence[JudgeRow]],
    folder: Path,
    plan: Plan,
    *,
    seeds: int = 3,
    extra: Extra = NOTHING,
    device: str = "cpu",
    seen: Path | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> list[Reached]:
    """Train a judge on the embedded model's trunk, and fit its layer on rows that its network has not seen.

    Those are the development rows. With folds every row has opinions of networks that have not seen it, so that the
    network and the layer both learn from all of them.
    """
    taught, weighed = rows[TRAIN], rows[DEV]
    if extra.folds:
        taught = [*rows[TRAIN], *rows[DEV]]
        weighed = sampled(taught)
    check_rows(weighed)
    opinions = export_network(
        base, taught, folder, plan, seeds=seeds, device=device, extra=extra, asked=weighed, report=report
    )
    layer, reached = fit_from_rows(weighed, folder, seen=seen, opinions=opinions)
    layer.write(folder)
    return reached


def fit_from_rows(
    rows: Sequence[JudgeRow], folder: Path, *, seen: Path | None = None, opinions: Floats | None = None
) -> tuple[JudgeLayer, list[Reached]]:
    """Fit the layer of a folder's judge on rows that it was not trained on, and say how well it does.

    On rows that it was trained on, `opinions` of other networks stand in for its own.
    """
    metric = create(f"ava,model={folder}")
    if not isinstance(metric, Ava):
        raise ModelError(f"{folder} is no judge's folder")
    known = {group_of(pair.question) for pair in read_json_lines(seen, JudgedPair)} if seen else set()
    measured = measure(rows, metric, seen=known, resources=Resources(), opinions=opinions)
    return fit(measured), _reached(measured)


def _reached(measured: Measured) -> list[Reached]:
    scores = probability(cross_fitted(measured))
    lines = []
    for source in np.unique(measured.source).tolist():
        # Between right and wrong there is no verdict to compare with.
        chosen = (measured.source == source) & np.isin(measured.label, (0.0, 1.0))
        if not chosen.any():
            continue
        found = classify(scores[chosen], measured.label[chosen], 0.5)
        error = calibrate(scores[chosen], measured.label[chosen]).error
        lines.append(Reached(str(source), found.n, found.accuracy, found.f1, found.auc, error))
    return lines
