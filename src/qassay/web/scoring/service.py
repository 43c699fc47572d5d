"""One thread that scores: it takes what waits when it is free, and scores what has the same metrics together."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from qassay.errors import QassayError, SpecError
from qassay.io.scores.writers import encode_row
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.report.explain.explanation import explain
from qassay.scoring.defaults import default_metrics
from qassay.scoring.scorer import Scorer
from qassay.text.language import check_language
from qassay.web.http.refusal import RefusedError, invalid, stopping
from qassay.web.scoring.door import check_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from qassay.records import Example
    from qassay.scoring.scorer import OnError
    from qassay.web.http.counters import Counters

_SCORERS = 16
"""Choices of metrics that are kept ready; the one that was not wanted for longest goes first."""
Rows = list[dict[str, Any]]


class Urgency(IntEnum):
    """Who waits: people and single requests before streams."""

    INTERACTIVE = 0
    BULK = 1


@dataclass(frozen=True, slots=True)
class Choice:
    """What decides whether answers may be scored together."""

    specs: tuple[str, ...]
    language: str = "auto"
    on_error: OnError = "stop"
    defaulted: bool = False

    def scorer(self) -> Scorer:
        """Make a scorer of these metrics."""
        return Scorer(self.specs, language=self.language, on_error=self.on_error, defaulted=self.defaulted)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Answers to score, or other work that needs the models."""

    choice: Choice | None
    examples: Sequence[Example]
    work: Callable[[], Any] | None = None
    done: Future[Any] = field(default_factory=Future)

    @property
    def size(self) -> int:
        return max(1, len(self.examples))


class ScoringService:
    """Scores for everyone who asks, in one thread, since the models' own threads fill the machine."""

    def __init__(
        self, counters: Counters, allowed: Sequence[str] = (), most_waiting: int = 4096, at_once: int = 32
    ) -> None:
        self._allowed = frozenset(str(parse_spec(each)) for each in allowed)
        self._counters = counters
        self._most = most_waiting
        self._at_once = at_once
        """Answers that are scored together."""
        self._scorers: OrderedDict[Choice, Scorer] = OrderedDict()
        self._waiting: dict[Urgency, deque[_Job]] = {each: deque() for each in Urgency}
        self._size = 0
        self._stopping = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="qassay-scorer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Answers that wait."""
        return self._size

    def choose(self, specs: Sequence[str], language: str, on_error: OnError, first: Example) -> Choice:
        """Return what a request asks for, checked; without metrics, those that suit its first answer."""
        wanted = tuple(dict.fromkeys(self._canonical(each) for each in specs))
        return Choice(wanted or default_metrics(first), check_language(language), on_error, defaulted=not wanted)

    def score(
        self, examples: Sequence[Example], choice: Choice, urgency: Urgency = Urgency.INTERACTIVE
    ) -> Future[Rows]:
        """Return the rows of answers, as `qassay score -o` writes them, when they are scored."""
        for each in examples:
            check_lengths(each)
        if needs_first_pass(choice.specs):
            # Such scores depend on all answers of a run: each request is a run of its own.
            return self._submit([_Job(None, examples, lambda: self._own_run(examples, choice))], urgency)
        parts = [_Job(choice, examples[i : i + self._at_once]) for i in range(0, len(examples), self._at_once)]
        return self._submit(parts, urgency)

    def explain_later(self, example: Example, specs: Sequence[str], language: str = "auto") -> Future[Any]:
        """Return the words behind an answer's scores, when it is its turn."""
        check_lengths(example)
        choice = self.choose(specs, language, "skip", example)

        def work() -> dict[str, Any]:
            scorer = choice.scorer() if needs_first_pass(choice.specs) else self._scorer(choice)
            return explain(example, scorer.specs, scorer).to_dict()

        return self._submit([_Job(None, (), work)], Urgency.INTERACTIVE)

    def explain(self, example: Example, specs: Sequence[str]) -> Future[Any]:
        """Return the words behind the scores of an answer of a run, as far as they do not depend on the whole run."""
        own = [each for each in specs if _is_known(each) and not needs_first_pass((each,))]
        return self.explain_later(example, own)

    def stop(self) -> None:
        """Refuse what waits and what comes from now on; what is being scored is finished."""
        with self._changed:
            self._stopping = True
            refused = [job for each in self._waiting.values() for job in each]
            for each in self._waiting.values():
                each.clear()
            self._size = 0
            self._changed.notify()
        for job in refused:
            _fail(job.done, stopping())

    def close(self) -> None:
        """Stop, and wait for what is being scored."""
        self.stop()
        self._thread.join()

    def _canonical(self, given: str) -> str:
        """Return a metric's canonical spec; one that may name a file is refused, unless the operator gave it."""
        spec = parse_spec(given)
        text = str(spec)
        declared = CATALOGUE[spec.name].declaration
        for name, _ in spec.options:
            param = declared.param(name)
            free = param is not None and isinstance(param.default, str) and not param.choices and not param.parts
            if free and text not in self._allowed:
                raise invalid(f'"{name}=" of {spec.name} is for the operator alone, who gives it with --metric')
        return text

    def _submit(self, jobs: Sequence[_Job], urgency: Urgency) -> Future[Any]:
        size = sum(job.size for job in jobs)
        with self._changed:
            if self._stopping:
                raise stopping()
            if self._size + size > self._most:
                raise RefusedError(429, "too_many", "too many answers wait to be scored; try again", retry_after=1)
            self._size += size
            self._waiting[urgency].extend(jobs)
            self._changed.notify()
        return jobs[0].done if len(jobs) == 1 else _joined([job.done for job in jobs])

    def _run(self) -> None:
        while (jobs := self._take()) is not None:
            try:
                if jobs[0].work is not None:
                    _settle(jobs[0].done, jobs[0].work())
                else:
                    self._score(jobs)
            except BaseException as problem:  # noqa: BLE001 - whoever waits gets it
                for job in jobs:
                    _fail(job.done, problem)

    def _take(self) -> list[_Job] | None:
        """Return the next job with all that can be scored with it; None when the service stops."""
        with self._changed:
            while not any(self._waiting.values()):
                if self._stopping:
                    return None
                self._changed.wait()
            queue = next(each for each in self._waiting.values() if each)
            jobs = [queue.popleft()]
            size = jobs[0].size
            if jobs[0].work is None:
                for others in self._waiting.values():
                    for job in list(others):
                        if job.choice == jobs[0].choice and job.work is None and size + job.size <= self._at_once:
                            others.remove(job)
                            jobs.append(job)
                            size += job.size
            self._size -= size
            return jobs

    def _score(self, jobs: Sequence[_Job]) -> None:
        choice = jobs[0].choice
        assert choice is not None  # noqa: S101 - only work of another kind has none
        scorer = self._scorer(choice)
        ready = []
        for job in jobs:
            try:
                scorer.check(job.examples)
            except QassayError as problem:
                _fail(job.done, problem)
            else:
                ready.append(job)
        if not ready:
            return
        try:
            rows = _rows(scorer, [example for job in ready for example in job.examples])
        except QassayError as problem:
            if len(ready) == 1:
                _fail(ready[0].done, problem)
                return
            # One of them is at fault: alone, each gets what is its own.
            for job in ready:
                self._score([job])
            return
        self._counters.add_batch(len(rows))
        for job in ready:
            _settle(job.done, rows[: len(job.examples)])
            rows = rows[len(job.examples) :]

    def _own_run(self, examples: Sequence[Example], choice: Choice) -> Rows:
        scorer = choice.scorer()
        scorer.first_pass(examples)
        self._counters.add_batch(len(examples))
        return _rows(scorer, examples)

    def _scorer(self, choice: Choice) -> Scorer:
        scorer = self._scorers.pop(choice, None) or choice.scorer()
        self._scorers[choice] = scorer
        if len(self._scorers) > _SCORERS:
            self._scorers.popitem(last=False)
        return scorer


@lru_cache(maxsize=256)
def needs_first_pass(specs: tuple[str, ...]) -> bool:
    """Whether a metric's scores depend on all answers of a run."""
    return bool(Scorer(specs).first_passes)


def _is_known(spec: str) -> bool:
    try:
        parse_spec(spec)
    except SpecError:
        return False
    return True


def _rows(scorer: Scorer, examples: Sequence[Example]) -> Rows:
    return [
        encode_row(example, values, reasons, notes) for example, values, reasons, notes in scorer.score(examples).rows()
    ]


def _settle(done: Future[Any], found: object) -> None:
    """Set a result, unless the request was given up, as requests are when the server ends."""
    with suppress(InvalidStateError):
        done.set_result(found)


def _fail(done: Future[Any], problem: BaseException) -> None:
    """Set an error, unless the request was given up."""
    with suppress(InvalidStateError):
        done.set_exception(problem)


def _joined(parts: Sequence[Future[Rows]]) -> Future[Rows]:
    """Return the parts of a request together, or the first error."""
    whole: Future[Rows] = Future()
    left = [len(parts)]
    lock = threading.Lock()

    def finished(_: Future[Rows]) -> None:
        with lock:
            left[0] -= 1
            if left[0]:
                return
        problem = next((each.exception() for each in parts if each.exception()), None)
        if problem is not None:
            _fail(whole, problem)
        else:
            _settle(whole, [row for each in parts for row in each.result()])

    for each in parts:
        each.add_done_callback(finished)
    return whole
