"""Texts and questions whose answers nobody has marked, for readers that learn from other readers.

Texts come in groups on one subject: answers of several systems to one question, sentences that a search found for one
question in many newspapers, and passages, which are groups of sentences in order.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from qassay.training.answer_text import group_of, sentences_of
from qassay.training.corpora import evouna, hotpotqa, mcscript, multirc, squad, trecqa, wikiqa, yes_no
from qassay.training.sources import NONE_STATED, read_recipe
from qassay.training.splits import held_back

Kind = Literal["reports", "passage"]
"""Sentences from many places, or sentences of one text in their order."""
_FEWEST_WORDS = 8
_LONGEST = 1200
_BOILERPLATE = re.compile(
    r"\bAI language model\b|\bknowledge cutoff\b|\blast update\b|https?:|\bas of my\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SentenceGroup:
    """Sentences on one subject, and what people asked about it."""

    sentences: tuple[str, ...]
    questions: tuple[str, ...]
    kind: Kind
    source: str
    group: str
    """As in the rows of other sources that this one shares texts with."""


def sentence_groups(folder: Path, *, licensed_only: bool) -> Iterator[SentenceGroup]:
    """Yield the texts of every source in the folder of public training sets."""
    for source in read_recipe("open_questions", folder):
        if not licensed_only or source.licence != NONE_STATED:
            yield from _READERS[source.format](source.path)


def _passage(text: str, source: str, group: str, *questions: str) -> SentenceGroup:
    return SentenceGroup(tuple(sentences_of(text)), questions, "passage", source, group)


def _trecqa(path: Path) -> Iterator[SentenceGroup]:
    """Yield sentences from newspapers that share words with a question, right and wrong ones."""
    for asked in trecqa.read(path):
        texts = (" ".join(sentence.columns(0)) for sentence in asked.sentences)
        kept = tuple(dict.fromkeys(text for text in texts if text))
        yield SentenceGroup(kept, (asked.question,), "reports", "trecqa", group_of(asked.question))


def _wikiqa(path: Path) -> Iterator[SentenceGroup]:
    for row in wikiqa.read(path):
        yield SentenceGroup(tuple(row.sentences), (row.question,), "passage", "wikiqa", group_of(row.question))


def _yes_no(
    source: str, read: Callable[[Path], Iterator[yes_no.YesNoRow]]
) -> Callable[[Path], Iterator[SentenceGroup]]:
    """Return a reader of the passages alone: their questions ask for yes or no."""
    return lambda path: (_passage(row.text, source, f"{source}:{row.name}") for row in read(path))


def _multirc(path: Path) -> Iterator[SentenceGroup]:
    for number, passage in multirc.read(path):
        questions = (asked.question for asked in passage.questions)
        yield _passage(passage.text, "multirc", f"multirc:{path.name}:{number}", *questions)


def _mcscript(path: Path) -> Iterator[SentenceGroup]:
    for story in mcscript.read(path):
        yield _passage(story.text, "mcscript", f"mcscript:{story.id}", *(question.text for question in story.questions))


def _squad(path: Path) -> Iterator[SentenceGroup]:
    rows = (row for row in squad.read(path) if row.spans or not row.answers)
    for context, article in dict.fromkeys((row.context, row.title or str(row.article)) for row in rows):
        yield _passage(context, "squad", f"squad:{article}")


def _hotpot(path: Path) -> Iterator[SentenceGroup]:
    for row in hotpotqa.read(path):
        for title, sentences in row.paragraphs:
            kept = tuple(sentence.strip() for sentence in sentences if sentence.strip())
            yield SentenceGroup(kept, (), "passage", "hotpotqa", f"hotpot:{title}")


def _evouna(path: Path) -> Iterator[SentenceGroup]:
    """Yield each system's answer with the question that it answers; the held-back questions are left out."""
    for row in evouna.read(path):
        for answer in row.answers if not held_back(row.question) else ():
            if len(answer.text.split()) >= _FEWEST_WORDS:
                yield _passage(answer.text[:_LONGEST], "evouna", group_of(row.question), row.question)


def versions(folder: Path, *, measuring: bool = False) -> Iterator[tuple[list[str], str]]:
    """Yield the systems' answers to each EVOUNA question, sentences about the systems themselves left out.

    With `measuring`, only the questions that are held back from training; else all the others.
    """
    for row in evouna.read(folder / "evouna/NQ.json"):
        if held_back(row.question) == measuring:
            texts = (_cleaned(answer.text) for answer in row.answers if answer.system != "fid")
            long = list(dict.fromkeys(text for text in texts if len(text.split()) >= _FEWEST_WORDS))
            if len(long) > 1:
                yield long, group_of(row.question)


def _cleaned(text: str) -> str:
    return " ".join(sentence for sentence in sentences_of(text) if not _BOILERPLATE.search(sentence))[:_LONGEST]


_READERS: dict[str, Callable[[Path], Iterator[SentenceGroup]]] = {
    "evouna": _evouna,
    "trecqa": _trecqa,
    "wikiqa": _wikiqa,
    "boolq": _yes_no("boolq", yes_no.read_boolq),
    "multirc": _multirc,
    "mcscript": _mcscript,
    "pubmedqa": _yes_no("pubmedqa", yes_no.read_pubmedqa),
    "squad": _squad,
    "hotpot": _hotpot,
}
