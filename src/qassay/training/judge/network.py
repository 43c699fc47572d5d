"""The judge's network: the texts of a pair read together, in the frozen trunk and in tuned layers above it.

The sequence is `[CLS] reference [SEP] question [SEP] candidate [SEP] context [SEP]`, the question and the context only
where there is one. At the entrance of the tuned layers every piece is marked with its text's role and with the other
texts that hold its word, and a candidate's piece with whether it is asserted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np
import torch
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from torch import nn

from qassay.errors import ModelError
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.folder import read_description
from qassay.models.onnx.judge import DESCRIPTION as JUDGE
from qassay.models.onnx.judge import LOGIT, JudgeHead
from qassay.models.onnx.judge_segments import ASSERTED, COMPARED, MARKS, ROLES, word_keys
from qassay.models.onnx.reader import DESCRIPTION as READER
from qassay.models.onnx.reader import ReaderHead
from qassay.training.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.training.export.stored import stored_arrays, stored_dense, stored_layers, tuned_layers
from qassay.training.fit import fit_one_cycle
from qassay.training.objective import VERDICTS
from qassay.training.ragged import RaggedRows, batches_by_length
from qassay.training.reader.layers import reader_layers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.training.judge.inputs import JudgeInputs
    from qassay.training.objective import Objective
    from qassay.training.plan import Plan

    State = Mapping[str, torch.Tensor]

_MULTIPLE = 8
CONTEXT = 0.15
"""The chance that a row with a context is read with it, so that the judge can serve as LERC's reader too."""


class JudgeNetwork(nn.Module):
    """Trunk, marks, tuned layers; the state at [CLS] gives the logit of the candidate being right."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int) -> None:
        super().__init__()
        self.trunk = Trunk(weights, trunk_depth)
        self.marks = nn.Embedding(MARKS, WIDTH)
        nn.init.zeros_(self.marks.weight)
        self.layers = upper_layers(weights, trunk_depth)
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, pieces: torch.Tensor, present: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """Return one logit per row for padded rows of pieces."""
        hidden = self.trunk(pieces, present) + self.marks(marks)
        seen = present[:, None, None]
        for layer in self.layers:
            hidden = layer(hidden, seen)
        logits: torch.Tensor = self.out(torch.tanh(self.dense(hidden[:, 0])))
        return logits.squeeze(-1)

    def tuned(self) -> dict[str, torch.Tensor]:
        """Return the judge's own weights: all but the shared trunk's."""
        return {name: value for name, value in self.state_dict().items() if not name.startswith("trunk.")}

    def restore(self, tuned: Mapping[str, torch.Tensor]) -> None:
        """Take the judge's own weights over, or some of them."""
        self.load_state_dict({**self.state_dict(), **tuned})


@dataclass(slots=True)
class JudgePairs:
    """The texts of each pair on the device, ready to be put side by side."""

    pieces: RaggedRows
    keys: RaggedRows
    """The word that each piece belongs to."""
    asserted: RaggedRows
    """Whether each piece is asserted."""
    texts: dict[str, torch.Tensor]
    """For each role the number of its text, -1 for none."""

    @classmethod
    def of(cls, inputs: JudgeInputs, device: str) -> JudgePairs:
        """Put prepared rows on the device."""
        pieces = torch.from_numpy(inputs.pieces.astype("int64")).to(device)
        keys = torch.from_numpy(word_keys(inputs.pieces, inputs.kinds)).to(device)
        asserted = torch.from_numpy(inputs.asserted.astype("int64")).to(device)
        texts = {role: torch.from_numpy(getattr(inputs, role)).to(device) for role in ROLES}
        flat = [RaggedRows(each, inputs.lengths) for each in (pieces, keys, asserted)]
        return cls(flat[0], flat[1], flat[2], texts)

    def lengths(self, *, context: bool) -> NDArray[np.int64]:
        """Count the pieces of each pair."""
        numbers = [texts.cpu().numpy() for role, texts in self.texts.items() if context or role != "context"]
        total: NDArray[np.int64] = sum(self.pieces.lengths[number] * (number >= 0) for number in numbers)
        return total

    def side_by_side(
        self, chosen: torch.Tensor, *, context: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return pieces, which places are taken, and marks of some pairs; `context` says which of them show theirs."""
        numbers = {role: texts[chosen] for role, texts in self.texts.items()}
        if context is None:
            del numbers["context"]
        else:
            numbers["context"] = numbers["context"].where(context, -1)
        keys = {role: self._text(self.keys, texts) for role, texts in numbers.items()}
        columns = []
        for role, texts in numbers.items():
            key, there = keys[role]
            mark = torch.full_like(key, 4 * ROLES.index(role))
            for bit, other in enumerate(COMPARED[role]):
                found = (key[:, :, None] == keys[other][0][:, None]) & keys[other][1][:, None]
                mark += (found.any(-1) & (key != 0)) << bit
            if role == "candidate":
                mark += ASSERTED * self._text(self.asserted, texts)[0]
            if role != ROLES[0]:
                # Only the first text keeps its [CLS].
                there = there & (torch.arange(there.shape[1], device=there.device) > 0)
            columns.append((self._text(self.pieces, texts)[0], there, mark))
        pieces, present, marks = (torch.cat(column, 1) for column in zip(*columns, strict=True))
        longest = -(-int(present.sum(1).max()) // _MULTIPLE) * _MULTIPLE
        order = torch.argsort((~present).to(torch.uint8), dim=1, stable=True)[:, :longest]
        return pieces.gather(1, order), present.gather(1, order), marks.gather(1, order)

    @staticmethod
    def _text(rows: RaggedRows, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, present = rows.padded(numbers.clamp(min=0))
        return values, present & (numbers >= 0)[:, None]


def layers_that_read(trunk_depth: int) -> dict[str, torch.Tensor]:
    """Return the layers of the embedded passage reader, or nothing if its trunk has another depth."""
    head = read_description(EMBEDDED_FOLDER / READER, ReaderHead, absent="the embedded model has no reader")
    if head.layer != trunk_depth:
        return {}
    return tuned_layers(reader_layers(EMBEDDED_FOLDER / head.weights)[0])


def stored_weights(folder: Path, trunk_depth: int) -> dict[str, torch.Tensor]:
    """Return the own weights of a folder's judge, for a training that goes on from there.

    Raise `ModelError` unless the judge reads on from the trunk's layer `trunk_depth`, told what is asserted.
    """
    remedy = "give mini, or a folder that `qassay train judge --base all-MiniLM-L6-v2` wrote"
    absent = f"{folder}: there is no judge whose training can be continued; {remedy}"
    head = read_description(folder / JUDGE, JudgeHead, absent=absent)
    if head.layer != trunk_depth or not head.asserted or head.output != LOGIT:
        raise ModelError(f"{folder}: its judge has another design; {remedy}")
    try:
        arrays = stored_arrays(folder / head.graph, folder / head.weights)
        dense = {
            f"{name}.{kind}": torch.from_numpy(array)
            for name in ("dense", "out")
            for kind, array in zip(("weight", "bias"), stored_dense(arrays, name), strict=True)
        }
        return {"marks.weight": torch.from_numpy(arrays["marks"]), **tuned_layers(stored_layers(arrays)), **dense}
    except (OSError, EOFError, ValueError, KeyError, BadZipFile, DecodeError) as problem:
        raise ModelError(f"{folder}: the judge's weights are missing or damaged; {remedy}") from problem


def train(
    weights: Mapping[str, torch.Tensor],
    inputs: JudgeInputs,
    plan: Plan,
    device: str,
    *,
    context: float = CONTEXT,
    objective: Objective = VERDICTS,
    start: State | None = None,
    report: Callable[[int], None] = lambda _: None,
) -> JudgeNetwork:
    """Train on pairs with labels from 0 to 1, by cross-entropy unless the objective says otherwise.

    `report` is called with the number of epochs done. All seeds start from the same weights, so that networks can be
    averaged: with `start` from tuned weights that are there already, otherwise from layers that have learned to read.
    """
    torch.manual_seed(0)
    pairs = JudgePairs.of(inputs, device)
    network = JudgeNetwork(weights, plan.trunk_depth).to(device)
    begun = start or layers_that_read(plan.trunk_depth)
    network.restore({name: value.to(device) for name, value in begun.items()})
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    label = torch.from_numpy(inputs.label[inputs.row]).to(device)
    lengths = pairs.lengths(context=context > 0)
    epochs = [_epoch(inputs, plan, lengths, rng) for _ in range(int(plan.epochs))]
    done = count(1)

    def loss(batch: NDArray[np.int64]) -> torch.Tensor:
        chosen = torch.from_numpy(batch).to(device)
        shown = torch.rand(len(batch), device=device) < context if context else None
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            logits = network(*pairs.side_by_side(chosen, context=shown))
        return objective.loss(logits.float(), label[chosen])

    fit_one_cycle(network, loss, epochs, plan, lambda _loss: report(next(done)))
    return network.eval()


def _epoch(
    inputs: JudgeInputs, plan: Plan, lengths: NDArray[np.int64], rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    share = np.array([plan.shares.get(str(name), 1.0) for name in inputs.sources])[inputs.source[inputs.row]]
    times = np.floor(share + rng.random(len(share))).astype(np.int64)
    drawn = np.repeat(np.arange(len(share)), times)
    return [drawn[batch] for batch in batches_by_length(lengths[drawn], plan.batch, rng)]


@torch.no_grad()
def logits(
    network: JudgeNetwork, pairs: JudgePairs, device: str, *, context: bool = False, tokens: int = 1 << 16
) -> NDArray[np.float32]:
    """Return the logit of every pair."""
    lengths = pairs.lengths(context=context)
    found = np.zeros(len(lengths), np.float32)
    for batch in batches_by_length(lengths, tokens):
        chosen = torch.from_numpy(batch).to(device)
        shown = torch.ones(len(batch), dtype=torch.bool, device=device) if context else None
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            found[batch] = network(*pairs.side_by_side(chosen, context=shown)).float().cpu().numpy()
    return found
