"""A server listens until it is told to stop."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import uvicorn

from qassay.errors import SpecError
from qassay.web.http.connection import TimedConnection
from qassay.web.routes.table import app_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from qassay.web.server import Server

_CONNECTIONS = 512
_HEADER_BYTES = 16 * 1024


def listen(server: Server, started: Callable[[], None]) -> None:
    """Answer requests until the process is interrupted; `started` is called when the port is bound."""
    settings = server.settings
    config = uvicorn.Config(
        app_of(server),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        http=TimedConnection,
        lifespan="on",
        limit_concurrency=_CONNECTIONS,
        h11_max_incomplete_event_size=_HEADER_BYTES,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=5,
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.key,
    )
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # Only of sockets that name their protocol does asyncio send small parts at once, which saves 40 ms a reply.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((settings.host.strip("[]"), settings.port))
        except OSError as problem:
            raise SpecError(
                f"cannot listen on {settings.host}:{settings.port} ({problem.strerror}); choose another --port"
            ) from problem
        # From here on the system takes connections, which wait until the server is up.
        listening.listen(_CONNECTIONS)
        started()
        _Listening(config, server.scoring.stop).run(sockets=[listening])


class _Listening(uvicorn.Server):
    """Refuses what waits to be scored before it waits for open requests, so that nobody holds it up."""

    def __init__(self, config: uvicorn.Config, stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._stop = stop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop."""
        self._stop()
        await super().shutdown(sockets)
