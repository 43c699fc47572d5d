"""Agreement between annotators, for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.meta.agreement.cleaning import AnnotatorReport
    from qassay.meta.agreement.judge_agreement import JudgeAgreement
    from qassay.meta.agreement.krippendorff import Alpha
    from qassay.meta.agreement.rating_study import RatingStudy

_LISTED = 20


def annotators_table(study: RatingStudy, *, by: str | None = None) -> Group:
    """Show alpha (before and after cleaning), the mean pairwise Pearson, and each annotator's bias and agreement.

    Where items are grouped `by` a field, each group's agreement comes before the annotators.

    Of many annotators those are listed who had most of their ratings removed, then those who agree least.
    """
    left = (study.ratings - study.removed) / len(study.items)
    head = Table(box=None, show_header=False)
    head.add_row("items", f"{len(study.items):,}")
    head.add_row("annotators", f"{len(study.annotators):,}")
    head.add_row("ratings", f"{study.ratings:,}, {study.removed:,} removed as noise, {left:.2f} left per item")
    if study.alpha_before is not None:
        head.add_row(f"alpha ({study.alpha.measurement})", _alpha(study.alpha_before))
        head.add_row("alpha, cleaned", _alpha(study.alpha))
    else:
        head.add_row(f"alpha ({study.alpha.measurement})", _alpha(study.alpha))
    head.add_row("mean pairwise Pearson", _pearson(study))
    parts: list[RenderableType] = [head, Text("")]
    if study.parts:
        parts += [_groups_table(study, by or "group"), Text("")]
    shown = sorted(study.annotators, key=noisiest)[:_LISTED] if len(study.annotators) > _LISTED else study.annotators
    table = Table(box=None, header_style="bold")
    table.add_column("annotator", overflow="fold")
    for heading in ("ratings", "removed", "bias", "deviation", "agreement"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in shown:
        table.add_row(
            Text(each.annotator),
            f"{each.ratings:,}",
            f"{each.removed:,}",
            "undefined" if each.bias is None else f"{each.bias:+.3f}",
            "undefined" if each.deviation is None else f"{each.deviation:.3f}",
            "undefined" if each.agreement is None else f"{each.agreement:.3f}",
        )
    parts.append(table)
    if len(study.annotators) > _LISTED:
        more = len(study.annotators) - _LISTED
        parts.append(Text(f"the {_LISTED} with the largest share removed; {more:,} more with --json", style="dim"))
    reasons: dict[str, list[str]] = {}
    for each in shown:
        if each.reason:
            reasons.setdefault(each.reason, []).append(each.annotator)
    parts += [Text(f"{', '.join(names)}: undefined: {reason}", style="dim") for reason, names in reasons.items()]
    parts += _removal_lines(study)
    return Group(*parts)


def judges_table(judges: Sequence[JudgeAgreement]) -> Table:
    """Show how each judge agrees with the people's mean, and alpha without and with it as one more annotator."""
    table = Table(box=None, header_style="bold")
    table.add_column("judge", overflow="fold")
    for heading in ("items", "bias", "deviation", "agreement", "alpha", "with it"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in judges:
        report = each.report
        table.add_row(
            Text(each.judge),
            f"{report.compared:,}",
            "undefined" if report.bias is None else f"{report.bias:+.3f}",
            "undefined" if report.deviation is None else f"{report.deviation:.3f}",
            "undefined" if report.agreement is None else f"{report.agreement:.3f}",
            *(
                "undefined" if alpha.value is None else f"{alpha.value:.3f}"
                for alpha in (each.alpha_people, each.alpha_with_judge)
            ),
        )
    return table


def _groups_table(study: RatingStudy, by: str) -> Table:
    cleaned = study.alpha_before is not None
    table = Table(box=None, header_style="bold")
    table.add_column(by, overflow="fold")
    alphas = ("alpha", "alpha, cleaned") if cleaned else ("alpha",)
    for heading in ("items", "per item", *alphas, "Pearson"):
        table.add_column(heading, justify="right", no_wrap=True)
    for group, part in study.parts.items():
        found = [part.alpha_before, part.alpha] if cleaned else [part.alpha]
        per_item = (part.ratings - part.removed) / len(part.items)
        pearson = part.pearson.value
        table.add_row(
            Text(group or "(none)"),
            f"{len(part.items):,}",
            f"{per_item:.2f}",
            *(_short_alpha(alpha) for alpha in found),
            "undefined" if pearson is None else f"{pearson:.3f}",
        )
    return table


def _short_alpha(alpha: Alpha | None) -> str:
    if alpha is None or alpha.value is None:
        return "undefined"
    return f"{alpha.value:.3f}" + ("" if alpha.low is None else f" ({alpha.low:.3f} {alpha.high:.3f})")


def _removal_lines(study: RatingStudy) -> list[Text]:
    lines = [
        Text(f"removed: {each.value:g} by {each.annotator} for {each.id}{f' of {each.system}' if each.system else ''}")
        for each in study.removals[:_LISTED]
    ]
    if study.removed > _LISTED:
        lines.append(Text(f"removed: {study.removed - _LISTED:,} more, listed with --json"))
    return [Text(""), *lines] if lines else []


def noisiest(each: AnnotatorReport) -> tuple[float, float]:
    """Sort by the share of ratings that were removed, then by the least agreement."""
    return -each.removed / max(1, each.ratings), 2.0 if each.agreement is None else each.agreement


def _alpha(alpha: Alpha) -> str:
    if alpha.value is None:
        return f"undefined: {alpha.reason}"
    interval = "" if alpha.low is None or alpha.high is None else f" ({alpha.low:.3f} {alpha.high:.3f})"
    items = "1 item" if alpha.single == 1 else f"{alpha.single:,} items"
    single = f", {items} with one rating left out" if alpha.single else ""
    unsure = f"; {alpha.reason}" if alpha.reason else ""
    return f"{alpha.value:.3f}{interval}{single}{unsure}"


def _pearson(study: RatingStudy) -> str:
    found = study.pearson
    if found.value is None:
        return f"undefined: {found.reason}"
    pairs = "1 pair" if found.pairs == 1 else f"{found.pairs:,} pairs"
    undefined = f"; {found.undefined:,} without one" if found.undefined else ""
    return f"{found.value:.3f} ({pairs} of annotators{undefined})"
