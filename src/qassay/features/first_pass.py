"""What some metrics must know of a whole run before its first answer is scored: frequencies, questions, ranges."""

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
_Found = TypeVar("_Found")


class PassLog(Protocol):
    """Where a long first pass keeps what it found in each example, so that a killed run goes on from there."""

    def known(self, example: Example) -> bytes | None:
        """Return what an earlier run found in the next example of the input; None where it had not come so far."""

    def add(self, examples: Sequence[Example], found: Sequence[bytes]) -> None:
        """Keep what was found in some examples, in the order of the input."""


class Collector(Protocol[Result_co]):
    """Gathers over the examples of a run what a first pass is for."""

    @property
    def notes(self) -> Counter[str]:
        """What there is to say of the texts that were read."""

    def update(self, examples: Sequence[Example]) -> None:
        """Take in some examples."""

    def finish(self) -> Result_co:
        """Return what was gathered."""


class FirstPass(Protocol[Result_co]):
    """Something to be gathered once for a whole run. Metrics that declare passes with the same key share one."""

    @property
    def label(self) -> str:
        """What progress calls it."""

    @property
    def at_once(self) -> int:
        """How many examples to take in at a time."""

    @property
    def logged(self) -> bool:
        """Whether it takes so long that what it found in each example is kept in the log."""

    @property
    def key(self) -> Hashable:
        """Under which the result is kept in `Resources.first_pass`."""

    def joined(self, other: FirstPass[Any]) -> FirstPass[Result_co]:
        """Return the pass that serves two metrics whose passes have the same key."""

    def identity(self, resources: Resources) -> str:
        """Return what must be the same for a stopped run to be resumed, beyond metrics and options; mostly nothing."""

    def begin(self, resources: Resources, tools: Tools) -> Collector[Result_co]:
        """Start gathering."""


def refuse_too_long(_: Example, problem: TextTooLongError) -> str:
    """End the run at an example that is too long for a model."""
    raise problem


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run gives to its first passes."""

    log: PassLog | None = None
    """Without one nothing is taken over from an earlier run."""
    too_long: Callable[[Example, TextTooLongError], str] = refuse_too_long
    """Ends the run at an example that is too long for a model, or says why it goes without a score."""


def each_readable(
    examples: Sequence[Example],
    work: Callable[[Sequence[Example]], Sequence[_Found]],
    too_long: Callable[[Example, TextTooLongError], _Found],
) -> list[_Found]:
    """Return what work finds in all examples at once; where one is too long for a model, in each by itself."""
    try:
        return list(work(examples))
    except TextTooLongError as problem:
        if len(examples) == 1:
            return [too_long(examples[0], problem)]
    return [each_readable([example], work, too_long)[0] for example in examples]
