"""The sentence of a passage that holds an answer span: what a full answer to the question might read like."""

import re

from qassay.text.sentences import sentence_spans
from qassay.training.keyphrase.rows import Span


def sentence_around(text: str, span: Span) -> tuple[str, Span] | None:
    """Return the sentence that holds a span, and the span inside it.

    Sentences that a span crosses are joined, so that no boundary ever cuts an answer. `None` for a span outside the
    text or an empty one.
    """
    start, end = span
    if not 0 <= start < end <= len(text):
        return None
    touched = [(low, high) for low, high in sentence_spans(text) if low < end and start < high]
    if not touched:
        return None
    low, high = min(touched[0][0], start), max(touched[-1][1], end)
    return text[low:high], (start - low, end - low)


def find_phrase(text: str, phrase: str) -> list[Span]:
    """Find a phrase as whole words, whatever its case and the width of its spaces."""
    parts = phrase.split()
    if not parts:
        return []
    pattern = r"\s+".join(re.escape(part) for part in parts)
    return [match.span() for match in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]
