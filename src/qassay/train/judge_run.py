"""From judge data to a model folder: what `qassay train judge` does."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError, ModelError, SpecError
from qassay.features import Resources
from qassay.meta.classification import calibrate, classify
from qassay.metrics.catalogue import create
from qassay.metrics.learned import Ava
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.folder import TOKENIZER
from qassay.models.judge_layer import JudgeLayer, probability
from qassay.train.averaging import averaged
from qassay.train.export_judge import export_judge
from qassay.train.judge import Plan, train
from qassay.train.judge_inputs import prepare
from qassay.train.judge_layer import cross_fitted, fit, measure
from qassay.train.judge_rows import DEV, TRAIN, JudgeRow, group_of, read_rows, single_references
from qassay.train.judged_pairs import JudgedPair
from qassay.train.source_files import read_json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import torch

    from qassay.train.judge_layer import Measured
    from qassay.train.judge_network import JudgeNetwork

_VOCABULARY = "embeddings.word_embeddings.weight"


@dataclass(frozen=True, slots=True)
class Reached:
    """What the trained judge does on the development rows of one source, each judged by a layer fitted without it."""

    source: str
    n: int
    accuracy: float | None
    f1: float | None
    auc: float | None
    calibration_error: float | None


def train_from_files(
    base: Path,
    data: Path,
    folder: Path,
    plan: Plan,
    *,
    seeds: int = 3,
    device: str = "cpu",
    seen: Path | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> list[Reached]:
    """Train a judge on what `qassay build judge` wrote, and write it with its layer as a model folder.

    `base` is the Hugging Face folder of all-MiniLM-L6-v2, whose lower layers the embedded model shares. Several seeds
    are trained and their weights averaged. `seen` is the file of judged pairs that the keyphrase head was trained on,
    if any: on those its weights know too much.
    """
    if seeds < 1:
        raise SpecError(f"{seeds} seeds; train at least one network")
    weights = _base_weights(base)
    rows = {side: list(read_rows(data / f"{side}.jsonl")) for side in (TRAIN, DEV)}
    for side, found in rows.items():
        if not found:
            raise DataError("there are no rows in this file", data / f"{side}.jsonl")
    tuned = train_network(weights, rows[TRAIN], plan, base / TOKENIZER, seeds=seeds, device=device, report=report)
    if folder.resolve() != EMBEDDED_FOLDER.resolve():
        shutil.copytree(EMBEDDED_FOLDER, folder, dirs_exist_ok=True)
    export_judge({name: value.numpy() for name, value in tuned.items()}, folder, layer=plan.trunk_depth)
    layer, reached = fit_from_rows(rows[DEV], folder, seen=seen)
    layer.write(folder)
    return reached


def train_network(
    weights: Mapping[str, torch.Tensor],
    rows: Sequence[JudgeRow],
    plan: Plan,
    tokenizer: Path,
    *,
    seeds: int,
    device: str,
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, torch.Tensor]:
    """Train one network a seed and average their tuned weights."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - with the training libraries

    cutter = Tokenizer.from_file(str(tokenizer))
    cutter.no_truncation()
    cutter.no_padding()
    inputs = prepare(list(single_references(rows)), cutter)
    states = []
    for seed in range(plan.seed, plan.seed + seeds):

        def after(epoch: int, _network: JudgeNetwork, seed: int = seed) -> None:
            report(f"seed {seed}: epoch {epoch + 1} of {plan.epochs}")

        network = train(weights, inputs, replace(plan, seed=seed), device, report=after)
        states.append({name: value.cpu() for name, value in network.tuned().items()})
    return averaged(states)


def fit_from_rows(
    rows: Sequence[JudgeRow], folder: Path, *, seen: Path | None = None
) -> tuple[JudgeLayer, list[Reached]]:
    """Fit the layer of a folder's judge on rows that it was not trained on, and say how well it does."""
    metric = create(f"ava,model={folder}")
    if not isinstance(metric, Ava):
        raise ModelError(f"{folder} is no judge's folder")
    known = {group_of(pair.question) for pair in read_json_lines(seen, JudgedPair)} if seen else set()
    measured = measure(rows, metric, seen=known, resources=Resources())
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


def _base_weights(base: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file  # noqa: PLC0415 - part of the extra `train`

    path = base / "model.safetensors"
    if not path.is_file() or not (base / TOKENIZER).is_file():
        raise ModelError(f"{base}: give the folder of all-MiniLM-L6-v2, with model.safetensors and {TOKENIZER}")
    weights = {name.removeprefix("bert."): value for name, value in load_file(path).items()}
    if _VOCABULARY not in weights or "encoder.layer.5.output.dense.weight" not in weights:
        raise ModelError(f"{path}: not a BERT of six layers; the embedded model's trunk is all-MiniLM-L6-v2's")
    return weights
