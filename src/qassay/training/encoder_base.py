"""The encoder that a training starts from: any of Hugging Face's, by name or folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qassay.errors import ModelError
from qassay.models.base import parse_ref
from qassay.models.hf.encoder import local_folder, positions_of

if TYPE_CHECKING:
    from collections.abc import Callable


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
