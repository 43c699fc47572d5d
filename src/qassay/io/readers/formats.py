"""The registry of formats, and how the format of an input is found."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from qassay.errors import DataError, PluginError, SpecError, option
from qassay.io.readers.format import Format, Head, Role
from qassay.io.source import Source
from qassay.plugins import Distribution, Registry, warn

GROUP = "qassay.formats"
"""The entry points by which packages add formats."""

BUILT_IN = {
    "jsonl": "row_files.jsonl:Jsonl",
    "json": "row_files.jsonl:Json",
    "csv": "row_files.tables:Csv",
    "tsv": "row_files.tables:Tsv",
    "parquet": "row_files.parquet:Parquet",
    "squad": "datasets.squad:Squad",
    "inspect": "tools.inspect_logs:Inspect",
    "dureader": "datasets.dureader:DuReader",
    "kpqa": "datasets.kpqa:Kpqa",
    "evouna": "datasets.evouna:Evouna",
    "as2": "datasets.answer_selection:AnswerSelection",
    "trec": "datasets.answer_selection:TrecQA",
    "summaries": "row_files.summaries:Summaries",
    "pairs": "row_files.summaries:AnswerPairs",
    "openqa": "datasets.openqa:OpenQA",
    "mocha": "datasets.mocha:Mocha",
    "qaeval": "datasets.qaeval_pairs:QAEvalPairs",
    "ragas": "tools.ragas:Ragas",
    "deepeval": "tools.deepeval:DeepEval",
    "lm_eval": "tools.lm_eval:LmEval",
    "promptfoo": "tools.promptfoo:Promptfoo",
    "mlflow": "tools.mlflow:MLflow",
    "arrow": "row_files.arrow:Arrow",
}
"""Qassay's own formats; among those of equal priority, earlier ones are tried first."""
_TOOLS = ("ragas", "deepeval", "lm_eval", "promptfoo", "mlflow")
"""Formats whose rows other tools write, which may also stand in Parquet, Arrow or memory."""


def _as_format(name: str, source: object, _owner: Distribution | None) -> Format:
    made = source() if inspect.isclass(source) and issubclass(source, Format) else source
    if not isinstance(made, Format):
        raise SpecError(f"the format {name} is {source!r:.60}; give a subclass of qassay.Format")
    if made.name != name:
        raise SpecError(f'the format {name} calls itself "{made.name}"; give both the same name')
    if not isinstance(made.priority, int):
        raise SpecError(f"the format {name} has the priority {made.priority!r:.60}; give an integer")
    if not isinstance(made.extensions, tuple):
        raise SpecError(f'the format {name} has the extensions {made.extensions!r:.60}; give a tuple, as in (".deck",)')
    return made


FORMATS: Registry[Format] = Registry(
    "format", {name: f"qassay.io.readers.{place}" for name, place in BUILT_IN.items()}, {GROUP: _as_format}
)


def register_format(kind: type[Format]) -> type[Format]:
    """Add a format, so that `--format NAME` reads it and its files are recognised; also as a decorator."""
    FORMATS.register(getattr(kind, "name", ""), kind, GROUP)
    return kind


def tool_formats() -> list[Format]:
    """Return the formats whose rows other tools write."""
    return [FORMATS[name] for name in _TOOLS]


@dataclass(frozen=True, slots=True)
class RecognisedFormat:
    """What an input looks like."""

    format: Format
    role: Role = "data"


def format_named(name: str) -> Format:
    """Return the format of that name; raise `DataError` with the names that there are."""
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name, FORMATS, n=1, cutoff=0.65)
    nearest = f"; did you mean {close[0]}?" if close else ""
    raise DataError(f"there is no format {name}{nearest} (formats: auto, {', '.join(FORMATS)})")


def recognise(source: Source, mapping: Mapping[str, str]) -> RecognisedFormat:
    """Return the format that the content shows, or, where no format recognises it, the extension.

    With a mapping, formats whose fields are fixed come last: who renames fields has rows of their own.
    """
    head = Head(source, mapping)
    if not head.start:
        raise DataError("is empty: there are no answers in it; check the file", source.name)
    if head.bytes.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("is UTF-16; save it as UTF-8", source.name)
    known, problems = FORMATS.loadable()
    for problem in problems:
        warn(problem)
    formats = sorted(known.values(), key=lambda each: (bool(mapping) and not each.fields, -each.priority))
    for each in formats:
        try:
            found = role_of(each, head)
        except PluginError as failed:
            warn(failed.message)
            continue
        if found:
            return RecognisedFormat(each, found)
    for each in formats:
        if head.extension in each.extensions:
            return RecognisedFormat(each)
    raise DataError(
        f"the format is not recognised; name it with {option('format')} ({', '.join(FORMATS)})", source.name
    )


def role_of(kind: Format, head: Head) -> Role | None:
    """Return the role of an input in a format, or `None` if the format does not recognise it."""
    found = kind.recognises(head)
    if found == "answers":
        return "answers"
    return "data" if found else None
