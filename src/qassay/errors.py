"""Errors whose messages say where the trouble is and what to do about it."""

from collections.abc import Sequence
from pathlib import Path


class QassayError(Exception):
    """A mistake in what was given, not in the program: shown without a traceback, exit status 2."""


class DataError(QassayError):
    """Bad input data, with its place: `answers.jsonl:17: "references" is empty; give at least one`."""

    def __init__(self, problem: str, path: str | Path | None = None, line: int | None = None) -> None:
        self.problem = problem
        self.path = None if path is None else str(path)
        self.line = line
        place = ":".join(str(part) for part in (self.path, line) if part is not None)
        super().__init__(f"{place}: {problem}" if place else problem)

    def __reduce__(self) -> tuple[type["DataError"], tuple[str, str | None, int | None]]:
        return (type(self), (self.problem, self.path, self.line))


class OutputError(DataError):
    """Output that cannot be written: a full disk, a folder that is not there."""


class SpecError(QassayError):
    """A metric spec that names something that does not exist, or a value out of range."""


class PluginError(SpecError):
    """Something of an installed package that cannot be loaded or used; the message names the package."""


class NoSuchScoreError(SpecError, KeyError, IndexError):
    """A metric, system or answer that a table has no scores of; a lookup's own error as well."""

    __str__ = Exception.__str__
    """A KeyError would print its message in quotes."""


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

    def __reduce__(self) -> tuple[type["TextTooLongError"], tuple[tuple[str, ...], int, int]]:
        return (type(self), (self.texts, self.pieces, self.most))
