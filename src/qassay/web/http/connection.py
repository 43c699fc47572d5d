"""Connections that must send a request, and take its reply, in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

HEAD_SECONDS = 30.0
STALLED_SECONDS = 60.0
"""How long nothing of a reply may be taken while there is more of it."""


class TimedConnection(H11Protocol):
    """A connection that is closed when a request's head takes too long or never comes, or its reply is not taken."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own arguments
        super().__init__(*given, **named)
        self._waiting: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None

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

    def pause_writing(self) -> None:
        """Start a clock: the caller does not take what is sent."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALLED_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop that clock."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clocks."""
        for each in (self._waiting, self._stalled):
            if each is not None:
                each.cancel()
        super().connection_lost(exc)

    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._close)

    def _close(self) -> None:
        self._waiting = None
        if self._idle() and not self.transport.is_closing():
            self.transport.close()
