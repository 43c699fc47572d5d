"""Questions about many answers, asked by several threads, with a cache, a budget and a way to stop."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from qassay.errors import ModelError, StoppedError
from qassay.llm.budget import Account, BudgetSpentError, CostEstimate, count_tokens, estimate
from qassay.llm.endpoint import EndpointError, EndpointRefusedError, NoReplyError, Sampling
from qassay.llm.prompts import MODES
from qassay.llm.replies import ChatReply, LlmVerdict, read_verdict, why_none
from qassay.llm.reply_cache import cache_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from qassay.llm.endpoint import ChatEndpoint
    from qassay.llm.prompts import Messages, Mode, Prompt
    from qassay.llm.reply_cache import ReplyCache
    from qassay.records import Example
    from qassay.scoring.progress import Progress

NO_CANDIDATE = "the candidate is missing"
_FEWEST_FAILURES = 8


@dataclass(frozen=True, slots=True)
class Judged:
    """What an LLM says of one answer, or why it says nothing."""

    verdict: str | None
    """The verdict that most samples have."""
    score: float | None
    reason: str | None = None
    """Why there is no verdict."""
    samples: int = 0
    from_logprobs: bool = False
    asked: bool = True
    """Whether the LLM was asked and its replies were read; not where the budget ended before."""


@dataclass(frozen=True, slots=True, eq=False)
class AskedAnswer:
    """One question: an answer, and the number of the sample where several are drawn."""

    row: int
    example: Example
    sample: int
    key: str


@dataclass(slots=True)
class Asking:
    """How an LLM is asked, and what has come of it."""

    endpoint: ChatEndpoint
    prompt: Prompt
    cache: ReplyCache
    account: Account
    samples: int = 1
    sampling: Sampling = field(default_factory=Sampling)
    concurrency: int = 8
    again: bool = False
    """Whether answers that have replies without a verdict in the cache are asked about once more."""
    cached: int = 0
    """Questions whose replies were in the cache."""
    models: set[str] = field(default_factory=set)
    """The model's ids as the endpoint stated them."""
    own_temperature: bool = False
    """Whether the endpoint took no temperature for some of the replies."""
    exhausted: bool = False
    """Whether the budget ended before the questions did."""
    _replies: dict[str, list[ChatReply]] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)

    def questions(self, examples: Mapping[int, Example], seed: int) -> list[AskedAnswer]:
        """Return all questions about some answers, by row, in random order; missing candidates are not asked about.

        The order is by a hash of the question and the seed, so that answers that several systems gave do not come
        earlier than others: those that a budget is enough for are a random sample.
        """
        found = [
            AskedAnswer(row, example, sample, self._key(example, sample))
            for row, example in examples.items()
            for sample in range(self.samples)
            if example.candidate is not None
        ]
        return sorted(found, key=lambda each: cache_key([seed, each.key]))

    def estimate(self, questions: Sequence[AskedAnswer]) -> CostEstimate:
        """Return what the questions cost that the cache has no reply to."""
        known = self._look_up(questions)
        first = [each for each in questions if each.sample == 0]
        # Further samples are not drawn where log-probabilities come with the first; they are counted all the same.
        open_ = list({each.key: each for each in questions if each.key not in known}.values())
        texts = [self.prompt.messages(each.example, MODES[0]) for each in open_]
        return estimate(texts, len(first), sum(each.key in known for each in questions), self.account.limits.price)

    def run(self, questions: Sequence[AskedAnswer], progress: Progress | None = None) -> None:
        """Ask all questions that have no reply yet, in their order; the first sample of an answer comes first.

        Raises `StoppedError` where the endpoint stops answering, and `ModelError` where it never did. Replies are in
        the cache by then, and a further run goes on from there.
        """
        rounds = [[each for each in questions if each.sample == sample] for sample in range(self.samples)]
        total = len(rounds[0]) if rounds else 0
        if progress is not None:
            progress.begin("asking", total)
        for number, part in enumerate(rounds):
            wanted = [each for each in part if number == 0 or self._needs_samples(each)]
            known = self._look_up(wanted)
            self._replies |= known
            self.cached += sum(each.key in known for each in wanted)
            # Equal answers to equal questions are asked about once.
            open_ = list({each.key: each for each in wanted if each.key not in self._replies}.values())
            if progress is not None and number == 0:
                progress.advance(total - len(open_), total)
            self._ask_all(open_, None if number else progress, total)
        given = [reply for replies in self._replies.values() for reply in replies]
        self.models |= {reply.model for reply in given if reply.model}
        self.own_temperature = any(reply.own_temperature for reply in given)

    def judged(self, examples: Iterable[tuple[int, Example]]) -> dict[int, Judged]:
        """Return what came of the questions about each answer."""
        return {row: self._judged(example) for row, example in examples}

    def _judged(self, example: Example) -> Judged:
        if example.candidate is None:
            return Judged(None, None, NO_CANDIDATE, asked=False)
        keys = [self._key(example, sample) for sample in range(self.samples)]
        verdicts, reasons = [], []
        for key in keys:
            replies = self._replies.get(key)
            if replies is None:
                reasons += [self._failed[key]] if key in self._failed else []
                continue
            verdict = read_verdict(replies[-1], self.prompt)
            if verdict is None:
                reasons.append(why_none(replies))
            else:
                verdicts.append(verdict)
        if not verdicts:
            return Judged(None, None, reasons[0] if reasons else self._why_not_asked(), asked=bool(reasons))
        return _summarised(verdicts, self.prompt)

    def _why_not_asked(self) -> str:
        if not self.exhausted:
            return "not asked"
        enough = "was spent before" if self.account.calls else "is not enough for one question"
        return f"not asked: the budget of {self.account.limits} {enough}"

    def _needs_samples(self, question: AskedAnswer) -> bool:
        first = self._replies.get(self._key(question.example, 0))
        verdict = None if first is None else read_verdict(first[-1], self.prompt)
        return verdict is not None and not verdict.from_logprobs

    def _look_up(self, questions: Sequence[AskedAnswer]) -> dict[str, list[ChatReply]]:
        found = self.cache.find(each.key for each in questions)
        if self.again:
            return {key: each for key, each in found.items() if read_verdict(each[-1], self.prompt) is not None}
        return found

    def _key(self, example: Example, sample: int) -> str:
        sampling, endpoint = self.sampling, self.endpoint
        messages = self.prompt.messages(example, MODES[0])
        drawn = [sampling.temperature, sampling.max_tokens, sampling.seed, sample]
        return cache_key([endpoint.url, endpoint.model, self.prompt.hash, messages, *drawn])

    def _ask_all(self, questions: Sequence[AskedAnswer], progress: Progress | None, total: int) -> None:
        """Ask with several threads; they end with the process, so that an interruption need not wait for them."""
        if not questions or self.exhausted:
            return
        waiting: queue.SimpleQueue[AskedAnswer | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[AskedAnswer, list[ChatReply] | Exception]] = queue.SimpleQueue()
        for each in questions:
            waiting.put(each)
        workers = min(self.concurrency, len(questions))
        for _ in range(workers):
            waiting.put(None)
            threading.Thread(target=self._work, args=(waiting, done), daemon=True).start()
        finished, failures, unanswered, before = 0, 0, 0, total - len(questions)
        try:
            while finished < len(questions):
                # A time-out, because a wait without one cannot be interrupted everywhere.
                try:
                    question, found = done.get(timeout=0.5)
                except queue.Empty:
                    continue
                finished += 1
                unanswered += isinstance(found, NoReplyError) and not isinstance(found, EndpointRefusedError)
                failures = failures + 1 if self._settle(question, found) else 0
                nobody_there = unanswered == len(questions) and not self._replies
                if nobody_there or failures >= max(_FEWEST_FAILURES, 2 * workers):
                    raise self._stopped(self._failed[question.key])
                if progress is not None:
                    progress.advance(before + finished, total)
        finally:
            self.endpoint.stop.set()
        self.endpoint.stop.clear()

    def _settle(self, question: AskedAnswer, found: list[ChatReply] | Exception) -> bool:
        """Keep what came of a question; return whether it failed through no fault of its own."""
        match found:
            case list():
                self.cache.store(question.key, found)
                self._replies[question.key] = found
            case BudgetSpentError():
                self.exhausted = True
            case EndpointRefusedError():
                self._failed[question.key] = str(found)
                # An endpoint that refuses every question has something against all of them.
                return not self._replies
            case NoReplyError():
                self._failed[question.key] = str(found)
                return True
            case EndpointError():
                raise self._stopped(str(found))
            case _:
                raise found
        return False

    def _stopped(self, reason: str) -> ModelError | StoppedError:
        if not self._replies:
            return ModelError(f"the endpoint gives no reply at all: {reason}")
        kept = f"{len(self._replies):,} replies are in the cache"
        return StoppedError(f"stopped because {reason}; {kept}, and the same command goes on from there")

    def _work(
        self,
        waiting: queue.SimpleQueue[AskedAnswer | None],
        done: queue.SimpleQueue[tuple[AskedAnswer, list[ChatReply] | Exception]],
    ) -> None:
        while (question := waiting.get()) is not None:
            try:
                if self.exhausted:
                    raise BudgetSpentError  # noqa: TRY301 - as the account does
                done.put((question, self._ask(question)))
            except Exception as problem:  # noqa: BLE001 - it is raised where the questions are waited for
                done.put((question, problem))
            if self.endpoint.stop.is_set():
                return

    def _ask(self, question: AskedAnswer) -> list[ChatReply]:
        """Ask until a reply has a verdict, each time in a looser form; return all replies."""
        messages: Callable[[Mode], Messages] = partial(self.prompt.messages, question.example)
        replies: list[ChatReply] = []
        start = MODES.index(self.endpoint.mode)
        for mode in MODES[start:]:
            if replies and MODES.index(mode) <= MODES.index(replies[-1].mode):
                continue
            reply = self._paid(messages, mode, question)
            replies.append(reply)
            if read_verdict(reply, self.prompt) is not None:
                break
        return replies

    def _paid(self, messages: Callable[[Mode], Messages], mode: Mode, question: AskedAnswer) -> ChatReply:
        guess = count_tokens(messages(mode))
        reserved = self.account.reserve(guess, self.sampling.max_tokens)
        used = None
        sampling = self.sampling
        if self.samples > 1:
            sampling = Sampling(sampling.temperature, sampling.max_tokens, (sampling.seed or 0) + question.sample)
        try:
            reply = self.endpoint.ask(messages, self.prompt, mode, sampling)
            used = reply.prompt_tokens, reply.completion_tokens
            return reply
        finally:
            self.account.settle(reserved, guess, used)


def _summarised(verdicts: Sequence[LlmVerdict], prompt: Prompt) -> Judged:
    """Average samples; the verdict is that of most of them, and the first in the prompt's order among equals."""
    words = [each.word for each in verdicts]
    most = max(prompt.verdicts, key=words.count)
    score = sum(each.score for each in verdicts) / len(verdicts)
    return Judged(most, score, None, len(verdicts), any(each.from_logprobs for each in verdicts))
