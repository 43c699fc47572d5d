"""What operators and their tools call: health, counts, and the description of the API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.version import __version__
from qassay.web.http.endpoint import ANYONE_KNOWN, PROGRAMS, PUBLIC, Call, Download, Endpoint, Nothing
from qassay.web.http.refusal import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PARAMETER = re.compile(r"\{(\w+)(?::(\w+))?\}")
_TYPES = {"int": "integer"}


def alive(_: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return that the server answers."""
    return {"status": "ok", "version": __version__}


def ready(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return whether the file can be read and answers can be scored."""
    with call.server.database.read() as connection:
        connection.execute("SELECT count(*) FROM project").fetchone()
    if call.server.scoring.waiting >= call.server.settings.waiting_answers:
        raise RefusedError(503, "busy", "too many answers wait to be scored", retry_after=1)
    return {"status": "ready"}


def counts(call: Call[Nothing, Nothing]) -> Download:
    """Return the counts in the text format of Prometheus."""
    server = call.server
    with server.database.read() as connection:
        (events,) = connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()
    text = server.counters.text({"qassay_waiting_answers": server.scoring.waiting, "qassay_events": events})
    return Download("", "text/plain; version=0.0.4; charset=utf-8", text.encode())


def describe(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the description of endpoints in the terms of OpenAPI 3.1."""
    bodies = [each.body for each in endpoints if each.body is not Nothing]
    schemas, components = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    by_body = dict(zip(bodies, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        operation: dict[str, Any] = {
            "summary": each.summary,
            "parameters": [*_path_parameters(each.path), *_query_parameters(each.query)],
            "responses": {
                "200": {"description": "done"},
                "default": {
                    "description": "refused",
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                },
            },
            "security": [] if each.access is None else [{"token": []}, {"cookie": []}],
        }
        if each.access is not None:
            operation["description"] = f"For: {', '.join(sorted(each.access))}."
        if each.stream is not None:
            operation["requestBody"] = {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}
        elif each.method not in {"GET", "HEAD"}:
            schema = by_body.get(each.body, {"type": "object", "additionalProperties": False})
            operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
        paths.setdefault(_PARAMETER.sub(r"{\1}", each.path), {})[each.method.lower()] = operation
    problem = {
        "type": "object",
        "properties": {"error": {"type": "string"}, "code": {"type": "string"}},
        "required": ["error", "code"],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Qassay", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {**components, "Problem": problem},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "qassay-PORT"},
            },
        },
    }


def openapi(call: Call[Nothing, Nothing]) -> dict[str, Any]:
    """Return the description of the API."""
    return call.server.description


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": _TYPES.get(kind, "string")}}
        for name, kind in _PARAMETER.findall(path)
    ]


def _query_parameters(query: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - the type that the endpoint declares
    (schema,), held = msgspec.json.schema_components([query])
    properties = held.get(query.__name__, schema).get("properties", {})
    required = held.get(query.__name__, schema).get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": each} for name, each in properties.items()
    ]


ENDPOINTS = (
    Endpoint("GET", "/healthz", PUBLIC, alive, summary="Whether the server answers."),
    Endpoint("GET", "/readyz", ANYONE_KNOWN, ready, summary="Whether it can work."),
    Endpoint("GET", "/metrics", PROGRAMS, counts, summary="Counts for Prometheus."),
    Endpoint("GET", "/api/v1/openapi.json", ANYONE_KNOWN, openapi, summary="This description."),
)
