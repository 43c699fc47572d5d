"""Training keyphrase models: which words of an answer carry it, given the question.

Two designs: `cross` puts question and answer in one row through any encoder, as KPQA does (Lee et al. 2021); `joined`
encodes them apart in a frozen trunk and lets them meet in tuned layers above, which is how the embedded model is built.
A model that never sees a question has the answer's side alone.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
import torch
from torch import nn

from qassay.errors import ModelError, SpecError
from qassay.models.base import ModelRef
from qassay.models.folder import KEYPHRASE_SETTINGS
from qassay.models.hf.encoder import HFBackbone, choose_device
from qassay.models.hf.keyphrase import HEAD, KeyphraseSettings
from qassay.training.encoder_layers import Layer
from qassay.training.export.encoder import export_answer_keyphrase, export_encoder, export_keyphrase
from qassay.training.fit import Best, adamw, averaged, fit, scaled_rates
from qassay.training.keyphrase.losses import JudgedLoss, Loaded, Network, listwise_loss, marked_loss, run
from qassay.training.keyphrase.narrowing import narrowed
from qassay.training.keyphrase.network import AnswerNetwork, CrossNetwork, Depth, JoinedNetwork
from qassay.training.keyphrase.presets import joinable
from qassay.training.keyphrase.quality import KeyphraseQuality, quality
from qassay.training.model_card import write_curves
from qassay.training.output_folder import PLAN, filled
from qassay.training.ragged import use_plain_attention

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.models.base import Device
    from qassay.training.keyphrase.inputs import Examples, JudgedExamples
    from qassay.training.keyphrase.presets import KeyphrasePlan

_CALIBRATION_RATE = 1e-2
_JUDGED_SHARE = 0.75
"""Judged pairs in a step, as a share of the batch of marked answers."""
_MEASURED_AT_ONCE = 256
_LOOKED_AT = 100
"""Batches by which heads and neurons are chosen."""
_SHARED_LAYERS = 4
"""An exported encoder keeps at least these layers, for embeddings and for heads yet to come."""


def find_checkpoints(folder: Path) -> list[Path]:
    """Find what an unfinished training has left, one file per seed."""
    return sorted(folder.glob("checkpoint-*.pt"))


class TrainingExamples(NamedTuple):
    """What a model is trained and chosen on."""

    train: Examples
    dev: Examples
    judged: JudgedExamples | None = None


def make_network(base: Path, plan: KeyphrasePlan, device: str) -> tuple[Network, HFBackbone]:
    """Build the network of a plan over a base model's folder."""
    backbone = HFBackbone(ModelRef("folder", str(base)), "cpu")
    torch.manual_seed(0)
    if plan.design == "cross":
        return CrossNetwork(backbone, plan.outputs, frozen=plan.frozen, questions=plan.asks).to(device), backbone
    if not joinable(base):
        raise ModelError(f"{base}: the design `joined` needs a BERT of MiniLM's shape; use --preset cross")
    if plan.narrows and plan.seeds > 1:
        raise SpecError("networks that drop heads and neurons of their own cannot be averaged; train one seed")
    if plan.outputs != "list":
        raise SpecError("the design `joined` is trained list-wise; use --preset kpqa for two classes")
    weights = backbone.model.state_dict()
    marks = (backbone.template.before[0], backbone.template.alone_after[0])
    kind = JoinedNetwork if plan.asks else AnswerNetwork
    depth = Depth(plan.trunk_depth, plan.asked, plan.tuned)
    return kind(weights, depth, plan.outputs, marks).to(device), backbone


def train(
    base: Path,
    training: TrainingExamples,
    plan: KeyphrasePlan,
    folder: Path,
    *,
    device: Device = "auto",
    resume: bool = False,
    report: Callable[[Mapping[str, float]], None] = lambda _: None,
) -> KeyphraseQuality:
    """Train, keep the epoch with the lowest dev loss, and write a folder that `load_weigher` opens.

    With several seeds one network per seed is trained, and what is written is the average of their weights. Every
    epoch's order and dropout follow from the seed, so that a resumed run goes on as if it had not stopped. Beside the
    model lie `curves.csv`, `curves.svg` and `plan.json`. `report` is called with each epoch's row.
    """
    place = choose_device(device)
    use_plain_attention()
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, float]] = []
    states = []
    checkpoints = [folder / f"checkpoint-{seed}.pt" for seed in range(plan.seed, plan.seed + plan.seeds)]
    for number, checkpoint in enumerate(checkpoints):
        network, backbone = make_network(base, plan, place)
        session = KeyphraseSession(network, training, replace(plan, seed=plan.seed + number), place, checkpoint)
        if resume and checkpoint.is_file():
            session.resume()
        before = list(rows)
        rows += session.rows

        def after(
            row: Mapping[str, float], before: list[dict[str, float]] = before, now: KeyphraseSession = session
        ) -> None:
            write_curves(folder, [*before, *now.rows])
            report(row)

        session.run(after)
        rows = [*before, *session.rows]
        states.append(session.best.state)
    network.load_state_dict(averaged(states))
    found = session.dev()
    with filled(folder) as finished:
        write_model(finished, network, backbone, base, plan)
        (finished / PLAN).write_text(json.dumps(asdict(plan), indent=1) + "\n", encoding="utf-8")
    for checkpoint in checkpoints:
        checkpoint.unlink()
    return found


class KeyphraseSession:
    """The training of one network: data, optimiser, the best state and the epochs so far, and its checkpoint."""

    def __init__(
        self, network: Network, training: TrainingExamples, plan: KeyphrasePlan, device: str, checkpoint: Path
    ) -> None:
        self.network, self.plan, self.device = network, plan, device
        self.examples = Loaded(training.train, device)
        self.held_out = Loaded(training.dev, device)
        self.judged = JudgedLoss(training.judged, device) if training.judged and plan.judged else None
        self.best = Best()
        self.rows: list[dict[str, float]] = []
        self._checkpoint = checkpoint
        self._pending: list[NDArray[np.int64]] = []
        self._rng = np.random.default_rng()
        self._optimise()

    def _optimise(self) -> None:
        self.optimiser = adamw(self.network, self.plan)
        self.optimiser.param_groups[0]["rate"] = self.plan.rate
        if self.judged:
            calibration = list(self.judged.parameters())
            group = {"params": calibration, "rate": _CALIBRATION_RATE, "weight_decay": 0.0}
            self.optimiser.add_param_group(group)

    def run(self, report: Callable[[Mapping[str, float]], None]) -> None:
        """Train for the epochs that are left; `report` is called with each epoch's row."""
        count, plan = len(self._batches(0)), self.plan
        total = count * int(plan.epochs)

        def share(step: int, _progress: float) -> float:
            warm = max(1, int(plan.warm_up * total))
            return min(1.0, (step + 1) / warm) * max(0.0, 1 - step / total)

        def after_epoch(loss: float) -> None:
            row = {"seed": float(plan.seed), "epoch": len(self.rows) + 1.0, "train_loss": loss}
            row |= self.dev()._asdict()
            self.rows.append(row)
            self.best.offer(-row["dev_loss"], self.network)
            self._save()
            report(row)

        while len(self.rows) < plan.epochs:
            if plan.narrows and len(self.rows) == plan.widest:
                self._narrow()
            last = plan.widest if plan.narrows and len(self.rows) < plan.widest else int(plan.epochs)
            fit(
                self.network,
                self._total_loss,
                self._epochs(len(self.rows), last),
                self.optimiser,
                scaled_rates(self.optimiser, share),
                total=total,
                step=len(self.rows) * count,
                after_epoch=after_epoch,
            )

    def _narrow(self) -> None:
        """Drop the attention heads and neurons that matter least; what was best with all of them counts no more."""
        if isinstance(self.network, CrossNetwork):
            raise SpecError("heads and neurons are dropped in the design `joined` alone")
        self.network.eval()
        batches = self._batches(0)[:_LOOKED_AT]
        layers = [layer for layer in self.network.layers if isinstance(layer, Layer)]
        losses = (self._loss(batch) for batch in batches)
        self.network.layers = nn.ModuleList(narrowed(layers, losses, self.plan.heads, self.plan.neurons))
        self.best = Best()
        self._optimise()

    def _epochs(self, first: int, last: int) -> Iterator[list[NDArray[np.int64]]]:
        for number in range(first, last):
            torch.manual_seed(self.plan.seed * 1000 + number)
            self._rng = np.random.default_rng([self.plan.seed, number, 1])
            self._pending = []
            yield self._batches(number)

    def _batches(self, epoch: int) -> list[NDArray[np.int64]]:
        rng = np.random.default_rng([self.plan.seed, epoch])
        examples = self.examples.examples
        sources = np.array(examples.sources)
        chosen = []
        for source in dict.fromkeys(examples.sources):
            rows = np.flatnonzero(sources == source)
            most = min(self.plan.most.get(source, len(rows)), len(rows))
            chosen.append(rng.choice(rows, most, replace=False))
        return _alike(np.concatenate(chosen), examples.lengths, self.plan.batch, rng)

    def _total_loss(self, batch: NDArray[np.int64]) -> torch.Tensor:
        loss = self._loss(batch)
        if self.judged:
            size = max(1, int(self.plan.batch * _JUDGED_SHARE))
            lengths = self.judged.lengths
            self._pending = self._pending or _alike(np.arange(len(lengths)), lengths, size, self._rng)
            loss = loss + self.judged(self._pending.pop(), self.network, self.plan)
        return loss

    def _loss(self, rows: NDArray[np.int64]) -> torch.Tensor:
        unasked = torch.rand(len(rows), device=self.device) < self.plan.unasked
        batch = self.examples.batch(rows, unasked)
        logits = run(self.network, batch)
        marked = marked_loss(logits, self.examples.marked(rows), batch.answer_there, self.plan.outputs)
        loss = self.plan.marked * marked.mean()
        taught = self.examples.taught(rows)
        return loss if taught is None else loss + self.plan.taught * listwise_loss(logits, taught)

    @torch.no_grad()
    def dev(self) -> KeyphraseQuality:
        """Measure the held-out examples."""
        self.network.eval()
        examples = self.held_out.examples
        logits: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(examples)
        losses = np.zeros(len(examples))
        order = np.argsort(examples.lengths, kind="stable")
        for start in range(0, len(order), _MEASURED_AT_ONCE):
            rows = order[start : start + _MEASURED_AT_ONCE]
            unasked = torch.full((len(rows),), not self.plan.asks, device=self.device)
            batch = self.held_out.batch(rows, unasked)
            found = run(self.network, batch)
            marked = self.held_out.marked(rows)
            losses[rows] = marked_loss(found, marked, batch.answer_there, self.plan.outputs).cpu().numpy()
            for row, values in zip(rows, found.float().cpu().numpy(), strict=True):
                logits[row] = values[: len(examples.answers[row])]
        return quality(float(losses.mean()), logits, examples.marked, self.plan.outputs)

    def _save(self) -> None:
        """Write everything that a resumed run needs."""
        state = {
            "network": self.network.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "judged": self.judged.state_dict() if self.judged else {},
            "best": (self.best.value, self.best.state),
            "rows": self.rows,
        }
        unfinished = self._checkpoint.with_suffix(".part")
        torch.save(state, unfinished)
        unfinished.replace(self._checkpoint)

    def resume(self) -> None:
        """Take up the run where its checkpoint left it."""
        state = torch.load(self._checkpoint, map_location=self.device, weights_only=True)
        if self.plan.narrows and len(state["rows"]) > self.plan.widest:
            layers = (Layer(heads=self.plan.heads, neurons=self.plan.neurons) for _ in range(self.plan.tuned))
            self.network.layers = nn.ModuleList(layers).to(self.device)
            self._optimise()
        self.network.load_state_dict(state["network"])
        self.optimiser.load_state_dict(state["optimiser"])
        if self.judged:
            self.judged.load_state_dict(state["judged"])
        self.best.value, self.best.state = state["best"]
        self.rows = list(state["rows"])


def _alike(
    rows: NDArray[np.int64], lengths: NDArray[np.int64], size: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Cut rows into batches of like length, in random order; a last batch of less than half is dropped."""
    order = rows[np.argsort(lengths[rows] + rng.random(len(rows)) * 6, kind="stable")]
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    if len(batches) > 1 and len(batches[-1]) < size / 2:
        batches.pop()
    rng.shuffle(batches)
    return batches


def write_model(folder: Path, network: Network, backbone: HFBackbone, base: Path, plan: KeyphrasePlan) -> None:
    """Write a trained network: an exported folder for `joined`, a Hugging Face folder with a head for `cross`."""
    if not isinstance(network, CrossNetwork):
        layers = min(max(plan.trunk_depth + plan.tuned, _SHARED_LAYERS), backbone.layers)
        export_encoder(base, folder, layers=layers, default_layer=plan.trunk_depth)
        arrays = {
            name.removeprefix("scorer."): value.detach().float().cpu().numpy()
            for name, value in network.state_dict().items()
            if not name.startswith("trunk.")
        }
        export = export_keyphrase if isinstance(network, JoinedNetwork) else export_answer_keyphrase
        export(arrays, folder, layer=plan.trunk_depth, temperature=plan.temperature)
        return
    from safetensors.torch import save_file  # noqa: PLC0415 - part of the extra `train`

    network.encoder.save_pretrained(folder, safe_serialization=True)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        if (backbone.folder / name).is_file():
            shutil.copy(backbone.folder / name, folder / name)
    save_file({name: value.contiguous().cpu() for name, value in network.scorer.state_dict().items()}, folder / HEAD)
    settings = KeyphraseSettings(plan.outputs, plan.asks, plan.temperature)
    (folder / KEYPHRASE_SETTINGS).write_bytes(msgspec.json.encode(settings))
