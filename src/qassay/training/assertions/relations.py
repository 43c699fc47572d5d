"""Who did what to whom, and which of two has more: the same said from either side, and the reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qassay.training.assertions.frames import drawn, fill, frames, wrap
from qassay.training.assertions.rows import AssertionRow, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

_SENTENCE_REFERENCES = 0.4
"""How often the reference is a whole sentence."""


def relation_rows(names: Sequence[tuple[str, str]], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield a relation between two names each: said in one of its forms (right), and with the names exchanged."""
    for subject, other in names:
        relation = frames().relation[int(rng.integers(len(frames().relation)))]
        question = fill(relation.asks, "", o=other).text
        stated = fill(drawn(relation.forms, rng), "", s=subject, o=other).text
        reference = stated if rng.random() < _SENTENCE_REFERENCES else subject
        for (s, o), label in (((subject, other), 1.0), ((other, subject), 0.0)):
            said = fill(drawn(relation.forms, rng), "s", s=s, o=o)
            yield AssertionRow.of(question, reference, wrap(said, rng, 0.15), label, "composed_relation")


def direction_rows(names: Sequence[tuple[str, str]], rng: np.random.Generator) -> Iterator[AssertionRow]:
    """Yield a comparison of two names each: said of either one (right), and with the names exchanged."""
    for subject, other in names:
        direction = frames().direction[int(rng.integers(len(frames().direction)))]
        x, y = (subject, other) if rng.random() < 0.5 else (other, subject)  # noqa: PLR2004 - one half
        question = fill(drawn(direction.asks, rng), "", x=x, y=y).text
        stated = fill(drawn(direction.more, rng), "", s=subject, o=other).text
        reference = stated if rng.random() < _SENTENCE_REFERENCES else subject
        for (s, o), label in (((subject, other), 1.0), ((other, subject), 0.0)):
            for forms in (direction.more, direction.less):
                said = fill(drawn(forms, rng), "s", s=s, o=o)
                # "B is younger" names only the other one, and yet it answers: all of it does.
                said = said if said.spans else Said(said.text, ((0, len(said.text)),))
                yield AssertionRow.of(question, reference, wrap(said, rng, 0.15), label, "composed_direction")
