"""Building the chunker's training data: chunks, parts of speech, entities, and kinds of answers."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qassay.training.chunker import sources as tagged_sources
from qassay.training.chunker.question_kinds import question_kind
from qassay.training.chunker.rows import ChunkerRow, KindRow
from qassay.training.files import write_rows
from qassay.training.keyphrase import spans as span_sources
from qassay.training.keyphrase.build import linked
from qassay.training.keyphrase.rows import KeyphraseRow, question_key
from qassay.training.splits import side_of_article

_DEV_SHARE = 0.1
_LONGEST_ANSWER = 60
"""Characters; longer answers are clauses, about which no phrase asks."""


@dataclass(slots=True)
class ChunkerData:
    """Rows for training, for choosing, and CoNLL-2000's own test part for the final figure."""

    train: list[ChunkerRow]
    dev: list[ChunkerRow]
    test: list[ChunkerRow]

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl`, `test.jsonl` and `sources.json` with the counts."""
        folder.mkdir(parents=True, exist_ok=True)
        sides = {"train": self.train, "dev": self.dev, "test": self.test}
        for name, rows in sides.items():
            write_rows(folder / f"{name}.jsonl", rows)
        counts = {name: dict(Counter(row.source for row in rows)) for name, rows in sides.items()}
        (folder / "sources.json").write_text(json.dumps({"rows": counts}, indent=1) + "\n", encoding="utf-8")


def build(folder: Path, conll: Path, *, rng: np.random.Generator, licensed_only: bool = False) -> ChunkerData:
    """Read the sources from the folder of public training sets and NLTK's CoNLL-2000 archive, and split them.

    SQuAD is split by article, as for the reader; the rest nine to one by group.
    """
    tagged: list[ChunkerRow] = list(tagged_sources.conll(conll, "train.txt", rng))
    if not licensed_only:
        for name in ("TRAIN.xml", "DEV.xml"):
            tagged.extend(tagged_sources.trecqa(folder / "trecqa" / name, rng))
    tagged.extend(_kinds(span_sources.qamr(folder / "qamr" / "filtered_dev.tsv", "qamr")))
    tagged.extend(_kinds(span_sources.qamr(folder / "qamr" / "filtered_test.tsv", "qamr")))
    train, dev = _split(tagged, rng)
    for row in _distinct(_squad_kinds(folder)):
        side = side_of_article(row.group.partition(":")[2])
        if side == "train":
            train.append(row)
        elif side == "dev":
            dev.append(row)
    return ChunkerData(train, dev, list(tagged_sources.conll(conll, "test.txt", rng)))


def _squad_kinds(folder: Path) -> Iterator[KindRow]:
    for name in ("dev-v1.1.json", "dev-v2.0.json", "train-v2.0.first10articles.json"):
        yield from _kinds(span_sources.squad(folder / "squad" / name, "squad"))


def _kinds(rows: Iterator[KeyphraseRow]) -> Iterator[KindRow]:
    for row in rows:
        kind = question_kind(row.question)
        if kind is None or len(row.spans) != 1:
            continue
        start, end = row.spans[0]
        if end - start <= _LONGEST_ANSWER:
            yield KindRow(row.answer, row.spans[0], kind, row.source, row.group)


def _distinct(rows: Iterator[KindRow]) -> Iterator[KindRow]:
    seen = set()
    for row in rows:
        key = (question_key(row.text), row.span, row.kind)
        if key not in seen:
            seen.add(key)
            yield row


def _split(rows: Sequence[ChunkerRow], rng: np.random.Generator) -> tuple[list[ChunkerRow], list[ChunkerRow]]:
    """Put a tenth of the groups aside; rows of the same text count as one group."""
    roots = linked([(row.group, f"text:{question_key(row.text)}") for row in rows])
    names = sorted(set(roots))
    chosen = rng.permutation(len(names))[: round(_DEV_SHARE * len(names))]
    dev = {names[place] for place in chosen}
    sides: tuple[list[ChunkerRow], list[ChunkerRow]] = ([], [])
    for row, root in zip(rows, roots, strict=True):
        sides[root in dev].append(row)
    return sides
