"""Answers as `qassay judge --doubt` writes them."""

import json

import numpy as np


def write_judged_in_doubt(path):
    """Write 400 answers of two equally good systems, judged by an LLM where a cheap judge was unsure.

    The cheap judge favours the old system.
    """
    rng, rows = np.random.default_rng(8), []
    for system, lift in (("old", 0.25), ("new", 0.0)):
        right = rng.random(400) < 0.6
        cheap = np.clip(right + rng.normal(0, 0.4, 400) + lift, 0, 1)
        sure = (cheap < 0.2) | (cheap > 0.8)
        asked = ~sure | (rng.random(400) < 0.2)
        share = asked[sure].mean()
        rows += [
            {
                "id": f"q{i}",
                "system": system,
                "references": ["a"],
                "candidate": "a",
                "scores": {"gpt5": float(right[i]) if asked[i] else None, "cheap": float(cheap[i])},
                "asked": {"gpt5": {"probability": float(share) if sure[i] else 1.0, "otherwise": "cheap"}},
            }
            for i in range(400)
        ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
