"""From chunker data to a model folder: what `qassay train chunker` does."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.onnx.chunker import OnnxChunker
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.syntax import BOUNDS
from qassay.training import output_folder
from qassay.training.base_model import base_weights, cutter
from qassay.training.chunker import quality as chunker_quality
from qassay.training.chunker.inputs import prepare
from qassay.training.chunker.network import predict, train
from qassay.training.chunker.rows import TaggedRow, read_chunker_rows
from qassay.training.export.heads import export_chunker
from qassay.training.files import read_sides
from qassay.training.model_card import write_card

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from qassay.models.syntax import Chunker
    from qassay.training.chunker.rows import ChunkerRow
    from qassay.training.plan import Plan

_TUNED = "chunker.safetensors"
"""The tuned weights before export."""
_LONGEST = 192


def train_from_files(
    base: Path,
    data: Path,
    folder: Path,
    plan: Plan,
    *,
    device: str = "cpu",
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, float]:
    """Train a chunker on what `qassay build chunker` wrote, write it into a model folder, and measure it on dev rows.

    `base` is the Hugging Face folder of all-MiniLM-L6-v2, whose lower layers the embedded model shares.
    """
    from safetensors.torch import save_file  # noqa: PLC0415 - part of the extra `train`

    output_folder.check_head(folder, output_folder.CHUNKER, base=base)
    rows = read_sides(data, read_chunker_rows, ("train", "dev"))
    weights, cut = base_weights(base), cutter(base, _LONGEST)
    inputs = {side: prepare(found, cut) for side, found in rows.items()}
    report(f"{len(inputs['train'].pieces)} sentences, {sum(map(len, inputs['train'].pieces))} word pieces")
    network = train(weights, inputs["train"], plan, device)
    measured = chunker_quality.measure(predict(network, weights, plan, inputs["dev"], device), inputs["dev"], BOUNDS)
    tuned = {name: value.cpu().contiguous() for name, value in network.state_dict().items()}
    arrays = {name: np.asarray(value.float(), np.float32) for name, value in tuned.items()}
    with output_folder.filled(folder) as place:
        output_folder.copy_others(folder, place, output_folder.CHUNKER)
        save_file(tuned, place / _TUNED)
        export_chunker(arrays, place, layer=plan.trunk_depth)
        measured["noun phrases in int8"] = phrase_f1(OnnxChunker(OnnxEncoder(str(place), place)), rows["dev"])
        write_card(
            place,
            "A chunker",
            base.name,
            plan=asdict(plan),
            measured=measured,
            data=data,
            curves=False,
            beside=folder,
        )
    return measured


def phrase_f1(chunker: Chunker, rows: Sequence[ChunkerRow], kind: str | None = "NP") -> float:
    """Return F1 of the chunks of a kind (of all kinds for `None`) by their characters, with the chunker's own words."""
    known = [row for row in rows if isinstance(row, TaggedRow) and row.chunks]
    found: list[set[tuple[str, int, int]]] = []
    wanted: list[set[tuple[str, int, int]]] = []
    for row, tagged in zip(known, chunker.tag([row.text for row in known]), strict=True):
        places = [(word.start, word.end) for word in tagged.words]
        for side, words, labels in (
            (found, places, [word.chunk for word in tagged.words]),
            (wanted, row.words, row.chunks),
        ):
            spans = chunker_quality.labelled_spans(labels)
            side.append({(name, words[a][0], words[b - 1][1]) for name, a, b in spans if kind in {None, name}})
    return chunker_quality.span_f1(found, wanted)
