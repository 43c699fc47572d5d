"""What networks think of answers that they were not trained on: second opinions for labels, and logits to weigh.

People's verdicts err, and composed rows are right or wrong by rule, not by reading. A network that has learnt from the
other rows errs elsewhere; the mean of both is a better teacher than either. The judge's layer must not be fitted on
what its network knows by heart; with opinions on rows unseen it can be fitted on all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.errors import DataError
from qassay.models.onnx.judge_layer import probability
from qassay.training.judge.network import JudgeNetwork, JudgePairs, logits, train

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import torch
    from numpy.typing import NDArray

    from qassay.arrays import Floats
    from qassay.training.judge.inputs import JudgeInputs
    from qassay.training.judge.network import State
    from qassay.training.plan import Plan

_SHARE = 0.5
"""How much of a label is the networks' opinion."""
_MADE_SHARES = {"composed": 0.2, "abstention": 0.2, "written": 0.15}
"""The same for rows that were made, right or wrong by construction, by how their source's name begins."""
_SEEDS_APART = 10
_LEAST = 1e-5
"""No opinion is surer than this."""
KINDS = (
    ("sciEntsBank", "beetle"),
    ("evouna", "evouna_sentences", "evouna_spans"),
    ("multirc", "mcscript"),
    ("narrativeqa",),
    ("wikiqa", "trecqa", "trec_spans"),
    ("boolq", "pubmedqa", "composed_opinion"),
    ("sas", "sas_squad", "efficientqa"),
)
"""Sources whose answers are alike, so that a network which knows one of them is not new to the others."""


class Opinions(NamedTuple):
    """What networks that had not seen them say of rows."""

    inputs: JudgeInputs
    """The training pairs, with the mean of label and opinion as label."""
    logits: Floats
    """One for each pair of the other inputs that were asked about."""


def second_opinions(
    weights: Mapping[str, torch.Tensor],
    inputs: JudgeInputs,
    fold: NDArray[np.int64],
    plan: Plan,
    device: str,
    *,
    others: JudgeInputs,
    other_fold: NDArray[np.int64],
    networks: int = 2,
    report: Callable[[str], None] = lambda _: None,
) -> Opinions:
    """Train networks without each fold and let them judge that fold, of the training pairs and of others.

    `fold` and `other_fold` have an entry for each row. A training row with several references is judged by the mean of
    its pairs.
    """
    numbers = np.unique(fold).tolist()
    if len(numbers) < 2:  # noqa: PLR2004 - one to learn from, one to judge
        raise DataError("all rows are in one fold; networks need others to learn from: more folds, or more questions")
    judged = np.zeros(len(inputs.row))
    asked = np.zeros(len(others.row))
    for place, number in enumerate(numbers, 1):
        sides = ((inputs, fold[inputs.row] == number, judged), (others, other_fold[others.row] == number, asked))
        for turn in range(networks):
            own = replace(plan, seed=plan.seed + _SEEDS_APART * (turn + 1) + place - 1)
            network = train(weights, inputs.pairs_where(~sides[0][1]), own, device)
            for pairs, mine, found in sides:
                logit = logits(network, JudgePairs.of(pairs.pairs_where(mine), device), device)
                found[mine] += probability(logit.astype(np.float64)) / networks
        report(f"second opinions: fold {place} of {len(numbers)}")
    sure = np.clip(asked, _LEAST, 1 - _LEAST)
    return Opinions(_shared_labels(inputs, judged), np.log(sure / (1 - sure)))


def own_opinion(
    weights: Mapping[str, torch.Tensor], inputs: JudgeInputs, begun: State, plan: Plan, device: str
) -> JudgeInputs:
    """Return the training pairs with the mean of label and opinion of the network that a training goes on from.

    It has mostly seen these rows, and is no better than they are: its share of the labels keeps it near to itself.
    """
    network = JudgeNetwork(weights, plan.trunk_depth).to(device)
    network.restore({name: value.to(device) for name, value in begun.items()})
    logit = logits(network.eval(), JudgePairs.of(inputs, device), device)
    return _shared_labels(inputs, probability(logit.astype(np.float64)))


def _shared_labels(inputs: JudgeInputs, judged: Floats) -> JudgeInputs:
    """Return rows whose labels are in part the networks' opinion: the mean over a row's pairs."""
    totals = np.bincount(inputs.row, judged, minlength=len(inputs.label))
    opinion = totals / np.maximum(np.bincount(inputs.row, minlength=len(inputs.label)), 1)
    share = np.array([_MADE_SHARES.get(str(name).partition("_")[0], _SHARE) for name in inputs.sources])[inputs.source]
    return replace(inputs, label=((1 - share) * inputs.label + share * opinion).astype(np.float32))


def source_opinions(
    weights: Mapping[str, torch.Tensor],
    inputs: JudgeInputs,
    plan: Plan,
    device: str,
    *,
    others: JudgeInputs,
    report: Callable[[str], None] = lambda _: None,
) -> Floats:
    """Return the logit of each of the other pairs from a network that was trained on no source of its kind.

    NaN for sources of no kind, and where all training rows are of the same kind.
    """
    found = np.full(len(others.row), np.nan)
    for place, kind in enumerate(KINDS, 1):
        mine = _of_sources(others, kind)
        known = ~_of_sources(inputs, kind)
        if not mine.any() or not known.any() or known.all():
            continue
        own = replace(plan, seed=plan.seed + _SEEDS_APART * len(KINDS) + place)
        network = train(weights, inputs.pairs_where(known), own, device)
        found[mine] = logits(network, JudgePairs.of(others.pairs_where(mine), device), device)
        report(f"opinions without {', '.join(kind)}")
    return found


def _of_sources(inputs: JudgeInputs, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which pairs are of some sources."""
    return np.isin(inputs.sources[inputs.source[inputs.row]], names)
