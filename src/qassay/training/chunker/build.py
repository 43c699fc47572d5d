"""Building the chunker's training data: chunks, parts of speech, entities, and kinds of answers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qassay.training.answer_text import question_key
from qassay.training.chunker.question_kinds import question_kind
from qassay.training.chunker.rows import ChunkerRow, KindRow, TaggedRow
from qassay.training.corpora import trecqa
from qassay.training.corpora.others import read_conll
from qassay.training.corpora.tokens import join_words
from qassay.training.files import write_sides
from qassay.training.keyphrase import sources as marked
from qassay.training.keyphrase.rows import KeyphraseRow
from qassay.training.splits import linked, side_of_article

_DEV_SHARE = 0.1
_PARAGRAPH = 25
"""CoNLL-2000 does not mark articles; this many sentences in a row stay on one side of a split."""
_SPACED_SHARE = 0.3
"""How many sentences keep a space around every mark, as much summarisation data has them."""
_LONGEST_ANSWER = 60
"""Characters; longer answers are clauses, about which no phrase asks."""

ENTITY_KINDS = {
    "PERSON": "person",
    "PER_DESC": "people",
    "ORGANIZATION": "organisation",
    "ORG_DESC": "group",
    "GPE": "place",
    "LOCATION": "place",
    "FAC": "place",
    "GPE_DESC": "site",
    "FAC_DESC": "site",
    "DATE": "time",
    "TIME": "time",
    "MONEY": "money",
    "PERCENT": "percent",
    "CARDINAL": "number",
    "QUANTITY": "number",
    "ORDINAL": "ordinal",
    "NATIONALITY": "nationality",
    "PRODUCT_DESC": "product",
}
"""TREC-QA's labels in fewer classes: names (person, organisation, place) apart from nouns for such (people, group,
site). What is not listed (works, events, diseases …) is `name`."""


@dataclass(slots=True)
class ChunkerData:
    """Rows for training, for choosing, and CoNLL-2000's own test part for the final figure."""

    train: list[ChunkerRow]
    dev: list[ChunkerRow]
    test: list[ChunkerRow]

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl`, `test.jsonl` and `sources.json` with the counts."""
        sides = {"train": self.train, "dev": self.dev, "test": self.test}
        counts = {name: dict(Counter(row.source for row in rows)) for name, rows in sides.items()}
        write_sides(folder, sides, {"rows": counts})


def conll_rows(path: Path, member: str, rng: np.random.Generator) -> Iterator[TaggedRow]:
    """Yield CoNLL-2000's sentences with tags and chunks, the words put together again as running text."""
    for number, sentence in enumerate(read_conll(path, member)):
        joined, spans = join_words(sentence.tokens, spaced=rng.random() < _SPACED_SHARE)
        group = f"conll:{member}:{number // _PARAGRAPH}"
        yield TaggedRow(joined, spans, "conll2000", group, parts=sentence.parts, chunks=sentence.chunks)


def trecqa_rows(path: Path, rng: np.random.Generator) -> Iterator[TaggedRow]:
    """Yield TREC-QA's sentences with the part-of-speech tags and named entities that its authors' tools gave them."""
    seen = set()
    for asked in trecqa.read(path):
        for sentence in asked.sentences:
            if sentence.rows[0] in seen:
                continue
            seen.add(sentence.rows[0])
            tokens, parts, entities = (sentence.columns(row) for row in (0, 1, 4))
            joined, spans = join_words(tokens, spaced=rng.random() < _SPACED_SHARE)
            plain = tuple(part.replace("-LRB-", "(").replace("-RRB-", ")") for part in parts)
            group = f"trecqa:{asked.header}"
            yield TaggedRow(joined, spans, "trecqa", group, parts=plain, entities=_entity_labels(entities))


def _entity_labels(labels: Sequence[str]) -> tuple[str, ...]:
    found = []
    for label in labels:
        kind, _, place = label.rpartition("-")
        found.append(f"{place}-{ENTITY_KINDS.get(kind, 'name')}" if kind else "O")
    return tuple(found)


def build(folder: Path, conll: Path, *, rng: np.random.Generator, licensed_only: bool = False) -> ChunkerData:
    """Read the sources from the folder of public training sets and NLTK's CoNLL-2000 archive, and split them.

    SQuAD is split by article, as for the reader; the rest nine to one by group.
    """
    tagged: list[ChunkerRow] = list(conll_rows(conll, "train.txt", rng))
    if not licensed_only:
        for name in ("TRAIN.xml", "DEV.xml"):
            tagged.extend(trecqa_rows(folder / "trecqa" / name, rng))
    tagged.extend(_kinds(marked.qamr(folder / "qamr" / "filtered_dev.tsv", "qamr")))
    tagged.extend(_kinds(marked.qamr(folder / "qamr" / "filtered_test.tsv", "qamr")))
    train, dev = _split(tagged, rng)
    for row in _distinct(_squad_kinds(folder)):
        side = side_of_article(row.group.partition(":")[2])
        if side == "train":
            train.append(row)
        elif side == "dev":
            dev.append(row)
    return ChunkerData(train, dev, list(conll_rows(conll, "test.txt", rng)))


def _squad_kinds(folder: Path) -> Iterator[KindRow]:
    for name in ("dev-v1.1.json", "dev-v2.0.json", "train-v2.0.first10articles.json"):
        yield from _kinds(marked.squad_answers(folder / "squad" / name, "squad"))


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
