"""From claims to a model folder: what `qassay train consistency` does."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.consistency import DESCRIPTION, ConsistencyHead, OnnxConsistency
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.training import output_folder
from qassay.training.base_model import base_weights, cutter
from qassay.training.consistency.inputs import LONGEST_CLAIM, prepare
from qassay.training.consistency.network import ConsistencyNetwork, train
from qassay.training.consistency.quality import calibration, measure
from qassay.training.consistency.rows import read_documents
from qassay.training.export.heads import export_consistency
from qassay.training.files import read_sides
from qassay.training.model_card import write_card
from qassay.training.reader.layers import reader_layers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.training.consistency.quality import ConsistencyQuality
    from qassay.training.consistency.rows import DocumentRow
    from qassay.training.plan import Plan

_TUNED = "consistency.safetensors"
"""The tuned weights before export."""
WINDOW = 254
"""Word pieces of a document that are read at once, besides the marks."""
_MOST_WINDOWS = 8
_MOST_CALIBRATED = 3000
"""Claims of the development rows on which the head is measured as it is used."""


def train_from_files(
    base: Path,
    data: Path,
    folder: Path,
    plan: Plan,
    *,
    device: str = "cpu",
    report: Callable[[str], None] = lambda _: None,
) -> ConsistencyQuality:
    """Train a consistency head on what `qassay build consistency` wrote, and write it into a model folder.

    `base` is the Hugging Face folder of all-MiniLM-L6-v2, whose lower layers the embedded model shares. Training starts
    from the embedded reader's layers, which read two texts together. The development rows make probabilities of the
    scores; what comes back is the quality there.
    """
    from safetensors.torch import save_file  # noqa: PLC0415 - part of the extra `train`

    output_folder.check_head(folder, output_folder.CONSISTENCY, base=base)
    rows = read_sides(data, read_documents, ("train", "dev"))
    inputs = prepare(rows["train"], cutter(base))
    report(f"{len(inputs.claims)} claims, {sum(map(len, inputs.texts))} word pieces of texts")
    weights = base_weights(base)
    network = ConsistencyNetwork(weights, plan.trunk_depth)
    network.start_from(*reader_layers(EMBEDDED_FOLDER / "reader.npz"))
    train(network, weights, inputs, plan, device, report=lambda done, loss: report(f"{done:.0%}, loss {loss:.4f}"))
    tuned = {name: value.cpu().contiguous() for name, value in network.state_dict().items()}
    with output_folder.filled(folder) as place:
        output_folder.copy_others(folder, place, output_folder.CONSISTENCY)
        save_file(tuned, place / _TUNED)
        arrays = {name: np.asarray(value.float(), np.float32) for name, value in tuned.items()}
        found = export_and_measure(arrays, place, rows["dev"], layer=plan.trunk_depth)
        write_card(
            place,
            "A consistency head",
            base.name,
            plan=asdict(plan),
            measured=asdict(found),
            data=data,
            curves=False,
            beside=folder,
        )
    return found


def export_and_measure(
    weights: Mapping[str, NDArray[np.float32]], folder: Path, rows: Sequence[DocumentRow], *, layer: int
) -> ConsistencyQuality:
    """Write tuned weights as a graph into a model folder, calibrate it on development rows, and measure it there."""
    head = ConsistencyHead(
        layer=layer,
        graph="consistency.onnx",
        weights="consistency.npz",
        window=WINDOW,
        most_windows=_MOST_WINDOWS,
        longest_claim=LONGEST_CLAIM,
    )
    export_consistency(weights, folder, head)
    pairs = [(claim, row.document) for row in rows for claim in row.claims]
    # Every so many, so that all sources are among them.
    chosen = pairs[:: max(1, len(pairs) // _MOST_CALIBRATED)]
    texts = [(claim.text, document) for claim, document in chosen]
    logits = OnnxConsistency(OnnxEncoder(str(folder), folder)).logits(texts)
    scale, shift = calibration(logits, np.array([claim.consistent for claim, _ in chosen], bool))
    calibrated = msgspec.structs.replace(head, scale=round(scale, 4), shift=round(shift, 4))
    (folder / DESCRIPTION).write_bytes(msgspec.json.format(msgspec.json.encode(calibrated), indent=1) + b"\n")
    verdicts = OnnxConsistency(OnnxEncoder(str(folder), folder)).check(texts)
    return measure(verdicts, [claim for claim, _ in chosen])
