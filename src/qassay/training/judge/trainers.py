"""The two ways to train a judge's network: on the embedded model's trunk, or on any Hugging Face encoder."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from qassay.errors import DataError, SpecError
from qassay.models.ava.judge import AvaSettings, save
from qassay.models.base import parse_ref
from qassay.models.folder import TOKENIZER
from qassay.models.hf.encoder import local_folder
from qassay.models.onnx.judge import Judged
from qassay.training.ava import networks as ava
from qassay.training.base_model import VOCABULARY, base_weights
from qassay.training.encoder_base import open_base
from qassay.training.export.judge import export_judge
from qassay.training.fit import averaged
from qassay.training.judge.fitting import Plan, train
from qassay.training.judge.inputs import prepare
from qassay.training.judge.judged import PEOPLE
from qassay.training.judge.opinions import second_opinions
from qassay.training.judge.rows import DEV, TRAIN, JudgeRow, folds_of, single_references

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import torch

    from qassay.arrays import Floats
    from qassay.training.judge.network import JudgeNetwork

_TRUNK = "352d34a4ad725bb742f36fc3f2a2dcfa7f07317926128d47c362198125003892"
"""SHA-256 of all-MiniLM-L6-v2's word embeddings, by which the embedded model's own trunk is known."""


_POLISHING = 0.25
"""The rate of the last epochs, as a share of the plan's."""
_OTHERS = 0.1
"""How much of what people did not judge is read in the last epochs."""


class Extra(NamedTuple):
    """What is done besides training on the trunk."""

    folds: int = 0
    """Before: the folds in which networks judge rows unseen, for second opinions; 0 for labels as they are."""
    polish: int = 0
    """After: epochs on people's verdicts, with a tenth of the other rows; half of what they change is kept."""


NOTHING = Extra()


class Trained(NamedTuple):
    """What training gives."""

    tuned: dict[str, torch.Tensor]
    opinions: Floats | None
    """The logits of the pairs that were asked about, from networks that had not seen them; None without folds."""


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


def export_network(
    base: Path,
    rows: Sequence[JudgeRow],
    folder: Path,
    plan: Plan,
    *,
    seeds: int,
    device: str,
    extra: Extra = NOTHING,
    asked: Sequence[JudgeRow] = (),
    report: Callable[[str], None],
) -> Floats | None:
    """Train networks on the trunk, average them and write them into a folder that has the trunk.

    With folds, the opinions on the rows `asked` are given back, one a reference.
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
        extra=extra,
        asked=asked,
        report=report,
    )
    export_judge({name: value.numpy() for name, value in trained.tuned.items()}, folder, layer=plan.trunk_depth)
    return trained.opinions


def train_network(
    weights: Mapping[str, torch.Tensor],
    rows: Sequence[JudgeRow],
    plan: Plan,
    tokenizer: Path,
    *,
    seeds: int,
    device: str,
    extra: Extra = NOTHING,
    asked: Sequence[JudgeRow] = (),
    report: Callable[[str], None] = lambda _: None,
) -> Trained:
    """Train one network a seed and average their tuned weights; `extra` says what comes before and after."""
    from tokenizers import Tokenizer  # noqa: PLC0415 - with the training libraries

    if extra.polish and not any(row.source in PEOPLE for row in rows):
        raise DataError("no row is a person's verdict on a system's answer, to polish on; leave --polish out")
    cutter = Tokenizer.from_file(str(tokenizer))
    cutter.no_truncation()
    cutter.no_padding()
    single = list(single_references(rows))
    inputs = prepare(single, cutter)
    opinions = None
    if extra.folds:
        fold, other_fold = (folds_of([row.group for row in side], extra.folds) for side in (single, asked))
        others = prepare(asked, cutter)
        inputs, opinions = second_opinions(
            weights, inputs, fold, plan, device, others=others, other_fold=other_fold, report=report
        )
    states = []
    for seed in range(plan.seed, plan.seed + seeds):

        def after(epoch: int, _network: JudgeNetwork, seed: int = seed) -> None:
            report(f"seed {seed}: epoch {epoch + 1} of {plan.epochs}")

        network = train(weights, inputs, replace(plan, seed=seed), device, report=after)
        states.append({name: value.cpu() for name, value in network.tuned().items()})
    tuned = averaged(states)
    if extra.polish:
        shares = {str(name): _OTHERS for name in inputs.sources if str(name) not in PEOPLE}
        last = replace(plan, epochs=extra.polish, rate=plan.rate * _POLISHING, shares=shares)
        network = train(weights, inputs, last, device, start=tuned)
        # Half-way between both, the network keeps more of what the other sources taught it.
        tuned = averaged([tuned, {name: value.cpu() for name, value in network.tuned().items()}])
        report(f"polished on people's verdicts: {extra.polish} epochs")
    return Trained(tuned, opinions)


def train_on_encoder(
    base: str,
    rows: Mapping[str, Sequence[JudgeRow]],
    folder: Path,
    plan: ava.Plan,
    *,
    device: str = "cpu",
    report: Callable[[str], None] = lambda _: None,
) -> None:
    """Train a reader of context, question, reference and candidate on any encoder; the epoch likeliest on dev stays."""
    opened = open_base(base)
    longest = plan.room(opened.longest)
    pairs = {
        side: ava.PairInputs(
            [
                (Judged(row.question, row.references[0], row.candidate, row.context), row.label)
                for row in single_references(found)
            ],
            opened.tokenizer,
            plan.design,
            longest,
        )
        for side, found in rows.items()
    }
    trained = ava.train(pairs[TRAIN], pairs[DEV], opened, plan, device, measure=ava.log_likelihood)
    for number, reached in enumerate(trained.reached, 1):
        report(f"epoch {number} of {plan.epochs}: log-likelihood on dev {reached:.4f}")
    save(trained.network, opened.tokenizer, AvaSettings(plan.design, longest, base), folder)
