"""Opening the models that ask, answer and verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.metrics.questions.qa_pipeline import QAPipeline
from qassay.metrics.questions.question_generation import Questioner
from qassay.metrics.questions.verification import Verifier
from qassay.metrics.questions.wording.question_writer import ModelWriter
from qassay.models.base import EMBEDDED
from qassay.models.load_readers import load_chunker, load_generator, load_reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.models.question_model_names import Models


def open_pipeline(models: Models, methods: Sequence[str]) -> QAPipeline:
    """Open the models, to verify by these methods."""
    writer = None
    if models.generator is not None:
        writer = ModelWriter(load_generator(models.generator, models.device), models.prompt)
    return QAPipeline(
        Questioner(load_chunker(models.chunker, device=models.device), writer),
        load_reader(models.reader, models.device),
        Verifier(methods, model=models.model, device=models.device),
        english=reads_english(models),
    )


def reads_english(models: Models) -> bool:
    """Whether the models read English only, as the embedded ones do."""
    return EMBEDDED in {models.chunker, models.reader}
