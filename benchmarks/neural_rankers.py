"""Rankers of answer sentences that the AVA paper has (Vu and Moschitti 2021, section 6.4), small enough for a CPU.

- Compare-Aggregate (Wang and Jiang 2017; Yoon et al. 2019): each word of the sentence is compared with the words of the
  question that it attends to, and a convolution aggregates the comparisons
- a transformer: question and sentence read together, in the embedded encoder's lower layers and two tuned ones
- TANDA (Garg et al. 2020): the same, tuned first on many pairs of another source (transfer), then on the target's own

Words enter as the embedded encoder's states, which stay as they are. Needs the extra `train`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.load import load_encoder
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.training.answer_text import sentence_around, sentences_of
from qassay.training.corpora import squad
from qassay.training.encoder_layers import WIDTH, Layer
from qassay.training.ragged import batches_by_length

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from qassay.arrays import Floats, Ints

TRUNK = 2
"""The encoder's layer whose states are read together by the transformers."""
WORDS = 1
"""The encoder's layer whose states are Compare-Aggregate's words."""
LONGEST = 96
"""Word pieces of a question and a sentence that are read."""
TOKENS = 3072
"""Padded word pieces in a batch."""
CHANNELS = 96
WINDOWS = (1, 2, 3)


@dataclass(frozen=True)
class Pairs:
    """Questions with sentences that answer them or do not."""

    question: list[str]
    text: list[str]
    right: np.ndarray

    def __len__(self) -> int:
        return len(self.text)


def drawn(pairs: Pairs, wrong: int, rng: np.random.Generator) -> Pairs:
    """Keep every right sentence of a question, and as many wrong ones for it as said; none without a right one."""
    by_question: dict[str, tuple[list[int], list[int]]] = {}
    for row, question in enumerate(pairs.question):
        by_question.setdefault(question, ([], []))[0 if pairs.right[row] else 1].append(row)
    kept: list[int] = []
    for right, others in by_question.values():
        if right:
            kept += [*right, *rng.permutation(others)[:wrong].astype(int).tolist()]
    return Pairs([pairs.question[row] for row in kept], [pairs.text[row] for row in kept], pairs.right[kept])


def transfer_pairs(path: Path, most: int, rng: np.random.Generator) -> Pairs:
    """Make pairs as ASNQ's are made of Natural Questions, of SQuAD: the answer's sentence, and others beside it."""
    rows: list[tuple[str, str, bool]] = []
    for asked in squad.read(path):
        found = sentence_around(asked.context, asked.commonest.span) if asked.answers else None
        if not found:
            continue
        others = [text for text in sentences_of(asked.context) if text.strip() not in found[0]]
        chosen = rng.permutation(len(others))[:2].tolist()
        rows += [(asked.question, found[0], True), *((asked.question, others[index], False) for index in chosen)]
    rows = [rows[index] for index in sorted(rng.permutation(len(rows))[:most].tolist())]
    return Pairs([row[0] for row in rows], [row[1] for row in rows], np.array([row[2] for row in rows], bool))


def _encoder() -> OnnxEncoder:
    encoder = load_encoder()
    if not isinstance(encoder, OnnxEncoder):
        raise TypeError("the embedded encoder is an ONNX model")
    return encoder


def joint_states(questions: Sequence[str], texts: Sequence[str]) -> list[torch.Tensor]:
    """Return the trunk's states of `[CLS] question [SEP] sentence [SEP]`, in half precision."""
    encoder = _encoder()
    before, after = encoder.special_tokens
    cut = dict(
        zip(dict.fromkeys([*questions, *texts]), encoder.cut(list(dict.fromkeys([*questions, *texts]))), strict=True)
    )

    def row(question: str, text: str) -> Ints:
        asked = cut[question][: LONGEST // 3]
        return np.array([before, *asked, after, *cut[text][: LONGEST - 3 - len(asked)], after], np.int64)

    rows = [row(*pair) for pair in zip(questions, texts, strict=True)]
    made = encoder.runtime.run(encoder.steps(TRUNK), [{"ids": ids} for ids in rows], ["states"])
    states = encoder.runtime.fetch([found for (found,) in made])
    return [torch.from_numpy(each.astype(np.float16)) for each in states]


def word_states(texts: Sequence[str]) -> dict[str, torch.Tensor]:
    """Return the states of each text's words, read alone."""
    encoder = _encoder()
    found: dict[str, torch.Tensor] = {}
    distinct = list(dict.fromkeys(texts))
    for start in range(0, len(distinct), 512):
        some = distinct[start : start + 512]
        for text, made in zip(some, encoder.encode(some, WORDS), strict=True):
            found[text] = torch.from_numpy(made.vectors[1:-1][: LONGEST // 2].astype(np.float16))
    return found


def embedded_layer(number: int) -> Layer:
    """Return a layer of the embedded encoder, to be tuned."""
    stored = np.load(EMBEDDED_FOLDER / "encoder.npz")
    state: dict[str, torch.Tensor] = {}
    for part in ("attention_in", "attention_out", "widen", "narrow"):
        name = f"layer{number}.{part}"
        weight = stored[f"{name}.weight"].astype(np.float32) * stored[f"{name}.scale"]
        state |= {
            f"{part}.weight": torch.from_numpy(weight.T.copy()),
            f"{part}.bias": torch.from_numpy(stored[f"{name}.bias"]),
        }
    for part in ("attention_norm", "norm"):
        scale, shift = (torch.from_numpy(stored[f"layer{number}.{part}.{kind}"]) for kind in ("scale", "shift"))
        state |= {f"{part}.weight": scale, f"{part}.bias": shift}
    layer = Layer()
    layer.load_state_dict(state)
    return layer


def padded(rows: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows of states side by side, and which places are theirs."""
    made = nn.utils.rnn.pad_sequence([row.float() for row in rows], batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return made, torch.arange(made.shape[1]) < lengths[:, None]


class Transformer(nn.Module):
    """Two tuned layers over the trunk's states; the state at [CLS] gives the logit."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(embedded_layer(TRUNK + number) for number in (1, 2))
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, rows: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return one logit per row of joint states."""
        states, present = padded(rows)
        for layer in self.layers:
            states = layer(states, present[:, None, None])
        logits: torch.Tensor = self.out(states[:, 0]).squeeze(-1)
        return logits


class CompareAggregate(nn.Module):
    """Attention of the sentence's words over the question's, products as comparisons, a convolution over them."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(WIDTH, CHANNELS)
        self.project = nn.Linear(WIDTH, CHANNELS)
        self.attend = nn.Linear(CHANNELS, CHANNELS)
        self.windows = nn.ModuleList(nn.Conv1d(CHANNELS, CHANNELS, size, padding=size // 2) for size in WINDOWS)
        self.out = nn.Sequential(nn.Dropout(0.2), nn.Linear(len(WINDOWS) * CHANNELS, 1))

    def forward(self, rows: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> torch.Tensor:
        """Return one logit per question and sentence, each given by its words' states."""
        (asked, asks), (said, says) = (padded([row[side] for row in rows]) for side in (0, 1))
        asked, said = (torch.sigmoid(self.gate(each)) * torch.tanh(self.project(each)) for each in (asked, said))
        match = (said @ self.attend(asked).transpose(1, 2)).masked_fill(~asks[:, None], -1e4)
        compared = said * (torch.softmax(match, -1) @ asked)
        compared = compared.masked_fill(~says[..., None], 0).transpose(1, 2)
        found = [functional.relu(window(compared)).amax(-1) for window in self.windows]
        logits: torch.Tensor = self.out(torch.cat(found, -1)).squeeze(-1)
        return logits


def tune(
    network: nn.Module, rows: Sequence[object], lengths: Ints, right: np.ndarray, *, epochs: int, rate: float
) -> None:
    """Train a network on rows by cross-entropy, right and wrong ones counting alike, the rate falling to 0."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    label = torch.from_numpy(right.astype(np.float32))
    balance = torch.tensor((~right).sum() / max(right.sum(), 1), dtype=torch.float32)
    batches = [batch for _ in range(epochs) for batch in batches_by_length(lengths, TOKENS, rng)]
    optimiser = torch.optim.AdamW(network.parameters(), rate, weight_decay=0.01)
    network.train()
    for step, batch in enumerate(batches):
        optimiser.param_groups[0]["lr"] = rate * min(1.0, 10 * step / len(batches) + 0.01, 1.02 - step / len(batches))
        logits = network([rows[index] for index in batch])
        loss = functional.binary_cross_entropy_with_logits(logits, label[batch], pos_weight=balance)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()


@torch.no_grad()
def apply(network: nn.Module, rows: Sequence[object], lengths: Ints) -> Floats:
    """Return the network's logit of each row."""
    network.eval()
    found = np.zeros(len(rows))
    for batch in batches_by_length(lengths, TOKENS):
        found[batch] = network([rows[index] for index in batch]).numpy()
    return found


def transformer(*phases: tuple[Pairs, int], rate: float = 1e-4) -> Callable[[Pairs], Floats]:
    """Tune a transformer on pairs, phase after phase with as many epochs as said, and return it as a ranker."""
    network = Transformer()
    for pairs, epochs in phases:
        rows = joint_states(pairs.question, pairs.text)
        tune(network, rows, np.array([len(row) for row in rows]), pairs.right, epochs=epochs, rate=rate)

    def rank(candidates: Pairs) -> Floats:
        found = []
        for start in range(0, len(candidates.text), 4096):
            some = slice(start, start + 4096)
            rows = joint_states(candidates.question[some], candidates.text[some])
            found.append(apply(network, rows, np.array([len(row) for row in rows])))
        return np.concatenate(found)

    return rank


def compare_aggregate(pairs: Pairs, epochs: int = 4, rate: float = 1e-3) -> Callable[[Pairs], Floats]:
    """Train Compare-Aggregate on pairs, and return it as a ranker."""
    torch.manual_seed(0)
    network = CompareAggregate()

    def prepared(some: Pairs) -> tuple[list[tuple[torch.Tensor, torch.Tensor]], Ints]:
        states = word_states([*some.question, *some.text])
        rows = [(states[question], states[text]) for question, text in zip(some.question, some.text, strict=True)]
        return rows, np.array([max(len(question), len(text), 1) for question, text in rows])

    rows, lengths = prepared(pairs)
    tune(network, rows, lengths, pairs.right, epochs=epochs, rate=rate)

    def rank(candidates: Pairs) -> Floats:
        return apply(network, *prepared(candidates))

    return rank
