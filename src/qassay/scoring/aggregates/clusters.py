"""Answers that are not independent: several samples of one question, or whatever shares the value of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from qassay.errors import DataError, SpecError, option
from qassay.records import read_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.arrays import Floats, Ints
    from qassay.records import Example
    from qassay.text.text_hash import Hashes

QUESTION = "question"
"""The cluster of all answers to a question, by its id, its text or, without either, the answer's own id."""


def check_cluster(cluster: str | None) -> str | None:
    """Accept what answers are clustered by."""
    if cluster is not None and (not isinstance(cluster, str) or not cluster):
        raise SpecError(f"{option('cluster')} is {cluster!r:.60}; give question, or the name of a field")
    return cluster


def cluster_of(example: Example, by: str) -> str:
    """Return the cluster of an answer; raise `DataError` where it has no value in the field."""
    if by == QUESTION:
        return str(example.extra.get("question_id") or example.question or example.id)
    value = read_field(example, by)
    if value is None or value == "":
        raise DataError(
            f'the answer with id "{example.id}" has no "{by}" for {option("cluster", by)}; give it in every row'
        )
    return str(value)


def cluster_codes(examples: Sequence[Example], by: str) -> Ints:
    """Return the number of each answer's cluster, counted from 0 in the order in which they come."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(cluster_of(each, by), len(numbers)) for each in examples], np.int64)


def summed_by_cluster(rows: Floats, codes: Ints | Hashes) -> Floats:
    """Return additive statistics with one row per cluster."""
    _, dense = np.unique(codes, return_inverse=True)
    sums = np.zeros((int(dense.max()) + 1 if len(dense) else 0, rows.shape[1]))
    np.add.at(sums, dense, rows)
    return sums
