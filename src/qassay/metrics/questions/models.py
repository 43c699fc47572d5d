"""Opening the models that ask, answer and verify."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.metrics.questions.qa_pipeline import Interrogator
from qassay.metrics.questions.question_generation import Questioner
from qassay.metrics.questions.question_writer import PROMPT, ModelWriter
from qassay.metrics.questions.verification import Verifier
from qassay.models.base import EMBEDDED
from qassay.models.load_question_answering import load_chunker, load_generator, load_reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.models.base import Device


@dataclass(frozen=True, slots=True)
class Models:
    """Which models ask, answer and verify."""

    chunker: str = EMBEDDED
    """Finds the phrases to ask about."""
    reader: str = EMBEDDED
    """Answers."""
    generator: str | None = None
    """Words the questions; without one they are worded by rule."""
    prompt: str = PROMPT
    """What the generator is given."""
    model: str = EMBEDDED
    """Encodes the phrases for BERTScore, and judges them for LERC where it can."""
    device: Device = "auto"

    def interrogator(self, methods: Sequence[str]) -> Interrogator:
        """Open the models, to verify by these methods."""
        writer = None
        if self.generator is not None:
            writer = ModelWriter(load_generator(self.generator, self.device), self.prompt)
        return Interrogator(
            Questioner(load_chunker(self.chunker), writer),
            load_reader(self.reader, self.device),
            Verifier(methods, model=self.model, device=self.device),
            english=EMBEDDED in {self.chunker, self.reader},
        )
