"""What questions cost: estimated before, counted while they are asked, and never beyond what may be spent."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

from qassay.errors import SpecError, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.llm.prompts import Messages

REPLY_TOKENS = 12
"""What a verdict as JSON takes."""
_MILLION = 1_000_000
_PER_MESSAGE = 5
_ASCII_PER_TOKEN, _TOKENS_PER_OTHER = 4.0, 0.8


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a million tokens, in whatever money."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Return what so many tokens cost."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / _MILLION


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend; None for no limit."""

    tokens: int | None = None
    money: float | None = None
    price: Price | None = None

    def check(self) -> None:
        """Raise `SpecError` for a limit that means nothing."""
        if self.tokens is not None and (isinstance(self.tokens, bool) or self.tokens < 1):
            raise SpecError(f"{option('budget_tokens')} is {self.tokens}; give a number above 0")
        if self.money is not None and not (isfinite(self.money) and self.money > 0):
            raise SpecError(f"{option('budget_money')} is {self.money}; give a number above 0")
        if self.money is not None and self.price is None:
            raise SpecError(
                f"{option('budget_money')} needs the price of a million tokens, of prompts and of replies; "
                f"give {option('price')}"
            )
        if self.price is not None and not all(isfinite(each) and each >= 0 for each in _both(self.price)):
            shown = f"{self.price.prompt:g}:{self.price.completion:g}"
            raise SpecError(f"{option('price')} is {shown}; give two prices of a million tokens, 0 or more")

    def __str__(self) -> str:
        limits = [] if self.tokens is None else [f"{self.tokens:,} tokens"]
        return " and ".join([*limits, *([] if self.money is None else [f"{self.money:g} in money"])])


def _both(price: Price) -> tuple[float, float]:
    return price.prompt, price.completion


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What a run is going to cost, before it starts."""

    answers: int
    """Answers that are to be judged."""
    cached: int
    """Questions about them to which the cache has a reply."""
    calls: int
    """Questions that are to be asked, if every reply has a verdict."""
    prompt_tokens: int
    completion_tokens: int
    money: float | None
    """None without prices."""

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as `judge --json` prints them."""
        return {
            "answers": self.answers,
            "cached": self.cached,
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "money": self.money,
        }

    def __str__(self) -> str:
        money = "" if self.money is None else f", {self.money:,.4g} in money"
        return (
            f"{self.answers:,} answers to judge: {self.cached:,} replies in the cache, about {self.calls:,} calls, "
            f"{self.prompt_tokens:,} tokens of prompts and {self.completion_tokens:,} of replies{money}"
        )


def estimate(questions: Sequence[Messages], answers: int, cached: int, price: Price | None) -> CostEstimate:
    """Estimate what some questions cost."""
    prompt, completion = sum(map(count_tokens, questions)), REPLY_TOKENS * len(questions)
    return CostEstimate(
        answers, cached, len(questions), prompt, completion, None if price is None else price.of(prompt, completion)
    )


def count_tokens(messages: Messages) -> int:
    """Estimate the tokens of a prompt: four letters each, and nearly one for any character beyond ASCII."""
    total = 3.0
    for message in messages:
        text = message["content"]
        plain = sum(each < "\x80" for each in text)
        total += _PER_MESSAGE + plain / _ASCII_PER_TOKEN + (len(text) - plain) * _TOKENS_PER_OTHER
    return ceil(total)


class BudgetSpentError(Exception):
    """The next question could cost more than is left."""


@dataclass(slots=True)
class Account:
    """Tokens spent and set aside; used by all threads."""

    limits: Limits
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _guessed: int = 0
    _longest_reply: int = 0
    _reserved: float = 0.0
    _reserved_money: float = 0.0
    _open: int = 0
    _settled: threading.Condition = field(default_factory=threading.Condition)

    @property
    def tokens(self) -> int:
        """Tokens spent."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def money(self) -> float | None:
        """Money spent; None without prices."""
        price = self.limits.price
        return None if price is None else price.of(self.prompt_tokens, self.completion_tokens)

    def reserve(self, guess: int, max_tokens: int) -> tuple[float, float]:
        """Set aside what a prompt of an estimated size will cost; raise `BudgetSpentError` if that is not left.

        The estimate is corrected by what prompts so far have turned out to take. A reply may be as long as the longest
        so far, and the first as long as the endpoint allows. While other questions are open, what they really take is
        waited for.
        """
        with self._settled:
            while True:
                tokens, money = self._costs(guess, max_tokens)
                if self._is_left(tokens, money):
                    break
                if not self._open:
                    raise BudgetSpentError
                self._settled.wait()
            self._open += 1
            self._reserved += tokens
            self._reserved_money += money
            return tokens, money

    def _costs(self, guess: int, max_tokens: int) -> tuple[float, float]:
        scale = self.prompt_tokens / self._guessed if self._guessed and self.prompt_tokens else 1.0
        reply = self._longest_reply or max_tokens
        price = self.limits.price
        return guess * scale + reply, 0.0 if price is None else price.of(guess * scale, reply)

    def _is_left(self, tokens: float, money: float) -> bool:
        limits, spent = self.limits, self.money or 0.0
        enough = limits.tokens is None or self.tokens + self._reserved + tokens <= limits.tokens
        return enough and (limits.money is None or spent + self._reserved_money + money <= limits.money)

    def settle(self, reserved: tuple[float, float], guess: int, used: tuple[int | None, int | None] | None) -> None:
        """Count what a question took, or nothing where it was not answered; estimates stand for what is not stated."""
        with self._settled:
            self._open -= 1
            self._settled.notify_all()
            self._reserved -= reserved[0]
            self._reserved_money -= reserved[1]
            if used is None:
                return
            self.calls += 1
            self._guessed += guess
            self.prompt_tokens += guess if used[0] is None else used[0]
            reply = REPLY_TOKENS if used[1] is None else used[1]
            self.completion_tokens += reply
            self._longest_reply = max(self._longest_reply, reply)
