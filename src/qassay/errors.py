"""Errors whose messages say where the trouble is and what to do about it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Wording = Callable[[str, object], str]
    """Words an option, given its name in Python and its value (None where it has none)."""

_OPEN, _CLOSE = "\ue0f0", "\ue0f1"
"""Characters for private use, which stand around an option within a message."""
_OPTION = re.compile(f"{_OPEN}(\\w+) ?([^{_CLOSE}]*){_CLOSE}")
_QUOTATION = re.compile(r'"([^"]*)"')
_QUOTED = 240
"""Characters of a quotation; of a longer one the middle is left out."""
_LONGEST = 2000
"""Characters of a message; of a longer one the middle is left out, since the remedy stands at the end."""


def option(name: str, value: object = None) -> str:
    """Name an option within a message: Python reads `on_error='skip'`, the command line `--on-error skip`."""
    return f"{_OPEN}{name}{'' if value is None else ' ' + json.dumps(value)}{_CLOSE}"


def in_python(name: str, value: object) -> str:
    """Word an option as a keyword argument."""
    return f"{name}=" if value is None else f"{name}={value!r}"


def worded(text: str, wording: Wording = in_python) -> str:
    """Return a message with its options in the words of whoever reads it, without long quotations."""
    text = _OPTION.sub(lambda found: wording(found[1], json.loads(found[2]) if found[2] else None), text)
    return _shortened(_QUOTATION.sub(lambda found: f'"{_shortened(found[1], _QUOTED)}"', text), _LONGEST)


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 3 // 4]} … {text[-most // 4 :]}"


class RowsName(str):
    """What rows in memory are called in messages, which name a row of them where they name a line of a file."""

    __slots__ = ()


def place_of_line(name: str | Path, line: int | None) -> str:
    """Name a line of a file (`answers.jsonl:17`) or a row in memory (`labels: row 17`)."""
    if line is None:
        return str(name)
    return f"{name}: row {line}" if isinstance(name, RowsName) else f"{name}:{line}"


class QassayError(Exception):
    """A mistake in what was given, not in the program: shown without a traceback, exit status 2."""

    def __str__(self) -> str:
        return worded(self.message)

    @property
    def message(self) -> str:
        """The message before its options are worded."""
        return Exception.__str__(self)


class DataError(QassayError):
    """Bad input data, with its place: `answers.jsonl:17: "references" is empty; give at least one`."""

    def __init__(self, problem: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.problem = problem
        self.path = path if path is None or isinstance(path, RowsName) else str(path)
        self.line = line
        super().__init__(problem if path is None else f"{place_of_line(path, line)}: {problem}")

    def __reduce__(self) -> tuple[type[DataError], tuple[str, str | None, int | None]]:
        return (type(self), (self.problem, self.path, self.line))


class OutputError(DataError):
    """Output that cannot be written: a full disk, a folder that is not there."""


class StoppedError(QassayError):
    """A run that ended through no fault of its input, and can be resumed."""


class SpecError(QassayError):
    """A metric spec that names something that does not exist, or a value out of range."""


class PluginError(SpecError):
    """Something of an installed package that cannot be loaded or used; the message names the package."""


class PluginWarning(UserWarning):
    """Something of an installed package that is passed over; the message names the package."""


class ClusterWarning(UserWarning):
    """Workers that a cluster has no room for now."""


class NoSuchScoreError(SpecError, KeyError, IndexError):
    """A metric, system or answer that a table has no scores of; a lookup's own error as well."""


class ModelError(QassayError):
    """A model that is missing, damaged or of the wrong kind."""


class TextTooLongError(ModelError):
    """Texts that are more than a model can hold in memory."""

    def __init__(self, texts: Sequence[str], pieces: int, most: int) -> None:
        self.texts = tuple(texts)
        self.pieces = pieces
        """Word pieces of the first one."""
        self.most = most
        """Word pieces that a text may have."""
        super().__init__(
            f'a text of {pieces:,} word pieces, which begins with "{texts[0][:40]}", is more than a model can hold in '
            f"memory ({most:,}); shorten it, or leave out the metrics that read with a model"
        )

    def __reduce__(self) -> tuple[type[TextTooLongError], tuple[tuple[str, ...], int, int]]:
        return (type(self), (self.texts, self.pieces, self.most))
