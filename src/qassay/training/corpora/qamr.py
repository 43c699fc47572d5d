"""QAMR: questions on the parts of a sentence, with the tokens that answer; sentences lie in `wiki-sentences.tsv`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from qassay.training.answer_text import Span
from qassay.training.corpora.tokens import join_spaced, merge_tokens, numbers_in
from qassay.training.files import read_table


class QamrRow(NamedTuple):
    """A question on a sentence."""

    question: str
    sentence: str
    spans: tuple[Span, ...]
    """The tokens that at least two annotators chose, or else the question's author."""
    sentence_id: str


def read(path: Path) -> Iterator[QamrRow]:
    """Yield the questions of a file."""
    sentences = {row[0]: row[1].split(" ") for row in read_table(path.with_name("wiki-sentences.tsv"))}
    for row in read_table(path):
        tokens = sentences.get(row[0])
        if tokens is None:
            continue
        votes = [numbers_in(row[6]), *(numbers_in(cell.partition(":")[2]) for cell in row[7:9])]
        counts = Counter(index for vote in votes for index in vote)
        chosen = {index for index, count in counts.items() if count > 1} or votes[0]
        if chosen and max(chosen) < len(tokens):
            text, spans = join_spaced(tokens)
            yield QamrRow(row[5], text, merge_tokens(text, spans, chosen), row[0])
