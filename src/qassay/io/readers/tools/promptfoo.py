"""Promptfoo's results."""

from collections.abc import Iterator, Mapping
from typing import Any

from qassay.io.parsing.aliases import likely_name
from qassay.io.parsing.mapped_fields import as_references
from qassay.io.parsing.rows import Row
from qassay.io.readers.tools.tool_rows import ToolRows

_STATE_THE_ANSWER = (
    "equals",
    "iequals",
    "contains",
    "icontains",
    "contains-any",
    "icontains-any",
    "starts-with",
    "similar",
    "factuality",
    "levenshtein",
    "rouge-n",
    "bleu",
    "meteor",
    "gleu",
)
"""Assertions whose value is a right answer."""


class Promptfoo(ToolRows):
    """Promptfoo's results, as `promptfoo eval -o results.json` or .jsonl writes them."""

    name = "promptfoo"

    def matches(self, row: Mapping[str, Any]) -> bool:
        """Whether there are results of tests, or one result."""
        inner = _results(row)
        if inner is not None:
            return not inner or _is_result(inner[0])
        return _is_result(row)

    def convert(self, row: Row) -> Iterator[Row]:
        """Yield the answer of each result; a right answer is what its assertions or variables expect."""
        inner = _results(row)
        if inner is not None:
            for each in inner:
                yield from self.convert(each)
            return
        test = row.get("testCase") if isinstance(row.get("testCase"), Mapping) else {}
        variables = row.get("vars") or (test or {}).get("vars") or {}
        asked = likely_name("question", variables)
        prompt = row.get("prompt")
        raw = prompt.get("raw") if isinstance(prompt, Mapping) else None
        made = {**row, "vars": variables}
        made.pop("id", None)
        question = variables.get("question") or (variables[asked] if asked else raw)
        if isinstance(question, str):
            made["question"] = question
        made["candidate"] = _output(row.get("response"))
        expected = _expected((test or {}).get("assert") or ())
        named = likely_name("references", variables)
        if not expected and named is not None:
            expected = as_references(variables[named])
        if expected:
            made["references"] = expected
        made["system"] = _system(row)
        number = row.get("testIdx")
        made["id"] = f"test {number}" if number is not None else row.get("id")
        yield made


def _results(row: Mapping[str, Any]) -> list[Any] | None:
    """Return the results of a whole run."""
    outer = row.get("results")
    inner = outer.get("results") if isinstance(outer, Mapping) else outer
    return inner if isinstance(inner, list) and ("evalId" in row or "config" in row or "version" in row) else None


def _is_result(row: object) -> bool:
    if not isinstance(row, Mapping) or not ("response" in row or "error" in row):
        return False
    return "gradingResult" in row or "testCase" in row or ("promptIdx" in row and "vars" in row)


def _output(response: object) -> str | None:
    output = response.get("output") if isinstance(response, Mapping) else response
    return output if isinstance(output, str) else None


def _expected(assertions: object) -> list[str]:
    found: list[str] = []
    for each in assertions if isinstance(assertions, list) else ():
        if not isinstance(each, Mapping):
            continue
        if each.get("type") == "assert-set":
            found += _expected(each.get("assert"))
        elif each.get("type") in _STATE_THE_ANSWER:
            texts = as_references(each.get("value"))
            found += [text for text in texts if isinstance(text, str)] if isinstance(texts, list) else []
    return list(dict.fromkeys(found))


def _system(row: Mapping[str, Any]) -> str:
    """Return the provider, and the prompt's label where one run has several prompts."""
    provider = row.get("provider")
    name = (provider.get("label") or provider.get("id")) if isinstance(provider, Mapping) else provider
    number, named = row.get("promptIdx"), f"{name or 'promptfoo'}"
    return f"{named} (prompt {number + 1})" if isinstance(number, int) and number else named
