"""A judge whose ratings stand in a column, against the people who rated the same items."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.errors import DataError, place_of_line
from qassay.io.parsing.delimited import delimiter_of, header, records
from qassay.io.parsing.json_rows import DECODING_ERRORS, decode_row, explain
from qassay.io.parsing.read_context import ReadContext, ReadOptions
from qassay.io.source import Source
from qassay.meta.agreement.cleaning import report_annotators
from qassay.meta.agreement.krippendorff import Measurement, krippendorff_alpha
from qassay.meta.agreement.ratings import Ratings
from qassay.records import Example

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from qassay.meta.agreement.cleaning import AnnotatorReport
    from qassay.meta.agreement.krippendorff import Alpha
    from qassay.meta.agreement.rating_rows import Columns, Item
    from qassay.meta.agreement.ratings import Scale
    from qassay.meta.judge_column import JudgeColumn


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """One judge against people, on the items that both rated."""

    judge: str
    report: AnnotatorReport
    """The judge against the mean of the people."""
    alpha_people: Alpha
    """Among the people, on these items."""
    alpha_with_judge: Alpha
    """With the judge as one more annotator."""
    unmatched: int = 0
    """Items that people rated and the judge did not."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `agree --json` prints them."""
        report = {name: value for name, value in asdict(self.report).items() if name not in {"annotator", "removed"}}
        alphas = {"alpha_people": asdict(self.alpha_people), "alpha_with_judge": asdict(self.alpha_with_judge)}
        return {"judge": self.judge, **report, **alphas, "unmatched": self.unmatched}


def compare_judge(
    people: Ratings,
    column: JudgeColumn,
    by_item: Mapping[Item, float],
    measurement: Measurement = Measurement.INTERVAL,
    *,
    draws: int = 1000,
    seed: int = 0,
) -> JudgeAgreement:
    """Compare a judge with people: the judge's ratings do not enter the people's own agreement or judgements."""
    found = [by_item.get(item, by_item.get((item[0], ""))) for item in people.items]
    rated = [at for at, value in enumerate(found) if value is not None]
    if not rated:
        raise DataError(
            f'{column.spec} has no value for any item that people rated; the first of these is "{people.items[0][0]}"'
        )
    rows = np.flatnonzero(np.isin(people.item, rated)).tolist()
    items = [people.items[people.item[row]] for row in rows]
    names = [people.annotators[people.annotator[row]] for row in rows]
    values = people.value[rows].tolist()
    same = Ratings.build(items, names, values)
    joined = Ratings.build(
        [*items, *(people.items[at] for at in rated)],
        [*names, *[column.spec] * len(rated)],
        [*values, *(found[at] for at in rated)],
    )

    def alpha(ratings: Ratings) -> Alpha:
        return krippendorff_alpha(ratings, measurement, draws=draws, rng=np.random.default_rng(seed))

    report = next(each for each in report_annotators(joined) if each.annotator == column.spec)
    return JudgeAgreement(column.spec, report, alpha(same), alpha(joined), len(people.items) - len(rated))


def read_judge(
    paths: Sequence[str | Path], column: JudgeColumn, columns: Columns, scale: Scale | None = None
) -> dict[Item, float]:
    """Read a judge's value of each item from a column of ratings or answers, which may repeat it in several rows.

    A judge with a scale of its own is moved to that of the people, where theirs is stated.
    """
    places: dict[Item, tuple[float, str]] = {}
    for path in paths:
        source = Source.at(path)
        try:
            examples = list(_examples(source, columns))
        finally:
            source.close()
        for place, example in examples:
            (value,) = column.values([example]).tolist()
            item = example.id, example.system
            if np.isnan(value):
                continue
            known = places.setdefault(item, (value, place))
            if known[0] != value:
                raise DataError(
                    f'{column.spec} is {value:g} for "{example.id}" here and {known[0]:g} at {known[1]}; keep one',
                    place,
                )
    low, high = scale if scale is not None and column.scale is not None else (0.0, 1.0)
    return {item: low + value * (high - low) for item, (value, _) in places.items()}


def _examples(source: Source, columns: Columns) -> Iterator[tuple[str, Example]]:
    for line, row in _rows(source):
        id_ = row.get(columns.item)
        if id_ is not None:
            system = str(row.get(columns.system) or "")
            yield place_of_line(source.name, line), Example(str(id_), "", (), None, system, extra=row)


def _rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    extension = source.stem.removesuffix(".gz").removesuffix(".zst").rpartition(".")[2].lower()
    if extension in {"csv", "tsv"}:
        reading = records(source, ReadContext(ReadOptions(can_skip=False)), delimiter_of(extension))
        names = header(reading, source)
        yield from ((line, dict(zip(names, cells, strict=True))) for line, cells in reading)
        return
    for first, lines in source.line_batches():
        for number, line in enumerate(lines, first):
            try:
                yield number, decode_row(line)
            except DECODING_ERRORS as error:
                if line and not line.isspace():
                    raise DataError(explain(line, error), source.name, number) from error
