"""How good a chunker is: F1 of phrases as CoNLL-2000 counts them, and accuracy of the other labels."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from qassay.models.syntax import CHUNKS, ENTITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from qassay.training.chunker.inputs import Sentences

_UNKNOWN = -100


def labelled_spans(labels: Iterable[str]) -> set[tuple[str, int, int]]:
    """Read the phrases off labels; an inside label with nothing to continue begins one (conlleval's rule)."""
    spans = set()
    kind, start, end = "O", 0, 0
    for place, label in enumerate(labels):
        mark, _, name = label.rpartition("-")
        if mark != "I" or name != kind:
            if kind != "O":
                spans.add((kind, start, end))
            kind, start = name, place
        end = place + 1
    if kind != "O":
        spans.add((kind, start, end))
    return spans


def span_f1(found: Sequence[set[tuple[str, int, int]]], wanted: Sequence[set[tuple[str, int, int]]]) -> float:
    """Return F1 over all sentences' phrases."""
    hits = sum(len(a & b) for a, b in zip(found, wanted, strict=True))
    total = sum(map(len, found)) + sum(map(len, wanted))
    return 2 * hits / total if total else float("nan")


def measure(logits: Sequence[np.ndarray], data: Sentences, bounds: Sequence[int]) -> dict[str, float]:
    """Compare with the known labels: F1 of noun phrases, of all chunks and of entities, accuracy of the rest."""
    parts, chunks, entities, kinds = ([row[:, low:high] for row in logits] for low, high in pairwise(bounds))
    result = {"parts": _accuracy(parts, data.labels["parts"])}
    for name, names, scores in (("chunks", CHUNKS, chunks), ("entities", ENTITIES, entities)):
        known = [i for i, row in enumerate(data.labels[name]) if any(label != _UNKNOWN for label in row)]
        # Special pieces have no label; they are cut off on both sides.
        found = [labelled_spans(names[j] for j in scores[i][1:-1].argmax(1)) for i in known]
        wanted = [labelled_spans(names[max(j, 0)] for j in data.labels[name][i][1:-1]) for i in known]
        result[name] = span_f1(found, wanted)
        if name == "chunks":
            noun = [[{span for span in row if span[0] == "NP"} for row in side] for side in (found, wanted)]
            result["noun phrases"] = span_f1(*noun)
    answers = [(i, *answer) for i, row in enumerate(data.answers) for answer in row]
    right = [int(kinds[i][first:last].mean(0).argmax()) == kind for i, first, last, kind in answers]
    result["kinds"] = float(np.mean(right)) if right else float("nan")
    return result


def _accuracy(scores: Sequence[np.ndarray], labels: Sequence[Sequence[int]]) -> float:
    pairs = [(scores[i].argmax(1), np.array(row)) for i, row in enumerate(labels)]
    hits = sum(int((found == wanted).sum()) for found, wanted in pairs)
    known = sum(int((wanted != _UNKNOWN).sum()) for _, wanted in pairs)
    return hits / known if known else float("nan")
