"""Whether two answers mean the same, each in its context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from qassay.api.inputs import check_apart, paths_of, read_options, rows_in_memory, title_of
from qassay.api.scoring.file_scoring import FileRun
from qassay.api.scoring.score_result import ScoreResult, StoredScores
from qassay.io.readers.row_files.summaries import to_pair
from qassay.io.scores.scored_files import read_rows
from qassay.meta.accuracy.verdict_quality import are_verdicts, score_distributions, verification_quality
from qassay.models.base import EMBEDDED
from qassay.records import ANSWER_CONTEXT
from qassay.scoring.defaults import VERIFICATION
from qassay.scoring.scorer import SEED, Scorer, score_examples
from qassay.validation import as_names, check_options

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns, Metrics, Paths
    from qassay.io.scores.scored_files import ScoredRow
    from qassay.meta.accuracy.verdict_quality import MethodDifference, ScoreDistribution, Verification
    from qassay.models.base import Device
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError


class PairOptions(TypedDict, total=False):
    """What `verify` takes beside pairs in memory."""

    columns: Columns | None
    system: str | None
    model: str
    device: Device
    on_error: OnError
    seed: int
    progress: Progress | None


class PairFileOptions(PairOptions, total=False):
    """What `verify` takes beside files."""

    format: str
    output: str | Path | None
    resume: bool
    again: bool


_LEAST = 2
"""Verdicts that are needed to say anything of a method."""
RATINGS = "judgements that are ratings, not 0 or 1; `qassay correlate` correlates scores with them"


@dataclass(frozen=True, slots=True)
class Quality:
    """The methods held against people's verdicts, where there are any."""

    methods: tuple[Verification, ...] = ()
    leads: tuple[MethodDifference, ...] = ()
    distributions: tuple[ScoreDistribution, ...] = ()
    ratings: int = 0
    """Judgements that are no verdicts."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay verify --json` prints of it."""
        if not self.methods:
            return {}
        return {
            "verification": [each.to_dict() for each in self.methods],
            "leads": [each.to_dict() for each in self.leads],
            "distributions": [each.to_dict() for each in self.distributions],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VerificationResult(ScoreResult):
    """Scores of pairs of answers in memory."""

    quality: Quality = Quality()

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay verify --json` prints."""
        return {**ScoreResult.to_dict(self), **self.quality.to_dict()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StoredVerification(StoredScores):
    """Scores of files of pairs."""

    @property
    def quality(self) -> Quality:
        """The methods held against people's verdicts."""
        return _quality(read_rows(self.finished.rows), self.specs, self.seed)

    @property
    def _explained(self) -> bool:
        return False

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay verify --json` prints."""
        return {**StoredScores.to_dict(self), **self.quality.to_dict()}


@overload
def verify(  # type: ignore[overload-overlap]  # a text is a path, and no list of characters
    pairs: Paths, methods: Metrics = None, **options: Unpack[PairFileOptions]
) -> StoredVerification: ...
@overload
def verify(pairs: Iterable[object], methods: Metrics = None, **options: Unpack[PairOptions]) -> VerificationResult: ...
def verify(
    pairs: Answers,
    methods: Metrics = None,
    *,
    format: str = "pairs",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    system: str | None = None,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
    seed: int = SEED,
    output: str | Path | None = None,
    resume: bool = False,
    again: bool = True,
    progress: Progress | None = None,
) -> VerificationResult | StoredVerification:
    """Score whether predictions mean the same as expected answers, given as rows or in files.

    The fields are `answer`, `prediction`, and `question`, `answer_context`, `prediction_context`, `id`, `judgement`;
    the methods are metrics: without any, exact match, token F1, and LERC and BERTScore with each phrase in its context.
    Where there are verdicts (judgements of 0 or 1) the result says how well each method does. Files become a
    `StoredVerification`.
    """
    check_options(seed=seed, model=model, device=device, on_error=on_error)
    wanted = as_names("methods", methods)
    options = read_options(format, columns, system, on_error)
    run = FileRun(options, output, resume, seed, progress=progress)
    run.check()
    check_apart([pairs], output)
    scorer = Scorer(
        wanted or VERIFICATION,
        model=model,
        device=device,
        on_error=on_error,
        consumed_fields=frozenset({ANSWER_CONTEXT}),
    )
    files = paths_of(pairs)
    if files is not None:
        files, closing = run.open(files, again=again or bool(scorer.first_passes))
        return run.score(StoredVerification, files, scorer, closing, title=title_of(pairs), batch=scorer.batch_size)
    examples = rows_in_memory(pairs, options, to_pair)
    table = score_examples(examples, scorer=scorer, seed=seed, progress=progress)
    result = VerificationResult.of(table, title=title_of(pairs, "pairs"))
    return VerificationResult.of(table, title=result.title, quality=_quality(result.scored_rows(), scorer.specs, seed))


def _quality(rows: Iterable[ScoredRow], methods: Sequence[str], seed: int) -> Quality:
    judged = [row for row in rows if row.judgement is not None]
    judgements = [row.judgement for row in judged]
    if len(judged) < _LEAST:
        return Quality()
    if not are_verdicts(judgements):
        return Quality(ratings=len(judged))
    scores = {
        method: np.array([np.nan if (value := row.scores[method]) is None else value for row in judged])
        for method in methods
    }
    found, leads = verification_quality(scores, judgements, np.random.default_rng(seed))
    return Quality(tuple(found), tuple(leads), tuple(score_distributions(scores, judgements)))
