"""The program `qassay`: collects the commands and turns mistakes into one message and an exit status."""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from qassay.cli import (
    accuracy,
    agree,
    build,
    build_heads,
    compare,
    correlate,
    data,
    demo,
    explain,
    metrics,
    models,
    score,
    summary,
    train,
    train_heads,
    verify,
)
from qassay.cli.terminal import accept_any_text, drop_output, messages
from qassay.errors import QassayError
from qassay.version import __version__

if TYPE_CHECKING:
    from types import FrameType

INPUT_ERROR, INTERRUPTED = 2, 130

app = typer.Typer(
    help="Tells you whether answers are right.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("demo")(demo.demo)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.command("correlate")(correlate.correlate)
app.command("agree")(agree.agree)
app.command("accuracy")(accuracy.accuracy)
app.command("summary")(summary.summary)
app.command("verify")(verify.verify)
app.command("explain")(explain.explain)
app.command("metrics")(metrics.metrics)
app.command("models")(models.models)
build.app.command("chunker")(build_heads.chunker)
build.app.command("reader")(build_heads.reader)
train.app.command("chunker")(train_heads.chunker)
train.app.command("reader")(train_heads.reader)
app.add_typer(build.app, name="build")
app.add_typer(train.app, name="train")
app.add_typer(data.app, name="data")


def _show_version(on: bool) -> None:
    if on:
        typer.echo(f"qassay {__version__}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Score answers, compare systems, and see why."""


def run() -> NoReturn:
    """Run the program. Exit status: 0 done, 2 wrong use or input, 130 interrupted, 1 a bug."""
    signal.signal(signal.SIGTERM, _interrupt)
    if sys.stderr is None:
        # Closed: messages go nowhere, and no file that is opened later gets their number.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end
    accept_any_text()
    try:
        app(standalone_mode=True)
    except QassayError as problem:
        _refuse(str(problem))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing is wrong, and nothing can be flushed any more.
        drop_output()
        sys.exit(0)
    except OSError as problem:
        if problem.errno != errno.ENOSPC:
            raise
        drop_output()
        _refuse(f"{problem.strerror}; make room where the output goes, or in the folder for temporary files")
    sys.exit(0)


def _interrupt(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _refuse(problem: str) -> NoReturn:
    from rich.markup import escape  # noqa: PLC0415 - only when something went wrong

    messages.print(f"[bold red]error:[/] {escape(problem)}", highlight=False, soft_wrap=True)
    sys.exit(INPUT_ERROR)
