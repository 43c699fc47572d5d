"""Looking into scored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from qassay.web.explore.runs import Filter
from qassay.web.http.endpoint import OWNER, Call, Endpoint, Nothing
from qassay.web.http.refusal import unknown

if TYPE_CHECKING:
    from concurrent.futures import Future

    from qassay.web.explore.runs import Runs

Offset = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=200)]


class AnswerQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which answers to return, in which order."""

    system: str | None = None
    metric: str | None = None
    low: float | None = None
    high: float | None = None
    text: Annotated[str, msgspec.Meta(max_length=500)] | None = None
    attempted: bool | None = None
    judged: bool | None = None
    sort: str | None = None
    order: Literal["asc", "desc"] = "asc"
    offset: Offset = 0
    limit: Limit = 50


class DistributionQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which scores to count, in how many ranges."""

    metric: str
    bins: Annotated[int, msgspec.Meta(ge=2, le=200)] = 20
    system: str | None = None


class DifferenceQuery(msgspec.Struct, forbid_unknown_fields=True):
    """Which two systems to compare, by which metric."""

    a: str
    b: str
    metric: str
    order: Literal["asc", "desc"] = "desc"
    offset: Offset = 0
    limit: Limit = 50


def runs_of(call: Call[Any, Any]) -> Runs:
    """Return the runs of the server, or raise a `RefusedError` where it has none."""
    if call.server.runs is None:
        raise unknown("run; `qassay serve scores.jsonl answers.jsonl` opens some")
    return call.server.runs


def overview(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return the systems, the metrics and the means."""
    return runs_of(call).overview


def answers(call: Call[Nothing, AnswerQuery]) -> dict[str, Any]:
    """Return a page of answers."""
    query = call.query
    wanted = Filter(query.system, query.metric, query.low, query.high, query.text, query.attempted, query.judged)
    return runs_of(call).page(
        wanted, sort=query.sort, descending=query.order == "desc", offset=query.offset, limit=query.limit
    )


def answer(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return one answer, whole."""
    return runs_of(call).answer(call.path["row"])


def explanation(call: Call[Nothing, Nothing]) -> Future[Any]:
    """Return the words behind one answer's scores."""
    runs = runs_of(call)
    return call.server.scoring.explain(runs.example(call.path["row"]), runs.metrics)


def distribution(call: Call[Nothing, DistributionQuery]) -> dict[str, Any]:
    """Return how scores are distributed."""
    return runs_of(call).distribution(call.query.metric, call.query.bins, call.query.system)


def differences(call: Call[Nothing, DifferenceQuery]) -> dict[str, Any]:
    """Return where two systems differ."""
    query = call.query
    return runs_of(call).differences(
        query.a, query.b, query.metric, descending=query.order == "desc", offset=query.offset, limit=query.limit
    )


ENDPOINTS = (
    Endpoint("GET", "/api/v1/runs", OWNER, overview, summary="Systems, metrics and means."),
    Endpoint("GET", "/api/v1/answers", OWNER, answers, query=AnswerQuery, summary="A page of scored answers."),
    Endpoint("GET", "/api/v1/answers/{row:int}", OWNER, answer, summary="One scored answer."),
    Endpoint("GET", "/api/v1/answers/{row:int}/explanation", OWNER, explanation, summary="The words behind a score."),
    Endpoint("GET", "/api/v1/distribution", OWNER, distribution, query=DistributionQuery, summary="Counts of scores."),
    Endpoint(
        "GET", "/api/v1/differences", OWNER, differences, query=DifferenceQuery, summary="Where two systems differ."
    ),
)
