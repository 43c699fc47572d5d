"""How far a run has come, told to whoever wants to show it."""

from typing import Protocol


class Progress(Protocol):
    """Is told how many answers are done."""

    def begin(self, what: str, total: int | None) -> None:
        """Called when a pass over the answers begins; their number is None where it is unknown."""

    def advance(self, done: int, total: int | None) -> None:
        """Called with the number of answers done so far, and of all answers as far as it can be told by now."""
