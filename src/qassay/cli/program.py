"""The commands of `qassay`, each imported when it is run."""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from qassay.cli.shown_command import command_words
from qassay.errors import ClusterWarning, PluginWarning, SpecError
from qassay.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMANDS = {
    "demo": "Score the packaged answers of three invented systems.",
    "score": "Score every answer, and each system with an interval.",
    "compare": "Test which system is better, on the questions that both answered.",
    "correlate": "Correlate metrics with human judgements.",
    "agree": "Measure agreement between annotators, drop noise, and average the rest.",
    "judge": "Ask an LLM whether answers are right (extra llm).",
    "accuracy": "Estimate each system's accuracy with an interval.",
    "summary": "Score summaries by questions: QAEval and FEQA.",
    "verify": "Score whether each prediction means the same as the expected answer.",
    "explain": "Show which words match, what they weigh, and the numbers behind each score.",
    "serve": "Collect judgements, look into scored runs, and score over HTTP (extra web).",
    "frequencies": "Count words over all references, for cider and :idf on parts of them.",
    "metrics": "List the metrics, or describe one.",
    "models": "List the embedded model and the Hugging Face models in the cache.",
    "build": "Build training sets from public data.",
    "train": "Train your own models (extra train).",
    "data": "Public benchmark files, with checksums.",
}
"""Every command with one line of help; its module has its name."""
_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""Typer's own kind of error for a wrong command line, which it does not export; neither does it the next."""
_HELP_INSTEAD = "NoArgsIsHelpError"
INPUT_ERROR = 2
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class _Shown(io.StringIO):
    """What help is written to before it goes to standard output, of which it has the looks."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.__stdout__.encoding if sys.__stdout__ is not None else "utf-8"

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


class _Help:
    """Help whose reader may go away (`| head`), and which names no types of Python."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Typer keeps its types to itself
        """Print the help."""
        with redirect_stdout(_Shown(terminal=sys.stdout.isatty())) as shown:
            super().format_help(ctx, formatter)  # type: ignore[misc]  # of the command that this is mixed into
        _print_help(shown)

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - as above
        """Return the arguments, which are named once, and the options, of which a flag takes nothing."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # as above
        for param in params:
            if param.param_type_name == "argument":
                param.display_type_rich = lambda ctx: None  # noqa: ARG005 - as Typer calls it
            elif getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""
        return params


class Command(_Help, TyperCommand):
    """A command."""


class Group(_Help, TyperGroup):
    """A group of commands."""


class Commands(Group):
    """All commands; one is imported when it is called, for a list of them their names and lines are enough."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - as above
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 - as above
        """Return what stands for a command in lists, completions and suggestions."""
        return TyperCommand(cmd_name, help=COMMANDS[cmd_name]) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        """Import the command that is called."""
        self.commands = {name: self.get_command(ctx, name) for name in COMMANDS}
        name, found, rest = super().resolve_command(ctx, args)
        return name, load(name) if found is not None and name is not None else found, rest


def load(name: str) -> Any:  # noqa: ANN401 - as above
    """Import a command, or a group of commands."""
    module = import_module(f"qassay.cli.commands.{name}")
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(name, epilog=_examples(module), context_settings=_SETTINGS)(getattr(module, name))
    else:
        app.info.cls, app.info.context_settings = Group, _SETTINGS
    for each in app.registered_commands:
        each.cls = Command
    command = get_group(app) if hasattr(module, "app") else get_command(app)
    command.name = name
    return command


def execute(words: Sequence[str]) -> int:
    """Run a command line and return its exit status."""
    command_words.set(tuple(words))
    try:
        with warnings.catch_warnings():
            warnings.showwarning = partial(_show_warning, warnings.showwarning)
            done = get_command(app)(list(words), prog_name="qassay", standalone_mode=False)
    except _USAGE_ERROR as problem:
        if type(problem).__name__ == _HELP_INSTEAD:
            return INPUT_ERROR
        raise SpecError(_misuse(problem)) from problem
    except SystemExit as stop:
        # Typer exits with 1 when the reader of our output goes away (`| head`), with which nothing is wrong.
        if isinstance(stop.__context__, BrokenPipeError):
            raise stop.__context__ from None
        raise
    return done if isinstance(done, int) else 0


def _show_warning(otherwise: Callable[..., None], problem: Any, category: Any, *place: Any) -> None:  # noqa: ANN401
    """Print a warning of ours as messages are printed; others as they are."""
    if not issubclass(category, PluginWarning | ClusterWarning):
        otherwise(problem, category, *place)
        return
    from qassay.cli.terminal import say  # noqa: PLC0415 - only when something is passed over

    say(f"warning: {problem}")


def _misuse(problem: Any) -> str:  # noqa: ANN401 - as above
    """Word what Typer has against a command line as all other messages are worded."""
    message = problem.format_message().rstrip(".")
    context = getattr(problem, "ctx", None)
    path = context.command_path if context is not None else "qassay"
    return f"{message[:1].lower()}{message[1:]}; `{path} --help` lists what it takes"


def _examples(module: object) -> str | None:
    """Return a command's examples, each a paragraph, since Typer joins the lines of one."""
    lines: Sequence[str] = getattr(module, "EXAMPLES", ())
    return "\n\n".join(["Examples:", *(f"  {line}" for line in lines)]) if lines else None


def _print_help(shown: io.StringIO) -> None:
    from qassay.cli.terminal import write_output  # noqa: PLC0415 - Rich is loaded for help, not for --version

    write_output(shown.getvalue())


def _show_version(on: bool) -> None:
    if on:
        sys.stdout.write(f"qassay {__version__}\n")
        sys.stdout.flush()
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    help="Tell whether answers are right.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Score answers, compare systems, and see why."""
