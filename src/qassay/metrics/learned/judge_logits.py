"""A judge's verdicts on pairs of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.features.assertions import assertions
from qassay.models.onnx.judge import JudgeInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats
    from qassay.features.batch import Batch, Pairs

    Spans = tuple[tuple[int, int], ...]


def judge_inputs(
    batch: Batch,
    pairs: Pairs,
    *,
    context: bool = False,
    question: bool = True,
    asserted: Sequence[Spans | None] | None = None,
) -> list[JudgeInput]:
    """Return the texts of each pair, and where the candidates assert something.

    The example's context and question are among them or left out. Without `asserted`, by example, candidates assert
    the whole of themselves.
    """
    texts, questions = batch.texts, batch.questions
    sides = pairs.example, batch.reference[pairs.reference], batch.candidate[pairs.example]
    return [
        JudgeInput(
            questions[i] if question else "",
            texts[reference],
            texts[candidate],
            (batch.examples[i].context or "") if context else "",
            asserted[i] if asserted else None,
        )
        for i, reference, candidate in zip(*(side.tolist() for side in sides), strict=True)
    ]


def judge_logits(
    batch: Batch,
    ref: str,
    pairs: Pairs,
    *,
    context: bool,
    question: bool = True,
    whole: bool = False,
    kind: str = "mini",
) -> Floats:
    """Return a judge's logit for each pair, with context and question or without; the same pair is judged once.

    A judge that is told what candidates assert is told so, unless they assert the `whole` of themselves.
    """
    known: dict[JudgeInput, float] = batch.shared_memo((judge_logits, ref, kind), dict)
    judge = batch.resources.judge(ref, kind)
    asserted = _asserted(batch) if judge.reads_assertions and not whole else None
    wanted = judge_inputs(batch, pairs, context=context, question=question, asserted=asserted)
    new = [pair for pair in dict.fromkeys(wanted) if pair not in known]
    if new:
        known.update(zip(new, judge.judge(new).tolist(), strict=True))
        batch.take_notes(judge)
    return np.array([known[pair] for pair in wanted], np.float64)


def _asserted(batch: Batch) -> list[Spans | None]:
    """Return where each candidate asserts something: its likeliest span, or nowhere."""
    return [((each.start, each.end),) if each.attempted else () for each in assertions(batch)]
