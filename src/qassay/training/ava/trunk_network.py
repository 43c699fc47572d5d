"""AVA's designs on the embedded model's trunk: pairs of texts read in the frozen trunk and in tuned layers above it.

A pair is the sequence `[CLS] text [SEP] text [SEP]`, three texts for a triple. At the entrance of the tuned layers
every piece is marked with its text's role and with the other texts of the pair that hold its word. The paper gives each
pair an encoder of its own; here all pairs share the tuned layers, and the mark at [CLS] says which text comes first.

Peer attention (A2) follows the paper's two steps: the lower half of the tuned layers reads each pair alone, the upper
half reads both together, so that each attends to the other; the classifier sees the states at [CLS] after both steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.models.hf.judge_design import ROLE_OF_LETTER, design_named, readings_of
from qassay.models.onnx.judge_segments import COMPARED, ROLES, piece_kinds, word_keys
from qassay.text.split_joined import split_joined
from qassay.training.encoder_layers import WIDTH, Trunk, upper_layers
from qassay.training.fit import Best, fit_one_cycle
from qassay.training.ragged import RaggedRows, batches_by_length

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from qassay.training.ava.pairs import AvaRow
    from qassay.training.plan import Plan

    Measure = Callable[[NDArray[np.float64], NDArray[np.float32]], float]

LONGEST = {"question": 64, "reference": 128, "candidate": 128}
"""How many pieces of each text are read, including [CLS] and [SEP]."""
MARKS = 4 * len(ROLES)
HALF = 2
"""How many of the tuned layers read a pair alone before peer attention."""
WEIGHTS = {"a2": 4.0, "a1-rt": 2.0, "a0": 2.0}
"""What a design's loss counts where several are trained together: the paper's best ones more than the others."""
_MULTIPLE = 8


class ReadingBatch(NamedTuple):
    """Rows of one pair of texts, padded."""

    pieces: torch.Tensor
    present: torch.Tensor
    marks: torch.Tensor


class AvaTrunkNetwork(nn.Module):
    """Trunk, marks and tuned layers; the states at [CLS] of a design's pairs give the logit of being right."""

    def __init__(self, weights: Mapping[str, torch.Tensor], trunk_depth: int, designs: Sequence[str]) -> None:
        super().__init__()
        self.designs = tuple(designs)
        self.trunk = Trunk(weights, trunk_depth)
        self.marks = nn.Embedding(MARKS, WIDTH)
        nn.init.zeros_(self.marks.weight)
        self.layers = upper_layers(weights, trunk_depth)
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.out = nn.ModuleDict(
            {name: nn.Linear(WIDTH * len(readings_of(design_named(name))), 1) for name in self.designs}
        )

    @property
    def pairs(self) -> tuple[str, ...]:
        """The pairs that the designs read, each once."""
        return tuple(dict.fromkeys(pair for name in self.designs for pair in design_named(name).pairs))

    def forward(self, batches: Mapping[str, ReadingBatch]) -> dict[str, torch.Tensor]:
        """Return each design's logits; `batches` holds the rows of every pair."""
        alone = {pair for name in self.designs for pair in design_named(name).pairs if not design_named(name).peer}
        half, last = {}, {}
        for pair, batch in batches.items():
            states = self.trunk(batch.pieces, batch.present) + self.marks(batch.marks)
            half[pair] = self._read(states, batch.present, 0, HALF)
            if pair in alone:
                last[pair] = self._pooled(self._read(half[pair], batch.present, HALF)[:, 0])
        logits = {}
        for name in self.designs:
            pairs = design_named(name).pairs
            readings = self._peers(batches, half, pairs) if design_named(name).peer else [last[pair] for pair in pairs]
            logits[name] = self.out[name](torch.cat(readings, -1)).squeeze(-1)
        return logits

    def _read(self, states: torch.Tensor, present: torch.Tensor, start: int, end: int | None = None) -> torch.Tensor:
        for layer in self.layers[start:end]:
            states = layer(states, present[:, None, None])
        return states

    def _pooled(self, states: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.dense(states))

    def _peers(
        self, batches: Mapping[str, ReadingBatch], half: Mapping[str, torch.Tensor], pairs: Sequence[str]
    ) -> list[torch.Tensor]:
        """Return the readings of peer attention: both pairs alone, then both while they attend to each other."""
        together = torch.cat([half[pair] for pair in pairs], 1)
        present = torch.cat([batches[pair].present for pair in pairs], 1)
        states = self._read(together, present, HALF)
        starts = np.cumsum([0, *(half[pair].shape[1] for pair in pairs[:-1])]).tolist()
        return [self._pooled(half[pair][:, 0]) for pair in pairs] + [self._pooled(states[:, at]) for at in starts]

    def tuned(self) -> dict[str, torch.Tensor]:
        """Return the designs' own weights: all but the shared trunk's."""
        return {name: value for name, value in self.state_dict().items() if not name.startswith("trunk.")}


@dataclass(slots=True)
class TrunkPairs:
    """Judged pairs as the network reads them: distinct texts as word pieces, and rows of their numbers."""

    pieces: RaggedRows
    keys: RaggedRows
    """The word that each piece belongs to."""
    texts: dict[str, NDArray[np.int64]]
    """The number of each row's text, by role."""
    label: NDArray[np.float32]
    source: NDArray[np.str_]

    @classmethod
    def of(cls, rows: Sequence[AvaRow], tokenizer: Tokenizer, device: str) -> TrunkPairs:
        """Cut the texts of all rows into pieces, each distinct text once."""
        numbers: dict[tuple[str, int], int] = {}
        texts = {
            role: np.array([numbers.setdefault((getattr(row, role), LONGEST[role]), len(numbers)) for row in rows])
            for role in LONGEST
        }
        cut = tokenizer.encode_batch([split_joined(text) for text, _ in numbers])
        # Long texts lose their end but keep the closing [SEP].
        ids = [
            found.ids if len(found.ids) <= longest else [*found.ids[: longest - 1], found.ids[-1]]
            for found, (_, longest) in zip(cut, numbers, strict=True)
        ]
        pieces = RaggedRows.of(ids, device)
        keys = word_keys(pieces.flat.cpu().numpy(), piece_kinds(tokenizer.get_vocab()))
        label = np.array([row.label for row in rows], np.float32)
        source = np.array([row.source for row in rows])
        return cls(pieces, RaggedRows(torch.from_numpy(keys).to(device), pieces.lengths), texts, label, source)

    def __len__(self) -> int:
        return len(self.label)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The pieces of each row's three texts."""
        by_role = np.stack([self.pieces.lengths[number] for number in self.texts.values()])
        return np.asarray(by_role.sum(axis=0), np.int64)

    def batch(self, rows: NDArray[np.int64], pairs: Sequence[str]) -> dict[str, ReadingBatch]:
        """Return some rows, padded, for each pair of texts."""
        keys = {role: self.keys.padded(number[rows]) for role, number in self.texts.items()}
        pieces = {role: self.pieces.padded(number[rows])[0] for role, number in self.texts.items()}
        return {pair: self._pair(pair, rows, keys, pieces) for pair in pairs}

    def _pair(
        self,
        pair: str,
        rows: NDArray[np.int64],
        keys: Mapping[str, tuple[torch.Tensor, torch.Tensor]],
        pieces: Mapping[str, torch.Tensor],
    ) -> ReadingBatch:
        roles = [ROLE_OF_LETTER[letter] for letter in pair if letter != "-"]
        columns = []
        for role in roles:
            key, there = keys[role]
            mark = torch.full_like(key, 4 * ROLES.index(role))
            for bit, other in enumerate(COMPARED[role]):
                if other in roles:
                    found = (key[:, :, None] == keys[other][0][:, None]) & keys[other][1][:, None]
                    mark += (found.any(-1) & (key != 0)) << bit
            if role != roles[0]:
                # Only the first text keeps its [CLS].
                there = there & (torch.arange(there.shape[1], device=there.device) > 0)
            columns.append((pieces[role], there, mark))
        joined, present, marks = (torch.cat(column, 1) for column in zip(*columns, strict=True))
        lengths = sum(self.pieces.lengths[self.texts[role][rows]] for role in roles) - len(roles) + 1
        longest = -(-int(np.max(lengths)) // _MULTIPLE) * _MULTIPLE
        order = torch.argsort((~present).to(torch.uint8), dim=1, stable=True)[:, :longest]
        return ReadingBatch(joined.gather(1, order), present.gather(1, order), marks.gather(1, order))


def train(
    weights: Mapping[str, torch.Tensor],
    rows: TrunkPairs,
    dev: TrunkPairs,
    plan: Plan,
    device: str,
    *,
    designs: Sequence[str],
    measure: Measure,
) -> tuple[AvaTrunkNetwork, list[dict[str, float]]]:
    """Train designs together by cross-entropy; the epoch that measures best on the development rows is kept.

    Also returns what each design measured after every epoch.
    """
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    network = AvaTrunkNetwork(weights, plan.trunk_depth, designs).to(device)
    label = torch.from_numpy(rows.label).to(device)
    counts = torch.tensor([WEIGHTS.get(name, 1.0) for name in designs], device=device)
    epochs = [_epoch(rows, plan, rng) for _ in range(int(plan.epochs))]
    reached: list[dict[str, float]] = []
    best = Best()

    def loss(batch: NDArray[np.int64]) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            logits = network(rows.batch(batch, network.pairs))
        wanted = label[torch.from_numpy(batch).to(device)]
        losses = [functional.binary_cross_entropy_with_logits(logits[name].float(), wanted) for name in designs]
        return (torch.stack(losses) * counts).sum() / counts.sum()

    def after_epoch(_loss: float) -> None:
        found = probabilities(network, dev, device, plan.batch)
        reached.append({name: measure(scores, dev.label) for name, scores in found.items()})
        best.offer(float(np.mean(list(reached[-1].values()))), network)

    fit_one_cycle(network, loss, epochs, plan, after_epoch)
    network.load_state_dict(best.state)
    return network.eval(), reached


def _epoch(rows: TrunkPairs, plan: Plan, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Draw each row as often as its source's share says, by chance where that is a fraction, in batches."""
    share = np.array([plan.shares.get(str(name), 1.0) for name in rows.source])
    drawn = np.repeat(np.arange(len(rows)), np.floor(share + rng.random(len(rows))).astype(np.int64))
    return [drawn[batch] for batch in batches_by_length(rows.lengths[drawn], plan.batch, rng)]


@torch.no_grad()
def probabilities(
    network: AvaTrunkNetwork, rows: TrunkPairs, device: str, tokens: int
) -> dict[str, NDArray[np.float64]]:
    """Return each row's probability of a correct candidate, by design."""
    network.eval()
    found = {name: np.zeros(len(rows)) for name in network.designs}
    for batch in batches_by_length(rows.lengths, tokens):
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            logits = network(rows.batch(batch, network.pairs))
        for name, values in logits.items():
            found[name][batch] = torch.sigmoid(values.float()).cpu().numpy()
    return found
