"""From answer selection files to AVA's pairs: what `qassay build ava` does."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from qassay.errors import DataError
from qassay.io.reader import Reader, ReadOptions, sniff
from qassay.io.readers.answer_selection import Selection, read_selection
from qassay.io.source import Source
from qassay.training.ava.pairs import Statistics, gather, pair_up
from qassay.training.files import write_rows
from qassay.training.held_back import held_back
from qassay.training.keyphrase.rows import question_key

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np

TRAIN, DEV = "train", "dev"
_SELECTION = frozenset({"as2", "trec"})
_NATURAL_QUESTIONS = frozenset({"evouna"})


def read_selections(
    inputs: Sequence[str], reading: ReadOptions, left_out: Counter[str], held_out: Iterable[str] = ()
) -> Iterator[Selection]:
    """Read questions with right and wrong answers, from answer selection tables or judged answers of any format.

    Left out, and counted, are questions of evaluation sets and EVOUNA's that are held back for the final test.
    """
    evaluated = {question_key(question) for question in held_out}
    for names, format_ in _grouped(inputs, reading):
        for selection in _selections(names, format_, reading):
            if question_key(selection.question) in evaluated:
                left_out["question of an evaluation set"] += 1
            elif format_ in _NATURAL_QUESTIONS and held_back(selection.question):
                left_out["question held back for the final test"] += 1
            else:
                yield selection


def _selections(names: Sequence[str], format_: str, reading: ReadOptions) -> Iterator[Selection]:
    if format_ in _SELECTION:
        return (each for name in names for each in read_selection(Source.at(name)))
    return gather(Reader(names, replace(reading, format=format_)))


def _grouped(inputs: Sequence[str], reading: ReadOptions) -> Iterator[tuple[list[str], str]]:
    """Return the files of one kind together, for one question's answers may stand in several."""
    if reading.format != "auto":
        yield list(inputs), reading.format
        return
    by_format: dict[str, list[str]] = {}
    for name in inputs:
        by_format.setdefault("auto" if name == "-" else sniff(name), []).append(name)
    for format_, names in by_format.items():
        yield names, format_


def build_pairs(
    selections: Iterable[Selection],
    folder: Path,
    *,
    rng: np.random.Generator,
    cap: int | None = None,
    dev_share: float = 0.1,
) -> dict[str, Statistics]:
    """Split by question, pair up each side, write `train.jsonl` and `dev.jsonl`, and give each side's statistics.

    On which side a question stands follows from its text alone, so that no question stands on both.
    """
    sides: dict[str, list[Selection]] = {TRAIN: [], DEV: []}
    for selection in selections:
        digest = hashlib.sha256(b"dev " + question_key(selection.question).encode()).digest()
        sides[DEV if int.from_bytes(digest[:8], "big") < dev_share * 2**64 else TRAIN].append(selection)
    paired = {side: pair_up(chosen, rng=rng, cap=cap) for side, chosen in sides.items()}
    for side, (rows, _) in paired.items():
        if not rows:
            raise DataError(f"no question of the {side} side has two correct answers; give more data")
    folder.mkdir(parents=True, exist_ok=True)
    for side, (rows, _) in paired.items():
        write_rows(folder / f"{side}.jsonl", rows)
    return {side: statistics for side, (_, statistics) in paired.items()}
