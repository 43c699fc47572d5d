"""People against people: agreement between annotators, and one clean judgement per item."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, get_args

from qassay.api.inputs import LeftOut, as_files, check_apart, title_of
from qassay.api.result import Result, page_path
from qassay.errors import SpecError, option
from qassay.meta.agreement.judge_agreement import JudgeAgreement, compare_judge, read_judge
from qassay.meta.agreement.krippendorff import Measurement
from qassay.meta.agreement.rating_rows import Columns
from qassay.meta.agreement.rating_study import RatingStudy, study_groups, study_ratings
from qassay.meta.agreement.ratings import read_ratings, write_judgements
from qassay.meta.judge_column import JudgeColumn
from qassay.scoring.scorer import SEED
from qassay.validation import check_choice, check_options, check_whole
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers
    from qassay.scoring.scorer import OnError

RatingForm = Literal["auto", "long", "wide"]
_COLUMNS = ("id", "system", "annotator", "value", "ratings")


@dataclass(frozen=True, slots=True, eq=False)
class AgreementResult(Result):
    """How far annotators agree, and what their ratings say about each item."""

    study: RatingStudy
    left_out: LeftOut
    seed: int
    title: str = "ratings"
    by: str | None = None
    """What `study.parts` are grouped by."""
    judges: tuple[JudgeAgreement, ...] = ()
    """Judges against the people, where some were named."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay agree --json` prints."""
        skipped = self.left_out.skipped_total
        grouped: dict[str, Any] = {} if self.by is None else {"by": self.by, "groups": self._groups()}
        if self.judges:
            grouped["judges"] = [each.to_dict() for each in self.judges]
        return {**self.study.to_dict(), **grouped, "skipped": skipped, "seed": self.seed, "version": __version__}

    def judgements(self) -> list[dict[str, Any]]:
        """Return one row per item, as `qassay agree -o` writes them; `correlate` takes them as `judgements`."""
        return [dict(each.row()) for each in self.study.items]

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page."""
        from qassay.report.html.agreement_page import (  # noqa: PLC0415 - only for a page
            AgreementReport,
            write_agreement_page,
        )

        page = page_path(path)
        skipped = self.left_out.skipped_total
        write_agreement_page(AgreementReport(self.title, self.study, skipped, self.seed, call, self.by or ""), page)
        return page

    def _groups(self) -> list[dict[str, Any]]:
        """Return each group's agreement, without its annotators and removals, which all ratings have."""
        shared = {"annotators", "removals"}
        return [
            {"group": group, **{name: value for name, value in part.to_dict().items() if name not in shared}}
            for group, part in self.study.parts.items()
        ]

    def _rows(self) -> list[dict[str, Any]]:
        return self.judgements()


def agree(
    ratings: Answers,
    *,
    measurement: str = "interval",
    clean: bool | None = None,
    scale: tuple[float, float] | None = None,
    form: RatingForm = "auto",
    columns: Mapping[str, str] | None = None,
    annotators: Sequence[str] | None = None,
    by: str | None = None,
    judge: str | Iterable[str] | None = None,
    judged: Answers | None = None,
    salt: str | None = None,
    draws: int = 1000,
    output: str | Path | None = None,
    on_error: OnError = "stop",
    seed: int = SEED,
) -> AgreementResult:
    """Measure agreement between annotators (Krippendorff's alpha), drop noise, and average what is left.

    Ratings are files or rows in long form (one rating per row: `id`, `system`, `annotator`, `value`) or wide form (one
    item per row). Noise is dropped from grades and not from votes unless `clean` says otherwise. Ratings outside
    `scale` are refused, and with `salt` annotators' ids are replaced by keyed hashes. `by` names a column, which may be
    the system: agreement is measured on all items and on those of each of its values. `output` takes the judgements.
    A `judge` is a column of scores, `column:NAME`, in the ratings or in `judged` answers: it is compared with people
    and does not enter their agreement or judgements; `column:NAME,scale=0:1` moves its scores to `scale`.
    """
    check_options(seed=seed, on_error=on_error)
    check_choice("measurement", measurement, list(Measurement))
    check_choice("form", form, get_args(RatingForm))
    check_whole("draws", draws, least=0)
    check_apart([ratings], output)
    if scale is not None and not (all(map(isfinite, scale)) and scale[0] < scale[1]):
        raise SpecError(f"{option('scale')} is {scale}; give the lowest and the highest rating")
    judges = JudgeColumn.parse_all(judge)
    if judged is not None and not judges:
        raise SpecError(f"{option('judged')} holds a judge's scores; name their column with {option('judge')}")
    named = replace(_columns(columns or {}, annotators, by), judges=tuple(each.name for each in judges))
    with as_files(ratings, "ratings") as files, as_files(files if judged is None else judged, "answers") as scored:
        given, context = read_ratings(
            files,
            form=form,
            columns=named,
            scale=scale,
            salt=None if salt is None else salt.encode(),
            on_error=on_error,
        )
        verdicts = [(each, read_judge(scored, each, named, scale)) for each in judges]
    study = (study_ratings if by is None else study_groups)(
        given, Measurement(measurement), clean=clean, draws=draws, seed=seed
    )
    left_out = LeftOut()
    left_out.add(context)
    against = tuple(
        compare_judge(given, each, values, Measurement(measurement), draws=draws, seed=seed)
        for each, values in verdicts
    )
    result = AgreementResult(study, left_out, seed, title_of(ratings, "ratings"), by, against)
    if output is not None:
        write_judgements(output, result.judgements())
    return result


def _columns(columns: Mapping[str, str], annotators: Sequence[str] | None, by: str | None) -> Columns:
    unknown = [name for name in columns if name not in _COLUMNS]
    if unknown:
        raise SpecError(f'{option("columns")} names "{unknown[0]}"; there are {", ".join(_COLUMNS)}')
    ours = Columns()
    return Columns(
        item=columns.get("id", ours.item),
        system=columns.get("system", ours.system),
        annotator=columns.get("annotator", ours.annotator),
        value=columns.get("value", ours.value),
        ratings=columns.get("ratings", ours.ratings),
        annotators=tuple(annotators) if annotators else None,
        group=None if by is None else columns.get(by, by),
    )
