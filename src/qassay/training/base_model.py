"""The model whose lower layers the embedded one shares: weights and tokenizer from its Hugging Face folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.errors import ModelError
from qassay.models.folder import TOKENIZER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import torch

    from qassay.training.keyphrase.rows import Span

VOCABULARY = "embeddings.word_embeddings.weight"
"""The name of the word embeddings among the weights."""


def base_weights(base: Path) -> dict[str, torch.Tensor]:
    """Read the weights of all-MiniLM-L6-v2."""
    from safetensors.torch import load_file  # noqa: PLC0415 - part of the extra `train`

    path = _checked(base) / "model.safetensors"
    weights = {name.removeprefix("bert."): value for name, value in load_file(path).items()}
    if VOCABULARY not in weights or "encoder.layer.5.output.dense.weight" not in weights:
        raise ModelError(f"{path}: not a BERT of six layers; the embedded model's trunk is all-MiniLM-L6-v2's")
    return weights


def cutter(base: Path, longest: int | None = None) -> Callable[[str], tuple[list[int], list[Span]]]:
    """Return a function from a text to its word pieces with [CLS] and [SEP], at most `longest`, and their spans."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - with the training libraries

    tokenizer = Tokenizer.from_file(str(_checked(base) / TOKENIZER))
    tokenizer.no_padding()
    if longest:
        tokenizer.enable_truncation(longest)
    else:
        tokenizer.no_truncation()

    def cut(text: str) -> tuple[list[int], list[Span]]:
        made = tokenizer.encode(text)
        return made.ids, made.offsets

    return cut


def _checked(base: Path) -> Path:
    if not (base / "model.safetensors").is_file() or not (base / TOKENIZER).is_file():
        raise ModelError(f"{base}: give the folder of all-MiniLM-L6-v2, with model.safetensors and {TOKENIZER}")
    return base
