"""Fitting the judge's last step: a logistic layer over signals, on answers that the judge was not trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from qassay.errors import DataError
from qassay.features.batch import Batch
from qassay.features.token_views import token_view
from qassay.metrics.learned.asserted_signals import ABSTAINING, COMPARED, PREFIX
from qassay.metrics.learned.signals import JUDGE, LEXICAL, MEANING, Signals, most_sure
from qassay.models.onnx.judge_layer import BIAS, Coefficients, JudgeLayer, probability, shortness
from qassay.records import Example, Reference
from qassay.training.assertions.compose import COMPOSERS
from qassay.training.judge.judged import ANSWERS
from qassay.training.splits import folds_of, sample

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from qassay.arrays import Bools, Floats, Ints
    from qassay.features.resources import Resources
    from qassay.metrics.learned.ava import Ava
    from qassay.training.judge.rows import JudgeRow

MIDDLE, WIDTH = 6.0, 1.5
"""A reference of six tokens is half short, half long."""
THRESHOLD = 0.5

SHORT = (JUDGE, *LEXICAL, *MEANING, *(f"{PREFIX}{name}" for name in COMPARED), *ABSTAINING)
LONG = (
    JUDGE,
    "found",
    "numbers missing",
    "dates differ",
    "negation differs",
    "yes against no",
    "refusal",
    "key words",
    "key meaning",
    *(name for name in ABSTAINING if name != "asserts several"),
)
"""Which signals count against short and against long references. Keyphrase weights matter in sentences; the keyphrase
head was trained on most answers with short references at hand, so that their worth there could not be told. Against
long references there are few signals: more of them are better on known sources and worse on new ones."""

OTHERS = ("relation", "direction", "verb", "comparison", "polarity", "opinion")
"""What is composed of names and opinions, besides what is composed of facts."""
WEIGHTS = {
    "evouna": 20.0,
    "efficientqa": 1.0,
    "sas": 0.5,
    "sas_squad": 0.5,
    "multirc": 0.5,
    "narrativeqa": 0.5,
    "boolq": 0.3,
    "pubmedqa": 0.2,
    "evouna_sentences": 2.0,
    "sciEntsBank": 1.0,
    "beetle": 2.0,
    "trecqa": 1.0,
    "wikiqa": 1.0,
    ANSWERS: 1.0,
    "written": 0.8,
    "written_everyday": 0.8,
    "abstention": 0.03,
    **{f"composed_{name}": 0.03 for name in (*COMPOSERS, *OTHERS)},
}
"""How much each source counts, whatever its number of rows."""
_MADE = frozenset(name for name in WEIGHTS if name.startswith(("composed_", "written", "abstention")))
_MADE_AGAINST_LONG = 0.02
"""How much composed and written answers count against long references, where people's verdicts say more."""

FOLDS = 5
ROUNDS = 3
_NEWTON_STEPS = 8
_AT_ONCE = 256
_MOST = 12_500
"""Rows of a source."""


@dataclass(slots=True)
class RowSignals:
    """The signals of rows, one line for each candidate held against each reference."""

    names: tuple[str, ...]
    values: Floats
    row: Ints
    """The row that each line belongs to."""
    lengths: Ints
    """Tokens of each line's reference."""
    label: Floats
    """One a row, as the three that follow."""
    source: NDArray[np.str_]
    group: NDArray[np.str_]
    seen: Bools
    """Whether the keyphrase head was trained on judged answers to the row's question."""
    new_source: Floats | None = None
    """The logit of each line from a network that was trained without the row's source, where there is one."""


class UnseenLogits(NamedTuple):
    """The logits of pairs from networks that were not trained on them."""

    questions: Floats
    """From networks that have not seen the question."""
    sources: Floats
    """From networks that have seen nothing of the source's kind; as `questions` where there is none."""

    def at(self, pairs: Bools) -> UnseenLogits:
        """Return those of some pairs."""
        return UnseenLogits(self.questions[pairs], self.sources[pairs])


def together(parts: Sequence[RowSignals]) -> RowSignals:
    """Return the rows of all parts, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    first = np.cumsum([0, *(len(part.label) for part in parts)])
    return RowSignals(
        parts[0].names,
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.row + start for part, start in zip(parts, first, strict=False)]),
        np.concatenate([part.lengths for part in parts]),
        np.concatenate([part.label for part in parts]),
        np.concatenate([part.source for part in parts]),
        np.concatenate([part.group for part in parts]),
        np.concatenate([part.seen for part in parts]),
        None
        if any(part.new_source is None for part in parts)
        else np.concatenate([part.new_source for part in parts if part.new_source is not None]),
    )


def check_rows(rows: Sequence[JudgeRow], what: str = "the rows", path: Path | None = None) -> None:
    """Stop, before a network is trained in vain, at rows from which no layer can be fitted and measured.

    `what` they are and the file that they come from are part of the message.
    """
    counting = [row for row in rows if row.source in WEIGHTS]
    if not counting:
        raise DataError(f"no row is of a source that a layer is fitted on ({', '.join(WEIGHTS)})", path)
    label = np.array([row.label for row in counting])
    fold = folds_of([row.group for row in counting], FOLDS)
    for number in range(FOLDS):
        _check_labels(label[fold != number], what, path)


def sampled(rows: Sequence[JudgeRow]) -> list[JudgeRow]:
    """Draw as many rows of each source that counts as a layer can use."""
    return sample([row for row in rows if row.source in WEIGHTS], _MOST, np.random.default_rng(0))


def measure(
    rows: Sequence[JudgeRow],
    metric: Ava,
    *,
    seen: Collection[str],
    resources: Resources,
    opinions: UnseenLogits | None = None,
) -> RowSignals:
    """Calculate the signals; `seen` holds the groups whose judged answers the keyphrase head knows.

    Pairs are judged as in scoring, in the same terms. `opinions` are logits of other networks on the pairs as they are
    written, one per line, in place of the judge's own.
    """
    values, owners, lengths = [], [], []
    names: tuple[str, ...] = ()
    line = 0
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        batch = Batch([_example(row, start + number) for number, row in enumerate(some)], resources)
        last = line + len(batch.pairs.example)
        if opinions is None:
            signals = _signals(metric, batch)
        else:
            signals = metric.pair_signals(batch, batch.pairs, opinions.questions[line:last])
        line = last
        names = signals.names
        values.append(signals.values)
        owners.append(batch.pairs.example + start)
        lengths.append(token_view(batch, "squad").tokens.lengths[batch.reference[batch.pairs.reference]])
    return RowSignals(
        names,
        np.concatenate(values),
        np.concatenate(owners),
        np.concatenate(lengths),
        np.array([row.label for row in rows]),
        np.array([row.source for row in rows]),
        np.array([row.group for row in rows]),
        np.array([row.group in seen for row in rows], bool),
        None if opinions is None else most_sure(opinions.sources),
    )


def _signals(metric: Ava, batch: Batch) -> Signals:
    sides = [
        (side.rows, metric.pair_signals(side.batch, side.pairs)) for side in metric.judged_pairs(batch, batch.pairs)
    ]
    values = np.concatenate([signals.values for _, signals in sides])
    values[np.concatenate([places for places, _ in sides])] = values.copy()
    return Signals(sides[0][1].names, values)


def _example(row: JudgeRow, number: int) -> Example:
    references = tuple(Reference(text) for text in row.references)
    return Example(id=str(number), question=row.question, references=references, candidate=row.candidate)


def fit(
    measured: RowSignals,
    *,
    weights: Mapping[str, float] | None = None,
    strength: float = 0.1,
    rows: Bools | None = None,
) -> JudgeLayer:
    """Fit the layer so that the reference which fits a candidate best is the one that counts.

    The choice of that reference follows from the layer itself, so that both are found in turns, from the network's
    choice on. Lines with a long reference whose question the keyphrase head has seen are left out: there its weights
    know the answer. `rows` says which rows may be used; `strength` is the inverse of the penalty on coefficients.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - extra `train`

    shares = WEIGHTS if weights is None else weights
    if rows is not None:
        measured = _some_rows(measured, rows)
    measured = with_new_sources(measured)
    short = shortness(measured.lengths, MIDDLE, WIDTH)
    usable = usable_lines(measured, short, shares)
    design, columns = design_of(measured, short)
    scores = measured.values[:, measured.names.index(JUDGE)]
    coefficients = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        chosen = best_lines(measured.row, scores)
        chosen = chosen[usable[chosen]]
        label = measured.label[measured.row[chosen]]
        _check_labels(label)
        share = _row_weights(measured.source[measured.row[chosen]], shares) * _line_weights(measured, short)[chosen]
        scale = np.sqrt((design[chosen] ** 2).mean(axis=0)) + 1e-9
        machine = LogisticRegression(C=strength, max_iter=5000, fit_intercept=False)
        machine.fit(
            np.concatenate([design[chosen] / scale] * 2),
            np.repeat([1, 0], len(chosen)),
            sample_weight=np.concatenate([label * share, (1 - label) * share]),
        )
        coefficients = machine.coef_[0] / scale
        scores = design @ coefficients
    constants = [place for place, (name, _) in enumerate(columns) if name == BIAS]
    coefficients[constants] += _balance(measured, design[:, constants], scores, usable, shares)
    found: dict[str, list[float]] = {}
    for (name, side), value in zip(columns, coefficients.tolist(), strict=True):
        found.setdefault(name, [0.0, 0.0])[side] = round(value, 4)
    return JudgeLayer({name: Coefficients(*pair) for name, pair in found.items()}, MIDDLE, WIDTH, THRESHOLD)


def with_new_sources(measured: RowSignals) -> RowSignals:
    """Return the lines, and those with a long reference once more with the logit of a network new to the source.

    A network knows the sources that it was trained on: fitted on those alone, the layer trusts it too much elsewhere.
    """
    if measured.new_source is None:
        return measured
    again = np.flatnonzero(shortness(measured.lengths, MIDDLE, WIDTH) <= 0.5)  # noqa: PLR2004 - more long than short
    values = measured.values[again]
    values[:, measured.names.index(JUDGE)] = measured.new_source[again]
    rows, row = np.unique(measured.row[again], return_inverse=True)
    return RowSignals(
        measured.names,
        np.concatenate([measured.values, values]),
        np.concatenate([measured.row, row + len(measured.label)]),
        np.concatenate([measured.lengths, measured.lengths[again]]),
        *(
            np.concatenate([each, each[rows]])
            for each in (measured.label, measured.source, measured.group, measured.seen)
        ),
    )


def _some_rows(measured: RowSignals, rows: Bools) -> RowSignals:
    """Return the lines of some rows; the rows keep their numbers."""
    lines = rows[measured.row]
    return replace(
        measured,
        values=measured.values[lines],
        row=measured.row[lines],
        lengths=measured.lengths[lines],
        new_source=None if measured.new_source is None else measured.new_source[lines],
    )


def _balance(measured: RowSignals, sides: Floats, scores: Floats, usable: Bools, shares: Mapping[str, float]) -> Floats:
    """Return what to add to the two constants so that people's verdicts are met on average.

    Composed and written answers are right in half of the cases, people's systems far more often: the made ones teach
    the signals' coefficients, and people's rows alone the constants. `sides` says how much each counts in a line.
    """
    made = np.array([source in _MADE for source in measured.source.tolist()], bool)
    chosen = best_lines(measured.row, scores)
    chosen = chosen[usable[chosen] & ~made[measured.row[chosen]]]
    label = measured.label[measured.row[chosen]]
    share = _row_weights(measured.source[measured.row[chosen]], shares)
    added = np.zeros(sides.shape[1])
    for _ in range(_NEWTON_STEPS):
        right = probability(scores[chosen] + sides[chosen] @ added)
        slope = sides[chosen].T @ (share * (label - right))
        bend = sides[chosen].T @ (sides[chosen] * (share * right * (1 - right))[:, None])
        added += np.linalg.solve(bend + np.eye(len(added)), slope - added)
    return added


def _check_labels(label: Floats, what: str = "the rows", path: Path | None = None) -> None:
    if not len(label) or label.min() >= 1 or label.max() <= 0:
        raise DataError(
            f"{what} are all right or all wrong, at least without a fifth of the questions; a layer needs both: "
            "judge more answers",
            path,
        )


def usable_lines(measured: RowSignals, short: Floats, sources: Collection[str] = tuple(WEIGHTS)) -> Bools:
    """Return which lines a layer can be fitted on: of these sources, and nothing that the keyphrase head knows."""
    unseen = ~measured.seen[measured.row] | (short > 0.5)  # noqa: PLR2004 - more short than long
    return np.asarray(unseen & np.isin(measured.source, list(sources))[measured.row], bool)


def design_of(measured: RowSignals, short: Floats) -> tuple[Floats, list[tuple[str, int]]]:
    """Return what each coefficient is multiplied with, line by line, and the coefficients' names and sides."""
    columns = [(name, side) for side, names in enumerate((SHORT, LONG)) for name in (BIAS, *names)]
    sides = (short, 1 - short)
    ones = np.ones(len(short))
    values = [
        sides[side] * (ones if name == BIAS else measured.values[:, measured.names.index(name)])
        for name, side in columns
    ]
    return np.column_stack(values), columns


def best_lines(row: Ints, scores: Floats) -> Ints:
    """Return each row's line with the highest score."""
    order = np.lexsort((scores, row))
    return np.asarray(order[np.flatnonzero(np.diff(row[order], append=-1))], np.int64)


def _row_weights(source: NDArray[np.str_], shares: Mapping[str, float]) -> Floats:
    names, place, counts = np.unique(source, return_inverse=True, return_counts=True)
    # Five hundred rows' worth for a share of one: enough for the penalty to matter little.
    return np.asarray((500 * np.array([shares[str(name)] for name in names]) / counts)[place], np.float64)


def _line_weights(measured: RowSignals, short: Floats) -> Floats:
    made = np.array([source in _MADE for source in measured.source.tolist()], bool)[measured.row]
    return np.where(made, short + _MADE_AGAINST_LONG * (1 - short), 1.0)


def logits(layer: JudgeLayer, measured: RowSignals) -> Floats:
    """Return each row's logit: that of the reference which fits best."""
    return best_of_rows(measured, layer.parts(measured.names, measured.values, measured.lengths).sum(axis=1))


def best_of_rows(measured: RowSignals, lines: Floats) -> Floats:
    """Return each row the highest of its lines' logits."""
    best = np.full(len(measured.label), -np.inf)
    np.maximum.at(best, measured.row, lines)
    return best


def cross_fitted(measured: RowSignals, *, weights: Mapping[str, float] | None = None, strength: float = 0.1) -> Floats:
    """Return each row's logit from a layer that was fitted without the row's group (five folds by the group's hash)."""
    fold = folds_of(measured.group.tolist(), FOLDS)
    found = np.zeros(len(measured.label))
    for number in range(FOLDS):
        layer = fit(measured, weights=weights, strength=strength, rows=fold != number)
        found[fold == number] = logits(layer, measured)[fold == number]
    return found
