"""What installed packages add to Qassay: found by their entry points, loaded when they are named or listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from qassay.errors import PluginError, SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")
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
        except Exception as problem:
            raise PluginError(
                f'"{self.entry.name}" of the package {self.distribution} cannot be loaded '
                f"({type(problem).__name__}: {problem}); repair, update or uninstall {self.distribution.name}"
            ) from problem


@cache
def installed(group: str) -> Mapping[str, tuple[Plugin, ...]]:
    """Return the plugins of a group of entry points by name; several packages may claim one name."""
    found: dict[str, tuple[Plugin, ...]] = {}
    for entry in entry_points(group=group):
        held = Distribution(entry.dist.name, entry.dist.version) if entry.dist else Distribution("unknown", "unknown")
        found[entry.name] = (*found.get(entry.name, ()), Plugin(entry, held))
    return found


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
        name = self._aliases.get(name, name)
        if name not in self._items:
            self._items[name] = self._load(name)
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        names = [*self._built_in, *self._sources]
        names += [name for group in self._groups for name in installed(group)]
        return iter(dict.fromkeys(names))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        if name in self._built_in or name in self._sources or name in self._aliases:
            return True
        return isinstance(name, str) and self._plugin(name) is not None

    def loadable(self) -> tuple[dict[str, Item], list[str]]:
        """Return all items by name, and a message for each package whose own cannot be loaded."""
        found, problems = {}, []
        for name in self:
            try:
                found[name] = self[name]
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

    def _plugin(self, name: str) -> tuple[str, Plugin] | None:
        found = [(group, plugin) for group in self._groups for plugin in installed(group).get(name, ())]
        if len(found) > 1:
            packages = " and ".join(str(plugin.distribution) for _, plugin in found)
            raise PluginError(f'the {self._kind} "{name}" is claimed by {packages}; uninstall all but one')
        return found[0] if found else None
