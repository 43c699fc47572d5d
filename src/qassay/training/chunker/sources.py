"""Tagged sentences from published data sets: CoNLL-2000 chunks and TREC-QA's named entities."""

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from qassay.errors import DataError
from qassay.training.chunker.rows import TaggedRow
from qassay.training.keyphrase.rows import Span
from qassay.training.source_files import read_text

_PLAIN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_NO_SPACE_BEFORE = frozenset({",", ".", ";", ":", "?", "!", "%", ")", "]", "}", "'s", "n't", "'", "'re", "'ve", "'ll"})
_NO_SPACE_BEFORE_MORE = frozenset({"'d", "'m", "'S", "N'T"})
_NO_SPACE_AFTER = frozenset({"(", "[", "{", "$", "#", "US$", "C$", "A$"})
_PARAGRAPH = 25
"""CoNLL-2000 does not mark articles; this many sentences in a row stay on one side of a split."""
_SPACED_SHARE = 0.3
"""How many sentences keep a space around every mark, as much summarisation data has them."""

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


def conll(path: Path, member: str, rng: np.random.Generator) -> Iterator[TaggedRow]:
    """CoNLL-2000 (Tjong Kim Sang and Buchholz 2000): Wall Street Journal sentences with tags and chunks.

    `path` is NLTK's archive and `member` a file in it. The words are put together again as running text.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            text = archive.read(f"conll2000/{member}").decode("utf-8")
    except (FileNotFoundError, KeyError, zipfile.BadZipFile) as problem:
        raise DataError(f"is not NLTK's conll2000.zip with {member} in it ({problem})", path) from problem
    for number, block in enumerate(text.strip().split("\n\n")):
        columns = [line.split(" ") for line in block.splitlines()]
        tokens, parts, chunks = zip(*columns, strict=True)
        joined, places = join_words(tokens, spaced=rng.random() < _SPACED_SHARE)
        group = f"conll:{member}:{number // _PARAGRAPH}"
        yield TaggedRow(joined, places, "conll2000", group, parts=parts, chunks=chunks)


def trecqa(path: Path, rng: np.random.Generator) -> Iterator[TaggedRow]:
    """TREC-QA sentences with the part-of-speech tags and named entities that its authors' tools gave them."""
    group = ""
    block: list[str] = []
    seen = set()
    for line in read_text(path).splitlines():
        if not line.startswith("<"):
            block.append(line)
            continue
        if line.startswith("<QApairs"):
            group = f"trecqa:{line}"
        if line in {"</positive>", "</negative>"} and block[0] not in seen:
            seen.add(block[0])
            tokens, parts, entities = (block[row].split("\t") for row in (0, 1, 4))
            joined, places = join_words(tokens, spaced=rng.random() < _SPACED_SHARE)
            plain = tuple(part.replace("-LRB-", "(").replace("-RRB-", ")") for part in parts)
            yield TaggedRow(joined, places, "trecqa", group, parts=plain, entities=_entity_labels(entities))
        block = []


def _entity_labels(labels: Sequence[str]) -> tuple[str, ...]:
    found = []
    for label in labels:
        kind, _, place = label.rpartition("-")
        found.append(f"{place}-{ENTITY_KINDS.get(kind, 'name')}" if kind else "O")
    return tuple(found)


def join_words(tokens: Sequence[str], *, spaced: bool) -> tuple[str, tuple[Span, ...]]:
    """Write tokens as running text, with or without spaces around marks, and say where each one stands."""
    text = ""
    places = []
    quoted = False
    glued = True
    for token in tokens:
        plain = _PLAIN.get(token, token)
        closes = plain == '"' and quoted
        tight = closes or token in _NO_SPACE_BEFORE or token in _NO_SPACE_BEFORE_MORE
        if text and (spaced or not (glued or tight)):
            text += " "
        places.append((len(text), len(text) + len(plain)))
        text += plain
        if plain == '"':
            quoted = not quoted
        glued = token in _NO_SPACE_AFTER or (plain == '"' and quoted)
    return text, tuple(places)
