"""The outermost checks of every request: the name it was sent to, and the page it was sent from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from qassay.web.http.refusal import RefusedError
from qassay.web.http.replies import refusal_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITE = frozenset({"same-origin", "none"})
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every reply tells browsers to forbid."""


class Guard:
    """Refuses requests sent to foreign names or from foreign pages, before anything else looks at them."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            # Nothing here speaks WebSocket.
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        problem = self._problem(scope)
        if problem is not None:
            await refusal_response(problem)(scope, receive, send_with_headers)
            return
        await self._app(scope, receive, send_with_headers)

    def _problem(self, scope: Scope) -> RefusedError | None:
        given: dict[bytes, list[str]] = {}
        for name, value in scope["headers"]:
            given.setdefault(name.lower(), []).append(value.decode("latin-1"))
        hosts = [each.lower() for each in given.get(b"host", [])]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return RefusedError(421, "host", "this server does not answer to that name; --allow-host NAME adds one")
        if b"transfer-encoding" in given and b"content-length" in given:
            return RefusedError(400, "framing", "a request has a Content-Length or a Transfer-Encoding, not both")
        if scope["method"] in SAFE:
            return None
        if any(each not in _OWN_SITE for each in given.get(b"sec-fetch-site", [])):
            return RefusedError(403, "origin", "this request comes from another site's page")
        own = {f"http://{hosts[0]}", f"https://{hosts[0]}"}
        if any(each.lower() not in own for each in given.get(b"origin", [])):
            return RefusedError(403, "origin", "this request comes from another site's page")
        return None
