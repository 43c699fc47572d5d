"""Options that several commands take, declared once, in the panels in which `--help` shows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from qassay.cli.terminal import hush
from qassay.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qassay.models.base import Device as DeviceChoice
    from qassay.scoring.scorer import OnError as OnErrorChoice

INPUT, METRICS, OUTPUT, STATISTICS, MODELS, RUNNING = "Input", "Metrics", "Output", "Statistics", "Models", "Running"
"""The panels, in the order in which `--help` shows them."""
MOST_DRAWS = 1_000_000


def choice(*words: str) -> str:
    """Return how `--help` shows an option that takes one of a few words."""
    return "|".join(words)


Inputs = Annotated[list[str], typer.Argument(metavar="INPUT", help="Files of answers; - is stdin; .gz and .zst work.")]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        metavar="SPEC",
        help="A metric, as in rouge_l,beta=1 (repeat; `qassay metrics`).",
        rich_help_panel=METRICS,
    ),
]
JudgeColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="column:NAME",
        help="A field of the input that holds a judge's scores; column:NAME,scale=1:5 for ratings (repeat).",
        rich_help_panel=METRICS,
    ),
]
Df = Annotated[
    Path | None,
    typer.Option(
        "--df",
        metavar="FILE",
        help="Word frequencies for cider and :idf, from `qassay frequencies`; else those of the run.",
        rich_help_panel=METRICS,
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="NAME",
        help="auto, jsonl, csv, tsv, parquet, squad, dureader, … or one of an installed package.",
        rich_help_panel=INPUT,
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="OURS=THEIRS",
        help="Rename a field, also by its path: references=doc.answers (repeat).",
        rich_help_panel=INPUT,
    ),
]
Cut = Annotated[
    float | None,
    typer.Option("--cut", metavar="X", help="Verdicts are ratings; X and above is right.", rich_help_panel=INPUT),
]
Repeated = Annotated[
    str,
    typer.Option(
        "--repeated",
        metavar=choice("stop", "mean"),
        help="What to do with contradictory labels.",
        rich_help_panel=INPUT,
    ),
]
LabelMap = Annotated[
    list[str] | None,
    typer.Option(
        "--label-map",
        metavar="VERDICT=CHOICE",
        help="What a choice in the labels means: right=Good (repeat).",
        rich_help_panel=INPUT,
    ),
]
System = Annotated[
    str | None,
    typer.Option("--system", metavar="NAME", help="The system's name, if the file has none.", rich_help_panel=INPUT),
]
Language = Annotated[
    str,
    typer.Option("--language", metavar="CODE", help="auto, or a code such as en or zh.", rich_help_panel=INPUT),
]
OnError = Annotated[
    str,
    typer.Option(
        "--on-error",
        metavar=choice("stop", "skip"),
        help="Stop at a bad row, or skip and list it.",
        rich_help_panel=INPUT,
    ),
]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        metavar="REF",
        help="mini, a model folder, or a Hugging Face name (extra hf).",
        rich_help_panel=MODELS,
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        metavar=choice("auto", "cpu", "cuda"),
        help="Where models run. auto: the embedded ones on the CPU, Hugging Face's on a GPU if there is one.",
        rich_help_panel=MODELS,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", min=0, metavar="N", help="For the bootstrap's random draws.", rich_help_panel=STATISTICS),
]
Intervals = Annotated[
    bool,
    typer.Option("--intervals/--no-intervals", help="Give each score an interval.", rich_help_panel=STATISTICS),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="question|FIELD",
        help="Answers that share this count as one in intervals and tests.",
        rich_help_panel=STATISTICS,
    ),
]
Summary = Annotated[
    str | None,
    typer.Option(
        "--summary",
        metavar="markdown",
        help="Print a Markdown table instead, for a job's summary.",
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.", rich_help_panel=OUTPUT)]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Scores as .jsonl, .csv, .tsv or .parquet.",
        rich_help_panel=OUTPUT,
    ),
]
ScoresOut = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Scores as .jsonl, .csv, .tsv or .parquet; with --engine ray a folder or its URL.",
        rich_help_panel=OUTPUT,
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE.html", help="Write a report to open in a browser.", rich_help_panel=OUTPUT),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume an interrupted run with this -o.", rich_help_panel=RUNNING)
]
Quiet = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", callback=hush, help="No progress and no messages; errors stay.", rich_help_panel=RUNNING
    ),
]


def draws(flag: str, what: str, least: int = 0) -> Any:  # noqa: ANN401 - as Typer has it
    """Declare how many resamples there are."""
    return typer.Option(flag, min=least, max=MOST_DRAWS, metavar="N", help=what, rich_help_panel=STATISTICS)


def one_of(flag: str, word: str, *words: str) -> Any:  # noqa: ANN401 - a literal of these words to a type checker
    """Accept one of a few words."""
    if word not in words:
        raise SpecError(f'{flag} is "{word}"; give {" or ".join(filter(None, (", ".join(words[:-1]), words[-1])))}')
    return word


def on_error_of(word: str) -> OnErrorChoice:
    """Accept what becomes of bad rows."""
    found: OnErrorChoice = one_of("--on-error", word, "stop", "skip")
    return found


def device_of(word: str) -> DeviceChoice:
    """Accept where models run."""
    found: DeviceChoice = one_of("--device", word, "auto", "cpu", "cuda")
    return found


def columns_of(renames: Sequence[str] | None) -> dict[str, str]:
    """Read what `--map` renames."""
    columns: dict[str, str] = {}
    for rename in renames or ():
        ours, equals, theirs = rename.partition("=")
        if not equals or not ours or not theirs:
            raise SpecError(f'--map "{rename}" is not of the form OURS=THEIRS, as in candidate=prediction')
        columns[ours] = theirs
    return columns


def summary_of(word: str | None, *, json: bool) -> bool:
    """Accept whether a summary is printed."""
    if word is None:
        return False
    one_of("--summary", word, "markdown")
    if json:
        raise SpecError("--summary and --json both print the result; give one of them")
    return True


def label_map_of(meanings: Sequence[str] | None) -> dict[str, list[str]]:
    """Read what `--label-map` says of choices."""
    found: dict[str, list[str]] = {}
    for meaning in meanings or ():
        ours, equals, theirs = meaning.partition("=")
        if not equals or not ours or not theirs:
            raise SpecError(f'--label-map "{meaning}" is not of the form VERDICT=CHOICE, as in right=Good')
        found.setdefault(ours, []).append(theirs)
    return found
