"""What metrics compute over a whole run before its first answer is scored: frequencies, questions, ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from qassay.errors import TextTooLongError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Hashable, Sequence

    from qassay.features.resources import Resources
    from qassay.records import Example

Result_co = TypeVar("Result_co", covariant=True)
_Given = TypeVar("_Given")
_Found = TypeVar("_Found")


class PassLog(Protocol):
    """Stores the results of a long first pass, so that a killed run resumes from there."""

    def known(self, example: Example) -> bytes | None:
        """Return an earlier run's result for the next example of the input, or None if it had not got that far."""

    def add(self, examples: Sequence[Example], found: Sequence[bytes]) -> None:
        """Store the results of some examples, in the order of the input."""


class Collector(Protocol[Result_co]):
    """Computes the result of a first pass over the examples of a run."""

    @property
    def notes(self) -> Counter[str]:
        """Notes on the texts that were read."""

    def update(self, examples: Sequence[Example]) -> None:
        """Add some examples."""

    def finish(self) -> Result_co:
        """Return the result."""


class FirstPass(Protocol[Result_co]):
    """A computation over a whole run. Metrics that declare passes with the same key share one."""

    @property
    def label(self) -> str:
        """What progress calls it."""

    @property
    def at_once(self) -> int:
        """How many examples to add at a time."""

    @property
    def logged(self) -> bool:
        """Whether it takes so long that its results are stored in the log."""

    @property
    def key(self) -> Hashable:
        """The key of the result in `Resources.first_pass`."""

    def joined(self, other: FirstPass[Any]) -> FirstPass[Result_co]:
        """Return the pass that serves two metrics whose passes have the same key."""

    def identity(self, resources: Resources) -> str:
        """Return what must be the same for a stopped run to be resumed, beyond metrics and options; mostly nothing."""

    def begin(self, resources: Resources, tools: PassContext) -> Collector[Result_co]:
        """Start gathering."""


def refuse_too_long(_: Example, problem: TextTooLongError) -> str:
    """Raise the error of an example that is too long for a model."""
    raise problem


@dataclass(frozen=True, slots=True)
class PassContext:
    """What the first passes of a run share."""

    log: PassLog | None = None
    """Without one, nothing of an earlier run is reused."""
    too_long: Callable[[Example, TextTooLongError], str] = refuse_too_long
    """Raises for an example that is too long for a model, or returns why it gets no score."""


def each_readable(
    given: Sequence[_Given],
    work: Callable[[Sequence[_Given]], Sequence[_Found]],
    too_long: Callable[[_Given, TextTooLongError], _Found],
) -> list[_Found]:
    """Return the work's result on all examples or texts at once, or on each alone where one is too long for a model."""
    try:
        return list(work(given))
    except TextTooLongError as problem:
        if len(given) == 1:
            return [too_long(given[0], problem)]
    return [each_readable([each], work, too_long)[0] for each in given]
