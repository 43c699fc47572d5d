"""Building keyphrase training data: many sources into one format, split 9:1 with nothing on both sides."""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from qassay.errors import DataError, SpecError
from qassay.training.files import write_rows
from qassay.training.held_back import held_back
from qassay.training.judged_pairs import JudgedPair
from qassay.training.keyphrase import answers as answer_sources
from qassay.training.keyphrase import spans as span_sources
from qassay.training.keyphrase.rows import KeyphraseRow, question_key
from qassay.training.source_files import read_text

Reader = Callable[[Path, str], Iterator[KeyphraseRow]]

FORMATS: dict[str, Reader] = {
    "squad": span_sources.squad,
    "hotpot": span_sources.hotpot,
    "qamr": span_sources.qamr,
    "evouna": span_sources.evouna,
    "msmarco": span_sources.msmarco,
    "trecqa": span_sources.trecqa,
    "qed": span_sources.qed,
    "sentences": span_sources.answer_sentences,
    "boolq": answer_sources.boolq,
    "pubmedqa": answer_sources.pubmedqa,
    "mcscript": answer_sources.mcscript,
    "multirc": answer_sources.multirc,
}

JUDGED = "judged.jsonl"
NONE_STATED = "none stated"
NATURAL_QUESTIONS = frozenset({"evouna", "qed"})
"""Formats whose questions are Natural Questions, a tenth of which the judge's final test keeps for itself."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to build from: its format, where it lies, the name its rows carry and its stated licence."""

    format: str
    path: Path
    name: str = ""
    licence: str = NONE_STATED

    def rows(self) -> Iterator[KeyphraseRow]:
        """Read the file's rows."""
        if self.format not in FORMATS:
            raise SpecError(f'"{self.format}" is not a data format; there are {", ".join(FORMATS)}')
        return FORMATS[self.format](self.path, self.name or self.format)


def parse_source(text: str) -> Source:
    """Read `format:path`, as in `squad:dev-v1.1.json`."""
    kind, colon, path = text.partition(":")
    if not colon or kind not in FORMATS:
        raise SpecError(f'"{text}" is not FORMAT:FILE with a format among {", ".join(FORMATS)}')
    return Source(kind, Path(path), licence=LICENCES[kind])


def embedded_recipe(folder: Path) -> list[Source]:
    """List what the embedded model is trained on, in the folder that holds the public training sets."""
    return [Source(kind, folder / path, name, licence) for kind, path, name, licence in _RECIPE]


_RECIPE = (
    ("squad", "squad/dev-v1.1.json", "squad", "CC BY-SA 4.0"),
    ("squad", "squad/dev-v2.0.json", "squad", "CC BY-SA 4.0"),
    ("squad", "squad/train-v2.0.first10articles.json", "squad", "CC BY-SA 4.0"),
    ("squad", "squad/xquad.en.json", "squad", "CC BY-SA 4.0"),
    ("hotpot", "hotpotqa/hipporag_hotpotqa_train_100.json", "hotpotqa", "MIT"),
    ("hotpot", "hotpotqa/hotpot_dev_distractor_subset.json", "hotpotqa", "MIT"),
    ("qamr", "qamr/filtered_dev.tsv", "qamr", "MIT"),
    ("qamr", "qamr/filtered_test.tsv", "qamr", "MIT"),
    ("evouna", "evouna/NQ.json", "evouna", "Apache-2.0"),
    ("qed", "qed/qed-dev.jsonlines", "qed", "CC BY-SA 3.0"),
    ("pubmedqa", "pubmedqa/ori_pqal.json", "pubmedqa", "MIT"),
    ("trecqa", "trecqa/TRAIN.xml", "trecqa", NONE_STATED),
    ("trecqa", "trecqa/DEV.xml", "trecqa", NONE_STATED),
    ("sentences", "qadialog/qa_to_sentence.jsonl", "qadialog", NONE_STATED),
    ("boolq", "boolq/dev.jsonl", "boolq", NONE_STATED),
    ("mcscript", "mcscript/train-data.xml", "mcscript", NONE_STATED),
    ("multirc", "multirc/train.jsonl", "multirc", NONE_STATED),
    ("multirc", "multirc/val.jsonl", "multirc", NONE_STATED),
)


LICENCES = {kind: licence for kind, _, _, licence in _RECIPE} | {"msmarco": "MIT"}
"""What the sources of each format state."""


class _Licensed(Protocol):
    @property
    def licence(self) -> str: ...


Stated = TypeVar("Stated", bound=_Licensed)


def licensed(sources: Iterable[Stated], left_out: Counter[str]) -> list[Stated]:
    """Return the sources that state a licence, and count the others."""
    chosen = []
    for source in sources:
        if source.licence == NONE_STATED:
            left_out["file without a stated licence"] += 1
        else:
            chosen.append(source)
    return chosen


def nothing_left(left_out: Mapping[str, int]) -> DataError:
    """Say that no row has come of the sources, and why."""
    reasons = ", ".join(f"{reason}: {count}" for reason, count in left_out.items())
    return DataError(f"no row is left to build from; left out: {reasons or 'nothing, the files hold none'}")


def questions_in(paths: Iterable[Path]) -> set[str]:
    """Collect the question texts of evaluation files, so that training can leave them out.

    Reads JSON lines, CSV and TSV with a `question` column (any case), and TREC-QA's tagged text.
    """
    return {key for path in paths for question in _questions(path) if (key := question_key(question))}


def _questions(path: Path) -> Iterator[str]:
    text = read_text(path)
    if path.suffix == ".xml":
        lines = text.splitlines()
        yield from (" ".join(following.split("\t")) for tag, following in pairwise(lines) if tag == "<question>")
    elif path.suffix == ".jsonl":
        for line in text.splitlines():
            yield from _values_named_question(json.loads(line))
    else:
        # WikiQA's test file holds stray quotation marks; in a CSV file they quote.
        file = io.StringIO(text, newline="")
        rows = (
            csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            if path.suffix == ".tsv"
            else csv.DictReader(file)
        )
        column = next((name for name in rows.fieldnames or () if name.casefold() == "question"), None)
        if column is None:
            raise DataError('there is no column "question"', path, 1)
        yield from (row[column] or "" for row in rows)


def _values_named_question(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in node.items():
            if name.casefold() == "question" and isinstance(value, str):
                yield value
            else:
                yield from _values_named_question(value)
    elif isinstance(node, list):
        for value in node:
            yield from _values_named_question(value)


@dataclass(slots=True)
class KeyphraseData:
    """Rows split for training, with what was left out and why."""

    train: list[KeyphraseRow]
    dev: list[KeyphraseRow]
    sources: list[Source]
    left_out: Counter[str] = field(default_factory=Counter)
    judged: list[JudgedPair] = field(default_factory=list)
    """Judged answers to train on besides, where there are any."""

    def counts(self) -> dict[str, dict[str, int]]:
        """Count rows by source and side."""
        sides = {"train": Counter(row.source for row in self.train), "dev": Counter(row.source for row in self.dev)}
        names = sorted({name for side in sides.values() for name in side})
        return {name: {side: counted[name] for side, counted in sides.items()} for name in names}

    def judged_counts(self) -> dict[str, int]:
        """Count judged answers by source."""
        return dict(sorted(Counter(pair.source for pair in self.judged).items()))

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl` and `sources.json` (files with checksums, licences, counts).

        Judged answers go to `judged.jsonl`.
        """
        folder.mkdir(parents=True, exist_ok=True)
        write_rows(folder / "train.jsonl", self.train)
        write_rows(folder / "dev.jsonl", self.dev)
        if self.judged:
            write_rows(folder / JUDGED, self.judged)
        files = [
            {**asdict(source), "path": source.path.name, "sha256": _digest(source.path)} for source in self.sources
        ]
        counts = {"rows": self.counts(), "judged": self.judged_counts(), "left_out": dict(self.left_out)}
        report = {"files": files, **counts}
        (folder / "sources.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def build(
    sources: Sequence[Source],
    *,
    rng: np.random.Generator,
    held_out: Iterable[str] = (),
    licensed_only: bool = False,
    dev_share: float = 0.1,
) -> KeyphraseData:
    """Read all sources and split them by group, leaving out the questions of `held_out` (texts or keys).

    Rows that share a group or a question are kept on one side, through any chain of such links, so that neither an
    article nor a question is ever in both. The same question and answer twice count once.
    """
    left_out: Counter[str] = Counter()
    chosen = licensed(sources, left_out) if licensed_only else list(sources)
    excluded = {question_key(question) for question in held_out}
    kept: dict[tuple[str, str], KeyphraseRow] = {}
    for source in chosen:
        for row in source.rows():
            key = (question_key(row.question), row.answer)
            if key[0] in excluded:
                left_out["question of an evaluation set"] += 1
            elif source.format in NATURAL_QUESTIONS and held_back(row.question):
                left_out["question held back for the judge's final test"] += 1
            elif not key[0]:
                left_out["no question"] += 1
            elif key in kept:
                left_out["repeated"] += 1
            else:
                kept[key] = row
    rows = list(kept.values())
    if not rows:
        raise nothing_left(left_out)
    dev = _dev_groups(rows, rng, dev_share)
    sides: tuple[list[KeyphraseRow], list[KeyphraseRow]] = ([], [])
    for row, is_dev in zip(rows, dev, strict=True):
        sides[is_dev].append(row)
    return KeyphraseData(train=sides[0], dev=sides[1], sources=chosen, left_out=left_out)


def _dev_groups(rows: Sequence[KeyphraseRow], rng: np.random.Generator, share: float) -> list[bool]:
    """Choose groups for the dev side, source by source, until each source has its share of rows there."""
    roots = linked([(row.group, f"question:{question_key(row.question)}") for row in rows])
    members: dict[str, list[int]] = {}
    for index, root in enumerate(roots):
        members.setdefault(root, []).append(index)
    wanted = {source: share * count for source, count in Counter(row.source for row in rows).items()}
    placed: Counter[str] = Counter()
    is_dev = [False] * len(rows)
    names = sorted(members)
    for position in rng.permutation(len(names)):
        group = members[names[position]]
        found = Counter(rows[index].source for index in group)
        # The whole group must fit, so that one large article does not swallow a source's dev share many times over.
        if all(placed[source] + count <= wanted[source] + 1 for source, count in found.items()):
            placed += found
            for index in group:
                is_dev[index] = True
    return is_dev


def linked(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """Return each item the name of its cluster: items that share any key are in one (union-find)."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for first, *others in keys:
        for other in others:
            parent[root(other)] = root(first)
    return [root(first) for first, *_ in keys]
