"""The command that is running, as a report shows it."""

from __future__ import annotations

import shlex
from contextvars import ContextVar

command_words: ContextVar[tuple[str, ...]] = ContextVar("command_words", default=())
"""The words of the command, without the program's name."""
_SECRET, _HIDDEN = ("--hash",), "SECRET"
"""Options whose values no page shows, and what stands there instead."""


def command_line() -> str:
    """Return the command that is running, as it can be given again but for secrets; nothing without one."""
    words = list(command_words.get())
    for i, word in enumerate(words):
        option, equals, _ = word.partition("=")
        if option in _SECRET and equals:
            words[i] = f"{option}={_HIDDEN}"
        elif i and words[i - 1] in _SECRET:
            words[i] = _HIDDEN
    return shlex.join(["qassay", *words]) if words else ""
