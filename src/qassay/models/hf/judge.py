"""Judges with encoders of their own: a folder that `qassay train` wrote, run with torch (extra `hf`)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from qassay.errors import ModelError
from qassay.models.base import ModelNotes
from qassay.models.folder import fingerprint, read_description
from qassay.models.hf.judge_design import design_named, texts_of
from qassay.models.onnx.judge import LOGIT, JudgeOutput, as_logits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qassay.arrays import Floats
    from qassay.models.base import Device
    from qassay.models.hf.judge_design import Design
    from qassay.models.hf.judge_network import AvaNetwork
    from qassay.models.onnx.judge import JudgeInput

DESCRIPTION = "ava.json"
WEIGHTS = "ava.safetensors"
CUT = "answers of which the judge read only the beginning, with their questions and references"
_AT_ONCE = 64


class AvaSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a trained model is put together and used."""

    design: str
    """A name of `judge_design.DESIGNS`, or `judge_design.READER`."""
    longest: int
    base: str = ""
    """The encoder that training started from."""
    output: JudgeOutput = LOGIT


def read_settings(folder: Path) -> AvaSettings:
    """Read what kind of model a folder holds."""
    path = folder / DESCRIPTION
    return read_description(
        path, AvaSettings, absent=f"{folder}: there is no {DESCRIPTION}; make such a folder with `qassay train ava`"
    )


def save(network: AvaNetwork, tokenizer: Any, settings: AvaSettings, folder: Path) -> None:  # noqa: ANN401
    """Write a trained network with its tokenizer and its encoders' configuration."""
    from safetensors.torch import save_file  # noqa: PLC0415 - part of the extra `train`

    folder.mkdir(parents=True, exist_ok=True)
    encoder: Any = network.encoders[0]
    encoder.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    state = {name: value.cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(state, str(folder / WEIGHTS))
    (folder / DESCRIPTION).write_bytes(msgspec.json.format(msgspec.json.encode(settings), indent=1) + b"\n")


class AvaJudge:
    """A trained AVA model as a judge of candidates against references."""

    english = False
    reads_assertions = False

    def __init__(self, folder: Path, device: Device = "auto") -> None:
        self.ref = str(folder)
        self.notes = ModelNotes()
        self._folder = folder
        self._device = device
        self.settings = read_settings(folder)

    @cached_property
    def fingerprint(self) -> str:
        """Identity of the weights and the design."""
        return fingerprint(self._folder / WEIGHTS, self._folder / DESCRIPTION)

    @cached_property
    def _loaded(self) -> tuple[AvaNetwork, Any, str]:
        import transformers  # noqa: PLC0415 - an optional extra
        from safetensors import SafetensorError  # noqa: PLC0415 - an optional extra
        from safetensors.torch import load_file  # noqa: PLC0415 - an optional extra

        from qassay.models.hf.encoder import choose_device  # noqa: PLC0415 - with what it is for
        from qassay.models.hf.judge_network import AvaNetwork  # noqa: PLC0415 - needs torch

        device = choose_device(self._device)
        hub: Any = transformers
        try:
            config = hub.AutoConfig.from_pretrained(self._folder, trust_remote_code=False)
            tokenizer = hub.AutoTokenizer.from_pretrained(
                self._folder, use_fast=True, trust_remote_code=False, padding_side="right"
            )
        except Exception as problem:  # the library raises many kinds for damaged or unknown models
            raise ModelError(f"{self._folder}: damaged, or not a model that transformers reads: {problem}") from problem
        network = AvaNetwork(lambda: hub.AutoModel.from_config(config), design_named(self.settings.design))
        try:
            network.load_state_dict(load_file(self._folder / WEIGHTS))
        except (OSError, RuntimeError, SafetensorError) as problem:
            raise ModelError(f"{self._folder / WEIGHTS}: does not fit the design: {problem}") from problem
        return network.to(device).eval(), tokenizer, device

    def judge(self, pairs: Sequence[JudgeInput]) -> Floats:
        """Return the logit of each candidate being right; equal pairs run once."""
        import torch  # noqa: PLC0415 - an optional extra

        network, tokenizer, device = self._loaded
        distinct = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
        ordered = sorted(distinct, key=lambda pair: sum(map(len, pair[:4])))
        found = np.zeros(len(distinct))
        for start in range(0, len(ordered), _AT_ONCE):
            some = ordered[start : start + _AT_ONCE]
            cut = [
                cut_pairs(pair, some, tokenizer, network.design, self.settings.longest, padding=True)
                for pair in network.design.pairs
            ]
            long = [pair for row, pair in enumerate(some) if any(each.encodings[row].overflowing for each in cut)]
            self.notes.add(CUT, (pair.candidate for pair in long))
            batches = [each.convert_to_tensors("pt").to(device) for each in cut]
            with torch.no_grad():
                logits = network(batches).float().cpu().numpy()
            found[[distinct[pair] for pair in some]] = logits
        logits_found = as_logits(found, self.settings.output)
        return logits_found[np.array([distinct[pair] for pair in pairs], np.int64)]


def cut_pairs(
    pair: str,
    some: Sequence[JudgeInput],
    tokenizer: Any,  # noqa: ANN401 - the library's classes are many
    design: Design,
    longest: int,
    *,
    padding: bool = False,
) -> Any:  # noqa: ANN401 - as above
    """Cut the texts of one of a design's pairs into tokens, the longer one shortened where both are too long."""
    mark = f" {tokenizer.sep_token} " if design.marked else " "
    texts = [texts_of(pair, answer, mark) for answer in some]
    firsts, seconds = ([text[side] for text in texts] for side in (0, 1))
    return tokenizer(firsts, seconds, truncation="longest_first", max_length=longest, padding=padding)
