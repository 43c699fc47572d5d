"""What an endpoint replied, and the verdict in it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from qassay.llm.prompts import Prompt

_THOUGHT = re.compile(r"<think>.*?</think>|\A.*?</think>", re.DOTALL)
"""What a model thinks aloud before it answers."""
_OBJECT = re.compile(r"\{[^{}]*\}")
_VALUE = re.compile(r'"verdict"\s*:\s*"?')
_AROUND = " \t\r\n\"'`*_.:;()[]{}"
_CERTAIN_ENOUGH = 0.5
"""The verdicts' share of the probability without which the rest of it could decide otherwise."""
QUOTED = 80


class ChatReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """One reply of an endpoint."""

    mode: str
    """How it was asked for."""
    content: str
    finish: str = ""
    model: str = ""
    """The model's id as the endpoint states it."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    tokens: tuple[tuple[str, dict[str, float]], ...] = ()
    """The last tokens of the content, each with the log-probabilities of what could have stood there."""
    own_temperature: bool = False
    """Whether the endpoint took no temperature, and drew the reply at its own."""


@dataclass(frozen=True, slots=True)
class LlmVerdict:
    """A verdict and how sure it is."""

    word: str
    score: float
    """The mean score of the verdicts by their log-probabilities where there are any, else the verdict's own score."""
    from_logprobs: bool = False


def read_verdict(reply: ChatReply, prompt: Prompt) -> LlmVerdict | None:
    """Return the verdict of a reply, as a JSON object with `verdict` or as a letter; None where there is none.

    Only a verdict that is stated as asked for counts: no word is looked for in prose.
    """
    content = _THOUGHT.sub("", reply.content).strip()
    words = {word: word for word in prompt.verdicts}
    found = _in_json(content, prompt) or _alone(content, words)
    options: Mapping[str, str] = words
    if found is None:
        options = {sign.casefold(): word for sign, word in prompt.letters.items()}
        found = _alone(content, options)
    if found is None:
        return None
    word, start = found
    score = _probability(reply, content, start, options, prompt)
    return LlmVerdict(word, prompt.verdicts[word] if score is None else score, score is not None)


def why_none(replies: Sequence[ChatReply]) -> str:
    """Return why there is no verdict in the replies to one answer."""
    last = replies[-1]
    if last.finish in {"length", "content_filter"}:
        return "the reply was cut off" if last.finish == "length" else "the endpoint's filter withheld the reply"
    shown = " ".join(last.content.split())
    quoted = shown if len(shown) <= QUOTED else f"{shown[:QUOTED]}…"
    return f'no verdict in the reply "{quoted}"' if quoted else "the reply was empty"


def _in_json(content: str, prompt: Prompt) -> tuple[str, int] | None:
    """Find an object with a verdict; where there are several, they must agree."""
    found: dict[str, int] = {}
    whole = [(content, 0)] if content.startswith("{") else []
    for text, start in [*whole, *((each[0], each.start()) for each in _OBJECT.finditer(content))]:
        try:
            value = json.loads(text, object_pairs_hook=_distinct)
        except (ValueError, RecursionError):
            continue
        given = value.get("verdict") if isinstance(value, dict) else None
        if isinstance(given, bool) or not isinstance(given, str | int):
            continue
        word = _as_word(str(given))
        at = _VALUE.search(text)
        if word in prompt.verdicts and at is not None:
            found.setdefault(word, start + at.end())
    return next(iter(found.items())) if len(found) == 1 else None


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object's members; raise `ValueError` where it has two of one name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("two members of one name")
    return found


def _alone(content: str, options: Mapping[str, str]) -> tuple[str, int] | None:
    """Find a verdict, or the letter of one, that is all that the reply says."""
    bare = content.strip(_AROUND)
    word = options.get(_as_word(bare))
    return None if word is None else (word, content.index(bare))


def _as_word(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text.strip()).casefold()


def _probability(
    reply: ChatReply, content: str, start: int, options: Mapping[str, str], prompt: Prompt
) -> float | None:
    """Average the verdicts' scores by the probabilities of the tokens that could have begun the verdict."""
    text = "".join(token for token, _ in reply.tokens)
    at = text.rfind(content)
    if at < 0 or not content:
        return None
    position, alternatives, here = at + start, {}, ""
    for token, others in reply.tokens:
        if position < len(token):
            alternatives, here = others, token[position:]
            break
        position -= len(token)
    if _begun(here, options) is None:
        return None
    masses = dict.fromkeys(prompt.verdicts, 0.0)
    for token, logprob in alternatives.items():
        word = _begun(token, options)
        if word is not None:
            masses[word] += math.exp(min(0.0, logprob))
    total = sum(masses.values())
    if total < _CERTAIN_ENOUGH:
        return None
    return min(1.0, sum(prompt.verdicts[word] * mass for word, mass in masses.items()) / total)


def _begun(token: str, options: Mapping[str, str]) -> str | None:
    """Return the only verdict that a token can begin; None where there is none or more than one."""
    text = token.lstrip(_AROUND).casefold().replace(" ", "_").replace("-", "_")
    if text in options:
        return options[text]
    words = {word for begun, word in options.items() if text and begun.startswith(text.rstrip(_AROUND) or "\0")}
    return words.pop() if len(words) == 1 else None
