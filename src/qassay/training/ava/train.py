"""From AVA's pairs to a trained model: what `qassay train ava` does."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer

from qassay.models.folder import TOKENIZER
from qassay.models.hf.encoder import choose_device
from qassay.models.hf.judge import AvaSettings, save
from qassay.models.hf.judge_design import DESIGNS
from qassay.models.onnx.judge_layer import probability
from qassay.training import output_folder
from qassay.training.ava import linear as ava_linear
from qassay.training.ava import trunk_network as trunk
from qassay.training.ava.confidence import fitted_scale, logits_of
from qassay.training.ava.networks import PairInputs, f1, room_for_pair, train
from qassay.training.ava.pairs import read_rows
from qassay.training.base_model import base_weights, open_base
from qassay.training.export.ava import export_ava
from qassay.training.files import read_sides
from qassay.training.model_card import write_card
from qassay.training.splits import DEV, TRAIN

if TYPE_CHECKING:
    from pathlib import Path

    from qassay.models.base import Device
    from qassay.training.plan import Plan

ALL = "all"
"""The kind that stands for all designs, trained together."""


def train_from_files(
    base: str, data: Path, folder: Path, plan: Plan, *, design: str = "a2", device: Device = "auto"
) -> tuple[float, ...]:
    """Train on what `build_pairs` wrote and write the model's folder; gives the F1 on dev after every epoch."""
    output_folder.check_encoders(folder, design, layered=False, base=output_folder.folder_of(base))
    rows = read_sides(data, read_rows, (TRAIN, DEV))
    opened = open_base(base)
    longest = room_for_pair(plan, design, opened.longest)
    pairs = {
        side: PairInputs([(row.judged, row.label) for row in found], opened.tokenizer, design, longest)
        for side, found in rows.items()
    }
    trained = train(pairs[TRAIN], pairs[DEV], opened, plan, choose_device(device), design=design, measure=f1)
    with output_folder.filled(folder) as place:
        save(trained.network, opened.tokenizer, AvaSettings(design, longest, base), place)
    best = {"F1": max(trained.reached)}
    write_card(
        folder, f"AVA, {design}", base, plan={"design": design, **asdict(plan)}, measured=best, data=data, curves=False
    )
    return trained.reached


def train_on_trunk(
    base: Path, data: Path, folder: Path, plan: Plan, *, kind: str = "a2", device: Device = "auto"
) -> tuple[float, ...]:
    """Train a design, or `all` of them together, on the embedded model's trunk, and add it to a model folder.

    The folder runs without torch. Returns the F1 on dev after every epoch, over all designs the mean.
    """
    file = "ava.npz" if kind == ALL else f"ava_{kind}.npz"
    designs = tuple(DESIGNS) if kind == ALL else (kind,)
    head = (file, *(f"ava_{name}.onnx" for name in designs))
    output_folder.check_head(folder, head, base=base)
    rows = read_sides(data, read_rows, (TRAIN, DEV))
    tokenizer = Tokenizer.from_file(str(base / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    place = choose_device(device)
    pairs = {side: trunk.TrunkPairs.of(found, tokenizer, place) for side, found in rows.items()}
    weights = base_weights(base)
    network, reached = trunk.train(weights, pairs[TRAIN], pairs[DEV], plan, place, designs=designs, measure=f1)
    dev = pairs[DEV]
    scales = {
        name: fitted_scale(logits_of(found), dev.label, dev.source)
        for name, found in trunk.probabilities(network, dev, place, plan.batch).items()
    }
    with output_folder.filled(folder) as staged:
        output_folder.copy_others(folder, staged, head)
        tuned = {name: value.cpu().numpy() for name, value in network.tuned().items()}
        export_ava(tuned, staged, layer=plan.trunk_depth, file=file, scales=scales)
    means = tuple(float(np.mean(list(each.values()))) for each in reached)
    best = {f"F1, {name}": value for name, value in reached[int(np.argmax(means))].items()}
    write_card(folder, f"AVA, {kind}", str(base), plan=asdict(plan), measured=best, data=data, curves=False)
    return means


def train_linear_from_files(data: Path, folder: Path, *, seed: int = 0) -> float:
    """Train the linear classifier on what `build_pairs` wrote and write it into a folder; gives its F1 on dev."""
    output_folder.check_place(folder)
    rows = read_sides(data, read_rows, (TRAIN, DEV))
    model = ava_linear.train(rows[TRAIN], seed=seed)
    with output_folder.filled(folder) as place:
        model.write(place)
    scores = probability(model.logits(ava_linear.features_of(rows[DEV])))
    return f1(scores, np.array([row.label for row in rows[DEV]], np.float32))
