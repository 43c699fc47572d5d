"""Texts and questions whose answers nobody has marked, for readers that learn from other readers.

Texts come in groups that treat one matter: answers of several systems to one question, sentences that a search found
for one question in many newspapers, and passages, which are groups of sentences in order.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET

import msgspec

from qassay.errors import DataError
from qassay.text.sentences import sentence_spans
from qassay.training.held_back import held_back
from qassay.training.keyphrase.build import NONE_STATED
from qassay.training.keyphrase.rows import question_key
from qassay.training.keyphrase.spans import hotpot_paragraphs
from qassay.training.reader import sources as reader_sources
from qassay.training.source_files import read_json, read_json_lines, read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Kind = Literal["reports", "passage"]
"""Sentences from many places, or sentences of one text in their order."""


@dataclass(frozen=True, slots=True)
class Matter:
    """Sentences on one matter, and what people asked about it."""

    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    kind: Kind
    source: str
    group: str
    """As in the rows of other sources that this one shares texts with."""


def matters(folder: Path, *, licensed_only: bool) -> Iterator[Matter]:
    """Read every source in the folder of public training sets."""
    for read, name, licence in _SOURCES:
        if not licensed_only or licence != NONE_STATED:
            yield from read(folder / name)


def _passage(text: str, source: str, group: str, *questions: str) -> Matter:
    sentences = tuple(text[slice(*span)] for span in sentence_spans(text))
    return Matter(sentences, questions, "passage", source, group)


def _trecqa(path: Path) -> Iterator[Matter]:
    """TREC-QA: sentences from newspapers that share words with a question, right and wrong ones."""
    question = ""
    block: list[str] = []
    found: list[str] = []
    for line in read_text(path).splitlines():
        if line == "</QApairs>":
            kept = tuple(dict.fromkeys(found))
            yield Matter(kept, (question,), "reports", "trecqa", f"question:{question_key(question)}")
            found = []
        elif line.startswith("</"):
            text = " ".join(block[0].split("\t")) if block else ""
            if line == "</question>":
                question = text
            elif text:
                found.append(text)
        elif line.startswith("<"):
            block = []
        else:
            block.append(line)


def _wikiqa(path: Path) -> Iterator[Matter]:
    sentences: dict[str, list[str]] = defaultdict(list)
    for row in csv.DictReader(io.StringIO(read_text(path)), delimiter="\t"):
        sentences[row["Question"]].append(row["Sentence"])
    for question, page in sentences.items():
        yield Matter(tuple(page), (question,), "passage", "wikiqa", f"question:{question_key(question)}")


class _BoolQ(msgspec.Struct):
    passage: str
    title: str = ""


def _boolq(path: Path) -> Iterator[Matter]:
    """BoolQ's passages; its questions ask for yes or no."""
    for entry in read_json_lines(path, _BoolQ):
        yield _passage(entry.passage, "boolq", f"boolq:{entry.title}")


def _multirc(path: Path) -> Iterator[Matter]:
    for entry in read_json_lines(path, reader_sources.MultiRC):
        group = f"multirc:{path.name}:{entry.idx}"
        questions = (asked.question for asked in entry.passage.questions)
        yield _passage(entry.passage.text, "multirc", group, *questions)


def _mcscript(path: Path) -> Iterator[Matter]:
    try:
        root = ET.fromstring(read_text(path))  # noqa: S314 - data set files that the user names
    except ET.ParseError as problem:
        raise DataError(f"not XML: {problem}", path) from problem
    for story in root.iter("instance"):
        questions = (question.get("text", "") for question in story.iter("question"))
        yield _passage(story.findtext("text", ""), "mcscript", f"mcscript:{story.get('id')}", *questions)


class _PubMed(msgspec.Struct):
    contexts: list[str] = msgspec.field(name="CONTEXTS")


def _pubmedqa(path: Path) -> Iterator[Matter]:
    for name, entry in read_json(path, dict[str, _PubMed]).items():
        yield _passage(" ".join(entry.contexts), "pubmedqa", f"pubmedqa:{name}")


def _squad(path: Path) -> Iterator[Matter]:
    rows = reader_sources.squad(path, "squad")
    for passage, group in dict.fromkeys((row.passage, row.group) for row in rows):
        yield _passage(passage, "squad", group)


def _hotpot(path: Path) -> Iterator[Matter]:
    for title, sentences in hotpot_paragraphs(path):
        kept = tuple(sentence.strip() for sentence in sentences if sentence.strip())
        yield Matter(kept, (), "passage", "hotpotqa", f"hotpot:{title}")


def _evouna(path: Path) -> Iterator[Matter]:
    """EVOUNA: each system's answer with the question that it answers; the held-back questions are left out."""
    for entry in read_json(path, list[dict[str, object]]):
        question = str(entry["question"])
        if entry.get("improper") or held_back(question):
            continue
        for name, text in entry.items():
            if name.startswith("answer_") and isinstance(text, str) and len(text.split()) >= _SAYS_SOMETHING:
                yield _passage(text[:_LONGEST], "evouna", f"question:{question_key(question)}", question)


_SAYS_SOMETHING = 8
_LONGEST = 1200
_SOURCES: tuple[tuple[Callable[[Path], Iterator[Matter]], str, str], ...] = (
    (_evouna, "evouna/NQ.json", "Apache-2.0"),
    (_trecqa, "trecqa/TRAIN.xml", NONE_STATED),
    (_trecqa, "trecqa/DEV.xml", NONE_STATED),
    (_wikiqa, "wikiqa/WikiQA-train.tsv", NONE_STATED),
    (_wikiqa, "wikiqa/WikiQA-dev.tsv", NONE_STATED),
    (_boolq, "boolq/dev.jsonl", NONE_STATED),
    (_multirc, "multirc/train.jsonl", NONE_STATED),
    (_multirc, "multirc/val.jsonl", NONE_STATED),
    (_multirc, "multirc/test.jsonl", NONE_STATED),
    (_mcscript, "mcscript/train-data.xml", NONE_STATED),
    (_pubmedqa, "pubmedqa/ori_pqal.json", "MIT"),
    (_squad, "squad/dev-v2.0.json", "CC BY-SA 4.0"),
    (_squad, "squad/train-v2.0.first10articles.json", "CC BY-SA 4.0"),
    (_hotpot, "hotpotqa/hotpot_dev_distractor_subset.json", "MIT"),
    (_hotpot, "hotpotqa/hipporag_hotpotqa_train_100.json", "MIT"),
)
