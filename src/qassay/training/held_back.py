"""Questions that no training, tuning or choosing ever sees: a tenth of EVOUNA's Natural Questions.

The judge's final figures are measured on them. Which they are follows from the question's text alone, so that every
builder of training data leaves out the same ones, whatever file they come from.
"""

import hashlib

from qassay.training.keyphrase.rows import question_key

_SHARE = 10


def held_back(question: str) -> bool:
    """Whether a Natural Question is kept for the final test: one in ten, by the hash of its normalised text."""
    digest = hashlib.sha256(question_key(question).encode()).digest()
    return int.from_bytes(digest[:8], "big") % _SHARE == 0
