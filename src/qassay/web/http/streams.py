"""Replies that are sent while their request is still being read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send


class LineResponse(Response):
    """JSON lines, each sent when it is there. Unlike Starlette's streaming it leaves the request's body alone."""

    media_type = "application/x-ndjson"

    def __init__(self, lines: AsyncIterator[bytes]) -> None:
        self.status_code = 200
        self.background = None
        self._lines = lines
        # Without a body there is no length among the headers.
        self.init_headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI calls it
        """Send the lines."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for line in self._lines:
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
