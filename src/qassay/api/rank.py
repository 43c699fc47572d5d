"""The answers to each question in the order of their scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from qassay.api.inputs import check_apart, paths_of
from qassay.api.result import Result
from qassay.api.scoring.score import score
from qassay.errors import SpecError, option
from qassay.meta.ranking.trec_run import Ranking, rank_answers, write_run
from qassay.metrics.registry import parse_spec
from qassay.models.base import EMBEDDED
from qassay.scoring.scorer import SEED
from qassay.scoring.table import ScoreTable
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qassay.api.inputs import Answers, Columns
    from qassay.api.scoring.score import RowOptions
    from qassay.api.scoring.score_result import ScoreResult, StoredScores
    from qassay.models.base import Device
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError

_JUDGE = "ava"


@dataclass(frozen=True, slots=True, eq=False)
class RankResult(Result):
    """All answers in their order, question by question."""

    ranking: Ranking
    metric: str
    scores: ScoreResult | StoredScores

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data."""
        return {
            "metric": self.metric,
            "questions": self.ranking.questions,
            "unscored": self.ranking.unscored,
            "answers": self._rows(),
            "version": __version__,
        }

    def write(self, path: str | Path) -> None:
        """Write the ranking as TREC's tools read it."""
        write_run(path, self.ranking, self.metric)

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page of the scores that the ranking comes from."""
        return self.scores.report(path, call=call)

    def _rows(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self.ranking.answers]


def rank(
    answers: Answers,
    metric: str = _JUDGE,
    *,
    output: str | Path | None = None,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    system: str | None = None,
    language: str = "auto",
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
    progress: Progress | None = None,
) -> RankResult:
    """Order the answers to each question by one metric, the best first, as `qassay score --rank` does.

    `output` takes the order as a TREC run.
    """
    check_apart([answers], output)
    options: RowOptions = {
        "columns": columns,
        "system": system,
        "language": language,
        "seed": seed,
        "model": model,
        "device": device,
        "on_error": on_error,
        "progress": progress,
    }
    files = paths_of(answers)
    scores: ScoreResult | StoredScores = (
        score(answers, [metric], **options) if files is None else score(files, [metric], format=format, **options)
    )
    found = rank_scores(scores, metric)
    if output is not None:
        found.write(output)
    return found


def rank_scores(scores: ScoreResult | StoredScores, by: str | None = None) -> RankResult:
    """Order answers that are scored, by the metric that is named, the judge, or the only one there is."""
    specs = list(scores.scores) if isinstance(scores, ScoreTable) else scores.specs
    metric = ranking_metric(by, specs)
    return RankResult(rank_answers((row.example, row.scores[metric]) for row in scores.answers()), metric, scores)


def check_ranking(by: str | None, metrics: Sequence[str]) -> None:
    """Refuse before the work to rank by a metric that is not scored."""
    ranking_metric(by, [str(parse_spec(each)) for each in metrics])


def ranking_metric(by: str | None, specs: list[str]) -> str:
    """Choose the metric that ranks."""
    wanted = str(parse_spec(by)) if by else _JUDGE if len(specs) > 1 else specs[0]
    if wanted not in specs:
        what = f"{wanted} is not scored" if by else "several metrics are scored"
        raise SpecError(
            f"{option('rank')} orders by one metric, and {what}; name one with {option('rank_by')}: {', '.join(specs)}"
        )
    return wanted
