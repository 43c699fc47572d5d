"""What all readers share: the options, and the list of skipped rows with the reasons."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NoReturn

from qassay.errors import DataError, option, place_of_line
from qassay.io.source import Source
from qassay.records import Example

FIELDS = (
    "id",
    "question",
    "references",
    "candidate",
    "system",
    "opinion",
    "entities",
    "context",
    "question_type",
    "judgement",
)
"""The fields of a row that Qassay knows; any other is kept and written back."""
MAPPED = (*FIELDS, "contexts", "sample")
"""What a field may be renamed to: also what some metrics read of the others."""

LISTED = 1000
"""How many skipped rows are listed one by one; all are counted."""

LocatedExample = tuple[Example, str, int]
"""An example with the input and the line it came from."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How inputs are to be read."""

    format: str = "auto"
    """A name from `FORMATS`, or `auto` to recognise each input."""
    mapping: Mapping[str, str] = field(default_factory=dict)
    """Our field to their field: `{"candidate": "prediction"}`."""
    system: str | None = None
    """The name of the system that gave the answers, where the rows do not name one."""
    on_error: Literal["stop", "skip"] = "stop"
    """Whether a bad row ends the reading, or is left out and listed."""
    bare: bool = False
    """Whether answers may come without references, because no metric needs any."""
    can_skip: bool = True
    """Whether the caller may skip rows, so that a message may name it."""


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A row that was left out."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class ReadContext:
    """Raises for bad rows or skips them, and lists what was skipped."""

    def __init__(self, options: ReadOptions) -> None:
        self.options = options
        self.skipped: list[SkippedRow] = []
        self.skipped_total = 0

    def refuse(self, problem: str, name: str, line: int) -> None:
        """Raise `DataError` for a bad row, or leave it out if the options say so."""
        if self.options.on_error == "stop":
            raise DataError(
                f"{problem}, or {option('on_error', 'skip')}" if self.options.can_skip else problem, name, line
            )
        self.leave_out(problem, name, line)

    def leave_out(self, reason: str, name: str, line: int) -> None:
        """Count and list a row that is not scored and is no error."""
        self.skipped_total += 1
        if len(self.skipped) < LISTED:
            self.skipped.append(SkippedRow(place_of_line(name, line), reason))

    def no_mapping(self, format_name: str) -> None:
        """Raise `DataError` if there is a mapping for a format whose fields are fixed."""
        if self.options.mapping:
            raise DataError(f"{option('columns')} does not apply to the format {format_name}, whose fields are fixed")

    def check_answers(self, questions: Source, answers: Sequence[Source], kind: str) -> None:
        """Raise `DataError` if several files share one system name, or the questions can be read only once."""
        if self.options.system is not None and len(answers) > 1:
            raise DataError(f"{option('system')} names one system, and there are several files of {kind}; leave it out")
        if len(answers) > 1 and not questions.is_file:
            raise DataError("questions for several systems cannot be read from a pipe; give a file", questions.name)
        questions.passes = len(answers)

    def system(self, otherwise: str = "") -> str:
        """Return the system of answers that name none: the option's, or else the format's."""
        return otherwise if self.options.system is None else self.options.system


Reading = Iterator[LocatedExample]


def fail(problem: str) -> NoReturn:
    """Raise `DataError` without a place, which the caller adds."""
    raise DataError(problem)
