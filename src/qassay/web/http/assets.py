"""Scripts, styles and pages, read once when the server starts: no request names a file of the disk."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from jinja2 import DictLoader, Environment, StrictUndefined

from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A static file."""

    kind: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Assets:
    """The static files below one address, which changes with any of them, and the pages that name it."""

    prefix: str
    """Where the static files are, as in `/static/0123abcd`."""
    files: Mapping[str, Asset]
    pages: Mapping[str, bytes]

    @classmethod
    def load(cls) -> Assets:
        """Read the files of the package."""
        folder = files("qassay.web")
        static = {
            name: Asset(KINDS[suffix], content)
            for name, content in sorted(_walk(folder / "static"))
            if (suffix := name[name.rfind(".") :]) in KINDS
        }
        digest = sha256()
        for name, asset in static.items():
            digest.update(b"%d %s %d " % (len(name), name.encode(), len(asset.content)) + asset.content)
        prefix = f"/static/{digest.hexdigest()[:16]}"
        sources = {name: content.decode() for name, content in _walk(folder / "pages") if name.endswith(".html")}
        shells = Environment(loader=DictLoader(sources), autoescape=True, undefined=StrictUndefined)
        pages = {
            name.removesuffix(".html"): shells.get_template(name).render(static=prefix, version=__version__).encode()
            for name in sources
            if not name.startswith("_")
        }
        return cls(prefix, static, pages)


def _walk(folder: Traversable, above: str = "") -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir() if folder.is_dir() else ():
        if each.is_dir():
            yield from _walk(each, f"{above}{each.name}/")
        elif not each.name.startswith("."):
            yield f"{above}{each.name}", each.read_bytes()
