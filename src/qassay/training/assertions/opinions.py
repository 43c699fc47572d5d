"""Yes and no in many wordings, statements that answer yes-no questions, and abstentions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.training.answer_text import group_of
from qassay.training.assertions.frames import drawn, fill, frames, wrap
from qassay.training.assertions.rows import AssertionRow, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

    from qassay.training.corpora.squad import SquadRow
    from qassay.training.corpora.yes_no import YesNoRow

_STATED = 0.5


def opinion_rows(rows: Iterable[YesNoRow], rng: np.random.Generator, source: str) -> Iterator[AssertionRow]:
    """Yield a yes-no question's answer in other wordings (right), and the opposite one, often before a sentence."""
    forms = frames().opinion
    for row in rows:
        if row.yes is None:
            continue
        own, opposite = (forms.yes, forms.no) if row.yes else (forms.no, forms.yes)
        statements = {True: statement(row.question, yes=row.yes), False: statement(row.question, yes=not row.yes)}
        stated = rng.random() < _STATED and all(statements.values())
        reference = statements[True] if stated and rng.random() < _STATED else ("yes" if row.yes else "no")
        for same, label in ((True, 1.0), (False, 0.0)):
            word = drawn(own if same else opposite, rng)
            text = statements[same] if stated and rng.random() < _STATED else word
            said = Said(str(text), ((0, len(str(text))),))
            yield AssertionRow.of(row.question, str(reference), wrap(said, rng, 0.15), label, source)


_AUXILIARIES = frozenset("is are was were does do did can could will would has have had should may might must".split())  # noqa: SIM905


def statement(question: str, *, yes: bool) -> str | None:
    """Return a yes-no question as a statement, negated for no; `None` where its subject's end cannot be told.

    Only questions with a pronoun or a name of one or two words as subject are put so ("is it …", "did Rome …").
    """
    tokens = question.strip().rstrip("?").split()
    if len(tokens) < 3 or tokens[0].lower() not in _AUXILIARIES:  # noqa: PLR2004 - verb, subject, rest
        return None
    auxiliary, subject, rest = tokens[0].lower(), tokens[1], tokens[2:]
    if subject.lower() in {"the", "a", "an", "this", "that", "your", "my", "his", "her", "its", "their", "all", "any"}:
        if len(rest) < 2:  # noqa: PLR2004 - noun and something
            return None
        subject, rest = f"{subject} {rest[0]}", rest[1:]
    negation = "" if yes else " not"
    body = " ".join(rest)
    return f"{subject[:1].upper()}{subject[1:]} {auxiliary}{negation} {body}."


def abstention_rows(rows: Iterable[SquadRow], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield questions that a text does not answer: abstaining is right there and wrong where it does.

    For an unanswerable question the reference says so; a concrete answer is wrong, whatever it is.
    """
    answers: list[str] = []
    wordings = frames().abstention
    for row in rows:
        group = group_of(row.question)
        abstaining = Said(drawn(wordings.candidate, rng), ())
        if row.accepted:
            answers.append(row.accepted[0])
            if rng.random() < 0.12:  # noqa: PLR2004 - as many as of the others
                yield AssertionRow(
                    row.question, (row.accepted[0],), wrap(abstaining, rng, 0.1), 0.0, "abstention", group
                )
        elif answers and rng.random() < 0.35:  # noqa: PLR2004
            reference = (drawn(wordings.reference, rng),)
            concrete = fill(drawn(frames().plain, rng), a=drawn(answers, rng))
            yield AssertionRow(row.question, reference, wrap(abstaining, rng, 0.1), 1.0, "abstention", group)
            yield AssertionRow(row.question, reference, wrap(concrete, rng, 0.15), 0.0, "abstention", group)
