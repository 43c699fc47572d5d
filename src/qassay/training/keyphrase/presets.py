"""How keyphrase models are trained: the paper's way, and ours."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from qassay.training.encoder_layers import DEPTH, HEADS, NEURONS, WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from qassay.models.hf.keyphrase import Outputs


@dataclass(frozen=True, slots=True)
class Plan:
    """How a keyphrase model is trained."""

    design: Literal["cross", "joined"] = "cross"
    outputs: Outputs = "list"
    trunk: int = 1
    """Joined: the layers that see each text alone and stay as they are."""
    asked: int = 0
    """Joined: the tuned layers that read the question by itself before the texts meet."""
    tuned: int = 2
    """Joined: the layers above, in which the texts meet."""
    heads: int = HEADS
    """Joined: attention heads kept in each tuned layer."""
    neurons: int = NEURONS
    """Joined: neurons kept in each tuned layer."""
    widest: int = 0
    """Joined: epochs before heads and neurons are dropped."""
    frozen: int = 0
    """Cross: the lowest layers, with the embeddings, that stay as they are."""
    epochs: int = 3
    batch: int = 128
    rate: float = 2e-4
    longest: int = 160
    """Pieces of an answer."""
    warm: float = 0.06
    """The share of all steps in which the rate rises; it falls to 0 after them."""
    unasked: float = 0.2
    """The share of answers that are shown without their question; with 1 the model never sees one (KP)."""
    marked: float = 1.0
    """The weight of the loss on marked pieces."""
    taught: float = 0.0
    """The weight of the loss against the teachers' weights."""
    judged: float = 0.0
    """The weight of the loss on judged pairs: how well the weighted overlap of candidate and reference tells right
    answers from wrong ones."""
    temperature: float = 1.0
    """By which logits are divided when the trained model is used."""
    most: Mapping[str, int] = field(default_factory=dict)
    """The most rows of a source in an epoch, where it would outweigh the others."""
    seed: int = 0
    seeds: int = 1
    """Networks to train, from `seed` on; their weights are averaged."""

    @property
    def narrows(self) -> bool:
        """Whether heads or neurons are dropped on the way."""
        return self.heads < HEADS or self.neurons < NEURONS


_FAIR = {"multirc": 6000, "mcscript": 6000, "boolq": 3000, "pubmedqa": 1000, "qamr": 15000}

PRESETS = {
    "kpqa": Plan(outputs="two-class", epochs=5, batch=16, rate=2e-5, longest=256, warm=0.0, unasked=0.0),
    "cross": Plan(frozen=4),
    "teacher": Plan(rate=1e-4, judged=1.0, unasked=0.0, most=_FAIR),
    "embedded": Plan(
        design="joined", epochs=6, rate=5e-4, marked=0.3, taught=1.0, judged=1.0, temperature=1.15, most=_FAIR
    ),
}
PRESETS["narrow"] = replace(PRESETS["embedded"], epochs=8, asked=1, heads=4, neurons=384, widest=2)
"""`kpqa`: the paper (section C.1). `cross`: list-wise loss, lower layers kept. `teacher`, `embedded` and `narrow`: the
steps in which the embedded weights are made, each the next one's teacher."""


def default_plan(base: Path) -> Plan:
    """Return our plan for a base model: joined for a BERT of MiniLM's shape, cross for any other."""
    return replace(PRESETS["embedded"], taught=0.0, judged=0.0, marked=1.0) if joinable(base) else PRESETS["cross"]


def joinable(base: Path) -> bool:
    """Whether a base model has the shape that the design `joined` is written for."""
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    shape = (config.get("hidden_size"), config.get("num_attention_heads"), config.get("num_hidden_layers"))
    return config.get("model_type") == "bert" and shape == (WIDTH, HEADS, DEPTH)
