"""What the parts of `benchmarks/papers.py` are told, and what the papers print."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PUBLISHED: dict[str, Any] = tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8"))
"""The papers' figures, by paper and table."""


@dataclass(frozen=True)
class Settings:
    """Where longer measurements keep their files, and how much is drawn."""

    work: Path
    """The folder in which summaries are scored."""
    models: Path | None = None
    """A folder of AVA's models."""
    draws: int = 1000
    """Resamples of an interval."""
