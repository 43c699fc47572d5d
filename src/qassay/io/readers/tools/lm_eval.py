"""The samples that lm-evaluation-harness logs."""

from collections.abc import Iterator, Mapping
from typing import Any

from qassay.io.parsing.aliases import likely_name
from qassay.io.parsing.mapped_fields import as_references
from qassay.io.parsing.read_context import fail
from qassay.io.parsing.rows import Row
from qassay.io.readers.tools.tool_rows import ToolRows

_NO_FILTER = "none"


class LmEval(ToolRows):
    """lm-evaluation-harness's logged samples (`--log_samples`)."""

    name = "lm_eval"

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has a document, replies and filtered replies."""
        return "doc" in row and "filtered_resps" in row and ("doc_id" in row or "resps" in row)

    def convert(self, row: Row) -> Iterator[Row]:
        """Yield each sampled reply; the filter that extracted it is the system where there is one."""
        replies = _replies(row)
        question = _question(row)
        filter_ = row.get("filter")
        for number, reply in enumerate(replies, 1):
            made: Row = {name: value for name, value in row.items() if name not in {"target", "filter"}}
            made["id"] = f"{row['doc_id']}" if row.get("doc_id") is not None else None
            made["candidate"] = reply
            made["references"] = as_references(row.get("target"))
            if question is not None:
                made["question"] = question
            if isinstance(filter_, str) and filter_ != _NO_FILTER:
                made["system"] = filter_
            if len(replies) > 1:
                made["sample"] = number
            yield made


def _replies(row: Mapping[str, Any]) -> list[str]:
    """Return the filtered replies; several are samples of one answer."""
    given = row["filtered_resps"]
    given = [given] if isinstance(given, str) else given
    flat = [each for item in given for each in (item if isinstance(item, list | tuple) else [item])]
    if not flat or not all(isinstance(each, str) for each in flat) or _are_likelihoods(given):
        return fail(
            '"filtered_resps" holds no text: the task compares likelihoods of choices, and there are no answers to '
            "score; log a task that generates (output_type: generate_until)"
        )
    return flat


def _are_likelihoods(given: Any) -> bool:  # noqa: ANN401 - what was logged
    """Whether replies are a log-likelihood with True or False, which the harness writes as texts."""
    return all(isinstance(item, list | tuple) and len(item) == 2 and item[1] in {"True", "False"} for item in given)  # noqa: PLR2004


def _question(row: Mapping[str, Any]) -> str | None:
    """Return the document's question, or what the model was asked."""
    document = row["doc"]
    if isinstance(document, Mapping):
        name = "question" if "question" in document else likely_name("question", document)
        if name is not None and isinstance(document[name], str):
            return str(document[name])
    asked = row.get("arguments")
    if isinstance(asked, Mapping):
        first = next(iter(asked.values()), None)
        text = first.get("arg_0") if isinstance(first, Mapping) else None
    else:
        text = asked[0][0] if isinstance(asked, list) and asked and isinstance(asked[0], list) and asked[0] else None
    return text if isinstance(text, str) else None
