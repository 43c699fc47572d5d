"""Keyphrase models over any Hugging Face encoder, as the KPQA paper builds them (Lee et al. 2021, section 3.1).

`[CLS] question [SEP] answer [SEP]` through the encoder, one hidden layer with tanh, and a score for every token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np
import torch
from torch import nn

from qassay.errors import ModelError
from qassay.models.base import CUT_QUESTION, NO_WEIGHT, WINDOWED, ModelNotes, TokenWeights, Window, windows
from qassay.models.folder import KEYPHRASE_SETTINGS, fingerprint, read_description
from qassay.models.hf.encoder import HFBackbone

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qassay.arrays import Floats, Ints
    from qassay.models.base import Device, ModelRef

HEAD = "keyphrase.safetensors"
_ALMOST_NOTHING = 1e-6

Outputs = Literal["two-class", "list"]


class KeyphraseSettings(msgspec.Struct, frozen=True):
    """How a keyphrase model was trained, so that it is run the same way."""

    outputs: Outputs
    """`two-class`: a probability for each token by itself (the paper); `list`: shares of one whole, over the answer."""
    questions: bool = True
    """Whether the model reads the question (KPQA) or the answer alone (KP)."""
    temperature: float = 1.0


class TokenScorer(nn.Module):
    """One hidden layer with tanh, then one score per token, or two whose difference is the logit of being key."""

    def __init__(self, width: int, outputs: Outputs) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.out = nn.Linear(width, 2 if outputs == "two-class" else 1)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Return a logit for each token."""
        scores: torch.Tensor = self.out(torch.tanh(self.dense(states))).float()
        return scores[..., 1] - scores[..., 0] if scores.shape[-1] > 1 else scores[..., 0]


def token_weights(logits: Floats, settings: KeyphraseSettings) -> Floats:
    """Turn the logits of one answer's tokens into weights."""
    if settings.outputs == "two-class":
        weights: Floats = 1 / (1 + np.exp(-logits))
        return weights
    raised: Floats = np.exp((logits - logits.max(initial=-np.inf)) / settings.temperature)
    return raised / raised.sum() if len(raised) else raised


class Place(NamedTuple):
    """Where a row of the model's input holds an answer, or a window of one."""

    pair: int
    first: int
    window: Window


def read_settings(folder: Path) -> KeyphraseSettings:
    """Read the settings of a keyphrase model's folder."""
    path = folder / KEYPHRASE_SETTINGS
    return read_description(
        path,
        KeyphraseSettings,
        absent=f"{folder} has no keyphrase head; train one with `qassay train keyphrase --base`",
    )


class HFWeigher:
    """Token weights from a folder that `qassay train keyphrase` wrote."""

    english = False

    def __init__(self, ref: ModelRef, device: Device) -> None:
        self._backbone = HFBackbone(ref, device)
        self.ref = ref.name
        self.notes = ModelNotes()
        folder = self._backbone.folder
        self.settings = read_settings(folder)
        self._head = self._read_head(folder)

    def _read_head(self, folder: Path) -> TokenScorer:
        from safetensors.torch import load_file  # noqa: PLC0415 - part of the extra `hf`

        head = TokenScorer(int(self._backbone.model.config.hidden_size), self.settings.outputs)
        try:
            head.load_state_dict(load_file(folder / HEAD))
        except Exception as problem:  # missing, damaged or of another size
            raise ModelError(f"{folder / HEAD}: cannot be read as this model's keyphrase head: {problem}") from problem
        return head.to(self._backbone.device).eval()

    @property
    def fingerprint(self) -> str:
        """Identity of the weights of encoder and head, the tokenizer and the settings."""
        folder = self._backbone.folder
        return fingerprint(self._backbone.fingerprint, folder / HEAD, folder / KEYPHRASE_SETTINGS)

    def weigh(self, pairs: Sequence[tuple[str | None, str]]) -> list[TokenWeights]:
        """Weigh the tokens of each answer for its question; equal pairs run once."""
        distinct = list(dict.fromkeys(pairs))
        if self.settings.questions and any(question is None for question, _ in distinct):
            raise ModelError(
                f"{self.ref} weighs answers to questions; for :kp train one with "
                "`qassay train keyphrase --without-question`"
            )
        made = dict(zip(distinct, self._weigh(distinct), strict=True))
        return [made[pair] for pair in pairs]

    def _weigh(self, pairs: Sequence[tuple[str | None, str]]) -> list[TokenWeights]:
        answers = self._backbone.pieces([answer for _, answer in pairs])
        question_texts = [question or "" for question, _ in pairs] if self.settings.questions else [""] * len(pairs)
        questions = [ids for ids, _ in self._backbone.pieces(question_texts)]
        rows, positions = self._rows(questions, [ids for ids, _ in answers])
        windowed = {place.pair for place in positions if place.window.end < len(answers[place.pair][0])}
        self.notes.add(WINDOWED, (pairs[pair][1] for pair in windowed))
        most = self._backbone.longest // 2
        self.notes.add(
            CUT_QUESTION, (text for text, ids in zip(question_texts, questions, strict=True) if len(ids) > most)
        )
        logits = [np.empty(len(ids)) for ids, _ in answers]
        with torch.inference_mode():
            for row, states in self._backbone.run(rows, self._backbone.layers):
                pair, skipped, window = positions[row]
                low, high = (skipped + bound - window.start for bound in (window.kept_from, window.kept_to))
                scores = self._head(states[low:high].float())
                logits[pair][window.kept_from : window.kept_to] = scores.cpu().numpy()
        weights = [token_weights(row, self.settings) for row in logits]
        bare = [len(each) > 0 and each.sum() < _ALMOST_NOTHING for each in weights]
        self.notes.add(NO_WEIGHT, (answer for (_, answer), nothing in zip(pairs, bare, strict=True) if nothing))
        return [
            TokenWeights(spans, np.ones_like(each) if nothing else each)
            for (_, spans), each, nothing in zip(answers, weights, bare, strict=True)
        ]

    def _rows(self, questions: Sequence[Ints], answers: Sequence[Ints]) -> tuple[list[tuple[Ints, Ints]], list[Place]]:
        """Return rows of question and answer, long answers in windows, with the answer's position in each row."""
        rows, positions = [], []
        for pair, (question, answer) in enumerate(zip(questions, answers, strict=True)):
            prefix, suffix = self._frame(question)
            room = self._backbone.longest - len(prefix) - len(suffix)
            second = self._backbone.template.second_type if self.settings.questions else 0
            for window in windows(len(answer), room):
                ids = np.concatenate([prefix, answer[window.start : window.end], suffix]).astype(np.int64)
                segments = np.full(len(ids), second, np.int64)
                segments[: len(prefix)] = 0
                rows.append((ids, segments))
                positions.append(Place(pair, len(prefix), window))
        return rows, positions

    def _frame(self, question: Ints) -> tuple[Ints, Ints]:
        template = self._backbone.template
        if not self.settings.questions:
            return np.array(template.before, np.int64), np.array(template.alone_after, np.int64)
        most = self._backbone.longest // 2
        prefix = np.concatenate([template.before, question[:most], template.between]).astype(np.int64)
        return prefix, np.array(template.after, np.int64)
