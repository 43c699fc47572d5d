"""Connections that must send a request in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS = 30.0


class TimedConnection(H11Protocol):
    """A connection that is closed when a request's head takes too long, or never comes."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own arguments
        super().__init__(*given, **named)
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read some bytes; the clock runs on while they are no whole head."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before and self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        elif self._waiting is None and self._idle():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._close)

    def _close(self) -> None:
        self._waiting = None
        if self._idle() and not self.transport.is_closing():
            self.transport.close()
