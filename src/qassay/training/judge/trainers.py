"""The two ways to train a judge's network: on the embedded model's trunk, or on any Hugging Face encoder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.errors import DataError, SpecError
from qassay.models.folder import TOKENIZER
from qassay.models.hf.judge import AvaSettings, save
from qassay.models.hf.judge_design import READER
from qassay.models.onnx.judge import RATING, JudgeInput
from qassay.training.ava import networks as ava
from qassay.training.base_model import base_weights, open_base
from qassay.training.export.heads import export_judge
from qassay.training.fit import averaged
from qassay.training.judge.asserted import asserted_spans
from qassay.training.judge.inputs import prepare
from qassay.training.judge.judged import PEOPLE
from qassay.training.judge.layer import UnseenLogits
from qassay.training.judge.network import CONTEXT, stored_weights, train
from qassay.training.judge.opinions import own_opinion, second_opinions, source_opinions
from qassay.training.judge.rows import JudgeRow, single_references
from qassay.training.objective import VERDICTS
from qassay.training.splits import DEV, TRAIN, folds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import torch

    from qassay.training.objective import Objective
    from qassay.training.plan import Plan

_POLISHING = 0.25
"""The rate of the last epochs, as a share of the plan's."""
_OTHERS = 0.1
"""How much of what people did not judge is read in the last epochs."""


class Extra(NamedTuple):
    """What is done besides training on the trunk."""

    folds: int = 0
    """Before: the folds in which networks judge rows unseen, for second opinions; 0 for labels as they are."""
    polish: int = 0
    """After: epochs on people's verdicts and written answers, with a tenth of the others; half of what they change is
    kept."""
    readers: tuple[str, ...] = ()
    """Answer readers, each trained without a fold of the questions, for what the rows assert; the embedded one if
    none: it knows most of the rows, and reads new ones less well."""
    start: Path | None = None
    """The folder of a judge whose network is trained on, its own opinion being half of a label."""


NOTHING = Extra()


class TrainedJudge(NamedTuple):
    """What training gives."""

    tuned: dict[str, torch.Tensor]
    opinions: UnseenLogits | None
    """The logits of the pairs that were asked about, from networks that had not seen them; None without folds."""


def export_network(
    base: Path,
    rows: Sequence[JudgeRow],
    folder: Path,
    plan: Plan,
    *,
    seeds: int,
    device: str,
    context: float = CONTEXT,
    objective: Objective = VERDICTS,
    extra: Extra = NOTHING,
    asked: Sequence[JudgeRow] = (),
    report: Callable[[str], None],
) -> UnseenLogits | None:
    """Train networks on the trunk, average them and write them into a folder that has the trunk.

    With folds, the opinions on the rows `asked` are returned, one per reference.
    """
    if seeds < 1:
        raise SpecError(f"{seeds} seeds; train at least one network")
    trained = train_network(
        base_weights(base),
        rows,
        plan,
        base / TOKENIZER,
        seeds=seeds,
        device=device,
        context=context,
        objective=objective,
        extra=extra,
        asked=asked,
        report=report,
    )
    tuned = {name: value.numpy() for name, value in trained.tuned.items()}
    export_judge(tuned, folder, layer=plan.trunk_depth, output=objective.output)
    return trained.opinions


def train_network(
    weights: Mapping[str, torch.Tensor],
    rows: Sequence[JudgeRow],
    plan: Plan,
    tokenizer: Path,
    *,
    seeds: int,
    device: str,
    context: float = CONTEXT,
    objective: Objective = VERDICTS,
    extra: Extra = NOTHING,
    asked: Sequence[JudgeRow] = (),
    report: Callable[[str], None] = lambda _: None,
) -> TrainedJudge:
    """Train one network per seed and average their tuned weights; `extra` says what comes before and after."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - with the training libraries

    if extra.polish and not any(row.source in PEOPLE for row in rows):
        raise DataError("no row is a person's verdict on a system's answer, to polish on; leave --polish out")
    cutter = Tokenizer.from_file(str(tokenizer))
    cutter.no_truncation()
    cutter.no_padding()
    single = list(single_references(rows))
    inputs = prepare(single, cutter, asserted_spans(single, extra.readers))
    opinions, begun = None, None
    if extra.start is not None:
        begun = stored_weights(extra.start, plan.trunk_depth)
        inputs = own_opinion(weights, inputs, begun, plan, device)
        report(f"goes on from the judge in {extra.start}")
    if extra.folds:
        fold, other_fold = (folds_of([row.group for row in side], extra.folds) for side in (single, asked))
        others = prepare(asked, cutter, asserted_spans(asked, extra.readers))
        inputs, unseen = second_opinions(
            weights, inputs, fold, plan, device, others=others, other_fold=other_fold, report=report
        )
        elsewhere = source_opinions(weights, inputs, plan, device, others=others, report=report)
        opinions = UnseenLogits(unseen, np.where(np.isnan(elsewhere), unseen, elsewhere))
    states = []
    for seed in range(plan.seed, plan.seed + seeds):

        def after(epoch: int, seed: int = seed) -> None:
            report(f"seed {seed}: epoch {epoch} of {plan.epochs}")

        seeded = replace(plan, seed=seed)
        network = train(
            weights, inputs, seeded, device, context=context, objective=objective, start=begun, report=after
        )
        states.append({name: value.cpu() for name, value in network.tuned().items()})
    tuned = averaged(states)
    if extra.polish:
        shares = {
            str(name): _OTHERS
            for name in inputs.sources
            if str(name) not in PEOPLE and not str(name).startswith("written")
        }
        last = replace(plan, epochs=extra.polish, rate=plan.rate * _POLISHING, shares=shares)
        network = train(weights, inputs, last, device, context=context, start=tuned)
        # Half-way between both, the network keeps more of what the other sources taught it.
        tuned = averaged([tuned, {name: value.cpu() for name, value in network.tuned().items()}])
        report(f"polished on people's verdicts: {extra.polish} epochs")
    return TrainedJudge(tuned, opinions)


def train_on_encoder(
    base: str,
    rows: Mapping[str, Sequence[JudgeRow]],
    folder: Path,
    plan: Plan,
    *,
    device: str = "cpu",
    objective: Objective = VERDICTS,
    report: Callable[[str], None] = lambda _: None,
) -> None:
    """Train a reader of context, question, reference and candidate on any encoder; the epoch that is best on dev stays.

    The best is the one with the highest likelihood of verdicts, or with the lowest squared error of ratings.
    """
    opened = open_base(base)
    longest = ava.room_for_pair(plan, READER, opened.longest)
    pairs = {
        side: ava.PairInputs(
            [
                (JudgeInput(row.question, row.references[0], row.candidate, row.context), row.label)
                for row in single_references(found)
            ],
            opened.tokenizer,
            READER,
            longest,
        )
        for side, found in rows.items()
    }
    rated = objective.output == RATING
    measure = ava.minus_squared_error if rated else ava.log_likelihood
    trained = ava.train(
        pairs[TRAIN], pairs[DEV], opened, plan, device, design=READER, measure=measure, objective=objective
    )
    for number, reached in enumerate(trained.reached, 1):
        told = f"squared error on dev {-reached:.4f}" if rated else f"log-likelihood on dev {reached:.4f}"
        report(f"epoch {number} of {plan.epochs}: {told}")
    save(trained.network, opened.tokenizer, AvaSettings(READER, longest, base, objective.output), folder)
