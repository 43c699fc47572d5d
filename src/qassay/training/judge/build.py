"""Building judge training data: judged answers and composed ones into one format, split by question."""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from qassay.errors import DataError, SpecError
from qassay.training.files import write_rows
from qassay.training.judge import composed as composed_rows
from qassay.training.judge import judged as judged_rows
from qassay.training.judge.judged import ANSWERS, BLANK
from qassay.training.judge.rows import DEV, TEST, TRAIN, JudgeRow, side_of
from qassay.training.keyphrase.build import NONE_STATED, licensed, nothing_left
from qassay.training.keyphrase.rows import question_key
from qassay.training.source_files import read_text

OWN = "your own"
"""The licence of a team's own answers."""

Reader = Callable[[Path, np.random.Generator], Iterator[JudgeRow]]

READERS: dict[str, Reader] = {
    ANSWERS: judged_rows.answers,
    "evouna": judged_rows.evouna,
    "evouna_sentences": judged_rows.evouna_sentences,
    "evouna_spans": composed_rows.evouna_spans,
    "efficientqa": judged_rows.efficientqa,
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
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file to build from, with its stated licence and the most training rows it may give."""

    reader: str
    path: Path
    licence: str = NONE_STATED
    most: int | None = None

    def rows(self, rng: np.random.Generator, left_out: Counter[str]) -> Iterator[JudgeRow]:
        """Read the file's rows; of a team's own answers, `left_out` counts those without a verdict."""
        if self.reader not in READERS:
            raise SpecError(f'"{self.reader}" is not a kind of judged data; there are {", ".join(READERS)}')
        if self.reader == ANSWERS:
            return judged_rows.answers(self.path, rng, left_out)
        return READERS[self.reader](self.path, rng)


def parse_source(text: str) -> Source:
    """Read `kind:path`, as in `evouna:NQ.json`."""
    kind, colon, path = text.partition(":")
    if not colon or kind not in READERS:
        raise SpecError(f'"{text}" is not KIND:FILE with a kind among {", ".join(READERS)}')
    return Source(kind, Path(path), LICENCES[kind])


_RECIPE: tuple[tuple[str, str, str, int | None], ...] = (
    ("evouna", "evouna/NQ.json", "Apache-2.0", None),
    ("evouna_sentences", "evouna/NQ.json", "Apache-2.0", None),
    ("evouna_spans", "evouna/NQ.json", "Apache-2.0", None),
    ("efficientqa", "nq_open/NQ-open.efficientqa.test.1.1.jsonl", "Apache-2.0", None),
    ("sas", "sas/nq_open_corrected_and_augmented.csv", "CC BY-SA 3.0", None),
    ("sas_squad", "sas/SQuAD_SAS.csv", "CC BY-SA 4.0", None),
    ("sciEntsBank", "semeval2013/semeval-3way.zip", "CC BY-SA 3.0", None),
    ("beetle", "semeval2013/semeval-3way.zip", "CC BY-SA 3.0", None),
    ("squad_predictions", "squad/dev-v1.1.json", "CC BY-SA 4.0", None),
    ("squad_predictions", "squad/dev-v2.0.json", "CC BY-SA 4.0", None),
    ("squad_annotators", "squad/dev-v1.1.json", "CC BY-SA 4.0", None),
    ("squad_spans", "squad/dev-v1.1.json", "CC BY-SA 4.0", 10_000),
    ("qed_spans", "qed/qed-dev.jsonlines", "CC BY-SA 3.0", None),
    ("qamr", "qamr/filtered_dev.tsv", "MIT", 6_000),
    ("pubmedqa", "pubmedqa/ori_pqal.json", "MIT", None),
    ("msmarco", "msmarco/dev_as_references.json", "MIT", None),
    ("multirc", "multirc/train.jsonl", NONE_STATED, None),
    ("mcscript", "mcscript/train-data.xml", NONE_STATED, 12_000),
    ("narrativeqa", "narrativeqa/train_references.jsonl", NONE_STATED, 20_000),
    ("trec_spans", "trecqa/TRAIN.xml", NONE_STATED, None),
    ("qadialog", "qadialog/qa_to_sentence.jsonl", NONE_STATED, None),
    ("qadialog_spans", "qadialog/qa_to_sentence.jsonl", NONE_STATED, 8_000),
    ("wikiqa", "wikiqa/WikiQA-train.tsv", NONE_STATED, None),
    ("boolq", "boolq/dev.jsonl", NONE_STATED, None),
    ("quoref", "contrast_sets/quoref_test_perturbations_20191206_merged.json", NONE_STATED, None),
)


LICENCES = {ANSWERS: OWN, **{reader: licence for reader, _, licence, _ in _RECIPE}}
"""What the sources of each kind state."""


def embedded_recipe(folder: Path) -> list[Source]:
    """List what the embedded judge is trained on, in the folder that holds the public training sets."""
    return [Source(reader, folder / path, licence, most) for reader, path, licence, most in _RECIPE]


def answers_in(paths: Iterable[Path]) -> set[str]:
    """Collect the reference texts of CSV files of evaluation, so that training can leave them out.

    Some training sources have no questions by which an overlap would show.
    """
    found: set[str] = set()
    for path in paths:
        rows = csv.DictReader(io.StringIO(read_text(path)))
        columns = [name for name in rows.fieldnames or () if name.casefold().startswith("reference")]
        if not columns:
            raise DataError('there is no column "reference1"', path, 1)
        found.update(question_key(row[name] or "") for row in rows for name in columns)
    return found - {""}


@dataclass(slots=True)
class JudgeData:
    """Rows by side of the split, with what was left out and why."""

    train: list[JudgeRow]
    dev: list[JudgeRow]
    test: list[JudgeRow]
    """EVOUNA's held-back questions, for the final figures alone."""
    sources: list[Source]
    left_out: Counter[str] = field(default_factory=Counter)
    disagreed: int = 0
    """Answers with several verdicts that differ, whose label is their mean."""

    def counts(self) -> dict[str, dict[str, int]]:
        """Count rows by source and side."""
        sides = {
            side: Counter(row.source for row in rows)
            for side, rows in ((TRAIN, self.train), (DEV, self.dev), (TEST, self.test))
        }
        names = sorted({name for counted in sides.values() for name in counted})
        return {name: {side: counted[name] for side, counted in sides.items()} for name in names}

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl`, `test.jsonl` and `sources.json` (files, checksums, licences, counts)."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in ((TRAIN, self.train), (DEV, self.dev), (TEST, self.test)):
            write_rows(folder / f"{name}.jsonl", rows)
        files = [
            {
                "reader": source.reader,
                "path": source.path.name,
                "licence": source.licence,
                "sha256": hashlib.sha256(source.path.read_bytes()).hexdigest(),
            }
            for source in self.sources
        ]
        report = {
            "files": files,
            "rows": self.counts(),
            "left_out": dict(self.left_out),
            "disagreed": self.disagreed,
        }
        (folder / "sources.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def build(
    sources: Sequence[Source],
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
    sides = {TRAIN: data.train, DEV: data.dev, TEST: data.test}
    verdicts: dict[_Key, list[float]] = {}
    for source in chosen:
        kept: dict[str, list[JudgeRow]] = {side: [] for side in sides}
        for row in source.rows(rng, data.left_out):
            key = _key(row)
            if key[0] in questions:
                data.left_out["question of an evaluation set"] += 1
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
