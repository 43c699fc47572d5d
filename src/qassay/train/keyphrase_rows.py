"""One row of keyphrase training data: an answer, its question, and where in the answer the key words stand."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from qassay.errors import DataError

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
    """Give the form by which two questions count as the same: letters and digits alone, lower-cased."""
    return _NOT_LETTERS.sub(" ", question.casefold()).strip()


def words(text: str) -> list[tuple[str, Span]]:
    """Give the words of a text, lower-cased, with their character spans."""
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


def write_rows(path: Path, rows: Iterable[KeyphraseRow]) -> int:
    """Write rows as JSON lines and give their number."""
    encoder = msgspec.json.Encoder()
    count = 0
    with path.open("wb") as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
            count += 1
    return count


def read_rows(path: Path) -> Iterator[KeyphraseRow]:
    """Read rows that `write_rows` wrote, or stop with the place of the first bad one."""
    if not path.is_file():
        raise DataError("there is no such file; make one with `qassay build keyphrase`", path)
    decoder = msgspec.json.Decoder(KeyphraseRow)
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = decoder.decode(line)
            except msgspec.DecodeError as problem:
                raise DataError(f"not a keyphrase row: {problem}", path, number) from problem
            if not row.spans or any(not 0 <= start < end <= len(row.answer) for start, end in row.spans):
                raise DataError('"spans" must hold character ranges inside "answer"', path, number)
            yield row
