"""Any sequence-to-sequence model of Hugging Face's (extra `hf`): a text in, a text out.

Safetensors only, no pickles, no code from the repository; folders and cached models open without a network.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from qassay.errors import ModelError
from qassay.models.folder import fingerprint
from qassay.models.hf.encoder import choose_device, local_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.models.base import Device, ModelRef

_LONGEST_INPUT = 512
_LONGEST_OUTPUT = 64
_AT_ONCE = {"cpu": 8, "cuda": 64}
_BEAMS = 4


class HFGenerator:
    """A sequence-to-sequence model with its tokenizer, opened from a folder; it decodes by beam search."""

    def __init__(self, ref: ModelRef, device: Device) -> None:
        self.ref = ref.name
        self._folder = local_folder(ref)
        from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer  # noqa: PLC0415 - heavy, optional
        from transformers.utils import logging  # noqa: PLC0415 - as above

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._weights = sorted(self._folder.glob("model*.safetensors"))
        if not (self._folder / "config.json").is_file() or not self._weights:
            raise ModelError(f"{self._folder}: no Hugging Face model in safetensors; pickled weights are never read")
        self._device = choose_device(device)
        try:
            config = AutoConfig.from_pretrained(self._folder, trust_remote_code=False)
        except Exception as problem:  # the library raises many kinds for damaged or unknown models
            raise ModelError(f"{self._folder}: cannot be opened as a Hugging Face model: {problem}") from problem
        if not getattr(config, "is_encoder_decoder", False):
            raise ModelError(
                f"{self.ref} is a {config.model_type}, which does not turn one text into another; "
                "name a sequence-to-sequence model such as a T5 or BART that was trained for it"
            )
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(self._folder, trust_remote_code=False)
            self._model = AutoModelForSeq2SeqLM.from_pretrained(
                self._folder, config=config, use_safetensors=True, trust_remote_code=False
            )
        except Exception as problem:  # as above
            raise ModelError(f"{self._folder}: cannot be opened as a Hugging Face model: {problem}") from problem
        self._model = self._model.to(self._device).eval()

    @cached_property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer."""
        tokenizer = [path for path in sorted(self._folder.glob("tokenizer*")) if path.is_file()]
        return fingerprint(*tokenizer, *self._weights)

    def generate(self, texts: Sequence[str], longest: int = _LONGEST_OUTPUT) -> list[str]:
        """Return the model's output for each text; equal texts run once, texts of like length together.

        An output ends after `longest` pieces at most.
        """
        order = sorted(dict.fromkeys(texts), key=len)
        made: dict[str, str] = {}
        size = _AT_ONCE[self._device]
        for start in range(0, len(order), size):
            chunk = order[start : start + size]
            made.update(zip(chunk, self._run(chunk, longest), strict=True))
        return [made[text] for text in texts]

    def _run(self, texts: Sequence[str], longest: int) -> list[str]:
        import torch  # noqa: PLC0415 - heavy, an optional extra

        given = self._tokenizer(
            list(texts), padding=True, truncation=True, max_length=_LONGEST_INPUT, return_tensors="pt"
        ).to(self._device)
        # Some tokenizers give segment numbers, which these models do not take.
        given.pop("token_type_ids", None)
        with torch.inference_mode():
            written = self._model.generate(
                **given, max_new_tokens=longest, num_beams=_BEAMS, do_sample=False, early_stopping=True
            )
        return [text.strip() for text in self._tokenizer.batch_decode(written, skip_special_tokens=True)]
