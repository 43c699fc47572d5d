"""What Python callers and the command line give alike: answers in memory, or the paths of files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from qassay.errors import DataError, OutputError, RowsName, SpecError, option
from qassay.io.atomic_output import check_outputs
from qassay.io.example_columns import ExampleColumns
from qassay.io.in_memory import Convert, adapted, columns_in_memory, each_row, from_examples, from_rows
from qassay.io.input_stream import Reader, ReadOptions
from qassay.io.locations import is_url
from qassay.io.parsing.rows import check_mapping, rename, to_example
from qassay.io.scores.scored_files import ScoredRow, read_scored
from qassay.io.scores.scores_folder import scores_folder
from qassay.io.source import BufferedInput
from qassay.metrics.registry import CATALOGUE, parse_spec
from qassay.records import Example

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qassay.io.parsing.read_context import SkippedRow
    from qassay.io.parsing.rows import Row
    from qassay.scoring.scorer import OnError
    from qassay.spec import MetricSpec

Paths = str | Path | Sequence[str | Path]
Metrics = str | Iterable["str | MetricSpec"] | None
Answers = str | Path | Sequence[str | Path] | Iterable[object]
"""Dictionaries, `Example`s or a data frame (pandas, polars, Arrow); or paths, `-` being standard input."""
Columns = Mapping[str, str]
"""Our name of a field to theirs: `{"candidate": "prediction"}`."""
_NAMED = 3
"""Inputs that a title names."""


@dataclass(frozen=True, slots=True)
class LeftOutOfInput:
    """Rows of one input that could not be read and were left out."""

    skipped: Sequence[SkippedRow]
    """The first of them."""
    skipped_total: int


@dataclass(slots=True)
class LeftOut:
    """Rows that could not be read and were left out, input by input."""

    inputs: list[LeftOutOfInput] = field(default_factory=list)

    @property
    def skipped_total(self) -> int:
        """How many there are."""
        return sum(each.skipped_total for each in self.inputs)

    def add(self, reading: Any) -> None:  # noqa: ANN401 - whatever counts what it left out
        """Add what was left out while reading an input."""
        self.inputs.append(LeftOutOfInput(tuple(reading.skipped), reading.skipped_total))


def paths_of(given: object) -> list[str] | None:
    """Return the paths that were given, or None where it was something else than paths."""
    if isinstance(given, str | Path):
        return [given if isinstance(given, str) else str(given)]
    if isinstance(given, list | tuple) and given and all(isinstance(each, str | Path) for each in given):
        return [each if isinstance(each, str) else str(each) for each in given]
    return None


def read_options(
    format_: str = "auto",
    columns: Columns | None = None,
    system: str | None = None,
    on_error: OnError = "stop",
    *,
    can_skip: bool = True,
    metrics: Iterable[str | MetricSpec] | None = None,
) -> ReadOptions:
    """Put together how an input is to be read, checked; rows may lack references where no metric needs them."""
    if columns is not None and not isinstance(columns, Mapping):
        raise SpecError(f"{option('columns')} is {columns!r:.60}; give our names of fields with yours as a dictionary")
    unnamed = next(
        (ours for ours, theirs in (columns or {}).items() if not isinstance(theirs, str) or not theirs), None
    )
    if columns and unnamed is not None:
        raise SpecError(f"{option('columns')} gives {columns[unnamed]!r:.60} for {unnamed}; give the name of a field")
    named = [CATALOGUE[parse_spec(each).name].metric for each in metrics or ()]
    bare = bool(named) and all(each.reference_free for each in named)
    return ReadOptions(format_, columns or {}, system, on_error, bare, can_skip)


def rows_in_memory(rows: object, options: ReadOptions, convert: Convert | None = None) -> Sequence[Example]:
    """Return the examples of dictionaries, of a data frame or of `Example`s; they are checked as files are."""
    check_mapping(options.mapping)
    if convert is None and not options.mapping:
        found = columns_in_memory(rows, options.system or "")
        if isinstance(found, ExampleColumns):
            return found
        rows = found
    made_of = convert or partial(to_example, bare=options.bare)

    def renamed(row: Row, source: str, number: int, system: str) -> Example:
        rename(row, options.mapping)
        return made_of(row, source, number, system)

    everything = list(each_row(rows))
    if convert is None:
        everything = list(adapted(everything, options.mapping))
    made = sum(isinstance(row, Example) for row in everything)
    if 0 < made < len(everything):
        raise DataError("rows are a mix of dictionaries and Examples; give one kind")
    examples = from_examples(everything, bare=options.bare) if made else from_rows(everything, convert=renamed)
    if options.system is None:
        return tuple(examples)
    return tuple(each if each.system else replace(each, system=options.system) for each in examples)


def read_answers(answers: Answers, options: ReadOptions, *, apart: bool = False) -> tuple[list[Example], LeftOut]:
    """Read answers into memory; with `apart` a file whose answers name no system is a system by its name."""
    from qassay.meta.comparison.systems import name_systems  # noqa: PLC0415 - loads scipy

    left_out = LeftOut()
    files = paths_of(answers)
    if files is None:
        return list(rows_in_memory(answers, options)), left_out
    reader = Reader(files, options)
    if not apart:
        examples = list(reader)
        left_out.add(reader)
        return examples, left_out
    parts = reader.apart()
    examples = name_systems(parts)
    for _, part in parts:
        left_out.add(part)
    return examples, left_out


def read_scored_answers(
    answers: Answers, options: ReadOptions, *, apart: bool = False, bare: bool = False
) -> tuple[list[Example], LeftOut]:
    """Read answers whose scores stand in their fields; where answers may be `bare`, so may files of scores alone.

    Of a file of scores, an answer has its `scores` and the reasons in `unscored` among its fields.
    """
    from qassay.meta.comparison.systems import name_systems  # noqa: PLC0415 - loads scipy

    options = replace(options, bare=bare)
    files = paths_of(answers)
    stored = [file for file in files or () if bare and file != "-" and holds_scores_only(file)]
    in_memory = scored_in_memory(answers) if bare else None
    if in_memory is not None:
        return list(map(_of_scored, in_memory)), LeftOut()
    if not stored:
        return read_answers(answers, options, apart=apart)
    others = [file for file in files or () if file not in stored]
    found, left_out = read_answers(others, options, apart=True) if others else ([], LeftOut())
    parts = [(_stem(file), map(_of_scored, read_scored(file))) for file in stored]
    named = name_systems(parts) if apart or len(files or ()) > 1 else [each for _, part in parts for each in part]
    return [*found, *named], left_out


def holds_scores_only(path: str) -> bool:
    """Whether a file, or a folder that a cluster wrote, holds scores without the answers."""
    if scores_folder(path) is not None:
        return True
    try:
        with closing(read_scored(path)) as reading:
            first = next(reading, None)
    except DataError:
        return False
    return first is not None and "candidate" not in first.extra


def _stem(path: str) -> str:
    return Path(path).name.split(".")[0]


def _of_scored(row: ScoredRow) -> Example:
    return Example(
        row.id,
        row.question,
        (),
        None,
        row.system,
        question_type=row.question_type,
        judgement=row.judgement,
        extra={**row.extra, "scores": row.scores, "unscored": row.unscored},
    )


@contextmanager
def as_files(given: object, name: str) -> Iterator[list[str]]:
    """Return the paths that were given, or that of a temporary file with the rows that were; messages name the row."""
    files = paths_of(given)
    if files is not None:
        yield files
        return
    rows = [_plain(row, number) for number, row in enumerate(each_row(given), 1)]
    if not rows:
        raise DataError(f"there are no {name}; give at least one")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.jsonl"
        path.write_bytes(b"\n".join(rows))
        yield [BufferedInput(path, RowsName(name))]


def scored_in_memory(answers: object) -> list[ScoredRow] | None:
    """Return rows that hold scores and no answers (`id`, `system`, `scores`, `judgement`); None for any others."""
    if paths_of(answers) is not None:
        return None
    first = next(iter(answers), None) if isinstance(answers, list | tuple) else None
    if not isinstance(first, Mapping) or "scores" not in first or "references" in first:
        return None
    with as_files(answers, "scores") as (file,):
        return list(read_scored(file))


def _plain(row: object, number: int) -> bytes:
    if not isinstance(row, Mapping):
        raise DataError(f"is a {type(row).__name__}; give a dictionary", f"row {number}")
    # NaN is how data frames say that there is nothing.
    return msgspec.json.encode({key: None if value != value else value for key, value in row.items()}, enc_hook=str)  # noqa: PLR0124


def title_of(given: object, kind: str = "answers") -> str:
    """Title a report by what it was made from."""
    files = paths_of(given)
    if files is None:
        return f"{kind} in memory"
    names = ["standard input" if each == "-" else Path(each).name for each in files]
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def check_apart(inputs: Sequence[object], *outputs: str | Path | None) -> None:
    """Refuse outputs that cannot be written, that are one file, or that would be written over an input."""
    files = [file for given in inputs for file in paths_of(given) or ()]
    for output in outputs:
        if output is not None and is_url(output):
            raise OutputError(
                f"is on another file system, where {option('engine', 'ray')} writes a folder of scores; give a file of "
                "this machine",
                output,
            )
    check_outputs(files, [Path(each) for each in outputs if each is not None])


def input_row(example: Example) -> dict[str, Any]:
    """Return an answer as an input has it, with all fields that came with it."""
    references: list[object] = [
        each.text if each.opinion is None else {"text": each.text, "opinion": str(each.opinion)}
        for each in example.references
    ]
    row: dict[str, Any] = {"id": example.id, "system": example.system, "question": example.question}
    row |= {"references": references, "candidate": example.candidate}
    further: dict[str, Any] = {
        "opinion": None if example.opinion is None else str(example.opinion),
        "entities": list(example.entities) or None,
        "context": example.context,
        "question_type": example.question_type,
        "judgement": example.judgement,
    }
    return {**row, **{name: value for name, value in further.items() if value is not None}, **example.extra}


def samples_note(samples: int) -> dict[str, int]:
    """Return the note that samples of a question count as independent answers; nothing where there are none."""
    note = "samples of a question, counted as independent answers; cluster by question to keep them together"
    return {note: samples} if samples else {}
