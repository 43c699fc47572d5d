"""Aggregates as one flat object of names and numbers, which DVC, MLflow and dashboards read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from qassay.errors import OutputError
from qassay.io.atomic_output import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qassay.scoring.table import Aggregate

_UNUSUAL = re.compile(r"[^A-Za-z0-9_./-]+")
"""What names of metrics may not hold in MLflow."""


def flat_metrics(aggregates: Sequence[Aggregate]) -> dict[str, float | int]:
    """Return `metric`, `metric.low`, `metric.high`, `metric.n` and `metric.unscored`; of several systems with theirs.

    What has no value is left out, since there is no number for it.
    """
    several = len({each.system for each in aggregates}) > 1
    found: dict[str, float | int] = {}
    for each in aggregates:
        name = _UNUSUAL.sub("_", f"{each.system}/{each.metric}" if several else each.metric)
        parts = {"": each.value, ".low": each.low, ".high": each.high, ".n": each.n, ".unscored": each.unscored}
        found |= {f"{name}{part}": value for part, value in parts.items() if value is not None}
    return found


def write_metrics(path: Path, aggregates: Sequence[Aggregate]) -> None:
    """Write the numbers as JSON, whole or not at all."""
    if path.suffix.lower() != ".json":
        raise OutputError("metrics are JSON; give the file a name that ends in .json", path)
    with replacing(path) as unfinished:
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(flat_metrics(aggregates)), indent=2) + b"\n")
