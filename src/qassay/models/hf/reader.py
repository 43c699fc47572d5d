"""Any extractive question answering model of Hugging Face's as the reader (extra `hf`)."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import ModelError
from qassay.models.base import CUT_QUESTION
from qassay.models.folder import fingerprint
from qassay.models.hf.encoder import choose_device, local_folder, positions_of
from qassay.models.onnx.reader import Answer, best_span, no_answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Ints
    from qassay.models.base import Device, ModelRef, Vectors

_HEAD = "ForQuestionAnswering"
_LONGEST_ANSWER = 30
_THRESHOLD = 0.5
_MOST_POSITIONS = 512
_WINDOWS_AT_ONCE = 8
_SMALLEST_OVERLAP = 4
"""Neighbouring windows share a quarter of what a passage has room for."""


class HFReader:
    """Spans from a model with start and end scores; no answer is the score of the first token (Devlin et al. 2019)."""

    def __init__(self, ref: ModelRef, device: Device) -> None:
        self.ref = ref.name
        self.notes: Counter[str] = Counter()
        folder = local_folder(ref)
        from transformers import (  # noqa: PLC0415 - heavy, an optional extra
            AutoConfig,
            AutoModelForQuestionAnswering,
            AutoTokenizer,
        )
        from transformers.utils import logging  # noqa: PLC0415 - as above

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._weights = sorted(folder.glob("model*.safetensors"))
        if not self._weights:
            raise ModelError(f"{folder}: no safetensors here; pickled weights are never read")
        self._device = choose_device(device)
        try:
            config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
            self._tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, trust_remote_code=False)
            has_head = any(str(name).endswith(_HEAD) for name in getattr(config, "architectures", None) or ())
            model = has_head and AutoModelForQuestionAnswering.from_pretrained(
                folder, config=config, use_safetensors=True, trust_remote_code=False
            )
        except Exception as problem:  # the library raises many kinds for damaged or unknown models
            raise ModelError(f"{folder}: cannot be opened as a Hugging Face reader: {problem}") from problem
        if not model:
            raise ModelError(f"{self.ref} was not trained to answer questions (its config.json names no …{_HEAD})")
        if not getattr(self._tokenizer, "is_fast", False):
            raise ModelError(f"{folder}: this model has no fast tokenizer, which the positions of tokens need")
        self._model: Any = model.to(self._device).eval()
        self._longest = min(positions_of(config), _MOST_POSITIONS)

    @cached_property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer."""
        return fingerprint(self._tokenizer.backend_tokenizer.to_str(), *self._weights)

    @property
    def threshold(self) -> float:
        """The probability of no answer from which on a question counts as unanswerable."""
        return _THRESHOLD

    def answer(self, pairs: Sequence[tuple[str, str]]) -> list[Answer]:
        """Answer each question on its passage, long passages in overlapping windows; equal pairs are read once."""
        found = {pair: self._read(*pair) for pair in dict.fromkeys(pairs)}
        return [found[pair] for pair in pairs]

    def _read(self, question: str, passage: str) -> Answer:
        best = (-np.inf, Answer("", 0, 0, 1.0))
        if not passage.strip():
            return best[1]
        for scores, none, spans in self._windows(self._shortened(question), passage):
            first, last, lead, odds = best_span(scores, none, _LONGEST_ANSWER)
            start, end = int(spans[first, 0]), int(spans[last, 1])
            best = max(best, (lead, Answer(passage[start:end], start, end, float(no_answer(odds)))))
        return best[1]

    def _shortened(self, question: str) -> str:
        """Return the question, cut so that half of what the model reads at once is left for a passage."""
        spans = self._tokenizer(question, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        room = self._longest // 2
        if len(spans) <= room:
            return question
        self.notes[CUT_QUESTION] += 1
        return question[: spans[room - 1][1]]

    def _windows(self, question: str, passage: str) -> Iterator[tuple[Vectors, Vectors, Ints]]:
        """Return the passage's scores, the scores of no answer, and the tokens' spans, window by window."""
        import torch  # noqa: PLC0415 - heavy, an optional extra

        taken = len(self._tokenizer(question, "")["input_ids"])
        made = self._tokenizer(
            question,
            passage,
            truncation="only_second",
            max_length=self._longest,
            stride=(self._longest - taken) // _SMALLEST_OVERLAP,
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
            padding=True,
            return_tensors="pt",
        )
        given = {name: made[name] for name in self._tokenizer.model_input_names if name in made}
        for low in range(0, len(made["input_ids"]), _WINDOWS_AT_ONCE):
            part = {name: values[low : low + _WINDOWS_AT_ONCE].to(self._device) for name, values in given.items()}
            with torch.inference_mode():
                out = self._model(**part)
            logits = torch.stack([out.start_logits, out.end_logits], -1).float().cpu().numpy()
            for row, scores in enumerate(logits, low):
                inside = np.array([which == 1 for which in made.sequence_ids(row)])
                if inside.any():
                    yield scores[inside], scores[0], made["offset_mapping"][row].numpy()[inside]
