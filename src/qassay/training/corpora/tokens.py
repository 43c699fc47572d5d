"""Tokens of annotated corpora written as running text, with the place of each token."""

from collections.abc import Iterable, Sequence

from qassay.training.answer_text import Span

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"'}
_PLAIN = {**_BRACKETS, "-LCB-": "{", "-RCB-": "}"}
_NO_SPACE_BEFORE = frozenset({",", ".", ";", ":", "?", "!", "%", ")", "]", "}", "'s", "n't", "'", "'re", "'ve", "'ll"})
_NO_SPACE_BEFORE_MORE = frozenset({"'d", "'m", "'S", "N'T"})
_NO_SPACE_AFTER = frozenset({"(", "[", "{", "$", "#", "US$", "C$", "A$"})


def join_spaced(tokens: Iterable[str]) -> tuple[str, list[Span]]:
    """Return tokens with a space between all of them, and where each one stands."""
    text = ""
    spans = []
    for token in tokens:
        plain = _BRACKETS.get(token, token)
        text += " " if text else ""
        spans.append((len(text), len(text) + len(plain)))
        text += plain
    return text, spans


def join_words(tokens: Sequence[str], *, spaced: bool) -> tuple[str, tuple[Span, ...]]:
    """Return tokens as running text, with or without spaces around marks, and where each one stands."""
    text = ""
    spans = []
    quoted = False
    glued = True
    for token in tokens:
        plain = _PLAIN.get(token, token)
        closes = plain == '"' and quoted
        tight = closes or token in _NO_SPACE_BEFORE or token in _NO_SPACE_BEFORE_MORE
        if text and (spaced or not (glued or tight)):
            text += " "
        spans.append((len(text), len(text) + len(plain)))
        text += plain
        if plain == '"':
            quoted = not quoted
        glued = token in _NO_SPACE_AFTER or (plain == '"' and quoted)
    return text, tuple(spans)


def merge_tokens(text: str, spans: Sequence[Span], chosen: Iterable[int]) -> tuple[Span, ...]:
    """Return the spans of chosen tokens, neighbours as one."""
    merged: list[Span] = []
    for index in sorted(chosen):
        start, end = spans[index]
        if merged and not text[merged[-1][1] : start].strip():
            start = merged.pop()[0]
        merged.append((start, end))
    return tuple(merged)


def numbers_in(cell: str) -> set[int]:
    """Return the numbers of a cell that lists some, separated by spaces."""
    return {int(part) for part in cell.split() if part.isdecimal()}
