"""How a network is trained: one type for all kinds, with the values of each in `recipes/plans.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLANS = Path(__file__).parent / "recipes" / "plans.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a network is trained."""

    epochs: float = 3
    """A part of an epoch is possible for readers."""
    rate: float = 4e-4
    """The highest learning rate; it rises to it and falls to 0."""
    batch: int = 64
    """Rows in a batch; for chunkers, readers and judges on the embedded trunk word pieces, padding included."""
    warm_up: float = 0.06
    """The share of all steps in which the rate rises."""
    trunk_depth: int = 2
    """Layers of the shared encoder that stay as they are, below the tuned ones."""
    depth: int | None = None
    """Tuned layers of a reader above the trunk; None for as many as the encoder has."""
    dropout: float = 0.1
    longest: int = 128
    """Tokens that are read of a text or of a pair, where the encoder reads so many."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """How often each source's rows are drawn in an epoch, where it is not once: a share of them, or several times."""
    seed: int = 0
    seconds: float | None = None
    """Where given, training ends after this long, the rate falling with the clock."""

    def changed(self, **options: Any) -> Self:  # noqa: ANN401 - what the fields take
        """Return the plan with what was said; what is None stays."""
        return type(self)(**(asdict(self) | {name: value for name, value in options.items() if value is not None}))


def named_plan(name: str, **options: Any) -> Plan:  # noqa: ANN401 - what the fields take
    """Return the plan of a kind of network, with what was said instead."""
    return Plan(**read_plans()[name]).changed(**options)


def read_plans() -> dict[str, dict[str, Any]]:
    """Return what the plans set, by name."""
    return tomllib.loads(_PLANS.read_text(encoding="utf-8"))
