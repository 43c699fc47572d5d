"""Sentences as tagged tokens that can be changed: the drafts of claims."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from qassay.models.syntax import NAMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from qassay.models.syntax import TaggedSentence
    from qassay.training.answer_text import Span

NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})
_CLOSING = frozenset(",.;:?!)]%")
_OPENING = frozenset("([$")


@dataclass(frozen=True, slots=True)
class DraftToken:
    """A word or mark of a draft."""

    text: str
    part: str = "NN"
    chunk: str = "O"
    entity: str = "O"
    glued: bool = False
    """Whether it follows the token before it without a space."""
    wrong: bool = False
    """Whether it was changed so that the claim is no longer true."""

    @property
    def phrase(self) -> str:
        """The kind of chunk that it is in."""
        return self.chunk.rpartition("-")[2]

    @property
    def named(self) -> str:
        """The kind of entity that it is in."""
        return self.entity.rpartition("-")[2]

    @property
    def plain(self) -> str:
        """The word in small letters."""
        return self.text.lower()


Draft = tuple[DraftToken, ...]


class TokenRun(NamedTuple):
    """Tokens in a row that belong together."""

    first: int
    last: int
    """Past the last one."""
    kind: str


def draft_of(sentence: TaggedSentence) -> Draft:
    """Return a sentence as a draft."""
    made: list[DraftToken] = []
    before = 0
    for word in sentence.words:
        glued = word.start == before and bool(made)
        made.append(DraftToken(word.text, word.part, word.chunk, word.entity, glued))
        before = word.end
    return tuple(made)


def tokens(text: str, part: str = "NN", *, wrong: bool = False) -> Draft:
    """Return words as tokens of one part of speech."""
    return tuple(DraftToken(word, part, wrong=wrong) for word in text.split())


def as_wrong(draft: Iterable[DraftToken]) -> Draft:
    """Mark all tokens as wrong."""
    return tuple(replace(token, wrong=True) for token in draft)


def put(draft: Draft, first: int, last: int, new: Iterable[DraftToken]) -> Draft:
    """Put other tokens into the place of some."""
    return (*draft[:first], *new, *draft[last:])


def render(draft: Sequence[DraftToken]) -> tuple[str, tuple[Span, ...]]:
    """Return a draft as text, with a capital at its beginning, and the places of what is wrong, neighbours as one."""
    text = ""
    spans: list[Span] = []
    joined = False
    for token in draft:
        glued = token.glued or token.text in _CLOSING or text[-1:] in _OPENING
        text += "" if glued or not text else " "
        start = len(text)
        text += token.text
        if token.wrong:
            if joined:
                start = spans.pop()[0]
            spans.append((start, len(text)))
        joined = token.wrong
    return text[:1].upper() + text[1:], tuple(spans)


def names(draft: Draft) -> Iterator[TokenRun]:
    """Yield the names and figures of a draft."""
    first = None
    for place, token in enumerate((*draft, DraftToken(""))):
        if first is not None and (token.entity[:1] != "I" or token.named != draft[first].named):
            yield TokenRun(first, place, draft[first].named)
            first = None
        if token.entity[:1] == "B" and token.named in NAMED:
            first = place


def noun_phrases(draft: Draft) -> Iterator[TokenRun]:
    """Yield the noun chunks of a draft."""
    yield from (run for run in chunks(draft) if run.kind == "NP")


def chunks(draft: Draft) -> Iterator[TokenRun]:
    """Yield the chunks of a draft; marks between them are in none."""
    first = None
    for place, token in enumerate((*draft, DraftToken(""))):
        if first is not None and (token.chunk[:1] != "I" or token.phrase != draft[first].phrase):
            yield TokenRun(first, place, draft[first].phrase)
            first = None
        if token.phrase != "O" and first is None:
            first = place


def has_subject_and_verb(draft: Sequence[DraftToken]) -> bool:
    """Whether a draft begins with a noun phrase or pronoun and has a finite verb after it."""
    if not draft or draft[0].phrase != "NP":
        return False
    return any(token.part in FINITE for token in draft[1:])


def ended(draft: Draft) -> Draft:
    """Return a draft with a full stop at its end, and no other mark there."""
    while draft and draft[-1].part in {",", ":", ".", "CC", "(", "``"}:
        draft = draft[:-1]
    return (*draft, DraftToken(".", ".", glued=True))
