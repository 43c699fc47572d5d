"""An LLM's verdicts on answers, from any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from qassay.api.inputs import LeftOut, check_apart, input_row, paths_of, read_answers, read_options, title_of
from qassay.api.result import Result
from qassay.api.scoring.score_result import ScoreResult
from qassay.errors import DataError, OutputError, SpecError, option
from qassay.io.atomic_output import replacing
from qassay.io.parsing.read_context import MAPPED
from qassay.io.scores.writers import encode_jsonl
from qassay.llm.asking import Asking
from qassay.llm.budget import Account, Limits, Price
from qassay.llm.endpoint import ChatEndpoint, Sampling, as_name
from qassay.llm.prompts import prompt_named
from qassay.llm.reply_cache import ReplyCache, default_cache
from qassay.meta.accuracy.estimates import AccuracyReport, estimate_systems
from qassay.meta.accuracy.judged_run import judge_answers
from qassay.meta.accuracy.sampled_judge import DoubtfulSelection, choose_doubtful
from qassay.meta.comparison.stored_scores import table_of_rows
from qassay.meta.judge_column import ASKED, SCORES, SIGNATURES, UNSCORED, VERDICTS, JudgeColumn, column_rows
from qassay.scoring.scorer import SEED, score_examples
from qassay.validation import check_options, check_whole
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from qassay.api.inputs import Answers, Columns
    from qassay.llm.asking import Judged
    from qassay.llm.budget import CostEstimate
    from qassay.records import Example
    from qassay.scoring.progress import Progress
    from qassay.scoring.scorer import OnError

_OUTPUTS = (".jsonl", ".jsonl.gz")
_MOST_SAMPLES = 100
_ELSEWHERE = 0.1
_CHEAP = "ava"


@dataclass(frozen=True, slots=True, eq=False)
class JudgeResult(Result):
    """What an LLM says of every answer, and what that took."""

    column: str
    """The judge's name: `column:NAME` takes its scores in the other workflows."""
    examples: tuple[Example, ...]
    """The answers with scores, verdicts and reasons among their fields."""
    judged: tuple[Judged, ...]
    signature: str
    """Prompt and its hash, model, the endpoint's own id of it, temperature: what the verdicts depend on."""
    accuracy: AccuracyReport | None
    """Each system's share of right answers by this judge; None where there is no verdict at all."""
    estimate: CostEstimate
    account: Account
    requests: int
    cached: int
    exhausted: bool
    """Whether the budget ended before all answers were asked about."""
    left_out: LeftOut
    seed: int
    title: str = "answers"
    notes: Mapping[str, int] = field(default_factory=dict)
    """What is to be known of the cheap judge's scores, with counts of answers."""

    @property
    def unscored(self) -> dict[str, int]:
        """Why answers have no verdict, with counts, most frequent first."""
        return dict(Counter(each.reason for each in self.judged if each.reason is not None).most_common())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each answer as `qassay judge -o` writes it."""
        return map(input_row, self.examples)

    def to_dict(self) -> dict[str, Any]:
        """Return what `qassay judge --json` prints."""
        verdicts = Counter(each.verdict for each in self.judged if each.verdict is not None)
        account = self.account
        return {
            "judge": f"column:{self.column}",
            "signature": self.signature,
            "systems": [] if self.accuracy is None else [each.to_dict() for each in self.accuracy.systems],
            "verdicts": dict(verdicts.most_common()),
            "examples": len(self.examples),
            "scored": sum(each.score is not None for each in self.judged),
            "unscored": self.unscored,
            "calls": account.calls,
            "requests": self.requests,
            "cached": self.cached,
            "tokens": {"prompt": account.prompt_tokens, "completion": account.completion_tokens},
            "money": account.money,
            "estimate": self.estimate.to_dict(),
            "budget_spent": self.exhausted,
            "skipped": self.left_out.skipped_total,
            "seed": self.seed,
            "version": __version__,
            **({"notes": dict(self.notes)} if self.notes else {}),
        }

    def report(self, path: str | Path, *, call: str = "") -> Path:
        """Write the page of answers with their scores."""
        rows = column_rows(self.examples, [JudgeColumn(self.column)], combined=False)
        table = table_of_rows([rows], ["answers"], seed=self.seed)
        named = replace(table, examples=self.examples)
        return ScoreResult.of(named, title=self.title).report(path, call=call)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "id": example.id,
                "system": example.system,
                "verdict": each.verdict,
                "score": each.score,
                "why": each.reason,
            }
            for example, each in zip(self.examples, self.judged, strict=True)
        ]


def judge(
    answers: Answers,
    llm: str,
    *,
    endpoint: str,
    prompt: str | Path = "verify",
    column: str | None = None,
    samples: int = 1,
    temperature: float | None = None,
    max_tokens: int = 512,
    doubt: tuple[float, float] | None = None,
    elsewhere: float = _ELSEWHERE,
    cheap: str = _CHEAP,
    budget_tokens: int | None = None,
    budget_money: float | None = None,
    price: tuple[float, float] | None = None,
    concurrency: int = 8,
    timeout: float = 60.0,
    retries: int = 6,
    key_env: str | None = None,
    cache: str | Path | None = None,
    again: bool = False,
    dry_run: bool = False,
    output: str | Path | None = None,
    format: str = "auto",  # noqa: A002 - as the command line calls it
    columns: Columns | None = None,
    system: str | None = None,
    language: str = "auto",
    on_error: OnError = "stop",
    seed: int = SEED,
    on_estimate: Callable[[CostEstimate], None] | None = None,
    progress: Progress | None = None,
) -> JudgeResult:
    """Ask an LLM whether answers are right, and keep its verdicts as scores that every workflow takes as a judge.

    The LLM is named as the endpoint knows it; a key is read from the environment. A prompt is `verify`, `simpleqa`,
    `likert5` or a file. Scores are probabilities where the endpoint states log-probabilities, else the mean of
    `samples` replies. With `doubt` a cheap judge scores all answers, and the LLM is asked about those with a score
    within these limits and about a random share of the others, `elsewhere`. Answers are asked about in random order, so
    that those for which a budget was enough are a random sample; `price` is that of a million tokens of prompts and of
    replies. Replies are kept in `cache`; `again` asks once more where a kept reply has no verdict. `dry_run` asks
    nothing. An answer without a verdict is unscored, with the reason. `output` takes the answers with their scores
    (.jsonl).
    """
    check_options(language=language, seed=seed, on_error=on_error)
    for name, value, least in (("samples", samples, 1), ("concurrency", concurrency, 1), ("max_tokens", max_tokens, 1)):
        check_whole(name, value, least=least)
    check_whole("retries", retries, least=0)
    if not llm.strip():
        raise SpecError(f"{option('llm')} is empty; name the model as the endpoint calls it")
    name = llm if column is None else column
    _check_name(name, cheap)
    _check_sampling(samples, timeout, temperature)
    _check_output(output)
    unsure = _Doubt(doubt, elsewhere, cheap)
    unsure.check()
    limits = Limits(budget_tokens, budget_money, None if price is None else Price(*price))
    limits.check()
    wording = prompt_named(prompt)
    check_apart([answers], output)
    source = ChatEndpoint(endpoint, llm, timeout, retries, key_env, connections=concurrency)
    examples, left_out = _read(answers, format, columns, system, on_error)
    _check_free(name, examples)
    scores, selection, notes = unsure.choose(examples, seed, language=language, on_error=on_error, progress=progress)
    drawn = temperature if temperature is not None else 0.0 if samples == 1 else 1.0
    place = default_cache() if cache is None else Path(cache)
    try:
        with ReplyCache(place) as replies:
            asking = Asking(
                source,
                wording,
                replies,
                Account(limits),
                samples,
                Sampling(drawn, max_tokens, None if samples == 1 else seed),
                concurrency,
                again,
            )
            wanted = {row: each for row, each in enumerate(examples) if selection is None or selection.chosen[row]}
            questions = asking.questions(wanted, seed)
            expected = asking.estimate(questions)
            if on_estimate is not None:
                on_estimate(expected)
            if not dry_run:
                asking.run(questions, progress)
            found = asking.judged(wanted.items())
    finally:
        source.close()
    models = ",".join(sorted(asking.models)) or "unknown"
    warmth = "own" if asking.own_temperature else f"{drawn:g}"
    signature = (
        f"llm:{as_name(llm)}|prompt:{as_name(wording.name)}@{wording.hash}|model:{models}|temperature:{warmth}|samples:{samples}"
        f"|max_tokens:{max_tokens}{unsure}|qassay:{__version__}"
    )
    record = _Record(name, cheap, signature, scores, selection)
    judged, told = record.add(examples, found)
    if output is not None and not dry_run:
        _write(Path(output), map(input_row, told))
    return JudgeResult(
        name,
        tuple(told),
        tuple(judged),
        signature,
        _accuracy(told, name),
        expected,
        asking.account,
        source.requests,
        asking.cached,
        asking.exhausted,
        left_out,
        seed,
        title_of(answers),
        notes,
    )


@dataclass(frozen=True, slots=True)
class _Doubt:
    """Where the LLM is asked: within which scores of a cheap judge, and how often elsewhere; everywhere without any."""

    limits: tuple[float, float] | None
    elsewhere: float
    cheap: str

    def check(self) -> None:
        """Raise `SpecError` for limits that mean nothing, and for what counts with limits alone."""
        if self.limits is not None and not 0 <= self.limits[0] <= self.limits[1] <= 1:
            low, high = self.limits
            raise SpecError(f"{option('doubt')} is {low:g}:{high:g}; give two scores from 0 to 1, the lower first")
        if not 0 < self.elsewhere <= 1:
            raise SpecError(
                f"{option('elsewhere')} is {self.elsewhere:g}; give a share above 0, or nothing is known there"
            )
        if self.limits is None and (self.elsewhere, self.cheap) != (_ELSEWHERE, _CHEAP):
            given = option("elsewhere") if self.cheap == _CHEAP else option("cheap")
            raise SpecError(f"{given} is for answers in doubt; give {option('doubt')} too, or leave it out")

    def choose(
        self,
        examples: Sequence[Example],
        seed: int,
        **scoring: Any,  # noqa: ANN401 - as scoring takes it
    ) -> tuple[Sequence[float] | None, DoubtfulSelection | None, Mapping[str, int]]:
        """Score all answers with the cheap judge and choose those that the LLM is asked about; notes on the scores."""
        if self.limits is None:
            return None, None, {}
        table = score_examples(examples, [self.cheap], **scoring)
        (scores,) = table.scores.values()
        rng, systems = np.random.default_rng([seed, 2]), [each.system for each in examples]
        chosen = choose_doubtful(scores, *self.limits, self.elsewhere, rng, system=systems)
        return scores.tolist(), chosen, {f"{self.cheap}: {note}": count for note, count in table.notes.items()}

    def __str__(self) -> str:
        return "" if self.limits is None else f"|doubt:{self.limits[0]:g}:{self.limits[1]:g},{self.cheap}"


def _check_name(name: str, cheap: str) -> None:
    if not name.strip() or name == cheap or name in {*MAPPED, SCORES, VERDICTS, UNSCORED, SIGNATURES, ASKED}:
        raise SpecError(f'{option("column")} is "{name}"; give the judge a name of its own')


def _check_free(name: str, examples: Sequence[Example]) -> None:
    """Raise `DataError` if the answers have a field of the judge's name, which would be taken for its scores."""
    taken = next((each for each in examples if name in each.extra), None)
    if taken is not None:
        raise DataError(
            f'the answer with id "{taken.id}" has a field "{name}" already; give the judge another name with '
            f"{option('column', 'NAME')}"
        )


def _check_sampling(samples: int, timeout: float, temperature: float | None) -> None:
    if samples > _MOST_SAMPLES:
        raise SpecError(f"{option('samples')} is {samples}; give {_MOST_SAMPLES} at most")
    if samples > 1 and temperature == 0:
        raise SpecError(f"{samples} samples at temperature 0 are all the same; leave {option('temperature')} out")
    if not 0 < timeout < float("inf"):
        raise SpecError(f"{option('timeout')} is {timeout}; give seconds above 0")
    if temperature is not None and not 0 <= temperature <= 2:  # noqa: PLR2004 - as endpoints take it
        raise SpecError(f"{option('temperature')} is {temperature}; give 0 to 2")


def _check_output(output: str | Path | None) -> None:
    if output is not None and not str(output).lower().endswith(_OUTPUTS):
        raise OutputError("verdicts are written as JSON lines; end its name in .jsonl or .jsonl.gz", output)


def _read(
    answers: Answers, format_: str, columns: Columns | None, system: str | None, on_error: OnError
) -> tuple[list[Example], LeftOut]:
    files = paths_of(answers)
    options = read_options(format_, columns, system, on_error)
    return read_answers(answers, options, apart=files is not None and len(files) > 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Record:
    """How verdicts are kept among the fields of the answers."""

    name: str
    cheap: str
    signature: str
    scores: Sequence[float] | None
    selection: DoubtfulSelection | None

    def add(self, examples: Sequence[Example], found: Mapping[int, Judged]) -> tuple[list[Judged], list[Example]]:
        """Return what became of every answer, and the answers with that among their fields."""
        from qassay.llm.asking import Judged  # noqa: PLC0415 - also a type

        not_chosen = Judged(None, None, f"not asked: {self.cheap} is sure, and it was not drawn", asked=False)
        judged = [found.get(row, not_chosen) for row in range(len(examples))]
        chances: Sequence[float] | None = None
        if self.selection is not None:
            chances = self.selection.probability(np.array([each.asked for each in judged])).tolist()
        return judged, [
            replace(example, extra=self._fields(row, example, each, chances))
            for row, (example, each) in enumerate(zip(examples, judged, strict=True))
        ]

    def _fields(self, row: int, example: Example, judged: Judged, chances: Sequence[float] | None) -> dict[str, Any]:
        extra = dict(example.extra)
        scores = {**_held(extra, SCORES), self.name: judged.score}
        if self.scores is not None:
            scores[self.cheap] = None if np.isnan(self.scores[row]) else self.scores[row]
        unscored = {name: why for name, why in _held(extra, UNSCORED).items() if name != self.name}
        if judged.reason is not None:
            unscored[self.name] = judged.reason
        fields: dict[str, Any] = {
            SCORES: scores,
            UNSCORED: unscored,
            VERDICTS: {**_held(extra, VERDICTS), self.name: judged.verdict},
            SIGNATURES: {**_held(extra, SIGNATURES), self.name: self.signature},
            ASKED: {name: held for name, held in _held(extra, ASKED).items() if name != self.name},
        }
        if chances is not None:
            fields[ASKED][self.name] = {"probability": chances[row], "otherwise": self.cheap}
        return {**extra, **{name: value for name, value in fields.items() if value}}


def _held(extra: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return what a field has by the names of judges."""
    held = extra.get(field)
    return dict(held) if isinstance(held, dict) else {}


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    import gzip  # noqa: PLC0415 - for one kind of output

    content = encode_jsonl(rows)
    with replacing(path) as unfinished:
        unfinished.write_bytes(gzip.compress(content, mtime=0) if path.name.lower().endswith(".gz") else content)


def _accuracy(examples: Sequence[Example], name: str) -> AccuracyReport | None:
    """Return each system's accuracy by the judge; systems without any verdict are left out."""
    scored = {each.system for each in examples if _held(each.extra, SCORES).get(name) is not None}
    if not scored:
        return None
    run = judge_answers([each for each in examples if each.system in scored], f"column:{name}")
    try:
        return estimate_systems(replace(run.answers, true=None, labels=None))
    except DataError:
        return None
