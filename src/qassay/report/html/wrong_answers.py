"""The answers that a metric gets most wrong, with their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from qassay.meta.correlation.disagreement import largest_disagreements
from qassay.report.answers import system_names
from qassay.report.clipping import clip
from qassay.report.figures.drawing import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.correlation.disagreement import Disagreement
    from qassay.meta.correlation.evaluation import JudgedScores

MOST = 100
"""How many of a metric's most wrong answers are looked at, as in Lee et al. 2021."""
_LONGEST = 1200
_REFERENCES = 4


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """One answer with its texts, if known, its judgement and its scores."""

    place: str
    """Its name on the page."""
    number: int
    ranks: Disagreement
    id: str
    system: str
    question: str
    candidate: str | None
    references: Sequence[str]
    more: int
    """References that are not shown."""
    others: Sequence[tuple[str, float | None]]
    """The scores of the other metrics."""


def most_wrong(evidence: JudgedScores, most: int = MOST) -> dict[str, list[Disagreement]]:
    """Find every metric's most wrong answers."""
    return {metric: largest_disagreements(evidence.panel, metric, most) for metric in evidence.panel.scores}


def wrong_answers(evidence: JudgedScores, plot: int, found: Sequence[Disagreement]) -> list[WrongAnswer]:
    """Return the answers with their texts; `plot` is the number of the metric's scatter plot."""
    panel = evidence.panel
    names = system_names(panel.systems)
    answers = []
    for number, ranks in enumerate(found, 1):
        example = evidence.examples[ranks.row] if evidence.examples else None
        system = panel.systems[panel.system[ranks.row]]
        references = [] if example is None else list(dict.fromkeys(each.text for each in example.references))
        answers.append(
            WrongAnswer(
                place=f"wrong-{plot}-{number}",
                number=number,
                ranks=ranks,
                id=evidence.ids[ranks.row],
                system=names[system] if len(names) > 1 else system,
                question="" if example is None else _shown(example.question),
                candidate=None if example is None or example.candidate is None else _shown(example.candidate),
                references=[_shown(text) for text in references[:_REFERENCES]],
                more=max(0, len(references) - _REFERENCES),
                others=[
                    (metric, None if scores[ranks.row] != scores[ranks.row] else float(scores[ranks.row]))
                    for metric, scores in panel.scores.items()
                    if metric != ranks.metric
                ],
            )
        )
    return answers


def wrong_answers_table(evidence: JudgedScores) -> Figure:
    """Return every metric's most wrong answers as a table, for an error analysis by hand."""
    columns = ("metric", "rank", "id", "system", "judgement", "score")
    places = ("judged_above", "judged_level", "scored_above", "scored_level")
    rows = [
        (
            metric,
            each.number,
            each.id,
            each.system,
            each.ranks.judgement,
            each.ranks.score,
            each.ranks.judged.above,
            each.ranks.judged.level,
            each.ranks.scored.above,
            each.ranks.scored.level,
            each.question,
            " | ".join(each.references),
            each.candidate,
        )
        for plot, (metric, found) in enumerate(most_wrong(evidence).items())
        for each in wrong_answers(evidence, plot, found)
    ]
    return Figure("most_wrong", "", (), (*columns, *places, "question", "references", "candidate"), rows)


def _shown(content: str) -> str:
    clipped = clip(content, _LONGEST)
    return f"{clipped.text} {clipped.remark}" if clipped.more else clipped.text
