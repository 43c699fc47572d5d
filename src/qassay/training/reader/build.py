"""Building the reader's training data: questions with and without an answer in their passage, from many sources."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qassay.text.sentences import sentence_spans
from qassay.training.answer_text import content_words, question_key
from qassay.training.files import write_sides
from qassay.training.reader import open_questions, statement_questions
from qassay.training.reader.rows import ReaderRow
from qassay.training.reader.sources import FORMATS, squad
from qassay.training.reader.texts import sentence_groups, versions
from qassay.training.sources import licensed, read_recipe, without_questions
from qassay.training.splits import Side, side_of_article

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from qassay.models.syntax import Chunker

OPEN = "open"
"""The file of questions without marked answers."""
_DEV_SHARE = 20
"""One group in this many is for choosing, where there is no article."""
_PARALLEL_QUESTIONS = 1500
_ELSEWHERE, _REMOVED = 0.3, 0.3
"""For how many answered SQuAD questions there is one on a sister paragraph, and one without the answering sentence."""


@dataclass(slots=True)
class ReaderData:
    """Rows for training, for choosing, and for the figures of the model card."""

    sides: dict[Side, list[ReaderRow]] = field(default_factory=lambda: {"train": [], "dev": [], "test": []})
    open: list[ReaderRow] = field(default_factory=list)
    """Questions without marked answers, of groups that are for training."""
    met: set[str] = field(default_factory=set)
    """Questions of evaluation sets that the sources have, as keys."""

    def add(self, rows: Iterable[ReaderRow]) -> None:
        """Put each row on its side."""
        for row in rows:
            self.sides[_side(row)].append(row)

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl`, `test.jsonl`, `open.jsonl` and `sources.json` with the counts."""
        counts: dict[str, object] = {
            name: {
                "answered": dict(Counter(row.source for row in rows if row.spans)),
                "unanswered": dict(Counter(row.source for row in rows if not row.spans)),
            }
            for name, rows in self.sides.items()
        }
        counts[OPEN] = {"unmarked": dict(Counter(row.source for row in self.open))}
        sides = {str(side): rows for side, rows in self.sides.items()}
        write_sides(folder, {**sides, OPEN: self.open}, counts)


def _side(row: ReaderRow) -> Side:
    source, _, name = row.group.partition(":")
    if source == "squad":
        return side_of_article(name)
    digest = hashlib.sha256(row.group.encode()).digest()
    return "dev" if digest[0] % _DEV_SHARE == 0 else "train"


def build(
    folder: Path,
    chunker: Chunker,
    *,
    rng: np.random.Generator,
    held_out: Collection[str] = (),
    licensed_only: bool = False,
) -> ReaderData:
    """Read all sources from the folder of public training sets and add what is made of them.

    Questions of evaluation sets, whose keys are `held_out`, are left out. SQuAD's articles stay on the side that
    `side_of_article` returns them, in every file and for all that is made of them. The final test has SQuAD 2.0's own
    questions alone.
    """
    sources = read_recipe("reader", folder)
    chosen = licensed(sources, Counter()) if licensed_only else sources
    data = ReaderData()
    found = (row for each in chosen for row in FORMATS[each.format](each.path, each.name))
    rows = list(_distinct(without_questions(found, held_out, data.met)))
    qamr = [row for row in rows if row.source == "qamr"]
    articles = [row for row in rows if row.source == "squad"]
    data.add(row for row in rows if row.source != "qamr")
    # The test must stay what it is elsewhere: dev v2.0's questions.
    version_two = {row.question for row in squad(sources[0].path, "squad")}
    data.sides["test"] = [row for row in data.sides["test"] if row.question in version_two]
    made = [*elsewhere(articles, _ELSEWHERE, rng), *removed(articles, _REMOVED, rng), *_mixed(qamr, rng)]
    made += statement_questions.in_statement_order_rows([row for row in articles if _side(row) != "test"], chunker)
    passages = list(dict.fromkeys((row.passage, row.group) for row in rows if row.source not in {"qamr", "hotpotqa"}))
    made += statement_questions.from_passages(passages, chunker, "statements", rng)
    parallel = list(versions(folder))
    drawn = [parallel[i] for i in rng.permutation(len(parallel))[:_PARALLEL_QUESTIONS].tolist()]
    made += statement_questions.from_parallel(drawn, chunker, "parallel", rng)
    data.add(row for row in made if _side(row) != "test")
    unmarked = _unmarked(folder, parallel, chunker, rng, licensed_only=licensed_only)
    asked = without_questions(unmarked, held_out, data.met)
    data.open = list({(row.question, row.passage): row for row in asked}.values())
    return data


def _unmarked(
    folder: Path,
    parallel: Sequence[tuple[list[str], str]],
    chunker: Chunker,
    rng: np.random.Generator,
    *,
    licensed_only: bool,
) -> Iterator[ReaderRow]:
    """Ask everything that is for training, whether or not an answer is known."""
    found = [each for each in sentence_groups(folder, licensed_only=licensed_only) if _for_training(each.group)]
    for each in found:
        yield from open_questions.people_ask(each, rng)
    yield from open_questions.of_neighbours([each for each in found if each.source != "evouna"], chunker, rng)
    told = [(texts, group) for texts, group in parallel if _for_training(group)]
    yield from open_questions.of_versions(told, chunker, "parallel", rng)


def _for_training(group: str) -> bool:
    return _side(ReaderRow("", "", (), "", group)) == "train"


def _distinct(rows: Iterable[ReaderRow]) -> Iterator[ReaderRow]:
    """Keep the first of equal questions on equal passages: dev v2.0 repeats dev v1.1's."""
    seen = set()
    for row in rows:
        key = (question_key(row.question), question_key(row.passage))
        if key not in seen:
            seen.add(key)
            yield row


def elsewhere(rows: Sequence[ReaderRow], share: float, rng: np.random.Generator) -> Iterator[ReaderRow]:
    """Ask a share of the questions on the paragraph of the article that shares most with them and lacks the answer."""
    articles = defaultdict(set)
    for row in rows:
        articles[row.group].add(row.passage)
    content = {passage: content_words(passage) for group in articles.values() for passage in group}
    for row in rows:
        if not row.spans or rng.random() >= share:
            continue
        asked = content_words(row.question)
        answers = [row.passage[start:end].casefold() for start, end in row.spans]
        others = [
            passage
            for passage in sorted(articles[row.group])
            if passage != row.passage and not any(answer in passage.casefold() for answer in answers)
        ]
        if others:
            nearest = max(others, key=lambda passage: len(asked & content[passage]))
            yield ReaderRow(row.question, nearest, (), "squad_elsewhere", row.group)


def removed(rows: Sequence[ReaderRow], share: float, rng: np.random.Generator) -> Iterator[ReaderRow]:
    """Ask a share of the questions on the passage without the sentences that hold the answer."""
    for row in rows:
        if not row.spans or rng.random() >= share:
            continue
        kept = [
            row.passage[low:high]
            for low, high in sentence_spans(row.passage)
            if not any(start < high and low < end for start, end in row.spans)
        ]
        rest = " ".join(kept)
        if kept and not any(row.passage[start:end].casefold() in rest.casefold() for start, end in row.spans):
            yield ReaderRow(row.question, rest, (), "squad_removed", row.group)


def _mixed(rows: Sequence[ReaderRow], rng: np.random.Generator) -> Iterator[ReaderRow]:
    """Put QAMR's sentences beside others in random order, with the one that answers among them or not."""
    sentences = sorted({row.passage for row in rows})
    for row in rows:
        others = [sentences[i] for i in rng.integers(len(sentences), size=int(rng.integers(4))).tolist()]
        others = [sentence for sentence in others if sentence != row.passage]
        if others and rng.random() < 0.15:  # noqa: PLR2004 - about one in seven
            yield ReaderRow(row.question, " ".join(others), (), "qamr", row.group)
            continue
        place = int(rng.integers(len(others) + 1))
        shift = sum(len(sentence) + 1 for sentence in others[:place])
        passage = " ".join([*others[:place], row.passage, *others[place:]])
        yield ReaderRow(
            row.question, passage, tuple((start + shift, end + shift) for start, end in row.spans), "qamr", row.group
        )
