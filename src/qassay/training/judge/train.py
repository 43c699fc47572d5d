"""From judged answers to a judge's model folder: what `qassay train judge` does."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.errors import DataError, ModelError, SpecError, option
from qassay.meta.accuracy.classification import calibrate, classify
from qassay.metrics.learned.ava import Ava
from qassay.metrics.registry import create
from qassay.models.base import EMBEDDED, EMBEDDED_FOLDER, parse_ref
from qassay.models.hf.encoder import local_folder
from qassay.models.hf.judge_design import READER
from qassay.models.onnx.judge_layer import JudgeLayer, probability
from qassay.training import output_folder
from qassay.training.answer_text import group_of
from qassay.training.base_model import is_trunk
from qassay.training.files import read_json_lines, read_sides
from qassay.training.judge.asserted import in_fold_order, readings
from qassay.training.judge.judged import answers
from qassay.training.judge.layer import check_rows, cross_fitted, fit, logits, measure, sampled, together
from qassay.training.judge.network import stored_weights
from qassay.training.judge.rows import JudgeRow, read_rows, side_of
from qassay.training.judge.trainers import NOTHING, Extra, export_network, train_on_encoder
from qassay.training.judge.tuning import cross_tuned, tune
from qassay.training.keyphrase.rows import JudgedPair
from qassay.training.model_card import write_card
from qassay.training.plan import Plan, named_plan
from qassay.training.splits import DEV, TRAIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from qassay.arrays import Floats
    from qassay.training.judge.layer import RowSignals, UnseenLogits


@dataclass(frozen=True, slots=True)
class Reached:
    """What the trained judge does on the rows of one source that a layer can be fitted on, each judged without it."""

    source: str
    n: int
    accuracy: float | None
    f1: float | None
    auc: float | None
    calibration_error: float | None

    @property
    def right(self) -> int:
        """How many answers are called rightly."""
        return round(self.n * (self.accuracy or 0.0))


class Outcome(NamedTuple):
    """What a judge's training came to."""

    reached: list[Reached]
    embedded: list[Reached] | None = None
    """What the embedded judge does on the same rows, where its layer was fitted to them."""
    kept: bool = False
    """Whether the rows gave no reason to change the embedded judge's layer."""

    @property
    def better(self) -> bool:
        """Whether the new judge calls more answers rightly than the embedded one, as far as that was measured."""
        new, old = (sum(each.right for each in side) for side in (self.reached, self.embedded or ()))
        return new > old


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a judge or a reader of LERC's kind is trained; what is None is as the base's trainer has it."""

    epochs: int | None = None
    rate: float | None = None
    seed: int = 0
    seeds: int | None = None
    """Networks to train and average, on the embedded model's trunk: 3 unless said otherwise, 1 with `start`."""
    device: str = "cpu"
    seen: Path | None = None
    """The file of judged pairs that the keyphrase head was trained on, if any: on those its weights know too much."""
    folds: int = 0
    """Folds in which networks first judge rows unseen, on the embedded model's trunk; 0 for labels as they are."""
    polish: int = 0
    """Epochs on people's verdicts at the end, on the embedded model's trunk."""
    readers: tuple[str, ...] = ()
    """Folders of answer readers, each trained without one fold of the questions, on the embedded model's trunk."""
    start: str | None = None
    """A judge whose network is trained on, `mini` or a folder, on the embedded model's trunk."""
    preset: str | None = None
    """`lerc` for a reader trained as Chen et al. (2020) published it: to predict ratings, with their settings."""

    def to_dict(self) -> dict[str, object]:
        """Return what was said, for the model's card."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        said["readers"] = len(self.readers)
        return {**said, "seen": self.seen.name} if self.seen else said

    @property
    def networks(self) -> int:
        """How many networks are trained and averaged on the embedded model's trunk."""
        if self.seeds is not None:
            return self.seeds
        return 3 if self.start is None else 1

    def on_trunk(self) -> Plan:
        """Return the plan for the embedded model's trunk."""
        name = "judge" if self.start is None else "judge_continued"
        return named_plan(name, epochs=self.epochs, rate=self.rate, seed=self.seed)

    def on_encoder(self) -> Plan:
        """Return the plan for an encoder of its own."""
        if self.seeds not in {None, 1}:
            raise SpecError(f"{self.seeds} seeds; networks are averaged on the embedded model's trunk alone")
        name = "judge_encoder" if self.preset is None else self.preset
        return named_plan(name, epochs=self.epochs, rate=self.rate, seed=self.seed)


def read_data(
    data: Path, *, split: bool = True, report: Callable[[str], None] = lambda _: None
) -> dict[str, list[JudgeRow]]:
    """Read what `qassay build judge` wrote, or a file of judged answers, which is split by question.

    Without `split` a side of the file may be empty.
    """
    if data.is_dir():
        return read_sides(data, read_rows, (TRAIN, DEV))
    rows: dict[str, list[JudgeRow]] = {TRAIN: [], DEV: []}
    left_out: Counter[str] = Counter()
    for row in answers(data, np.random.default_rng(0), left_out):
        rows[side_of(row)].append(row)
    if not any(rows.values()):
        raise DataError('no answer has both a candidate and a "judgement" from 0 (wrong) to 1 (right)', data)
    for reason, count in left_out.items():
        report(f"left out: {reason}: {count}")
    for side, found in rows.items():
        if split and not found:
            raise DataError(f"no judged answer fell to the {side} side of the split; judge more of them", data)
    return rows


def train_from_files(
    base: str, data: Path, folder: Path, how: JudgeOptions, *, report: Callable[[str], None] = lambda _: None
) -> Outcome:
    """Train a judge and write it with its layer as a model folder.

    With `mini` as base the embedded network stays and the layer alone is fitted. With all-MiniLM-L6-v2 a network is
    trained on the embedded model's trunk, which runs without torch. Any other encoder is trained as a whole.
    """
    trunk = base != EMBEDDED and is_trunk(base)
    for name in ("folds", "polish", "readers", "start"):
        if getattr(how, name) not in {None, 0, ()} and not trunk:
            raise SpecError(f"{option(name)} is for networks on all-MiniLM-L6-v2's trunk alone; leave it out")
    start = None if how.start is None else _judge_to_continue(how, how.start)
    extra = Extra(how.folds, how.polish, in_fold_order(how.readers), start)
    rows = read_data(data, split=base != EMBEDDED, report=report)
    if base == EMBEDDED:
        outcome = fit_embedded([*rows[TRAIN], *rows[DEV]], folder, seen=how.seen, data=data)
    elif trunk:
        reached = train_on_trunk(
            local_folder(parse_ref(base)),
            rows,
            folder,
            how.on_trunk(),
            seeds=how.networks,
            extra=extra,
            device=how.device,
            seen=how.seen,
            data=data,
            report=report,
        )
        outcome = Outcome(reached)
    else:
        outcome = Outcome(_train_on_encoder(base, rows, folder, how, data=data, report=report))
    measured = {
        f"{each.source}, {name}": value
        for each in outcome.reached
        for name, value in asdict(each).items()
        if isinstance(value, float)
    }
    write_card(folder, "A judge", base, plan=how.to_dict(), measured=measured, data=data, curves=False)
    return outcome


def _judge_to_continue(how: JudgeOptions, start: str) -> Path:
    """Return the folder of the judge that is trained on, once all that it needs is known to be there."""
    if how.folds:
        raise SpecError(
            f"the judge of {option('start')} has seen rows that {option('folds')} must judge unseen; "
            "leave one of them out"
        )
    folder = parse_ref(start).folder
    stored_weights(folder, how.on_trunk().trunk_depth)
    JudgeLayer.read(folder)
    return folder


def fit_embedded(
    rows: Sequence[JudgeRow], folder: Path, *, seen: Path | None = None, data: Path | None = None
) -> Outcome:
    """Fit the embedded judge's layer to rows, and write it with the embedded network as a model folder."""
    output_folder.check_head(folder, output_folder.JUDGE)
    check_rows(rows, path=data)
    start = JudgeLayer.read(EMBEDDED_FOLDER)
    measured = _measured(rows, EMBEDDED, seen)
    layer = tune(measured, start)
    reached, embedded = (_reached(measured, found) for found in (cross_tuned(measured, start), logits(start, measured)))
    with output_folder.filled(folder) as place:
        output_folder.copy_others(folder, place, output_folder.JUDGE)
        output_folder.copy_embedded(place, output_folder.JUDGE)
        layer.write(place)
    return Outcome(reached, embedded, kept=layer == start)


def _train_on_encoder(
    base: str,
    rows: Mapping[str, Sequence[JudgeRow]],
    folder: Path,
    how: JudgeOptions,
    *,
    data: Path,
    report: Callable[[str], None],
) -> list[Reached]:
    output_folder.check_encoders(folder, READER, layered=True, base=output_folder.folder_of(base))
    check_rows(rows[DEV], *_development(data))
    with output_folder.filled(folder) as place:
        train_on_encoder(base, rows, place, how.on_encoder(), device=how.device, report=report)
        layer, reached = fit_from_rows(rows[DEV], place, seen=how.seen)
        layer.write(place)
    return reached


def _development(data: Path | None) -> tuple[str, Path | None]:
    """Return what the rows are that a layer is fitted on, and where they lie."""
    file = data / f"{DEV}.jsonl" if data and data.is_dir() else data
    return "the rows of the development side, on which the layer is fitted,", file


def train_on_trunk(
    base: Path,
    rows: Mapping[str, Sequence[JudgeRow]],
    folder: Path,
    plan: Plan,
    *,
    seeds: int = 3,
    extra: Extra = NOTHING,
    device: str = "cpu",
    seen: Path | None = None,
    data: Path | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> list[Reached]:
    """Train a judge on the embedded model's trunk, and fit its layer on rows that its network has not seen.

    Those are the development rows. With folds every row has opinions of networks that have not seen it, so that the
    network and the layer both learn from all of them. With a judge to start from, its layer is drawn to the
    development rows as far as they can show. `data` is where the rows come from.
    """
    output_folder.check_head(folder, output_folder.JUDGE, base=base)
    taught, weighed = rows[TRAIN], rows[DEV]
    if extra.folds:
        taught = [*rows[TRAIN], *rows[DEV]]
        weighed = sampled(taught)
        check_rows(weighed, path=data)
    else:
        check_rows(weighed, *_development(data))
    with output_folder.filled(folder) as place:
        output_folder.copy_others(folder, place, output_folder.JUDGE)
        opinions = export_network(
            base, taught, place, plan, seeds=seeds, device=device, extra=extra, asked=weighed, report=report
        )
        if extra.start is not None:
            layer, reached = _tuned_from_rows(weighed, place, JudgeLayer.read(extra.start), seen, extra.readers)
        else:
            layer, reached = fit_from_rows(weighed, place, seen=seen, opinions=opinions, readers=extra.readers)
        layer.write(place)
    return reached


def fit_from_rows(
    rows: Sequence[JudgeRow],
    folder: Path,
    *,
    seen: Path | None = None,
    opinions: UnseenLogits | None = None,
    readers: Sequence[str] = (),
) -> tuple[JudgeLayer, list[Reached]]:
    """Fit the layer of a folder's judge on rows that it was not trained on, and say how well it does.

    On rows that it was trained on, `opinions` of other networks stand in for its own; what they assert is as `readers`
    find it, each trained without a fold of the questions.
    """
    measured = _measured(rows, str(folder), seen, opinions, readers)
    return fit(measured), _reached(measured, cross_fitted(measured))


def _tuned_from_rows(
    rows: Sequence[JudgeRow], folder: Path, start: JudgeLayer, seen: Path | None, readers: Sequence[str]
) -> tuple[JudgeLayer, list[Reached]]:
    """Fit an earlier judge's layer to rows that the folder's network was not trained on."""
    measured = _measured(rows, str(folder), seen, readers=readers)
    return tune(measured, start), _reached(measured, cross_tuned(measured, start))


def _measured(
    rows: Sequence[JudgeRow],
    model: str,
    seen: Path | None,
    opinions: UnseenLogits | None = None,
    readers: Sequence[str] = (),
) -> RowSignals:
    metric = create(f"ava,model={model}")
    if not isinstance(metric, Ava):
        raise ModelError(f"{model} is no judge's folder")
    known = {group_of(pair.question) for pair in read_json_lines(seen, JudgedPair)} if seen else set()
    line = np.repeat(np.arange(len(rows)), [len(row.references) for row in rows])
    parts = []
    for numbers, resources in readings([row.question for row in rows], readers):
        some = [rows[i] for i in numbers.tolist()]
        own = None if opinions is None else opinions.at(np.isin(line, numbers))
        if some:
            parts.append(measure(some, metric, seen=known, resources=resources, opinions=own))
    return together(parts)


def _reached(measured: RowSignals, logit: Floats) -> list[Reached]:
    scores = probability(logit)
    lines = []
    for source in np.unique(measured.source).tolist():
        # Between right and wrong there is no verdict to compare with.
        chosen = (measured.source == source) & np.isin(measured.label, (0.0, 1.0))
        if not chosen.any():
            continue
        found = classify(scores[chosen], measured.label[chosen], 0.5)
        error = calibrate(scores[chosen], measured.label[chosen]).error
        lines.append(Reached(str(source), found.n, found.accuracy, found.f1, found.auc, error))
    return lines
