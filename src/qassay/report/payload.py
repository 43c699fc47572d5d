"""The answers of a report as the page's script reads them: texts once each, matching words as marks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from qassay.report.alignment import Match, align, closest, marks
from qassay.report.clipping import clip, fitting_length

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.records import Example
    from qassay.report.alignment import Word
    from qassay.report.answers import AnswerRow

REFERENCES = 12
"""How many different references of an answer are shown."""


class Texts:
    """Distinct texts, shortened alike, that answers point to by number."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._number: dict[str, int] = {}
        self.shown: list[str] = []
        self.more: dict[int, int] = {}
        """By number, how many characters were left out."""

    def add(self, text: str) -> int:
        """Give the text's number."""
        if text not in self._number:
            number = self._number[text] = len(self.shown)
            clipped = clip(text, self._longest)
            self.shown.append(clipped.text)
            if clipped.more:
                self.more[number] = clipped.more
        return self._number[text]


def answers_payload(
    rows: Sequence[AnswerRow], specs: Sequence[str], names: Mapping[str, str], maxima: Mapping[str, float]
) -> dict[str, Any]:
    """Give everything that the table of answers shows, the rows in the given order.

    `names` holds every system with the name that people read.
    """
    texts = Texts(fitting_length({text for row in rows for text in _texts(row.example)}))
    number = {system: i for i, system in enumerate(names)}
    answers = [_answer(row, specs, number[row.example.system], maxima, texts) for row in rows]
    return {
        "specs": list(specs),
        "maxima": [maxima.get(spec, 1.0) for spec in specs],
        "systems": list(names.values()),
        "texts": texts.shown,
        "more": texts.more,
        "answers": answers,
    }


def _texts(example: Example) -> Iterable[str]:
    yield example.question
    yield example.candidate or ""
    yield from (each.text for each in example.references)


def _answer(
    row: AnswerRow, specs: Sequence[str], system: int, maxima: Mapping[str, float], texts: Texts
) -> dict[str, Any]:
    example = row.example
    mean = row.mean(maxima)
    scores = [row.scores.get(spec) for spec in specs]
    references = Counter((each.text, each.opinion) for each in example.references)
    kept = list(references)[:REFERENCES]
    candidate = None if example.candidate is None else texts.add(example.candidate)
    shown = "" if candidate is None else texts.shown[candidate]
    numbers = [texts.add(text) for text, _ in kept]
    alignments = [align(shown, texts.shown[each]) for each in numbers]
    optional = {
        "type": example.question_type,
        "opinion": example.opinion,
        "entities": example.entities or None,
        "judgement": example.judgement,
        "reasons": {i: row.unscored[spec] for i, spec in enumerate(specs) if spec in row.unscored} or None,
        "hidden": len(references) - len(kept) or None,
    }
    return {
        "id": example.id,
        "system": system,
        "question": texts.add(example.question),
        "candidate": candidate,
        "closest": closest(alignments) if alignments else 0,
        "references": [
            {
                **_reference(number, opinion, references[text, opinion]),
                "candidate": _runs(shown, alignment.candidate),
                "reference": _runs(texts.shown[number], alignment.reference),
            }
            for (text, opinion), number, alignment in zip(kept, numbers, alignments, strict=True)
        ],
        "scores": [None if score is None else round(score, 5) for score in scores],
        "mean": None if mean is None else round(mean, 5),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _reference(number: int, opinion: str | None, times: int) -> dict[str, Any]:
    return {
        "text": number,
        **({"opinion": opinion} if opinion else {}),
        **({"times": times} if times > 1 else {}),
    }


def _runs(text: str, words: Sequence[Word]) -> list[int]:
    """Write marks as [gap, length, gap, length, …]; a negative length is a word out of order."""
    runs = []
    position = 0
    for start, end, match in marks(text, words):
        runs += [start - position, end - start if match is Match.IN_ORDER else start - end]
        position = end
    return runs
