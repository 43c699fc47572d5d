"""An OpenAI-compatible endpoint: one question at a time, asked again where that can help."""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from msgspec import structs

from qassay.errors import ModelError, SpecError, option
from qassay.llm.prompts import MODES
from qassay.llm.replies import ChatReply

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import httpx2

    from qassay.llm.prompts import Messages, Mode, Prompt

KEY, OTHER_KEY = "QASSAY_API_KEY", "OPENAI_API_KEY"
"""Where the key is looked for, unless another name is given; the second only where nobody can listen."""
_FIRST_WAIT, _LONGEST_WAIT, _LONGEST_PAUSE = 0.5, 60.0, 600.0
_BUSY_FACTOR = 4
"""How many more times a question is asked again where the endpoint is only busy."""
_MOST_BYTES = 1 << 23
_MOST_TOKENS = 200
_MOST_COUNTED = 1 << 31
_SHOWN = 200
_NOT_IN_NAMES = re.compile(r"[^\w.:/@+-]")
_LONGEST_NAME = 120
"""Of a model's id in signatures."""
_OK, _BUSY, _PAYMENT, _NOT_FOUND = 200, 429, 402, 404
_FORBIDDEN = frozenset((401, 403))
_BAD_REQUEST = frozenset((400, 404, 413, 415, 422, 501))
_AGAIN = frozenset((408, 409, 425, 429, 499))
_SERVER_ERROR = 500
_TOO_LONG = ("context", "too long", "length")
"""Words with which endpoints refuse a question for its length."""
_SECRETS = ("key", "token", "secret", "sig", "password", "code")
_SHORTEST_SECRET = 8
"""A key of fewer characters is one that a server of one's own ignores, and may be a part of any word."""
_HALF_PAIR = re.compile("[\ud800-\udfff]")
"""Half of a pair of UTF-16, which JSON can hold and a file cannot."""


class NoReplyError(Exception):
    """One question stays without a reply, for the reason that the message states."""


class EndpointRefusedError(NoReplyError):
    """The endpoint refuses this one question, and would do so again."""


class EndpointError(Exception):
    """The endpoint answers nobody: the run cannot go on."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a model draws its reply."""

    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None


@dataclass(slots=True)
class _Accepted:
    """What the endpoint takes, as far as it has been found out."""

    mode: int = 0
    """The strictest way of asking for a reply that it takes, as a place in `MODES`."""
    logprobs: bool = True
    temperature: bool = True
    seed: bool = True
    max_tokens: str = "max_tokens"


@dataclass(slots=True)
class ChatEndpoint:
    """Where questions go. Its key is in no message, no representation and no file."""

    url: str
    model: str
    timeout: float = 60.0
    retries: int = 6
    key_env: str | None = None
    connections: int = 8
    stop: threading.Event = field(default_factory=threading.Event)
    requests: int = 0
    """Requests sent, with those that failed."""
    _key: str = field(default="", repr=False)
    _accepted: _Accepted = field(default_factory=_Accepted, repr=False)
    _answered: set[str] = field(default_factory=set, repr=False)
    _not_before: float = field(default=0.0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _client: httpx2.Client = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.url = checked_url(self.url)
        self._key = find_key(self.url, self.key_env)
        httpx = load_httpx()
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # No redirection is followed, so that the key goes nowhere else; a local endpoint is never behind a proxy.
        self._client = httpx.Client(
            headers={"User-Agent": "qassay", **headers},
            timeout=httpx.Timeout(self.timeout, connect=min(self.timeout, 20.0)),
            limits=httpx.Limits(max_connections=self.connections, max_keepalive_connections=self.connections),
            trust_env=not is_local(self.url),
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def mode(self) -> Mode:
        """The strictest way of asking that the endpoint takes."""
        return MODES[self._accepted.mode]

    def ask(self, messages: Callable[[Mode], Messages], prompt: Prompt, mode: Mode, sampling: Sampling) -> ChatReply:
        """Ask one question, again after failures that may pass; raise `NoReplyError` where none of that helps.

        The mode is what was wished for; where the endpoint does not take it, the next looser one is used.
        """
        failures = busy = 0
        reason = ""
        wished = mode
        while failures <= self.retries and busy <= self.retries * _BUSY_FACTOR:
            self._wait_until_allowed()
            used = MODES[max(MODES.index(mode), self._accepted.mode)]
            body = self._body(messages(used), prompt, used, sampling)
            try:
                status, headers, text = self._post(body)
            except _transport_errors() as problem:
                reason = self._shown(f"{type(problem).__name__}: {problem}".rstrip(": "))
                failures += 1
                self._back_off(failures)
                continue
            if status == _OK:
                reply = _read_reply(text, used, self._without_key)
                if reply is not None:
                    if "temperature" not in body:
                        reply = structs.replace(reply, own_temperature=True)
                    self._note_success(wished, mode, used)
                    return reply
                reason = f"the endpoint's reply is no chat completion: {self._shown(text)!r:.120}"
                failures += 1
                self._back_off(failures)
            elif status in _AGAIN or (status >= _SERVER_ERROR and status not in _BAD_REQUEST):
                if "insufficient_quota" in text:
                    raise EndpointError(f"the endpoint says that the quota is used up: {self._shown(text)}")
                reason = f"the endpoint answers {status}: {self._shown(text)}"
                if status == _BUSY:
                    busy += 1
                else:
                    failures += 1
                self._back_off(max(failures, busy), _retry_after(headers))
            else:
                mode = self._adapt_or_refuse(status, text, body, used)
        raise NoReplyError(f"no reply after {failures + busy} requests; last: {reason}")

    def _body(self, messages: Messages, prompt: Prompt, mode: Mode, sampling: Sampling) -> dict[str, Any]:
        accepted = self._accepted
        body: dict[str, Any] = {"model": self.model, "messages": messages, accepted.max_tokens: sampling.max_tokens}
        if accepted.temperature:
            body["temperature"] = sampling.temperature
        if accepted.logprobs:
            body |= {"logprobs": True, "top_logprobs": max(5, min(20, len(prompt.verdicts) + 2))}
        if accepted.seed and sampling.seed is not None:
            body["seed"] = sampling.seed
        if mode == "schema":
            schema = {"name": "verdict", "strict": True, "schema": prompt.schema()}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif mode == "json":
            body["response_format"] = {"type": "json_object"}
        return body

    def _post(self, body: dict[str, Any]) -> tuple[int, Mapping[str, str], str]:
        """Send one request; the time-out is for the whole reply, however slowly it comes."""
        end = time.monotonic() + self.timeout
        with self._lock:
            self.requests += 1
        path, _, query = self.url.partition("?")
        url = f"{path}/chat/completions{'?' if query else ''}{query}"
        with self._client.stream("POST", url, json=body) as response:
            parts, size = [], 0
            for part in response.iter_bytes():
                parts.append(part)
                size += len(part)
                if time.monotonic() > end:
                    raise TimeoutError(f"no whole reply within {self.timeout:g} s")
                if size > _MOST_BYTES:
                    raise TimeoutError(f"the reply does not end within {_MOST_BYTES:,} bytes")
                if self.stop.is_set():
                    raise EndpointError("stopped")
            return response.status_code, response.headers, b"".join(parts).decode(errors="replace")

    def _adapt_or_refuse(self, status: int, text: str, body: Mapping[str, Any], mode: Mode) -> Mode:
        """Leave out what the endpoint does not take, and return how to ask next; raise an error where nothing is left.

        An endpoint that does not say what it has against a question is asked in a looser form.
        """
        if status in _FORBIDDEN:
            name = self.key_env or f"{KEY} or {OTHER_KEY}"
            given = "refuses the key" if self._key else "asks for a key"
            raise EndpointError(f"the endpoint {given} ({status}): {self._shown(text)}; set {name} in the environment")
        if status == _PAYMENT:
            raise EndpointError(f"the endpoint asks for payment ({status}): {self._shown(text)}")
        if status in _BAD_REQUEST and self._adapt(text, body):
            return mode
        if status == _NOT_FOUND or status not in _BAD_REQUEST:
            raise EndpointError(
                f"the endpoint answers {status}: {self._shown(text)}; check the address (it is followed by "
                "/chat/completions) and the model's name"
            )
        if mode != MODES[-1] and not any(word in text.casefold() for word in _TOO_LONG):
            return MODES[MODES.index(mode) + 1]
        raise EndpointRefusedError(f"the endpoint refuses this answer ({status}): {self._shown(text)}")

    def _adapt(self, text: str, body: Mapping[str, Any]) -> bool:
        """Note what an endpoint complains of, if it is something that can be left out; whether there was anything."""
        said = text.casefold()
        with self._lock:
            accepted = self._accepted
            if "logprobs" in said and "logprobs" in body:
                accepted.logprobs = False
            elif "max_completion_tokens" in said and "max_tokens" in body:
                accepted.max_tokens = "max_completion_tokens"
            elif "temperature" in said and "temperature" in body:
                accepted.temperature = False
            elif "seed" in said and "seed" in body:
                accepted.seed = False
            elif "response_format" in body and any(
                word in said for word in ("response_format", "json_schema", "json_object", "schema", "grammar")
            ):
                asked = 0 if body["response_format"]["type"] == "json_schema" else 1
                accepted.mode = max(accepted.mode, asked + 1)
            else:
                return False
        return True

    def _note_success(self, wished: Mode, asked: Mode, used: Mode) -> None:
        """Note the form in which a question was answered, and ask all in it where stricter ones were only refused."""
        with self._lock:
            if asked != wished and not any(each in self._answered for each in MODES[: MODES.index(used)]):
                self._accepted.mode = max(self._accepted.mode, MODES.index(used))
            self._answered.add(used)

    def _wait_until_allowed(self) -> None:
        while (wait := self._not_before - time.monotonic()) > 0:
            if self.stop.wait(min(wait, 1.0)):
                break
        if self.stop.is_set():
            raise EndpointError("stopped")

    def _back_off(self, failures: int, stated: float | None = None) -> None:
        """Wait twice as long after every failure, with chance in it; where the endpoint states how long, all wait."""
        if stated is not None and stated > _LONGEST_PAUSE:
            raise EndpointError(f"the endpoint asks to wait {stated:,.0f} seconds; go on later")
        if stated is not None:
            with self._lock:
                self._not_before = max(self._not_before, time.monotonic() + stated)
            return
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (failures - 1))
        self.stop.wait(wait * (0.5 + random.random() / 2))

    def _shown(self, text: str) -> str:
        """Return what an endpoint says, in one short line and without the key."""
        try:
            said = json.loads(text)["error"]
            text = said["message"] if isinstance(said, dict) else str(said)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        text = self._without_key(" ".join(_HALF_PAIR.sub("\ufffd", str(text)).split()))
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

    def _without_key(self, text: str) -> str:
        """Return a text of the endpoint with the key struck out, should it repeat the key."""
        return text.replace(self._key, "…") if len(self._key) >= _SHORTEST_SECRET else text


def checked_url(url: str) -> str:
    """Return an endpoint's address without its last slash; raise `SpecError` for one that is none or holds a secret."""
    name = option("endpoint")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise SpecError(f"{name} is no address; write one like https://api.example.org/v1") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise SpecError(f'{name} is "{url}"; write an address like https://api.example.org/v1')
    secret = [key for key, _ in parse_qsl(parts.query) if any(word in key.casefold() for word in _SECRETS)]
    if parts.username or parts.password or secret:
        raise SpecError(f"{name} holds a secret, which would be seen by others; keys are read from {KEY} alone")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return f"{parts.scheme}://{parts.netloc}{path}{'?' if parts.query else ''}{parts.query}"


def as_name(text: str) -> str:
    """Return a name as it stands in signatures, where separators and what cannot be seen are replaced."""
    return _NOT_IN_NAMES.sub("_", text)[:_LONGEST_NAME]


def find_key(url: str, key_env: str | None = None) -> str:
    """Return the key from the environment; empty where there is none.

    A variable that was named must be there. The usual variable of other programs is not sent where others could listen.
    """
    if key_env is not None:
        if not os.environ.get(key_env):
            raise SpecError(f"there is no {key_env} in the environment, which {option('key_env')} names; set it")
        key = os.environ[key_env]
    else:
        safe = url.startswith("https:") or is_local(url)
        key = os.environ.get(KEY) or (os.environ.get(OTHER_KEY, "") if safe else "")
    if not key.isascii() or any(each.isspace() for each in key.strip()):
        raise SpecError(f"the key in {key_env or KEY} is no key: it has spaces or letters beyond ASCII; set it again")
    return key.strip()


def is_local(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def load_httpx() -> Any:  # noqa: ANN401 - a module
    """Import the library that speaks HTTP, which is optional."""
    try:
        import httpx2  # noqa: PLC0415 - optional
    except ImportError as error:
        raise ModelError('an LLM is asked with httpx2; pip install "qassay[llm]"') from error
    return httpx2


def _transport_errors() -> tuple[type[Exception], ...]:
    httpx = load_httpx()
    return (httpx.HTTPError, httpx.StreamError, OSError)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an endpoint asks to wait, stated as a number or as a date."""
    exact = headers.get("retry-after-ms")
    given = headers.get("retry-after") if exact is None else exact
    if given is None:
        return None
    try:
        seconds = float(given) / (1000 if exact is not None else 1)
    except ValueError:
        try:
            date = parsedate_to_datetime(given)
        except ValueError:
            return None
        seconds = (date - datetime.now(date.tzinfo or UTC)).total_seconds() if date.tzinfo else 0.0
    return max(0.0, seconds) if seconds == seconds else None  # noqa: PLR0124 - NaN


def _read_reply(text: str, mode: Mode, without_key: Callable[[str], str]) -> ChatReply | None:
    """Return the first choice of a chat completion; None where the text is none."""
    try:
        document = json.loads(text)
        choice = document["choices"][0]
        message = choice["message"]
        content = message.get("content")
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        content = message.get("refusal") if content is None else content
        content = content if isinstance(content, str) else ""
        kept = without_key(_HALF_PAIR.sub("\ufffd", content))
        model = without_key(str(document.get("model") or ""))
        usage = each if isinstance(each := document.get("usage"), dict) else {}
        return ChatReply(
            mode,
            kept,
            as_name(without_key(str(choice.get("finish_reason") or ""))),
            as_name(model),
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
            _tokens(choice.get("logprobs")) if kept == content else (),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None


def _count(given: object) -> int | None:
    if not isinstance(given, int) or isinstance(given, bool):
        return None
    return given if 0 <= given <= _MOST_COUNTED else None


def _tokens(given: object) -> tuple[tuple[str, dict[str, float]], ...]:
    """Return the last tokens with what could have stood there; nothing where an endpoint has another idea of them.

    What is stated as impossible, or not as a number, is left out.
    """
    content = given.get("content") if isinstance(given, dict) else None
    if not isinstance(content, list):
        return ()
    try:
        return tuple(
            (
                _HALF_PAIR.sub("\ufffd", str(each["token"])),
                {
                    _HALF_PAIR.sub("\ufffd", str(other["token"])): float(other["logprob"])
                    for other in (each.get("top_logprobs") or [each])
                    if other["logprob"] is not None and isfinite(float(other["logprob"]))
                },
            )
            for each in content[-_MOST_TOKENS:]
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()
