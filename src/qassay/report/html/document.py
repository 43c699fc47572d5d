"""Renders a template and its data as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from qassay.io.atomic_output import replacing
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_LONGEST_CALL = 2000
_BREAKING_OUT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def render(template: str, *, scripts: Sequence[str] = ("theme.js",), call: str = "", **values: object) -> str:
    """Fill a template of the package's assets, styles and scripts inlined; `call` is what made the page.

    The page's own policy lets a browser run those scripts alone and fetch nothing.
    """
    code = "\n".join(asset(name) for name in scripts)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        _environment()
        .get_template(template)
        .render(
            version=__version__,
            written=written_at(),
            call=call if len(call) <= _LONGEST_CALL else f"{call[:_LONGEST_CALL]} …",
            # Assets of the package itself, no text of a user's.
            style=Markup(asset("page.css")),  # noqa: S704
            script=Markup(code),  # noqa: S704
            policy=f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:",
            **values,
        )
    )


def written_at() -> str:
    """Return the present minute in UTC; SOURCE_DATE_EPOCH, in seconds since 1970, stands for it where it is set."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return f"{now:%Y-%m-%d %H:%M} UTC"


def embed(data: Any) -> Markup:  # noqa: ANN401 - whatever JSON can hold
    """Write data as JSON that no text in it can end or comment out of its `<script>` element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escaped in _BREAKING_OUT.items():
        text = text.replace(character, escaped)
    return Markup(text)  # noqa: S704 - escaped above


def write_page(html: str, path: Path) -> None:
    """Write the page atomically; raise `OutputError` if it cannot be written."""
    with replacing(path) as unfinished:
        # Half of a surrogate pair is no character; it must not keep the page from being written.
        unfinished.write_bytes(html.encode("utf-8", "replace"))


@cache
def asset(name: str) -> str:
    """Read a style sheet or script of the package."""
    return files("qassay.report.html").joinpath("assets", name).read_text("utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("qassay.report.html", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
