"""Rows for measuring speed on a GPU: made-up questions, references and answers, about 46 word pieces in all."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.folder import TOKENIZER

if TYPE_CHECKING:
    from pathlib import Path

_QUESTIONS = (
    "who {v} the {a} {n} of {p} in the year {y}?",
    "when did the {n} of {p} {v} the {a} {m}?",
    "what is the {a} {n} that {p} {v} near the {m}?",
    "where was the {a} {n} with the {m} of {p} found?",
)
_REFERENCES = (
    "the {a} {n} of {p} beside the {b} {m} of the {v}",
    "{p}, which the {n} {v} with a {a} {m} that year",
    "in {y}, after the {a} {m} of the {n} and its {b}",
)
_ANSWERS = (
    "it was the {a} {n} of {p}, and the {b} {m} {v} it, as far as is known",
    "I think that {p} {v} the {n} with the {b} {m} at that time and place",
    "the {b} {n} {v} it in {y}, long before the {m} of {p} ever did",
)


def write_rows(path: Path, count: int, seed: int = 1) -> None:
    """Write rows as JSONL; half of the answers share most of their words with the reference."""
    words = _words()
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            chosen = {slot: rng.choice(words) for slot in "vanmbp"} | {"y": str(rng.randrange(1500, 2030))}
            other = {slot: rng.choice(words) for slot in "vanmbp"} | {"y": str(rng.randrange(1500, 2030))}
            row = {
                "id": str(number),
                "question": rng.choice(_QUESTIONS).format(**chosen),
                "references": [rng.choice(_REFERENCES).format(**chosen)],
                "candidate": rng.choice(_ANSWERS).format(**(chosen if rng.random() < 0.5 else other)),  # noqa: PLR2004
            }
            file.write(json.dumps(row) + "\n")


def _words() -> list[str]:
    """Return common words of the embedded model's vocabulary, in its order."""
    vocabulary: dict[str, int] = json.loads((EMBEDDED_FOLDER / TOKENIZER).read_bytes())["model"]["vocab"]
    return [word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 3][:9000]  # noqa: PLR2004
