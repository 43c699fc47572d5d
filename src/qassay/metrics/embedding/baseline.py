"""The BERTScore of unrelated texts, which `rescale` maps to 0."""

from __future__ import annotations

import csv
import os
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from qassay.errors import DataError
from qassay.home import below_home
from qassay.metrics.base import f_measure
from qassay.metrics.embedding.matching import match
from qassay.models.folder import fingerprint
from qassay.models.matching import unit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from qassay.models.base import Encoder


class Baseline(NamedTuple):
    """Mean precision, recall and F1 of unrelated texts."""

    p: float
    r: float
    f: float


class _Row(msgspec.Struct):
    question: str
    references: list[str | dict[str, str]]


def baseline(encoder: Encoder, layer: int, source: str, power: float) -> Baseline:
    """Return the baseline of a layer: from a file, or computed once per model and kept in the user's cache.

    A file has the columns LAYER, P, R and F, as the bert-score package's baseline files do. Computed: every packaged
    example answer against the answers to other questions.
    """
    if source != "yes":
        return _from_file(Path(source), layer)
    cached = _cache() / f"{encoder.fingerprint}-{_fingerprint(_texts())}-{layer}-{power:g}.json"
    try:
        return Baseline(*msgspec.json.decode(cached.read_bytes(), type=list[float]))
    except (OSError, msgspec.MsgspecError, TypeError):
        found = _computed(encoder, layer, power)
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        cached.write_bytes(msgspec.json.encode(list(found)))
    except OSError:
        # A cache that cannot be written costs time, not correctness.
        return found
    return found


def baseline_identity(source: str, layer: int) -> str:
    """Return the identity of a baseline besides model and layer: a file's numbers, or a computed one's texts."""
    return _fingerprint(_texts() if source == "yes" else map(repr, _from_file(Path(source), layer)))


def _fingerprint(parts: Iterable[str]) -> str:
    return fingerprint("\n".join(parts))


@lru_cache(maxsize=16)
def _from_file(path: Path, layer: int) -> Baseline:
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        found = next((row for row in rows if int(row["LAYER"]) == layer), None)
        if found is None:
            raise DataError(f"has no baseline of layer {layer}", path)
        return Baseline(float(found["P"]), float(found["R"]), float(found["F"]))
    except OSError as problem:
        raise DataError(
            f"cannot be read: {problem.strerror}; rescale takes yes, no or a baseline file", path
        ) from problem
    except (KeyError, ValueError, TypeError) as problem:
        raise DataError("is no baseline file; it needs the columns LAYER,P,R,F", path) from problem


@cache
def _texts() -> tuple[str, ...]:
    """Return the packaged example answers, one per question."""
    lines = (files("qassay") / "assets" / "demo.jsonl").read_bytes().splitlines()
    rows = [msgspec.json.decode(line, type=_Row) for line in lines]
    answers = {row.question: _text(row.references[0]) for row in rows}
    return tuple(dict.fromkeys(text for text in answers.values() if text.isascii()))


def _computed(encoder: Encoder, layer: int, power: float) -> Baseline:
    texts = _texts()
    encoded = encoder.encode(texts, layer)
    units = [unit(each.vectors) for each in encoded]
    weights = [(~each.special).astype(np.float64) for each in encoded]
    pairs = np.array(
        [
            match(units[i], units[j], weights[i], weights[j], power)
            for i in range(len(texts))
            for j in range(len(texts))
            if i != j
        ]
    )
    precision, recall = pairs[:, 0], pairs[:, 1]
    return Baseline(float(precision.mean()), float(recall.mean()), float(f_measure(precision, recall, beta=1).mean()))


def _text(reference: str | dict[str, str]) -> str:
    return reference if isinstance(reference, str) else reference["text"]


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else below_home("~/.cache")) / "qassay" / "baselines"
