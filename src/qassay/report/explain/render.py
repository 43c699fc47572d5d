"""An explanation in the terminal and as a page."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from qassay.metrics.breakdown import NOTHING, ingredients_text, topics
from qassay.models.onnx.judge_layer import BIAS
from qassay.report.asserted import says
from qassay.report.clipping import clip
from qassay.report.explain.alignment import Match
from qassay.report.explain.explanation import GIVEN, Explanation, explain
from qassay.report.explain.segments import Segment, segments, strongest
from qassay.report.html.document import render, write_page
from qassay.report.terminal.scores import DASH, plain, score_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from qassay.metrics.breakdown import Part
    from qassay.report.explain.explanation import ExplainedText, ExplainedWord, ReferenceComparison

__all__ = ["Explanation", "explain", "print_explanation", "write_explanation"]

_STYLES = {Match.NONE: "", Match.SHARED: "underline", Match.IN_ORDER: "bold yellow"}
_HEAT = ("", "black on #fdebd0", "black on #fad7a0", "black on #f8c471", "black on #eb984e", "black on #dc7633")
_WORDS, _HEAVIEST, _BAR = 30, 12, 10
"""How many common words are named, and how many of the heaviest are listed; and how long a bar is."""
_LEAST_PART = 0.005
_NO_QUESTION = "The words behind an answer's scores"
_HEADING = 160
"""How many characters of a question a page has as its heading."""


def print_explanation(explanation: Explanation) -> RenderableType:
    """Return what the terminal shows: texts with matching words marked, weights as a heat map, numbers.

    Of several references the closest is shown in full, the others with their scores.
    """
    example = explanation.example
    parts: list[RenderableType] = []
    if example.question:
        parts.append(_labelled([("question", Text(plain(example.question), "bold")), ("", Text())]))
    if explanation.comparisons:
        comparison = explanation.comparisons[explanation.closest]
        parts += [_labelled(_closest_lines(explanation, comparison)), _above(_scores_table(explanation, comparison))]
        parts += [_above(_parts_table(spec, found)) for spec, found in explanation.parts.items()]
        if explanation.weightings:
            parts.append(_above(_weights_table(explanation.weightings, comparison)))
    else:
        answer = Text(plain(example.candidate or "")) if (example.candidate or "").strip() else None
        shown = answer or _absent(example.candidate is None)
        parts += [_labelled([("answer", shown)]), _above(_scores_table(explanation, None))]
    parts += [_above(_claims_table(explanation, spec)) for spec in explanation.claims]
    if len(explanation.comparisons) > 1:
        parts.append(_above(_labelled(_other_lines(explanation))))
    parts += [_above(Text(f"{note}: {count:,}", "dim")) for note, count in explanation.notes.items()]
    return Group(*parts)


def write_explanation(explanation: Explanation, path: Path, call: str = "") -> None:
    """Write the explanation as one self-contained HTML page."""
    write_page(render_explanation(explanation, call), path)


def render_explanation(explanation: Explanation, call: str = "") -> str:
    """Return the page's HTML."""
    return render(
        "explanation.html",
        call=call,
        explanation=explanation,
        example=explanation.example,
        heading=_heading(explanation.example.question or _title(explanation.example.id)),
        segments=segments,
        topics=topics,
        given=GIVEN,
        strongest=strongest,
        says=says,
        ingredients_text=ingredients_text,
        named_matches={match.value: match.name.lower() for match in Match},
    )


def _title(id_: str) -> str:
    return _NO_QUESTION if id_ == GIVEN else f"The answer {id_}"


def _heading(text: str) -> str:
    """Clip a long heading at a space; the page has the whole text below."""
    clipped = clip(text, _HEADING)
    return f"{clipped.text.rsplit(maxsplit=1)[0]} …" if clipped.more else text


def _closest_lines(explanation: Explanation, comparison: ReferenceComparison) -> list[tuple[str, Text]]:
    lines = []
    label = _label(explanation, explanation.closest)
    for name, side in (("answer", comparison.candidate_side), (label, comparison.reference_side)):
        lines.append((name, _marked(side, explanation, comparison)))
        lines += [(f"  {each}", _heat_map(side, each, comparison)) for each in explanation.weightings if side.words]
    counts = f"{comparison.in_order} in order, {comparison.shared - comparison.in_order} elsewhere"
    lines.append(("same words", Text(f"{counts}: {_common_words(comparison)}" if comparison.shared else "none", "dim")))
    return lines


def _other_lines(explanation: Explanation) -> list[tuple[str, Text]]:
    lines = []
    for i, comparison in enumerate(explanation.comparisons):
        if i != explanation.closest:
            lines.append((_label(explanation, i), _marked(comparison.reference_side, explanation, comparison)))
            scores = " · ".join(f"{spec} {score_text(score.value)}" for spec, score in comparison.scores.items())
            lines.append(("", Text(scores, "dim")))
    return lines


def _label(explanation: Explanation, i: int) -> str:
    return f"reference {i + 1}" if len(explanation.comparisons) > 1 else "reference"


def _above(part: RenderableType) -> Padding:
    return Padding(part, (1, 0, 0, 0))


def _labelled(lines: list[tuple[str, Text]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True, min_width=11)
    grid.add_column(ratio=1, overflow="fold")
    for name, text in lines:
        grid.add_row(name, text)
    return grid


def _marked(side: ExplainedText, explanation: Explanation, comparison: ReferenceComparison) -> Text:
    if not side.shown.text.strip():
        return _absent(side is comparison.candidate_side and explanation.example.candidate is None)
    return _assembled(side, lambda segment: _STYLES[segment.match])


def _heat_map(side: ExplainedText, weighting: str, comparison: ReferenceComparison) -> Text:
    top = strongest(comparison, weighting)
    steps = len(_HEAT) - 1

    def style(segment: Segment) -> str:
        return _HEAT[round(segment.weights.get(weighting, 0.0) / top * steps)] if top else ""

    return _assembled(side, style)


def _assembled(side: ExplainedText, style: Callable[[Segment], str]) -> Text:
    text = Text()
    for segment in segments(side):
        # Spaces around words keep their place; the outer ones of a text go.
        text.append(_kept_spaces(segment.text), style(segment))
    text.append(f" {side.shown.remark}" if side.shown.remark else "", "dim italic")
    return text


def _kept_spaces(text: str) -> str:
    before, after = (" " if edge.isspace() else "" for edge in (text[:1], text[-1:]))
    return f"{before}{plain(text)}{after}" if text.strip() else " "


def _absent(missing: bool) -> Text:
    return Text("no answer given" if missing else "empty", "yellow italic")


def _common_words(comparison: ReferenceComparison) -> str:
    words = [plain(word.text) for word in comparison.candidate_side.words if word.match is not Match.NONE]
    more = f" … {len(words) - _WORDS} more" if len(words) > _WORDS else ""
    return " ".join(words[:_WORDS]) + more


def _claims_table(explanation: Explanation, spec: str) -> Table:
    """Return the table of an answer's sentences with the verdict on each, what is wrong, and the nearest passage."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("supported", justify="right", no_wrap=True)
    table.add_column(f"sentences checked by {spec}", overflow="fold", ratio=3)
    table.add_column("nearest passage", style="dim", overflow="fold", ratio=2)
    for claim in explanation.shown_claims(spec):
        style = "" if claim.supported else "red"
        text = Text.assemble(
            (_kept_spaces(claim.before) if claim.before else "", style),
            (plain(claim.wrong), "bold red reverse"),
            (_kept_spaces(claim.after) if claim.after else "", style),
        )
        verdict = f"{'yes' if claim.supported else 'no'} {score_text(claim.consistent)}"
        table.add_row(Text(verdict, style), text, Text(plain(claim.support) or DASH))
    return table


def _scores_table(explanation: Explanation, comparison: ReferenceComparison | None) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(overflow="fold")
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(style="dim", overflow="fold")
    for spec in explanation.specs:
        score = explanation.scores[spec]
        ingredients = comparison.ingredients[spec] if comparison else ()
        behind = " · ".join(f"{name} {plain(value) or NOTHING}" for name, value in ingredients)
        if comparison and behind and len(explanation.comparisons) > 1:
            alone = score_text(comparison.scores[spec].value)
            behind = f"{_label(explanation, explanation.closest)} alone {alone}: {behind}"
        noted = explanation.answer_notes.get(spec)
        read = "\n".join(filter(None, [plain(says(noted)) if noted else "", behind]))
        said = score.reason or read or explanation.definitions[spec]
        table.add_row(Text(spec), score_text(score.value), Text(said))
    return table


def _parts_table(spec: str, parts: Sequence[Part]) -> RenderableType:
    """Return the table of a judge's signals with what each adds to the verdict: above 0 for right, below for wrong."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(f"signals of {spec}", overflow="fold")
    table.add_column("adds", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", style="dim", overflow="fold")
    shown = [topic for topic in topics(parts) if abs(topic.part) >= _LEAST_PART]
    most = max((abs(topic.part) for topic in shown), default=0.0)
    named: list[Part] = []
    for topic in shown:
        bar = Text("█" * round(_BAR * abs(topic.part) / most) if most else "", "green" if topic.part > 0 else "red")
        behind = [part for part in topic.parts if part.signal != BIAS and abs(part.part) >= _LEAST_PART]
        named += behind
        values = " · ".join(f"{part.label or part.signal} {part.value:.2f}" for part in behind)
        table.add_row(topic.name, f"{topic.part:+.2f}", bar, values)
    table.add_row("together", f"{sum(part.part for part in parts):+.2f}", "", "", style="bold")
    meanings = [f"{part.label}: {part.description}" for part in named if part.description]
    return Group(table, *([_above(Text("\n".join(meanings), "dim"))] if meanings else []))


def _weights_table(weightings: Sequence[str], comparison: ReferenceComparison) -> Table:
    """Return the table of words with their weights, the heaviest first, for candidate and reference."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("answer", "reference"):
        table.add_column(name, overflow="fold", min_width=len("reference"))
        for weighting in weightings:
            table.add_column(weighting, justify="right", no_wrap=True)
    left, right = (_heaviest(side, weightings[0]) for side in (comparison.candidate_side, comparison.reference_side))
    for words in zip_longest(left, right):
        table.add_row(*(cell for word in words for cell in _weight_cells(word, weightings)))
    return table


def _heaviest(side: ExplainedText, weighting: str) -> list[ExplainedWord]:
    distinct: dict[str, ExplainedWord] = {}
    for word in side.words:
        distinct.setdefault(word.text.lower(), word)
    return sorted(distinct.values(), key=lambda word: -word.weights.get(weighting, 0.0))[:_HEAVIEST]


def _weight_cells(word: ExplainedWord | None, weightings: Sequence[str]) -> list[Text]:
    if word is None:
        return [Text()] * (len(weightings) + 1)
    weights = [f"{word.weights[each]:.2f}" if each in word.weights else DASH for each in weightings]
    return [Text(plain(word.text), _STYLES[word.match]), *map(Text, weights)]
