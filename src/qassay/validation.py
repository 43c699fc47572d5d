"""What Python callers give beside the rows: options, names of metrics and lists of texts, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from qassay.errors import DataError, SpecError, option
from qassay.models.base import EMBEDDED, Device
from qassay.scoring.scorer import SEED, OnError
from qassay.text.language import check_language

if TYPE_CHECKING:
    from typing import TypeGuard

_Name = TypeVar("_Name")
MOST = 1 << 53
"""The largest whole number that is accepted where no other limit is stated."""


def check_options(
    *,
    language: str = "auto",
    seed: int = SEED,
    model: str = EMBEDDED,
    device: Device = "auto",
    on_error: OnError = "stop",
) -> None:
    """Refuse options that mean nothing."""
    for name, given in (("language", language), ("model", model)):
        if not isinstance(given, str):
            raise SpecError(f"{option(name)} is {given!r:.60}; give a text")
    check_language(language)
    check_whole("seed", seed, least=0)
    check_choice("device", device, get_args(Device))
    check_choice("on_error", on_error, get_args(OnError))


def check_choice(name: str, given: object, choices: Sequence[str]) -> None:
    """Refuse what is none of a few words."""
    if given not in choices:
        raise SpecError(f'{option(name)} is "{given!s:.60}"; give {", ".join(choices[:-1])} or {choices[-1]}')


def check_whole(name: str, given: object, *, least: int, most: int = MOST) -> None:
    """Refuse what is no whole number, or too small or too large a one."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise SpecError(f"{option(name)} is {given!r:.60}; give a whole number")
    if not least <= int(given) <= most:
        bounds = f"{least} or more" if int(given) < least else f"at most {most:,}"
        raise SpecError(f"{option(name)} is {given!s:.60}; give {bounds}")


def check_share(name: str, given: object, *, least: float = 0.0, most: float = 1.0) -> None:
    """Refuse what is no number between two limits."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        raise SpecError(f"{option(name)} is {given!r:.60}; give a number from {least:g} to {most:g}")


def as_names(what: str, given: str | Iterable[_Name] | None) -> list[str | _Name] | None:
    """Return names as a list, also where there is one; None leaves the choice open."""
    if given is None:
        return None
    if not isinstance(given, str) and not isinstance(given, Iterable):
        raise SpecError(f"{what} are {given!r:.60}; give a name or a list of names")
    names: list[str | _Name] = [given] if isinstance(given, str) else list(given)
    if not names:
        raise SpecError(f"{what} are an empty list; name at least one, or leave them out for the default ones")
    return names


def as_list(name: str, given: object) -> list[Any]:
    """Return a list, an array, a series or any other ordered texts as a list, by position."""
    if not is_list(given):
        raise DataError(f"{name} must be a list of texts, one per answer; {type(given).__name__} was given")
    return list(given)


def is_list(given: object) -> TypeGuard[Iterable[Any]]:
    """Return what has an order from a text, a mapping, a set, and a data frame, which would give its columns."""
    if isinstance(given, str | bytes | Mapping | AbstractSet) or hasattr(given, "columns"):
        return False
    # An array of no dimension can be iterated over in name only.
    return isinstance(given, Iterable) and getattr(given, "ndim", 1) > 0
