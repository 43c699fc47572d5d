"""How keyphrase models are trained: the paper's way, and ours."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from qassay.training.encoder_layers import DEPTH, HEADS, NEURONS, WIDTH
from qassay.training.plan import Plan, read_plans

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from qassay.models.hf.keyphrase import Outputs


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyphrasePlan(Plan):
    """How a keyphrase model is trained, and what it looks like."""

    rate: float = 2e-4
    batch: int = 128
    longest: int = 160
    trunk_depth: int = 1
    design: Literal["cross", "joined"] = "cross"
    outputs: Outputs = "list"
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
    seeds: int = 1
    """Networks to train, from `seed` on; their weights are averaged."""

    @property
    def asks(self) -> bool:
        """Whether the model reads questions (KPQA), or answers alone (KP)."""
        return self.unasked < 1

    @property
    def narrows(self) -> bool:
        """Whether heads or neurons are dropped on the way."""
        return self.heads < HEADS or self.neurons < NEURONS


PRESETS = {name: KeyphrasePlan(**plan) for name, plan in read_plans()["keyphrase"].items()}


def default_plan(base: Path) -> KeyphrasePlan:
    """Return our plan for a base model: joined for a BERT of MiniLM's shape, cross for any other."""
    if not joinable(base):
        return PRESETS["cross"]
    plan: KeyphrasePlan = PRESETS["embedded"].changed(taught=0.0, judged=0.0, marked=1.0)
    return plan


def joinable(base: Path) -> bool:
    """Whether a base model has the shape that the design `joined` is written for."""
    config = json.loads((base / "config.json").read_text(encoding="utf-8"))
    shape = (config.get("hidden_size"), config.get("num_attention_heads"), config.get("num_hidden_layers"))
    return config.get("model_type") == "bert" and shape == (WIDTH, HEADS, DEPTH)
