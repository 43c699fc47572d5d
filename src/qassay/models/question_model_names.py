"""Which models ask, answer and verify."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.models.base import EMBEDDED

if TYPE_CHECKING:
    from qassay.models.base import Device

PROMPT = "answer: {answer} context: {sentence}"
"""The input format that question generation models are most often trained on."""


@dataclass(frozen=True, slots=True)
class Models:
    """Which models ask, answer and verify."""

    chunker: str = EMBEDDED
    """Finds the phrases to ask about."""
    reader: str = EMBEDDED
    """Answers."""
    generator: str | None = None
    """Writes the questions; without one they are written by rule."""
    prompt: str = PROMPT
    """What the generator is given."""
    model: str = EMBEDDED
    """Encodes the phrases for BERTScore, and judges them for LERC where it can."""
    device: Device = "auto"
