"""Building judge training data: judged answers and composed ones into one format, split by question."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from qassay.training.answer_text import question_key
from qassay.training.assertions.build import READERS as ASSERTIONS
from qassay.training.assertions.build import RowReader
from qassay.training.files import write_sides
from qassay.training.judge import composed as composed_rows
from qassay.training.judge import judged as judged_rows
from qassay.training.judge.judged import ANSWERS, BLANK
from qassay.training.judge.rows import JudgeRow, side_of
from qassay.training.sources import DataSource, counts_by_source, licensed, nothing_left
from qassay.training.sources import parse_source as parse_any
from qassay.training.splits import DEV, TEST, TRAIN

RECIPE = "judge"
Reader = Callable[[Path, np.random.Generator], Iterator[JudgeRow]]


def _verdicts(read: RowReader) -> Reader:
    """Return a reader of the judge's rows from one of assertion rows."""
    return lambda path, rng: (row.judged() for row in read(path, rng))


READERS: dict[str, Reader] = {
    ANSWERS: judged_rows.answers,
    "evouna": judged_rows.evouna,
    "evouna_sentences": judged_rows.evouna_sentences,
    "evouna_spans": composed_rows.evouna_spans,
    "efficientqa": judged_rows.efficientqa,
    "mocha": judged_rows.mocha,
    "sas": judged_rows.sas,
    "sas_squad": judged_rows.sas_squad,
    "sciEntsBank": judged_rows.sci_ents_bank,
    "beetle": judged_rows.beetle,
    "squad_predictions": judged_rows.squad_predictions,
    "squad_annotators": judged_rows.squad_annotators,
    "squad_spans": composed_rows.squad_spans,
    "qed_spans": composed_rows.qed_spans,
    "qamr": composed_rows.qamr,
    "pubmedqa": composed_rows.pubmedqa,
    "multirc": judged_rows.multirc,
    "mcscript": composed_rows.mcscript,
    "narrativeqa": composed_rows.narrativeqa,
    "msmarco": composed_rows.msmarco,
    "trec_spans": composed_rows.trec_spans,
    "qadialog": composed_rows.qadialog,
    "qadialog_spans": composed_rows.qadialog_spans,
    "wikiqa": composed_rows.wikiqa,
    "boolq": composed_rows.boolq,
    "quoref": composed_rows.quoref_contrast,
    **{name: _verdicts(read) for name, read in ASSERTIONS.items()},
}


def parse_source(text: str) -> DataSource:
    """Return the file that `kind:path` names, as in `evouna:NQ.json`."""
    return parse_any(text, RECIPE, READERS, "KIND")


def _read(source: DataSource, rng: np.random.Generator, left_out: Counter[str]) -> Iterator[JudgeRow]:
    """Yield a file's rows; of a team's own answers, `left_out` counts those without a verdict."""
    if source.format == ANSWERS:
        return judged_rows.answers(source.path, rng, left_out)
    return READERS[source.format](source.path, rng)


@dataclass(slots=True)
class JudgeData:
    """Rows by side of the split, with what was left out and why."""

    train: list[JudgeRow]
    dev: list[JudgeRow]
    test: list[JudgeRow]
    """EVOUNA's held-back questions, for the final figures alone."""
    sources: list[DataSource]
    left_out: Counter[str] = field(default_factory=Counter)
    met: set[str] = field(default_factory=set)
    """Questions of evaluation sets that the sources have, as keys."""
    disagreed: int = 0
    """Answers with several verdicts that differ, whose label is their mean."""

    @property
    def sides(self) -> dict[str, list[JudgeRow]]:
        """The rows by the name of their side."""
        return {TRAIN: self.train, DEV: self.dev, TEST: self.test}

    def counts(self) -> dict[str, dict[str, int]]:
        """Count rows by source and side."""
        return counts_by_source(self.sides)

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl`, `test.jsonl` and `sources.json` (files, checksums, licences, counts)."""
        listed = [{"reader": source.format, **source.described()} for source in self.sources]
        left_out = {"left_out": dict(self.left_out), "disagreed": self.disagreed}
        write_sides(folder, self.sides, {"files": listed, "rows": self.counts(), **left_out})


def build(
    sources: Sequence[DataSource],
    *,
    rng: np.random.Generator,
    held_out: Iterable[str] = (),
    held_out_answers: Iterable[str] = (),
    licensed_only: bool = False,
) -> JudgeData:
    """Unite the sources, leaving out the questions and the answer texts of evaluation sets.

    The split follows from the question's text (`judge_rows.side_of`), so that what shares a question shares its side
    in every build: SAS with EfficientQA, EVOUNA's answers with its sentences. Of a source with more training rows than
    it may give, whole questions are drawn. An answer counts once. What a team says of it, even of one that another
    source has judged, is part of its label, the mean of all verdicts.
    """
    left_out: Counter[str] = Counter()
    chosen = licensed(sources, left_out) if licensed_only else list(sources)
    questions = {question_key(text) for text in held_out}
    answers = {question_key(text) for text in held_out_answers}
    data = JudgeData([], [], [], chosen, left_out)
    sides = data.sides
    verdicts: dict[_Key, list[float]] = {}
    for source in chosen:
        kept: dict[str, list[JudgeRow]] = {side: [] for side in sides}
        for row in _read(source, rng, data.left_out):
            key = _key(row)
            if key[0] in questions:
                data.left_out["question of an evaluation set"] += 1
                data.met.add(key[0])
            elif not key[0] and answers and any(question_key(text) in answers for text in row.references):
                data.left_out["answer of an evaluation set"] += 1
            elif not row.candidate.strip() or not any(text.strip() for text in row.references):
                data.left_out[BLANK] += 1
            elif key in verdicts:
                data.left_out["repeated"] += 1
                if row.source == ANSWERS:
                    verdicts[key].append(row.label)
            else:
                verdicts[key] = [row.label]
                kept[side_of(row)].append(row)
        for side, rows in kept.items():
            sides[side] += _whole_groups(rows, source.most if side == TRAIN else None, rng)
    if not any(sides.values()):
        raise nothing_left(data.left_out)
    data.disagreed = sum(_label_by_mean(rows, verdicts) for rows in sides.values())
    return data


_Key = tuple[str, str, tuple[str, ...]]


def _key(row: JudgeRow) -> _Key:
    """Return what makes two rows the same answer."""
    return question_key(row.question), row.candidate, row.references


def _label_by_mean(rows: list[JudgeRow], verdicts: Mapping[_Key, Sequence[float]]) -> int:
    """Return answers on which verdicts differ the mean as their label, and count them."""
    disagreed = 0
    for number, row in enumerate(rows):
        found = verdicts[_key(row)]
        if len(set(found)) > 1:
            rows[number] = msgspec.structs.replace(row, label=sum(found) / len(found))
            disagreed += 1
    return disagreed


def _whole_groups(rows: list[JudgeRow], most: int | None, rng: np.random.Generator) -> list[JudgeRow]:
    if most is None or len(rows) <= most:
        return rows
    sizes = Counter(row.group for row in rows)
    names = sorted(sizes)
    drawn: set[str] = set()
    total = 0
    for position in rng.permutation(len(names)):
        name = names[position]
        if total + sizes[name] <= most:
            drawn.add(name)
            total += sizes[name]
    return [row for row in rows if row.group in drawn]
