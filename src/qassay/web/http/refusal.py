"""Requests that are refused: a status, a word for programs and one line for people."""

from __future__ import annotations

from qassay.errors import QassayError


class RefusedError(QassayError):
    """A request that is refused."""

    def __init__(self, status: int, code: str, problem: str, *, retry_after: int | None = None) -> None:
        self.status = status
        self.code = code
        self.retry_after = retry_after
        """Seconds after which it may be tried again."""
        super().__init__(problem)


def invalid(problem: str) -> RefusedError:
    """Return the refusal of a request whose content is wrong."""
    return RefusedError(422, "invalid", problem)


def unknown(what: str) -> RefusedError:
    """Return the refusal of a request for something that is not there, or that is not for whoever asks."""
    return RefusedError(404, "unknown", f"there is no {what} here")


def stranger() -> RefusedError:
    """Return the refusal of a request without a session and without a token that is known."""
    return RefusedError(401, "unauthenticated", "open your invitation link, or send a token")


def stopping() -> RefusedError:
    """Return the refusal of a request that a server which ends does not answer any more."""
    return RefusedError(503, "stopping", "the server is stopping")
