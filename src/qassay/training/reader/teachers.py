"""Readers that teach a reader: larger networks, asked about questions whose answers nobody has marked.

A teacher reads question and passage together from the bottom up, which takes too long for use. What several of them
think, a reader can learn from far more questions than people have marked (Hinton et al. 2015). Teachers of a second
round have learnt from those of the first in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from qassay.errors import SpecError
from qassay.training.base_model import base_weights
from qassay.training.ragged import batches_by_length, use_plain_attention
from qassay.training.reader.network import QuestionCorpus, ReaderNetwork, masked_scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.training.reader.inputs import ReaderInputs
    from qassay.training.reader.job import ReaderJob

_ASKED_AT_ONCE = {"cpu": 1 << 13, "cuda": 1 << 16}


@dataclass(frozen=True, slots=True)
class Distillation:
    """How many larger networks a reader learns from (Hinton et al. 2015)."""

    teachers: int = 0
    """Networks of each round."""
    rounds: int = 1
    trust: float = 0.7
    """How much an opinion counts where an answer is marked."""

    def __post_init__(self) -> None:
        if self.rounds > 1 and not self.teachers:
            raise SpecError(f"{self.rounds} rounds, but no teachers; say how many with --teachers")


def with_opinions(
    job: ReaderJob,
    unmarked: ReaderInputs,
    teaching: Distillation,
    *,
    processes: int = 1,
    report: Callable[[str], None] = lambda _: None,
) -> ReaderInputs:
    """Train teachers; return the job's pairs and the unmarked ones with what the last round's teachers think.

    The first round learns the job's pairs alone. Teachers lie beside the job's own weights while they are needed.
    """
    known = job.inputs
    both = job.inputs.with_more(unmarked)
    trust = [teaching.trust] * len(job.inputs.questions) + [1.0] * len(unmarked.questions)
    for number in range(1, teaching.rounds + 1):
        thought = []
        for teacher in range(teaching.teachers):
            report(f"teacher {teacher + 1} of {teaching.teachers}, round {number} of {teaching.rounds}")
            tuned = job.tuned.with_name(f"teacher-{teacher}.safetensors")
            # Seeds of rounds must differ, or a teacher would see its rows in the same order again.
            seed = job.plan.seed + (number - 1) * teaching.teachers + teacher
            taught = replace(job.plan, trunk_depth=0, seed=seed)
            replace(job, inputs=known, plan=taught, tuned=tuned, start=None).run(processes)
            thought.append(_opinions(job.base, tuned, both, job.device))
            tuned.unlink()
        means = [np.mean(opinions, axis=0).astype(np.float16) for opinions in zip(*thought, strict=True)]
        known = replace(both, opinions=means, trust=trust)
    return known


@torch.no_grad()
def _opinions(base: Path, tuned: Path, asked: ReaderInputs, device: str) -> list[NDArray[np.float32]]:
    """Return, pair by pair, how likely each piece begins and ends an answer."""
    from safetensors.torch import load_file  # noqa: PLC0415 - part of the extra `train`

    weights = base_weights(base)
    network = ReaderNetwork(weights, 0)
    network.load_state_dict(load_file(tuned))
    network.to(device).eval()
    use_plain_attention()
    corpus = QuestionCorpus(weights, 0, asked, device)
    widths = corpus.pieces.lengths[corpus.passage] - 1
    found: list[NDArray[np.float32]] = [np.empty((0, 2), np.float32)] * len(widths)
    for batch in batches_by_length(corpus.lengths, _ASKED_AT_ONCE[torch.device(device).type]):
        with torch.autocast(device, torch.bfloat16):
            inputs = corpus.inputs(batch)
            scores = network(*inputs)
        likely = masked_scores(scores, inputs[3]).softmax(2).transpose(1, 2).cpu().numpy()
        for row, pair in enumerate(batch.tolist()):
            found[pair] = likely[row, : widths[pair]].copy()
    return found
