"""The networks that learn keyphrase weights: one score for every piece of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from qassay.models.hf.keyphrase import TokenScorer
from qassay.training.encoder_layers import WIDTH, Layer, Trunk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.models.hf.encoder import HFBackbone
    from qassay.models.hf.keyphrase import Outputs

_NEVER = -1e4


class PairBatch(NamedTuple):
    """Padded questions and answers, with which places are taken and which answers go without their question."""

    question: torch.Tensor
    question_there: torch.Tensor
    answer: torch.Tensor
    answer_there: torch.Tensor
    unasked: torch.Tensor

    @property
    def asked_there(self) -> torch.Tensor:
        """The questions' places that may be seen."""
        return self.question_there & ~self.unasked[:, None]


class Depth(NamedTuple):
    """How many layers of each kind a joined network has."""

    trunk: int
    """Shared and frozen; each text by itself."""
    asked: int
    """Tuned; the question by itself."""
    tuned: int
    """Tuned; answers see their question."""


class JoinedNetwork(nn.Module):
    """Both texts alone through a frozen trunk, then together through tuned layers in which answers see questions.

    Questions never see answers, so that what an answer attends to is computed once a question (see
    `qassay.models.onnx.keyphrase`); before they meet, the question may go through tuned layers of its own, which cost
    next to nothing. Only for BERTs of MiniLM's shape.
    """

    def __init__(
        self, weights: Mapping[str, torch.Tensor], depth: Depth, outputs: Outputs, marks: tuple[int, int]
    ) -> None:
        super().__init__()
        self.trunk = Trunk(weights, depth.trunk)
        self.roles = nn.Parameter(torch.zeros(2, WIDTH))
        self.asked = _layers(weights, depth.trunk, depth.asked)
        self.layers = _layers(weights, depth.trunk, depth.tuned)
        self.scorer = TokenScorer(WIDTH, outputs)
        self.marks = marks

    def forward(self, batch: PairBatch) -> torch.Tensor:
        """Return the logits of the answers' pieces (rows, pieces)."""
        question, asked = _marked(batch.question, batch.asked_there, self.marks)
        answer, answered = _marked(batch.answer, batch.answer_there, self.marks)
        wanted = self.trunk(question, asked) + self.roles[0]
        for layer in self.asked:
            wanted = layer(wanted, asked[:, None, None])
        states = torch.cat([wanted, self.trunk(answer, answered) + self.roles[1]], 1)
        seen = self._seen(asked, answered, batch.unasked)
        for layer in self.layers:
            states = layer(states, seen)
        logits: torch.Tensor = self.scorer(states[:, question.shape[1] + 1 : -1])
        return logits.masked_fill(~batch.answer_there, _NEVER)

    @staticmethod
    def _seen(asked: torch.Tensor, answered: torch.Tensor, unasked: torch.Tensor) -> torch.Tensor:
        """Return which places each place attends to: questions to themselves, answers to both."""
        is_question = torch.arange(asked.shape[1] + answered.shape[1], device=asked.device) < asked.shape[1]
        for_questions = torch.cat([asked, torch.zeros_like(answered)], 1)
        for_answers = torch.cat([asked & ~unasked[:, None], answered], 1)
        return torch.where(is_question[:, None], for_questions[:, None], for_answers[:, None])[:, None]


class AnswerNetwork(nn.Module):
    """An answer alone through a frozen trunk and tuned layers: the joined design without questions (KP)."""

    def __init__(
        self, weights: Mapping[str, torch.Tensor], depth: Depth, outputs: Outputs, marks: tuple[int, int]
    ) -> None:
        super().__init__()
        self.trunk = Trunk(weights, depth.trunk)
        self.layers = _layers(weights, depth.trunk, depth.tuned)
        self.scorer = TokenScorer(WIDTH, outputs)
        self.marks = marks

    def forward(self, batch: PairBatch) -> torch.Tensor:
        """Return the logits of the answers' pieces (rows, pieces)."""
        answer, answered = _marked(batch.answer, batch.answer_there, self.marks)
        states = self.trunk(answer, answered)
        for layer in self.layers:
            states = layer(states, answered[:, None, None])
        logits: torch.Tensor = self.scorer(states[:, 1:-1])
        return logits.masked_fill(~batch.answer_there, _NEVER)


def _marked(pieces: torch.Tensor, there: torch.Tensor, marks: tuple[int, int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Put the opening mark before each text and the closing mark right behind it."""
    opening, closing = marks
    rows = len(pieces)
    pieces = torch.cat([pieces.new_full((rows, 1), opening), pieces, pieces.new_zeros((rows, 1))], 1)
    last = there.sum(1, keepdim=True) + 1
    places = torch.arange(pieces.shape[1], device=pieces.device)
    return torch.where(places == last, closing, pieces), places <= last


def _layers(weights: Mapping[str, torch.Tensor], first: int, count: int) -> nn.ModuleList:
    return nn.ModuleList(Layer.loaded(weights, number) for number in range(first, first + count))


class CrossNetwork(nn.Module):
    """Question and answer in one row through any encoder, as in the KPQA paper."""

    def __init__(self, backbone: HFBackbone, outputs: Outputs, *, frozen: int, questions: bool) -> None:
        super().__init__()
        self.encoder = backbone.model.float()
        self.scorer = TokenScorer(int(self.encoder.config.hidden_size), outputs)
        self.template = backbone.template
        self.has_types = backbone.has_types
        self.questions = questions
        self.freeze(frozen)

    def freeze(self, layers: int) -> None:
        """Keep the embeddings and the lowest layers as they are; with 0 everything is tuned."""
        if layers:
            lowest = [f".{number}." for number in range(layers)]
            for name, parameter in self.encoder.named_parameters():
                in_layer = "layer" in name and any(number in name for number in lowest)
                parameter.requires_grad_(not (in_layer or "embeddings" in name))

    def forward(self, batch: PairBatch) -> torch.Tensor:
        """Return the logits of the answers' pieces (rows, pieces)."""
        marks = self.template
        rows, device = len(batch.answer), batch.answer.device

        def mark(ids: list[int], segment: int) -> tuple[torch.Tensor, torch.Tensor, int]:
            row = torch.tensor(ids, device=device).expand(rows, -1)
            return row, torch.ones_like(row, dtype=torch.bool), segment

        second = marks.second_type if self.questions else 0
        blocks = [mark(marks.before, 0)]
        if self.questions:
            blocks += [(batch.question, batch.asked_there, 0), mark(marks.between, 0)]
        answer_at = sum(ids.shape[1] for ids, _, _ in blocks)
        blocks += [
            (batch.answer, batch.answer_there, second),
            mark(marks.after if self.questions else marks.alone_after, second),
        ]
        ids, there = (torch.cat([block[part] for block in blocks], 1) for part in (0, 1))  # type: ignore[misc]
        segments = torch.cat([torch.full_like(block[0], block[2]) for block in blocks], 1)
        # Positions count from the start of a row, so that padding between the texts must go to its end.
        order = torch.argsort(~there, dim=1, stable=True)
        given = {"input_ids": ids.gather(1, order), "attention_mask": there.gather(1, order).long()}
        if self.has_types:
            given["token_type_ids"] = segments.gather(1, order)
        states = self.encoder(**given).last_hidden_state
        places = (there.cumsum(1) - 1)[:, answer_at : answer_at + batch.answer.shape[1]].clamp(min=0)
        logits: torch.Tensor = self.scorer(states.gather(1, places[..., None].expand(-1, -1, states.shape[-1])))
        return logits.masked_fill(~batch.answer_there, _NEVER)
