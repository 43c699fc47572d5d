"""Training a reader of LERC's kind (Chen et al. 2020) on judged answers: what `qassay train lerc` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from qassay.errors import DataError, SpecError, option
from qassay.io.input_stream import sniff
from qassay.models.base import EMBEDDED, parse_ref
from qassay.models.hf.encoder import local_folder
from qassay.models.hf.judge_design import READER
from qassay.models.onnx.judge_layer import DESCRIPTION
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples
from qassay.training import output_folder
from qassay.training.base_model import is_trunk
from qassay.training.judge.judged import mocha
from qassay.training.judge.rows import side_of
from qassay.training.judge.train import JudgeOptions, read_data
from qassay.training.judge.trainers import export_network, train_on_encoder
from qassay.training.model_card import write_card
from qassay.training.objective import RATINGS, VERDICTS
from qassay.training.splits import DEV, TRAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from qassay.training.judge.rows import JudgeRow

ALWAYS = 1.0
PRESET = "lerc"


@dataclass(frozen=True, slots=True)
class LercAgreement:
    """How close the reader's scores come to the labels of one source's development rows."""

    source: str
    n: int
    pearson: float | None
    """None where either side does not vary."""
    squared_error: float


def train_lerc_from_files(
    base: str, data: Path, folder: Path, how: JudgeOptions, *, report: Callable[[str], None] = lambda _: None
) -> list[LercAgreement]:
    """Train a reader that always sees the context, and write it as a model folder for `lerc,model=FOLDER`.

    With the preset it predicts ratings by squared error, and learns that a reference answers its question and that an
    answer of the highest rating could be the reference (`augmented`).
    """
    if base == EMBEDDED:
        raise SpecError("the embedded reader is trained already; give --base a Hugging Face model to train one")
    if how.preset not in {None, PRESET}:
        raise SpecError(f'{option("preset")} is "{how.preset}"; there is {PRESET}, or leave it out')
    trunk = is_trunk(base)
    if trunk:
        output_folder.check_head(folder, output_folder.LERC, base=output_folder.folder_of(base))
    else:
        output_folder.check_encoders(folder, READER, layered=False, base=output_folder.folder_of(base))
    rows = read_ratings(data, report=report)
    objective = VERDICTS
    if how.preset is not None:
        objective, rows = RATINGS, {**rows, TRAIN: augmented(rows[TRAIN])}
    with output_folder.filled(folder) as place:
        if trunk:
            # Without the embedded judge's layer, which weighs another network's logit.
            output_folder.copy_others(folder, place, output_folder.JUDGE)
            export_network(
                local_folder(parse_ref(base)),
                rows[TRAIN],
                place,
                how.on_trunk(),
                context=ALWAYS,
                objective=objective,
                seeds=3 if how.seeds is None else how.seeds,
                device=how.device,
                report=report,
            )
        else:
            plan = how.on_encoder()
            train_on_encoder(base, rows, place, plan, device=how.device, objective=objective, report=report)
        found = agreement(rows[DEV], place)
    (folder / DESCRIPTION).unlink(missing_ok=True)
    measured = {f"{each.source}, squared error": each.squared_error for each in found}
    measured |= {f"{each.source}, Pearson": each.pearson for each in found if each.pearson is not None}
    write_card(folder, "A reader for LERC", base, plan=how.to_dict(), measured=measured, data=data, curves=False)
    return found


def read_ratings(data: Path, *, report: Callable[[str], None] = lambda _: None) -> dict[str, list[JudgeRow]]:
    """Read what a judge reads, or MOCHA: a folder with its `train.json` and `dev.json`, or one of its files.

    A single file is split by question.
    """
    published = {side: data / f"{side}.json" for side in (TRAIN, DEV)}
    if data.is_dir() and all(path.is_file() for path in published.values()):
        rows = {side: list(mocha(path)) for side, path in published.items()}
    elif data.is_file() and sniff(data) == "mocha":
        rows = {TRAIN: [], DEV: []}
        for row in mocha(data):
            rows[side_of(row)].append(row)
    else:
        return read_data(data, report=report)
    for side, found in rows.items():
        if not found:
            raise DataError(f"there is no rated answer for the {side} side; give more of them", data)
    return rows


def augmented(rows: Sequence[JudgeRow]) -> list[JudgeRow]:
    """Return rows and what follows from them, as in the authors' code (Chen et al. 2020).

    Each question's first reference answers it, and an answer of the highest rating is exchanged with its reference.
    """
    found: list[JudgeRow] = []
    seen: set[tuple[str, str]] = set()
    for row in rows:
        found.append(row)
        reference = row.references[0]
        if (row.source, row.question) not in seen:
            seen.add((row.source, row.question))
            found.append(replace(row, references=(reference,), candidate=reference, label=1.0))
        if row.label == 1:
            found.append(replace(row, references=(row.candidate,), candidate=reference))
    return found


def agreement(rows: Sequence[JudgeRow], folder: Path) -> list[LercAgreement]:
    """Compare a trained reader's scores with the labels, source by source."""
    examples = [
        Example(str(i), row.question, tuple(map(Reference, row.references)), row.candidate, context=row.context or None)
        for i, row in enumerate(rows)
    ]
    scores = next(iter(score_examples(examples, [f"lerc,model={folder}"]).scores.values()))
    labels = np.array([row.label for row in rows])
    source = np.array([row.source for row in rows])
    lines = []
    for name in np.unique(source).tolist():
        found, label = scores[source == name], labels[source == name]
        varies = len(found) > 1 and found.std() > 0 and label.std() > 0
        pearson = float(np.corrcoef(found, label)[0, 1]) if varies else None
        lines.append(LercAgreement(name, len(found), pearson, float(((found - label) ** 2).mean())))
    return lines
