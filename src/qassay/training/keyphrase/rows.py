"""One row of keyphrase training data: an answer, its question, and where in the answer the key words stand."""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from qassay.training import files as row_files

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_NOT_LETTERS = re.compile(r"[\W_]+")

FUNCTION_WORDS = frozenset(
    """a an the this that these those there here it its he him his she her hers they them their we us our you your i me
    my who whom whose which what when where why how is am are was were be been being do does did doing done has have had
    having will would shall should can could may might must of in on at to for from by with about as into onto over
    under after before during between through up down out off and or but if then than so because while also just only
    very too such some any each both own same s t d ll m re ve""".split()  # noqa: SIM905 - a list of words reads best
)
"""Words that seldom carry an answer by themselves: the closed classes of English, without negations and numbers."""


class KeyphraseRow(msgspec.Struct, frozen=True):
    """An answer to a question with the character spans of its key words, and where the row comes from."""

    question: str
    answer: str
    spans: tuple[Span, ...]
    source: str
    group: str
    """Rows of one group (an article, a question) never stand on both sides of a split."""


def question_key(question: str) -> str:
    """Return the form by which two questions count as the same: letters and digits alone, lower-cased."""
    return _NOT_LETTERS.sub(" ", question.casefold()).strip()


def words(text: str) -> list[tuple[str, Span]]:
    """Return the words of a text, lower-cased, with their character spans."""
    return [(match.group().casefold(), match.span()) for match in _WORD.finditer(text)]


def content_spans(answer: str, question: str) -> tuple[Span, ...]:
    """Find the words of an answer that carry it: content words that the question does not hold.

    Where the question holds them all, every content word; where there is no content word at all, every word.
    """
    found = words(answer)
    asked = {word for word, _ in words(question)}
    content = [(word, span) for word, span in found if word not in FUNCTION_WORDS]
    fresh = [(word, span) for word, span in content if word not in asked]
    return tuple(span for _, span in fresh or content or found)


_decoder = msgspec.json.Decoder(KeyphraseRow)


def read_rows(path: Path) -> Iterator[KeyphraseRow]:
    """Read rows that `qassay build keyphrase` wrote, or stop with the place of the first bad one."""
    return row_files.read_rows(path, _decoder, "keyphrase", _fault)


def _fault(row: KeyphraseRow) -> str | None:
    if not row.spans or any(not 0 <= start < end <= len(row.answer) for start, end in row.spans):
        return '"spans" must hold character ranges inside "answer"'
    return None
