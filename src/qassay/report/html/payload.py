"""The answers of a report as the page's script reads them: texts once each, matching words as highlights."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from qassay.metrics.breakdown import ingredients_text, topics
from qassay.records import attempted
from qassay.report.asserted import asserted_spans, says
from qassay.report.clipping import clip, fitting_length, shown_spans
from qassay.report.explain.alignment import Match, align, closest, highlights
from qassay.report.html.document import embed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from qassay.metrics.breakdown import CheckedClaim
    from qassay.records import Example
    from qassay.report.answers import AnswerRow, Ordering, PageAnswers
    from qassay.report.explain.alignment import AlignedWord
    from qassay.report.explain.evidence import AnswerEvidence, WeighedWord

ANSWER_SCRIPTS = ("answer_texts.js", "answer_detail.js", "answers.js")
"""The scripts of the table of answers, in their order."""
REFERENCES = 12
"""How many different references of an answer are shown."""
_STEPS = 9
"""Shades of a heat map: one digit is enough for the eye."""
_LEAST_PART = 0.005


class Texts:
    """Distinct texts, shortened alike, that answers point to by number."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._number: dict[str, int] = {}
        self.shown: list[str] = []
        self.more: dict[int, int] = {}
        """By number, how many characters were left out."""

    def add(self, text: str) -> int:
        """Return the text's number."""
        if text not in self._number:
            number = self._number[text] = len(self.shown)
            clipped = clip(text, self._longest)
            self.shown.append(clipped.text)
            if clipped.more:
                self.more[number] = clipped.more
        return self._number[text]

    def length(self, text: str) -> int:
        """Return how many characters of a text are shown."""
        return len(self.shown[self._number[text]]) if text in self._number else 0


def answers_section(
    answers: PageAnswers[AnswerRow],
    specs: Sequence[str],
    names: Mapping[str, str],
    ordering: Ordering,
    *,
    by_question: bool = False,
) -> dict[str, Any]:
    """Return the data of the template `answers.html`; `by_question` shows the systems side by side at first."""
    view = "questions" if by_question else "answers"
    data = embed({**answers_payload(answers, specs, names, ordering), "view": view})
    return {"answers": answers, "leading": ordering.leading(specs), "data": data}


def answers_payload(
    answers: PageAnswers[AnswerRow],
    specs: Sequence[str],
    names: Mapping[str, str],
    ordering: Ordering,
) -> dict[str, Any]:
    """Return everything that the table of answers shows; `names` has the display name of each system."""
    rows = answers.rows
    texts = Texts(fitting_length({text for row in rows for text in _texts(row.example)}))
    number = {system: i for i, system in enumerate(names)}
    shown = [_answer(row, specs, number[row.example.system], ordering, texts) for row in rows]
    found = [row.evidence for row in rows if row.evidence]
    weightings = list(dict.fromkeys(name for each in found for name in each.weights))
    known = {part.signal: part for each in found for parts in each.parts.values() for part in parts}
    signals = list(known)
    for answer, row in zip(shown, rows, strict=True):
        if row.evidence:
            answer.update(_evidence(row, row.evidence, texts, (weightings, signals, specs)))
    return {
        "weightings": weightings,
        "signals": [
            {"label": part.label or part.signal, "topic": part.topic or part.signal, "description": part.description}
            for part in known.values()
        ],
        "specs": list(specs),
        "maxima": [ordering.maxima.get(spec, 1.0) for spec in specs],
        "leading": [specs.index(spec) for spec in ordering.leading(specs)],
        "systems": list(names.values()),
        "texts": texts.shown,
        "more": texts.more,
        "answers": shown,
        "left_out": answers.left_out,
    }


def _texts(example: Example) -> Iterable[str]:
    yield example.question
    yield example.candidate or ""
    yield from (each.text for each in example.references)


def _answer(row: AnswerRow, specs: Sequence[str], system: int, ordering: Ordering, texts: Texts) -> dict[str, Any]:
    example = row.example
    value = ordering.value(row.scores)
    scores = [row.scores.get(spec) for spec in specs]
    references = Counter((each.text, each.opinion) for each in example.references)
    kept = list(references)[:REFERENCES]
    candidate = None if example.candidate is None else texts.add(example.candidate)
    shown = "" if candidate is None else texts.shown[candidate]
    numbers = [texts.add(text) for text, _ in kept]
    alignments = [align(shown, texts.shown[each]) for each in numbers]
    spans = shown_spans(example.candidate or "", asserted_spans(row.notes), len(shown))
    optional = {
        "type": example.question_type,
        "opinion": example.opinion,
        "entities": example.entities or None,
        "judgement": example.judgement,
        "reasons": {i: row.unscored[spec] for i, spec in enumerate(specs) if spec in row.unscored} or None,
        "says": {i: says(row.notes[spec]) for i, spec in enumerate(specs) if spec in row.notes} or None,
        "asserted": _gaps(spans) or None,
        "attempted": attempted(row.notes),
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
        "value": None if value is None else round(value, 5),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _evidence(
    row: AnswerRow, evidence: AnswerEvidence, texts: Texts, names: tuple[Sequence[str], Sequence[str], Sequence[str]]
) -> dict[str, Any]:
    """Return the weights of the shown texts in steps of a ninth, each judge's signals by topic, and what decided."""
    weightings, signals, specs = names
    example = row.example
    first: dict[tuple[str, str | None], int] = {}
    for i, each in enumerate(example.references):
        first.setdefault((each.text, each.opinion), i)
    shown = [texts.length(example.candidate or ""), *(texts.length(text) for text, _ in first)]
    weights = []
    for name in weightings:
        weighed = evidence.weights[name]
        sides = [weighed.candidate, *(weighed.references[i] for i in list(first.values())[:REFERENCES])]
        weights.append([_heat(side, weighed.strongest, end) for side, end in zip(sides, shown, strict=False)])
    parts = {
        specs.index(spec): [
            [signals.index(part.signal), round(part.value, 2), round(part.part, 2)]
            for topic in topics(found)
            for part in topic.parts
            if abs(part.part) >= _LEAST_PART
        ]
        for spec, found in evidence.parts.items()
    }
    claims = {
        specs.index(spec): _claims(example.candidate or "", found, texts) for spec, found in evidence.claims.items()
    }
    behind = {specs.index(spec): ingredients_text(found) for spec, found in evidence.ingredients.items()}
    return {
        **({"weights": weights} if any(map(any, weights)) else {}),
        **({"parts": parts} if parts else {}),
        **({"behind": behind} if behind else {}),
        **({"claims": claims} if claims else {}),
    }


def _claims(candidate: str, claims: Sequence[CheckedClaim], texts: Texts) -> list[list[Any]]:
    """Write sentences as [start, end, probability, start and end of what is wrong, nearest passage]."""
    end, rows = texts.length(candidate), []
    for claim in claims:
        for span in shown_spans(candidate, [(claim.start, claim.end)], end):
            wrong = shown_spans(candidate, [claim.wrong], end) if claim.wrong else []
            support = texts.add(claim.support) if claim.support else None
            rows.append([*span, round(claim.consistent, 3), *(wrong[0] if wrong else (None, None)), support])
    return rows


def _heat(words: Sequence[WeighedWord], strongest: float, end: int) -> list[int]:
    """Write weights as [gap, length, step, gap, length, step, …]; words of step 0 are left out."""
    runs: list[int] = []
    position = 0
    for word in words:
        step = round(word.weight / strongest * _STEPS) if strongest else 0
        if step and word.end <= end:
            runs += [word.start - position, word.end - word.start, step]
            position = word.end
    return runs


def _reference(number: int, opinion: str | None, times: int) -> dict[str, Any]:
    return {
        "text": number,
        **({"opinion": opinion} if opinion else {}),
        **({"times": times} if times > 1 else {}),
    }


def _gaps(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Write spans as [gap, length, gap, length, …]."""
    ends = [0, *(end for _, end in spans)]
    return [
        number for (start, end), before in zip(spans, ends, strict=False) for number in (start - before, end - start)
    ]


def _runs(text: str, words: Sequence[AlignedWord]) -> list[int]:
    """Write highlights as [gap, length, gap, length, …]; a negative length is a word out of order."""
    runs = []
    position = 0
    for start, end, match in highlights(text, words):
        runs += [start - position, end - start if match is Match.IN_ORDER else start - end]
        position = end
    return runs
