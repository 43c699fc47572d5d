"""MLflow's evaluation tables and datasets."""

from collections.abc import Iterator, Mapping
from typing import Any

from qassay.io.parsing.aliases import likely_name
from qassay.io.parsing.mapped_fields import as_answer, as_question, as_references
from qassay.io.parsing.read_context import fail
from qassay.io.parsing.rows import Row
from qassay.io.readers.tools.tool_rows import ToolRows, texts_of

_QUESTION = ("inputs", "request", "question", "input", "query")
_CANDIDATE = ("outputs", "predictions", "prediction", "response", "output")
_REFERENCES = ("targets", "ground_truth", "target", "expectations", "expected_response")
_EXPECTED = ("expected_response", "expected_facts", "expected_output", "expected_answer", "ground_truth", "answer")
_FLAT = "expected_response/value"


class MLflow(ToolRows):
    """MLflow's evaluation tables (eval_results_table.json) and datasets: inputs, outputs, targets or expectations."""

    name = "mlflow"

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether there is a table in columns and data, or a row with inputs and outputs."""
        names = row["columns"] if _is_split(row) else row
        asked = any(name in names for name in ("inputs", "request"))
        replied = any(name in names for name in _CANDIDATE)
        return asked and replied and any(name in names for name in (*_REFERENCES, _FLAT))

    def convert(self, row: Row) -> Iterator[Row]:
        """Yield the answer of a row, or of each row of a table."""
        if _is_split(row):
            for values in row["data"]:
                yield from self.convert(dict(zip(row["columns"], values, strict=True)))
            return
        question = next((name for name in _QUESTION if name in row), None)
        candidate = next((name for name in _CANDIDATE if name in row), None)
        if candidate is None:
            fail(f"has none of {', '.join(_CANDIDATE)}; give the answers in one of them")
        references = next((name for name in (_FLAT, *_REFERENCES) if row.get(name) is not None), None)
        made = {name: value for name, value in row.items() if name not in {question, candidate, references}}
        if question is not None and (asked := _asked(row[question])) is not None:
            made["question"] = asked
        made["candidate"] = _reply(row[candidate])
        if references is not None:
            made["references"] = _expected(row[references])
        contexts = texts_of(row.get("retrieved_context"))
        if contexts:
            made["contexts"] = contexts
        if "trace_id" in row:
            made.setdefault("id", row["trace_id"])
        yield made


def _is_split(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("columns"), list) and isinstance(row.get("data"), list)


def _asked(value: object) -> Any:  # noqa: ANN401 - refused later where it is no text
    """Return the question in a text, a conversation or an object with one of them."""
    if isinstance(value, Mapping):
        if isinstance(value.get("messages"), list):
            return as_question(value["messages"])
        name = "question" if "question" in value else likely_name("question", value) or next(iter(value), None)
        return _asked(value[name]) if name is not None and isinstance(value[name], str | list) else None
    asked = as_question(value)
    return asked if isinstance(asked, str) else None


def _reply(value: object) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, Mapping) and "content" not in value:
        name = likely_name("candidate", value) or next(iter(value), None)
        return None if name is None else as_answer(value[name])
    return as_answer(value)


def _expected(value: object) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, Mapping):
        name = next((name for name in _EXPECTED if value.get(name) is not None), None)
        return None if name is None else as_references(value[name])
    return as_references(value)
