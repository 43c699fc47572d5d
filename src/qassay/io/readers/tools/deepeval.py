"""DeepEval's datasets and test runs."""

from collections.abc import Iterator, Mapping
from typing import Any

from qassay.io.parsing.mapped_fields import as_references
from qassay.io.parsing.rows import Row
from qassay.io.readers.tools.tool_rows import ToolRows, moved, texts_of

_NAMES = {
    "input": "question",
    "actual_output": "candidate",
    "actualOutput": "candidate",
    "expected_output": "references",
    "expectedOutput": "references",
    "retrieval_context": "contexts",
    "retrievalContext": "contexts",
}
_CASES = "testCases"
_BETWEEN_CONTEXTS = "|"
"""What DeepEval puts between contexts in one cell."""


class DeepEval(ToolRows):
    """DeepEval's test cases: input, actual_output, expected_output, retrieval_context; or a test run."""

    name = "deepeval"

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether there are test cases, or a run of them."""
        if isinstance(row.get(_CASES), list):
            return True
        return "input" in row and ("actual_output" in row or "actualOutput" in row)

    def convert(self, row: Row) -> Iterator[Row]:
        """Yield the answer of a test case, or of each case of a run; a metric's score becomes a field of its name."""
        if isinstance(row.get(_CASES), list):
            for case in row[_CASES]:
                yield from self.convert(case)
            return
        made = moved(row, _NAMES)
        made.setdefault("candidate", None)
        if "references" in made:
            made["references"] = as_references(made["references"])
        contexts = made.get("contexts")
        if contexts is not None:
            apart = contexts.split(_BETWEEN_CONTEXTS) if isinstance(contexts, str) else contexts
            made["contexts"] = texts_of(apart) or []
        if isinstance(made.get("context"), list | str):
            ideal = texts_of(made.pop("context"))
            if ideal:
                made["context"] = "\n\n".join(ideal)
        for metric in row.get("metricsData") or ():
            if isinstance(metric, dict) and isinstance(metric.get("name"), str):
                made.setdefault(metric["name"], metric.get("score"))
        yield made
