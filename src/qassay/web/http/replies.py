"""JSON replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from starlette.responses import Response

if TYPE_CHECKING:
    from qassay.web.http.refusal import RefusedError

JSON = "application/json"
_encode = msgspec.json.Encoder().encode


def json_response(content: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a reply of JSON; what is no number becomes null."""
    return Response(_encode(content), status, headers, JSON)


def refusal_response(problem: RefusedError) -> Response:
    """Return the reply to a request that is refused."""
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if problem.status in {400, 408, 413}:
        # The rest of the body is not read, and what follows it is no request.
        headers["Connection"] = "close"
    return json_response({"error": str(problem), "code": problem.code}, problem.status, headers)
