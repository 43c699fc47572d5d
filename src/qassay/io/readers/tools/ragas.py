"""Ragas's evaluation datasets and results."""

from collections.abc import Iterator, Mapping
from typing import Any

from qassay.io.parsing.mapped_fields import as_question, as_references, message_text
from qassay.io.parsing.rows import Row
from qassay.io.readers.tools.tool_rows import ToolRows, moved, texts_of

_NAMES = {
    "user_input": "question",
    "response": "candidate",
    "reference": "references",
    "retrieved_contexts": "contexts",
}
_FIRST_NAMES = {
    "answer": "candidate",
    "ground_truth": "references",
    "ground_truths": "references",
    "contexts": "contexts",
}
"""Of Ragas before 0.2, beside `question`."""


class Ragas(ToolRows):
    """Ragas: user_input, response, reference, retrieved_contexts; or question, answer, ground_truth, contexts."""

    name = "ragas"

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether the names are Ragas's, of today or before version 0.2."""
        now = "user_input" in row and ("response" in row or "reference" in row)
        before = "question" in row and "answer" in row and ("ground_truth" in row or "ground_truths" in row)
        return now or before

    def convert(self, row: Row) -> Iterator[Row]:
        """Yield the answer; of a conversation, the last question and, without a response, the last reply."""
        made = moved(row, _NAMES if "user_input" in row else _FIRST_NAMES)
        talk = row.get("user_input")
        if isinstance(talk, list):
            made["question"] = as_question(talk)
            replies = [each for each in talk if isinstance(each, dict) and each.get("type") in {"ai", "assistant"}]
            if replies and "candidate" not in made:
                made["candidate"] = message_text(replies[-1])
        made.setdefault("candidate", None)
        if "references" in made:
            made["references"] = as_references(made["references"])
        if "contexts" in made:
            made["contexts"] = texts_of(made["contexts"]) or []
        yield made
