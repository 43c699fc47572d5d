"""From answer selection files to a trained AVA model: what `qassay build ava` and `qassay train ava` do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qassay.errors import DataError, ModelError
from qassay.models.ava import AvaSettings, save
from qassay.models.base import parse_ref
from qassay.models.hf import choose_device, local_folder
from qassay.train.ava import Base, Plan, train
from qassay.train.ava_data import AvaRow, Statistics, pair_up, read_rows, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np

    from qassay.data.answer_selection import Selection
    from qassay.models.base import Device

SIDES = ("train", "dev")


def build_pairs(
    selections: Iterable[Selection],
    folder: Path,
    *,
    rng: np.random.Generator,
    cap: int | None = None,
    dev_share: float = 0.1,
) -> dict[str, Statistics]:
    """Split by question, pair up each side, write `train.jsonl` and `dev.jsonl`, and give each side's statistics."""
    sides: dict[str, list[Selection]] = {side: [] for side in SIDES}
    for selection in selections:
        sides["dev" if rng.random() < dev_share else "train"].append(selection)
    paired = {side: pair_up(chosen, rng=rng, cap=cap) for side, chosen in sides.items()}
    for side, (rows, _) in paired.items():
        if not rows:
            raise DataError(f"no question of the {side} side has two correct answers; give more data")
    folder.mkdir(parents=True, exist_ok=True)
    for side, (rows, _) in paired.items():
        write_rows(folder / f"{side}.jsonl", rows)
    return {side: statistics for side, (_, statistics) in paired.items()}


def train_from_files(base: str, data: Path, folder: Path, plan: Plan, *, device: Device = "auto") -> tuple[float, ...]:
    """Train on what `build_pairs` wrote and write the model's folder; gives the F1 on dev after every epoch."""
    rows: dict[str, list[AvaRow]] = {side: list(read_rows(data / f"{side}.jsonl")) for side in SIDES}
    for side, found in rows.items():
        if not found:
            raise DataError("there are no pairs in this file", data / f"{side}.jsonl")
    trained = train(rows["train"], rows["dev"], _open_base(base), plan, choose_device(device))
    save(trained.network, _open_base(base).tokenizer, AvaSettings(plan.design, plan.longest, base), folder)
    return trained.dev_f1


def _open_base(base: str) -> Base:
    from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415 - part of the extra `train`

    folder = local_folder(parse_ref(base))

    def make_encoder() -> Any:  # noqa: ANN401 - the library's classes are many
        return AutoModel.from_pretrained(folder, use_safetensors=True, trust_remote_code=False)

    try:
        return Base(make_encoder, AutoTokenizer.from_pretrained(folder, use_fast=True, trust_remote_code=False))
    except (OSError, ValueError) as problem:
        raise ModelError(f"{folder}: cannot be opened as a Hugging Face encoder: {problem}") from problem
