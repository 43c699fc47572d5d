"""Texts to make claims of: the passages of all training sets, cut into windows of whole sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from qassay.text.sentences import sentence_spans
from qassay.training.corpora import hotpotqa, mcscript, multirc, qed, squad, trecqa, wikiqa, yes_no
from qassay.training.corpora.others import read_drop
from qassay.training.sources import DataSource, licensed, read_recipe

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import numpy as np

    from qassay.training.answer_text import Span

MOST_WORDS = 190
"""Of a window: about 256 word pieces."""
_FEWEST_WORDS = 12
_SHORT = 0.3
"""How many windows are cut short, to a few sentences."""


@dataclass(frozen=True, slots=True)
class PassageQuestion:
    """A question about a text, with right and wrong answers."""

    question: str
    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    """Where the text answers, if that is known."""
    yes: bool | None = None
    """The answer to a yes-no question."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text of one article, with what people asked about it."""

    text: str
    source: str
    group: str
    questions: tuple[PassageQuestion, ...] = ()
    conclusion: str = ""
    """What the authors conclude from the text."""


@dataclass(frozen=True)
class TextWindow:
    """Some sentences of a passage in a row."""

    passage: Passage
    start: int
    end: int
    sentences: tuple[Span, ...]
    """In the passage."""

    @cached_property
    def text(self) -> str:
        """The window's text."""
        return self.passage.text[self.start : self.end]

    def holds(self, span: Span) -> bool:
        """Whether a span of the passage lies inside."""
        return self.start <= span[0] and span[1] <= self.end


def read_passages(folder: Path, left_out: Counter[str], *, licensed_only: bool = False) -> Iterator[Passage]:
    """Yield the passages of all sources in the folder of public training sets, each text once."""
    sources = read_recipe("consistency", folder)
    seen: set[str] = set()
    for source in licensed(sources, left_out) if licensed_only else sources:
        for passage in READERS[source.format](source):
            key = passage.text.strip()
            if key and key not in seen and len(key.split()) >= _FEWEST_WORDS:
                seen.add(key)
                yield passage


def windows_of(passage: Passage, rng: np.random.Generator) -> Iterator[TextWindow]:
    """Cut a passage into windows of whole sentences that do not overlap, some of them short."""
    spans = sentence_spans(passage.text)
    first = 0
    while first < len(spans):
        most = int(rng.integers(30, MOST_WORDS)) if rng.random() < _SHORT else MOST_WORDS
        last, words = first, 0
        while last < len(spans):
            words += len(passage.text[slice(*spans[last])].split())
            if words > most and last > first:
                break
            last += 1
        if words >= _FEWEST_WORDS:
            yield TextWindow(passage, spans[first][0], spans[last - 1][1], tuple(spans[first:last]))
        first = last


def _squad(source: DataSource) -> Iterator[Passage]:
    said = _predictions(source.path)
    rows: dict[tuple[str, str], list[PassageQuestion]] = {}
    for row in squad.read(source.path):
        place = (row.context, row.title or f"{source.path.name}:{row.article}")
        if row.answers:
            right = row.commonest
            spans = (right.span,) if row.holds(right) else ()
            made = PassageQuestion(row.question, (right.text,), spans=spans)
        else:
            wrong = tuple(dict.fromkeys(text for text in said.get(row.id, ()) if text.strip()))
            made = PassageQuestion(row.question, wrong=wrong)
        rows.setdefault(place, []).append(made)
    for (context, article), asked in rows.items():
        yield Passage(context, source.name, f"squad:{article}", tuple(asked))


def _predictions(path: Path) -> dict[str, list[str]]:
    """Return what systems answered to questions; nothing where no predictions lie beside the file."""
    return squad.read_predictions(path) if (path.parent / "predictions").is_dir() else {}


def _quoref(source: DataSource) -> Iterator[Passage]:
    rows: dict[str, list[PassageQuestion]] = {}
    for row in squad.read(source.path):
        if len(row.answers) == 1:
            rows.setdefault(row.context, []).append(
                PassageQuestion(row.question, (row.answers[0].text,), spans=row.spans)
            )
    for context, asked in rows.items():
        yield Passage(context, source.name, f"quoref:{context[:60]}", tuple(asked))


def _drop(source: DataSource) -> Iterator[Passage]:
    rows: dict[str, list[PassageQuestion]] = {}
    for row in read_drop(source.path):
        known = rows.setdefault(row.passage, [])
        if len(row.answers) == 1:
            known.append(PassageQuestion(row.question, (row.answers[0],)))
    for text, asked in rows.items():
        yield Passage(text, source.name, f"drop:{text[:60]}", tuple(asked))


def _hotpot(source: DataSource) -> Iterator[Passage]:
    for row in hotpotqa.read(source.path):
        for title, sentences in row.paragraphs:
            yield Passage("".join(sentences).strip(), source.name, f"hotpot:{title}")


def _boolq(source: DataSource) -> Iterator[Passage]:
    rows: dict[tuple[str, str], list[PassageQuestion]] = {}
    for row in yes_no.read_boolq(source.path):
        rows.setdefault((row.passage, row.name), []).append(PassageQuestion(row.question, yes=row.yes))
    for (text, name), asked in rows.items():
        yield Passage(text, source.name, f"boolq:{name}", tuple(asked))


def _pubmedqa(source: DataSource) -> Iterator[Passage]:
    for row in yes_no.read_pubmedqa(source.path):
        yield Passage(
            row.text, source.name, f"pubmedqa:{row.name}", (PassageQuestion(row.question, yes=row.yes),), row.passage
        )


def _multirc(source: DataSource) -> Iterator[Passage]:
    for number, passage in multirc.read(source.path):
        asked = tuple(
            PassageQuestion(each.question, tuple(each.texts(1)), tuple(each.texts(0))) for each in passage.questions
        )
        yield Passage(passage.text, source.name, f"multirc:{source.path.name}:{number}", asked)


def _mcscript(source: DataSource) -> Iterator[Passage]:
    for story in mcscript.read(source.path):
        asked = tuple(
            PassageQuestion(
                each.text.strip(),
                tuple(text.strip() for right, text in each.answers if right == "True"),
                tuple(text.strip() for right, text in each.answers if right == "False"),
            )
            for each in story.questions
        )
        yield Passage(" ".join(story.text.split()), source.name, f"mcscript:{story.id}", asked)


def _wikiqa(source: DataSource) -> Iterator[Passage]:
    for row in wikiqa.read(source.path):
        yield Passage(" ".join(row.sentences), source.name, f"wikiqa:{row.sentences[0][:60]}")


def _trecqa(source: DataSource) -> Iterator[Passage]:
    for row in trecqa.read(source.path):
        texts = dict.fromkeys(" ".join(sentence.columns(0)) for sentence in row.sentences)
        kept = [text for text in texts if len(text.split()) >= _FEWEST_WORDS]
        for first in range(0, len(kept), 5):
            yield Passage(" ".join(kept[first : first + 5]), source.name, f"trecqa:{row.question}")


def _qed(source: DataSource) -> Iterator[Passage]:
    for row in qed.read(source.path):
        spans = tuple(span for span in row.paragraph_spans if span[1] <= len(row.paragraph))
        right = tuple(dict.fromkeys(row.paragraph[slice(*span)] for span in spans[:1]))
        asked = (PassageQuestion(f"{row.question}?", right, spans=spans[:1]),) if right else ()
        yield Passage(row.paragraph, source.name, f"qed:{row.question}", asked)


READERS: dict[str, Callable[[DataSource], Iterator[Passage]]] = {
    "squad": _squad,
    "quoref": _quoref,
    "drop": _drop,
    "hotpot": _hotpot,
    "boolq": _boolq,
    "pubmedqa": _pubmedqa,
    "multirc": _multirc,
    "mcscript": _mcscript,
    "wikiqa": _wikiqa,
    "trecqa": _trecqa,
    "qed": _qed,
}
"""Readers of passages, by format."""
