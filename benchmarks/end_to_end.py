"""`qassay.score` on dictionaries, with all that belongs to it, side by side with rouge-score and sacrebleu.

    python benchmarks/end_to_end.py

Rows are checked, hashed, scored and aggregated with intervals; the peers only score. Two sets of 6,000 pairs: answers
of five systems to NQ questions whose reference has one to three words (EVOUNA), and drawn answers with a reference of
13 words on average (KPQA). Contenders take turns in one process, and the best of five processor times of each counts.
Then the time of one row, and the share that intervals take. Exits with 1 where a floor is missed.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

import qassay
from lexical import DATA, SEED, drawn_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Pair = tuple[str, str]
Row = dict[str, Any]
SIZE, TIMES = 6_000, 5
SHORT_WORDS = 3
SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
ONE_ROW_TIMES = 200
MOST_INTERVALS = 0.2
"""The largest share of the time that intervals may take."""


class Floor(NamedTuple):
    """What a metric must reach on some pairs, and what would be good."""

    metric: str
    peer: str
    least: float
    goal: float


FLOORS = {
    "1-3 words": (Floor("rouge_l", "rouge-score", 3, 3), Floor("bleu", "sacrebleu", 4, 6)),
    "13 words": (Floor("rouge_l", "rouge-score", 6, 10), Floor("bleu", "sacrebleu", 5, 10)),
}
ONE_ROW = {"token_f1": 1.0, "bleu": 1.0, "rouge_l": 1.0, "ava": 12.0}
"""Milliseconds that one row should take, by metric."""


def short_pairs(rng: np.random.Generator) -> list[Pair]:
    """Draw answers to questions whose first reference has one to three words."""
    rows = json.loads((DATA / "train" / "evouna" / "NQ.json").read_text(encoding="utf-8"))
    pairs = [
        (str(row[f"answer_{system}"]), reference)
        for row in rows
        for reference in [str(row["golden_answer"]).split("/")[0].strip()]
        for system in SYSTEMS
        if row[f"answer_{system}"] and 0 < len(reference.split()) <= SHORT_WORDS
    ]
    return [pairs[i] for i in rng.permutation(len(pairs))[:SIZE].tolist()]


def as_rows(pairs: Sequence[Pair]) -> list[Row]:
    """Write pairs as a caller has them."""
    return [{"id": f"q{i}", "references": [theirs], "candidate": ours} for i, (ours, theirs) in enumerate(pairs)]


def contenders(pairs: Sequence[Pair]) -> dict[str, Callable[[], object]]:
    """Return what scores all pairs, by name."""
    rouge, rows = RougeScorer(["rougeL"]), as_rows(pairs)

    def sacrebleu() -> object:
        for cached in (Tokenizer13a.__call__, TokenizerRegexp.__call__):
            cached.cache_clear()
        bleu = BLEU(effective_order=True)
        return [bleu.sentence_score(ours, [theirs]) for ours, theirs in pairs]

    return {
        "rouge-score": lambda: [rouge.score(theirs, ours) for ours, theirs in pairs],
        "sacrebleu": sacrebleu,
        "rouge_l": lambda: qassay.score(rows, "rouge_l"),
        "bleu": lambda: qassay.score(rows, "bleu"),
        "rouge_l, no intervals": lambda: qassay.score(rows, "rouge_l", intervals=False),
        "bleu, no intervals": lambda: qassay.score(rows, "bleu", intervals=False),
    }


def best_times(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return each contender's best processor time; they take turns, so that a slow spell hits all."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(TIMES):
        for name, run in runs.items():
            began = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - began)
    return best


def compare(label: str, pairs: Sequence[Pair]) -> bool:
    """Print the table of one set of pairs, and return whether its floors are reached."""
    times = best_times(contenders(pairs))
    met = True
    for name in ("rouge-score", "sacrebleu"):
        print(f"{label:<10} {name:<22} {len(pairs) / times[name]:>10,.0f}")
    for floor in FLOORS[label]:
        ratio = times[floor.peer] / times[floor.metric]
        bare = times[f"{floor.metric}, no intervals"]
        share = 1 - bare / times[floor.metric]
        met &= ratio >= floor.least and share <= MOST_INTERVALS
        reached = "goal" if ratio >= floor.goal else "floor" if ratio >= floor.least else "MISSED"
        print(
            f"{label:<10} {f'qassay {floor.metric}':<22} {len(pairs) / times[floor.metric]:>10,.0f}  "
            f"{ratio:.1f}x {floor.peer} (floor {floor.least:g}x, goal {floor.goal:g}x: {reached}); "
            f"intervals {100 * max(share, 0):.0f} % of the time"
        )
    return met


def one_row() -> None:
    """Print what one row takes without intervals, in milliseconds."""
    row = {
        "id": "q1",
        "question": "Who wrote Frankenstein?",
        "references": ["Mary Shelley"],
        "candidate": "Shelley did",
    }
    print("\none row, without intervals")
    for spec, goal in ONE_ROW.items():
        qassay.score([row], spec, intervals=False)
        found = []
        for i in range(ONE_ROW_TIMES if goal <= 1 else ONE_ROW_TIMES // 10):
            # Another answer each time, so that no cache knows it.
            changed = {**row, "candidate": f"Shelley did {i}"}
            began = time.perf_counter()
            qassay.score([changed], spec, intervals=False)
            found.append(1000 * (time.perf_counter() - began))
        middle = float(np.median(found))
        print(f"{spec:<12} {middle:6.2f} ms (goal {goal:g} ms: {'reached' if middle <= goal else 'not reached'})")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.parse_args()
    for part in ("train/evouna", "bench/kpqa_human"):
        if not (DATA / part).exists():
            raise SystemExit(f"needs {DATA / part}, which is not there; set QASSAY_DATA")
    print(f"{SIZE:,} pairs, seed {SEED}; best of {TIMES} processor times\n")
    print(f"{'references':<10} {'contender':<22} {'pairs/s':>10}")
    met = compare("1-3 words", short_pairs(np.random.default_rng(SEED)))
    met &= compare("13 words", list(drawn_pairs(np.random.default_rng(SEED), SIZE)))
    one_row()
    if not met:
        raise SystemExit("a floor was missed")


if __name__ == "__main__":
    main()
