"""What installed packages add to Qassay: found by their entry points, loaded when they are named or listed."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, wraps
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import isfunction, isgeneratorfunction
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from qassay.errors import PluginError, PluginWarning, QassayError, SpecError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Check = Callable[[Any, Any, Any], Any]
    """Given an object, what its method was called with and what that returned, returns the latter as it should be."""

Item = TypeVar("Item")
FAILURES = (Exception, SystemExit)
"""What the code of others may raise; an interruption by the user is none of theirs."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RESERVED = frozenset({"auto", "column"})
"""Names that options use for something else."""


class Distribution(NamedTuple):
    """The installed package that something comes from."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Plugin:
    """One entry point of an installed package."""

    entry: EntryPoint
    distribution: Distribution

    def load(self) -> object:
        """Import what the entry point names; whatever that raises becomes one message that names the package."""
        try:
            return self.entry.load()
        except FAILURES as problem:
            raise PluginError(
                f'"{self.entry.name}" of the package {self.distribution} cannot be loaded '
                f"({type(problem).__name__}: {problem}); repair, update or uninstall {self.distribution.name}"
            ) from problem


@cache
def _plugins() -> tuple[Plugin, ...]:
    """Return the entry points for Qassay of all installed packages."""
    found = entry_points()
    entries = [entry for group in found.groups if group.startswith("qassay.") for entry in found.select(group=group)]
    unknown = Distribution("unknown", "unknown")
    return tuple(
        Plugin(entry, Distribution(entry.dist.name, entry.dist.version) if entry.dist else unknown) for entry in entries
    )


@cache
def installed(group: str) -> Mapping[str, tuple[Plugin, ...]]:
    """Return the plugins of a group of entry points by name; several packages may claim one name."""
    found: dict[str, tuple[Plugin, ...]] = {}
    for plugin in _plugins():
        if plugin.entry.group == group:
            found[plugin.entry.name] = (*found.get(plugin.entry.name, ()), plugin)
    return found


def warn(problem: str) -> None:
    """Warn of something that is passed over; the same warning is shown once."""
    warnings.warn(problem, PluginWarning, stacklevel=1)


def is_ours(kind: type) -> bool:
    """Whether a class is Qassay's own."""
    return kind.__module__.partition(".")[0] == "qassay"


def described(kind: str, name: str, source: object) -> str:
    """Name something for a message, with the package that its code comes from, where that is known."""
    package = _package(source)
    return f'the {kind} "{name}"' + (f" of the package {package}" if package else "")


def _package(source: object) -> Distribution | None:
    top = str(getattr(source, "__module__", None)).partition(".")[0]
    return next((each.distribution for each in _plugins() if each.entry.module.partition(".")[0] == top), None)


def failure(kind: str, name: str, source: object, problem: BaseException) -> PluginError:
    """Return the error for what the code of others raised; `source` is the class, method or function that failed."""
    package = _package(source)
    place = getattr(source, "__qualname__", type(source).__qualname__)
    remedy = f"update or uninstall {package.name}, or leave the {kind} out" if package else f"fix {place}"
    what = f"{type(problem).__name__}: {problem}".removesuffix(": ")
    return PluginError(f"{described(kind, name, source)} failed: {what} (in {place}); {remedy}")


def guard_methods(derived: type, kind: str, methods: Iterable[str], checks: Mapping[str, Check] | None = None) -> None:
    """Let methods that a class of others defines raise nothing but Qassay's errors, and check what they return."""
    if is_ours(derived):
        return
    for name in methods:
        method = vars(derived).get(name)
        if isfunction(method):
            wrapped = _guarded_steps(method, kind) if isgeneratorfunction(method) else _guarded(method, kind)
            check = (checks or {}).get(name)
            setattr(derived, name, _checked(wrapped, check) if check else wrapped)


def _guarded(method: Callable[..., Any], kind: str) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the method has it
        try:
            return method(self, *given, **named)
        except QassayError:
            raise
        except FAILURES as problem:
            raise failure(kind, self.name, method, problem) from problem

    return call


def _guarded_steps(method: Callable[..., Any], kind: str) -> Callable[..., Any]:
    @wraps(method)
    def steps(self: Any, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the method has it
        try:
            yield from method(self, *given, **named)
        except QassayError:
            raise
        except FAILURES as problem:
            raise failure(kind, self.name, method, problem) from problem

    return steps


def _checked(method: Callable[..., Any], check: Check) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, given: Any) -> Any:  # noqa: ANN401 - as the method has it
        return check(self, given, method(self, given))

    return call


class Registry(Mapping[str, Item], Generic[Item]):
    """Things by name: our own, those that a program registers, and those of installed packages.

    `built_in` says where each of our own is (`module:attribute`), so that it is imported when it is used. `groups` says
    for each group of entry points how what an entry point names, or what is given to `register`, becomes an item.
    """

    def __init__(
        self,
        kind: str,
        built_in: Mapping[str, str],
        groups: Mapping[str, Callable[[str, object, Distribution | None], Item]],
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self._aliases = aliases or {}
        """Other names that are understood and not listed."""
        self._kind = kind
        self._built_in = built_in
        self._groups = groups
        self._items: dict[str, Item] = {}
        self._sources: dict[str, object] = {}
        """What was registered under each name."""

    def register(self, name: str, source: object, group: str) -> None:
        """Add something under a name, which must be free; the same thing twice is no mistake."""
        self.check_name(name)
        if name in self._sources and self._sources[name] is source:
            return
        if name in self._built_in or name in self._sources or name in self._aliases:
            raise SpecError(f'there is a {self._kind} "{name}" already; choose another name')
        plugin = self._plugin(name)
        if plugin is not None and plugin[1].load() is not source:
            owner = plugin[1].distribution
            raise SpecError(f'there is a {self._kind} "{name}" already, of the package {owner}; choose another name')
        self._items[name] = self._groups[group](name, source, plugin[1].distribution if plugin else None)
        self._sources[name] = source

    def unregister(self, name: str) -> None:
        """Take back what `register` added."""
        if name not in self._sources:
            raise SpecError(f'no {self._kind} "{name}" was registered')
        del self._sources[name], self._items[name]

    def check_name(self, name: object) -> None:
        """Refuse what cannot be written in a spec or an option."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise SpecError(
                f"{name!r:.60} is no name for a {self._kind}; begin with a small letter, go on with small letters, "
                "digits and _"
            )
        if name in _RESERVED:
            raise SpecError(f'"{name}" is reserved and cannot name a {self._kind}; choose another name')

    def __getitem__(self, name: str) -> Item:
        if self._aliases.get(name, name) not in self._items:
            for problem in self._refused(name):
                warn(problem)
        return self._item(self._aliases.get(name, name))

    def _item(self, name: str) -> Item:
        if name not in self._items:
            self._items[name] = self._load(name)
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        names = [*self._built_in, *self._sources]
        names += [name for group in self._groups for name in installed(group) if name not in self._aliases]
        return iter(dict.fromkeys(names))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        if name in self._built_in or name in self._sources or name in self._aliases:
            return True
        return isinstance(name, str) and self._plugin(name) is not None

    def loadable(self) -> tuple[dict[str, Item], list[str]]:
        """Return all items by name, and a message for each package whose own cannot be used."""
        found: dict[str, Item] = {}
        problems = [each for name in (*self._built_in, *self._aliases) for each in self._refused(name)]
        for name in self:
            try:
                found[name] = self._item(name)
            except SpecError as problem:
                problems.append(str(problem))
        return found, problems

    def _load(self, name: str) -> Item:
        if name in self._built_in:
            module, _, attribute = self._built_in[name].partition(":")
            convert = next(iter(self._groups.values()))
            return convert(name, getattr(import_module(module), attribute), None)
        found = self._plugin(name)
        if found is None:
            raise KeyError(name)
        group, plugin = found
        source = plugin.load()
        try:
            self.check_name(name)
            return self._groups[group](name, source, plugin.distribution)
        except PluginError:
            raise
        except SpecError as problem:
            raise PluginError(f"the package {plugin.distribution}: {problem}") from problem
        except FAILURES as problem:
            raise failure(self._kind, name, source, problem) from problem

    def _refused(self, name: str) -> list[str]:
        """Return a message for each package that claims a name of ours."""
        return [
            f'the package {plugin.distribution} has a {self._kind} named "{name}", which is taken and is not used; '
            "its authors must choose another name"
            for group in self._groups
            for plugin in installed(group).get(name, ())
            if name in self._built_in or name in self._aliases
        ]

    def _plugin(self, name: str) -> tuple[str, Plugin] | None:
        found = [(group, plugin) for group in self._groups for plugin in installed(group).get(name, ())]
        if len(found) > 1:
            packages = " and ".join(str(plugin.distribution) for _, plugin in found)
            raise PluginError(f'the {self._kind} "{name}" is claimed by {packages}; uninstall all but one')
        return found[0] if found else None
