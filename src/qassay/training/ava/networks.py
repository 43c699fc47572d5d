"""Training judges with encoders of their own (AVA's designs, LERC's reader), with any Hugging Face encoder as base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from qassay.models.hf.judge import cut_pairs
from qassay.models.hf.judge_design import design_named
from qassay.models.hf.judge_network import AvaNetwork
from qassay.training.fit import Best, fit_one_cycle
from qassay.training.objective import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from qassay.models.onnx.judge import JudgeInput
    from qassay.training.base_model import Base
    from qassay.training.objective import Objective
    from qassay.training.plan import Plan

    Measure = Callable[[NDArray[np.float64], NDArray[np.float32]], float]

_RIGHT = 0.5
_LEAST = 1e-7
_MULTIPLE = 8


def room_for_pair(plan: Plan, design: str, positions: int) -> int:
    """Return how many tokens are read of a pair; peer attention adds one of its own."""
    return min(plan.longest, positions - design_named(design).peer)


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """A network as it was after its best epoch, with what was measured on the development rows after every epoch."""

    network: AvaNetwork
    reached: tuple[float, ...]


class PairInputs:
    """Judged pairs cut into tokens once for every pair of a design, without padding."""

    def __init__(self, pairs: Sequence[tuple[JudgeInput, float]], tokenizer: Any, design: str, longest: int) -> None:  # noqa: ANN401
        self.label = np.array([label for _, label in pairs], np.float32)
        self._tokenizer = tokenizer
        self._longest = longest
        chosen = design_named(design)
        texts = [judged for judged, _ in pairs]
        self._encoded = [cut_pairs(pair, texts, tokenizer, chosen, longest) for pair in chosen.pairs]
        counted = [[len(ids) for ids in encoded["input_ids"]] for encoded in self._encoded]
        self.lengths: NDArray[np.int64] = np.array(counted, np.int64).sum(0)

    def __len__(self) -> int:
        return len(self.label)

    def batch(self, chosen: NDArray[np.int64], device: str) -> list[dict[str, torch.Tensor]]:
        """Pad some rows, pair by pair, to a multiple of 8 or to the longest that there is room for."""
        batches = []
        for encoded in self._encoded:
            columns = {name: [values[i] for i in chosen] for name, values in encoded.items()}
            whole = max(map(len, columns["input_ids"]))
            length = max(whole, min(-(-whole // _MULTIPLE) * _MULTIPLE, self._longest))
            padded = self._tokenizer.pad(columns, padding="max_length", max_length=length, return_tensors="pt")
            batches.append({name: values.to(device) for name, values in padded.items()})
        return batches


def _batches(inputs: PairInputs, size: int, rng: np.random.Generator | None = None) -> Iterator[NDArray[np.int64]]:
    noise = rng.random(len(inputs)) * 16 if rng else np.zeros(len(inputs))
    order = np.argsort(inputs.lengths + noise, kind="stable")
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    if rng:
        rng.shuffle(batches)
    yield from batches


def train(
    inputs: PairInputs,
    dev: PairInputs,
    base: Base,
    plan: Plan,
    device: str,
    *,
    design: str,
    measure: Measure,
    objective: Objective = VERDICTS,
) -> TrainedNetwork:
    """Fine-tune all encoders of a design together; the epoch that measures best on the development rows is kept."""
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    network = AvaNetwork(base.make_encoder, design_named(design)).to(device)
    epochs = [list(_batches(inputs, plan.batch, rng)) for _ in range(int(plan.epochs))]
    reached: list[float] = []
    best = Best()

    def loss(chosen: NDArray[np.int64]) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            logits = network(inputs.batch(chosen, device))
        label = torch.from_numpy(inputs.label[chosen]).to(device)
        return objective.loss(logits.float(), label)

    def after_epoch(_loss: float) -> None:
        reached.append(measure(probabilities(network, dev, device, objective), dev.label))
        best.offer(reached[-1], network)

    fit_one_cycle(network, loss, epochs, plan, after_epoch)
    network.load_state_dict(best.state)
    return TrainedNetwork(network.eval(), tuple(reached))


@torch.no_grad()
def probabilities(
    network: AvaNetwork, inputs: PairInputs, device: str, objective: Objective = VERDICTS
) -> NDArray[np.float64]:
    """Return each row's probability of a correct candidate, or its rating, from 0 to 1."""
    network.eval()
    found = np.zeros(len(inputs))
    for chosen in _batches(inputs, 256):
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu"):
            logits = network(inputs.batch(chosen, device))
        found[chosen] = objective.scores(logits.float()).cpu().numpy()
    return found


def f1(scores: NDArray[np.float64], label: NDArray[np.float32]) -> float:
    """Return F1 of the correct class at a threshold of one half."""
    called, right = scores >= _RIGHT, label >= _RIGHT
    both = int((called & right).sum())
    return 2 * both / max(int(called.sum()) + int(right.sum()), 1)


def log_likelihood(scores: NDArray[np.float64], label: NDArray[np.float32]) -> float:
    """Return the mean log-likelihood of labels from 0 to 1: 0 where all is certain and right, lower where it is not."""
    sure = np.clip(scores, _LEAST, 1 - _LEAST)
    return float((label * np.log(sure) + (1 - label) * np.log(1 - sure)).mean())


def minus_squared_error(scores: NDArray[np.float64], label: NDArray[np.float32]) -> float:
    """Return the mean squared error of scores and labels from 0 to 1, negative, so that more is better."""
    return -float(((scores - label) ** 2).mean())
