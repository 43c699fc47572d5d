"""What a training starts from: all-MiniLM-L6-v2, whose lower layers the embedded model shares, or any encoder."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qassay.errors import ModelError
from qassay.models.base import parse_ref
from qassay.models.folder import TOKENIZER
from qassay.models.hf.encoder import local_folder, positions_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import torch

    from qassay.training.answer_text import Span

_TRUNK = "352d34a4ad725bb742f36fc3f2a2dcfa7f07317926128d47c362198125003892"
"""SHA-256 of all-MiniLM-L6-v2's word embeddings, by which the embedded model's own trunk is known."""
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


def is_trunk(base: str) -> bool:
    """Whether a base is all-MiniLM-L6-v2, whose lower layers the embedded model shares."""
    from safetensors.torch import load_file  # noqa: PLC0415 - part of the extra `train`

    path = local_folder(parse_ref(base)) / "model.safetensors"
    if not path.is_file() or not path.with_name(TOKENIZER).is_file():
        return False
    for name, value in load_file(path).items():
        if name.endswith(VOCABULARY):
            return hashlib.sha256(value.float().numpy().tobytes()).hexdigest() == _TRUNK
    return False


@dataclass(frozen=True, slots=True)
class Base:
    """A way to make one more of an encoder, the tokeniser that they share, and how many tokens they can read."""

    make_encoder: Callable[[], Any]
    tokenizer: Any
    longest: int


def open_base(base: str) -> Base:
    """Open a Hugging Face encoder: safetensors alone, a fast tokenizer, no code from the repository."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer  # noqa: PLC0415 - part of the extra `train`
    from transformers.utils import logging  # noqa: PLC0415 - as above

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    folder = local_folder(parse_ref(base))

    def make_encoder() -> Any:  # noqa: ANN401 - the library's classes are many
        return AutoModel.from_pretrained(folder, use_safetensors=True, trust_remote_code=False)

    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, trust_remote_code=False, padding_side="right")
        make_encoder()
    except Exception as problem:  # the library raises many kinds for damaged or unknown models
        raise ModelError(f"{folder}: cannot be opened as a Hugging Face encoder: {problem}") from problem
    if tokenizer.pad_token is None or tokenizer.sep_token is None:
        raise ModelError(f"{folder}: this model's tokenizer has no mark to pad or part texts with; give a BERT")
    return Base(make_encoder, tokenizer, positions_of(config))
