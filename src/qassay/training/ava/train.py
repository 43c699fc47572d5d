"""From AVA's pairs to a trained model: what `qassay train ava` does."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.hf.encoder import choose_device
from qassay.models.hf.judge import AvaSettings, save
from qassay.models.onnx.judge_layer import probability
from qassay.training import output_folder
from qassay.training.ava import linear as ava_linear
from qassay.training.ava.networks import PairInputs, f1, room_for_pair, train
from qassay.training.ava.pairs import read_rows
from qassay.training.base_model import open_base
from qassay.training.files import read_sides
from qassay.training.model_card import write_card
from qassay.training.splits import DEV, TRAIN

if TYPE_CHECKING:
    from pathlib import Path

    from qassay.models.base import Device
    from qassay.training.plan import Plan


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


def train_linear_from_files(data: Path, folder: Path, *, seed: int = 0) -> float:
    """Train the linear classifier on what `build_pairs` wrote and write it into a folder; gives its F1 on dev."""
    output_folder.check_place(folder)
    rows = read_sides(data, read_rows, (TRAIN, DEV))
    model = ava_linear.train(rows[TRAIN], seed=seed)
    with output_folder.filled(folder) as place:
        model.write(place)
    scores = probability(model.logits(ava_linear.features_of(rows[DEV])))
    return f1(scores, np.array([row.label for row in rows[DEV]], np.float32))
