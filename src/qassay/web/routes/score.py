"""Scoring over HTTP: the numbers of `qassay score`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from qassay.errors import QassayError
from qassay.metrics.registry import CATALOGUE
from qassay.web.http.bodies import chunks, decode, decode_query
from qassay.web.http.endpoint import ANYONE_KNOWN, PROGRAMS, Call, Endpoint, Nothing
from qassay.web.http.refusal import RefusedError, invalid
from qassay.web.http.streams import LineResponse
from qassay.web.scoring.door import example_of, examples_of
from qassay.web.scoring.service import Urgency

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from concurrent.futures import Future

    from starlette.requests import Request

    from qassay.web.server import Server

_IN_FLIGHT = 128
"""Answers of a stream that are on their way at a time."""
LONGEST_LINE = 1 << 20
JSON_LINES = frozenset({"application/x-ndjson", "application/jsonl", "application/json-lines"})
Metrics = Annotated[list[Annotated[str, msgspec.Meta(max_length=500)]], msgspec.Meta(max_length=32)]
OnError = Literal["stop", "skip"]


class ScoreBody(msgspec.Struct, forbid_unknown_fields=True):
    """Answers to score, as rows of the JSONL format; without metrics, with those that suit the first."""

    answers: list[dict[str, Any]]
    metrics: Metrics = msgspec.field(default_factory=list)
    language: Annotated[str, msgspec.Meta(max_length=20)] = "auto"
    on_error: OnError = "stop"


class ExplainBody(msgspec.Struct, forbid_unknown_fields=True):
    """One answer whose scores to explain."""

    answer: dict[str, Any]
    metrics: Metrics = msgspec.field(default_factory=list)
    language: Annotated[str, msgspec.Meta(max_length=20)] = "auto"


class StreamQuery(msgspec.Struct, forbid_unknown_fields=True):
    """How to score the lines of a stream."""

    metrics: Metrics = msgspec.field(default_factory=list)
    language: Annotated[str, msgspec.Meta(max_length=20)] = "auto"
    on_error: OnError = "stop"


def score(call: Call[ScoreBody, Nothing]) -> Future[Any]:
    """Return the scores of up to 256 answers."""
    body = call.body
    examples = examples_of(body.answers)
    choice = call.server.scoring.choose(body.metrics, body.language, body.on_error, examples[0])
    return call.server.scoring.score(examples, choice)


def scored(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a request for scores is answered with."""
    return {"rows": rows, "metrics": list(rows[0]["scores"])}


def explain(call: Call[ExplainBody, Nothing]) -> Future[Any]:
    """Return the words behind one answer's scores."""
    body = call.body
    example = examples_of([body.answer])[0]
    return call.server.scoring.explain_later(example, body.metrics, body.language)


async def score_lines(request: Request, server: Server) -> LineResponse:
    """Score JSON lines as they come, in order; a line that cannot be scored is answered with an error."""
    query: StreamQuery = decode_query(request.query_params.multi_items(), StreamQuery)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in JSON_LINES:
        raise RefusedError(415, "content_type", "send JSON lines as application/x-ndjson")
    # What is wrong with the metrics is said at once.
    server.scoring.choose(query.metrics, query.language, query.on_error, example_of(_ANY, 1))
    return LineResponse(_replies(request, server, query))


_ANY = {"question": "", "references": ["a"], "candidate": "a"}


async def _replies(request: Request, server: Server, query: StreamQuery) -> AsyncIterator[bytes]:
    """Yield one line per line; reading goes on while earlier lines are scored."""
    waiting: asyncio.Queue[tuple[int, asyncio.Future[Any] | QassayError] | None] = asyncio.Queue(_IN_FLIGHT)

    async def read() -> None:
        number = 0
        try:
            async for line in _lines(request, server):
                number += 1
                if line.strip():
                    await waiting.put((number, await _begin(server, query, line, number)))
        except QassayError as problem:
            await waiting.put((number + 1, problem))
        finally:
            await waiting.put(None)

    reading = asyncio.create_task(read())
    try:
        while (entry := await waiting.get()) is not None:
            number, pending = entry
            try:
                if isinstance(pending, QassayError):
                    raise pending
                (row,) = await pending
            except QassayError as problem:
                code = problem.code if isinstance(problem, RefusedError) else "invalid"
                row = {"error": str(problem), "code": code, "line": number}
            yield msgspec.json.encode(row, enc_hook=str) + b"\n"
    finally:
        reading.cancel()


async def _begin(server: Server, query: StreamQuery, line: bytes, number: int) -> asyncio.Future[Any] | QassayError:
    """Hand a line to the scorer; where too many answers wait, wait with them."""
    try:
        example = example_of(decode(line, dict[str, Any]), number)
        choice = server.scoring.choose(query.metrics, query.language, query.on_error, example)
        while True:
            try:
                return asyncio.wrap_future(server.scoring.score([example], choice, Urgency.BULK))
            except RefusedError as problem:
                if problem.status != 429:
                    raise
                await asyncio.sleep(0.05)
    except QassayError as problem:
        return problem


async def _lines(request: Request, server: Server) -> AsyncIterator[bytes]:
    rest = b""
    settings = server.settings
    async for part in chunks(request, settings.stream_bytes, settings.body_seconds):
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line
        if len(rest) > LONGEST_LINE:
            raise invalid(f"a line has more than {LONGEST_LINE >> 20} MB; shorten it")
    if rest:
        yield rest


def catalogue(_: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return every metric with its parameters."""
    return {
        "metrics": [
            {
                "name": name,
                "summary": entry.declaration.summary,
                "maximum": entry.declaration.maximum,
                "parameters": [
                    {"name": each.name, "default": each.default, "meaning": each.meaning, "range": each.range}
                    for each in entry.declaration.params
                ],
                "weightings": sorted(entry.declaration.weightings),
                "needs": sorted(entry.declaration.needs),
            }
            for name in CATALOGUE
            if (entry := CATALOGUE[name])
        ]
    }


ENDPOINTS = (
    Endpoint("POST", "/api/v1/score", PROGRAMS, score, body=ScoreBody, summary="Score answers.", then=scored),
    Endpoint(
        "POST",
        "/api/v1/score.jsonl",
        PROGRAMS,
        None,
        query=StreamQuery,
        summary="Score a stream of answers.",
        stream=score_lines,
    ),
    Endpoint("POST", "/api/v1/explain", PROGRAMS, explain, body=ExplainBody, summary="The words behind a score."),
    Endpoint("GET", "/api/v1/metrics-catalogue", ANYONE_KNOWN, catalogue, summary="The metrics."),
)
