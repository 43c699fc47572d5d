"""Aggregates as an object of names and numbers, which DVC and dashboards read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from qassay.errors import OutputError
from qassay.io.atomic_output import replacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from qassay.scoring.table import Aggregate

Numbers = dict[str, float | int | None]


def metric_numbers(aggregates: Sequence[Aggregate]) -> dict[str, Numbers] | dict[str, dict[str, Numbers]]:
    """Return each metric's value, its limits and counts; of several systems by system and metric.

    A value or a limit that is not known is None.
    """
    found: dict[str, dict[str, Numbers]] = {}
    for each in aggregates:
        numbers: Numbers = {"value": each.value, "low": each.low, "high": each.high}
        found.setdefault(each.system, {})[each.metric] = {**numbers, "n": each.n, "unscored": each.unscored}
    return found if len(found) > 1 else next(iter(found.values()), {})


def write_metrics(path: Path, aggregates: Sequence[Aggregate]) -> None:
    """Write the numbers as JSON, whole or not at all."""
    if path.suffix.lower() != ".json":
        raise OutputError("metrics are JSON; give the file a name that ends in .json", path)
    with replacing(path) as unfinished:
        unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(metric_numbers(aggregates)), indent=2) + b"\n")
