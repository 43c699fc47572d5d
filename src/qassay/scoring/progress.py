"""The protocol for showing the progress of a run."""

from typing import Protocol


class Progress(Protocol):
    """Receives the number of answers done."""

    def begin(self, what: str, total: int | None) -> None:
        """Called when a pass over the answers begins; their number is None where it is unknown."""

    def advance(self, done: int, total: int | None) -> None:
        """Called with the number of answers done so far and the estimated number of all answers."""
