"""From files to a trained keyphrase model: what `qassay train keyphrase` does."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from qassay.errors import DataError, ModelError, OutputError, SpecError
from qassay.models.base import ModelRef, parse_ref
from qassay.models.hf.encoder import HFBackbone, local_folder, open_encoder
from qassay.models.load import load_weigher
from qassay.training import output_folder
from qassay.training.files import read_json_lines
from qassay.training.keyphrase.fitting import TrainingExamples, find_checkpoints, train
from qassay.training.keyphrase.inputs import Examples, JudgedExamples
from qassay.training.keyphrase.presets import PRESETS, KeyphrasePlan, default_plan
from qassay.training.keyphrase.rows import JudgedPair, read_rows
from qassay.training.model_card import write_card

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from qassay.models.base import Device
    from qassay.training.keyphrase.quality import KeyphraseQuality


def choose_plan(
    base: str,
    preset: str | None = None,
    *,
    without_question: bool = False,
    epochs: int | None = None,
    seed: int = 0,
    seeds: int = 1,
) -> KeyphrasePlan:
    """Return the plan of a preset, or ours for the base model; `without_question` makes a KP model of it."""
    if seeds < 1:
        raise SpecError(f"{seeds} seeds; train at least one network")
    if preset is not None and preset not in PRESETS:
        raise SpecError(f'"{preset}" is not a preset; there are {", ".join(PRESETS)}')
    plan = PRESETS[preset] if preset else default_plan(_encoder_folder(base))
    unasked = 1.0 if without_question else None
    chosen: KeyphrasePlan = plan.changed(unasked=unasked, epochs=epochs, seed=seed, seeds=seeds)
    return chosen


def _encoder_folder(base: str) -> Path:
    """Find a Hugging Face encoder's folder; the embedded model is none."""
    folder = local_folder(parse_ref(base))
    if not (folder / "config.json").is_file():
        raise ModelError(f"{base}: there is no config.json; give --base a Hugging Face encoder, by name or folder")
    return folder


def train_from_files(
    base: str,
    data: Path,
    folder: Path,
    plan: KeyphrasePlan,
    *,
    judged: Path | None = None,
    teachers: Sequence[str] = (),
    device: Device = "auto",
    resume: bool = False,
    report: Callable[[Mapping[str, float]], None] = lambda _: None,
) -> KeyphraseQuality:
    """Train on a folder that `qassay build keyphrase` wrote (`train.jsonl`, `dev.jsonl`) and write the model's folder.

    `judged` names a file of judged pairs and `teachers` name keyphrase models; a plan that uses either needs it.
    """
    if plan.judged and judged is None:
        raise SpecError("this preset also learns from judged answers; name their file with --judged")
    if plan.taught and not teachers:
        raise SpecError("this preset learns from teachers; name at least one model with --teacher")
    source = _encoder_folder(base)
    output_folder.check_weigher(folder, base=source)
    unfinished = find_checkpoints(folder)
    if unfinished and not resume:
        raise OutputError(
            "holds an unfinished training; carry on with it (--resume), or remove it: "
            + ", ".join(path.name for path in unfinished),
            folder,
        )
    backbone = HFBackbone(ModelRef("folder", str(source)), "cpu")
    train_examples, dev_examples = (
        Examples.of(list(read_rows(data / f"{side}.jsonl")), backbone.pieces, plan.longest) for side in ("train", "dev")
    )
    for side, examples in (("train", train_examples), ("dev", dev_examples)):
        if not len(examples):
            raise DataError("there is no usable row in this file", data / f"{side}.jsonl")
    pairs = None
    if plan.judged and judged:
        encoder = open_encoder(ModelRef("folder", str(source)), device)
        pairs = JudgedExamples.of(list(read_json_lines(judged, JudgedPair)), backbone.pieces, plan.longest, encoder)
    if plan.taught:
        weighers = [load_weigher(teacher, device, with_question=plan.asks) for teacher in teachers]
        for examples in (train_examples, *((pairs.examples,) if pairs else ())):
            examples.learn_from(weighers, with_question=plan.asks)
    training = TrainingExamples(train_examples, dev_examples, pairs)
    found = train(source, training, plan, folder, device=device, resume=resume, report=report)
    write_card(folder, "Keyphrase model", base, plan=asdict(plan), measured=found._asdict(), data=data)
    return found
