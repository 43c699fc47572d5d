"""`qassay serve`: collect judgements, look into runs, and score over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from qassay.cli import options
from qassay.cli.terminal import ProgressBar, output, say
from qassay.errors import SpecError

if TYPE_CHECKING:
    from qassay.web.launch import Launch

EXAMPLES = (
    "qassay serve answers.jsonl --task likert5 --k 3 --annotator Ada --annotator Ben",
    "qassay serve answers.qassay.db",
    "qassay serve scores.jsonl answers.jsonl",
    "qassay serve --token-file token.txt",
)
STUDY, NETWORK, UPKEEP = "Study", "Network", "Upkeep"


def serve(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUT]",
            help="A study, answers to make one of (--task), or scored runs, their answers, and folders of them.",
        ),
    ] = None,
    format_: options.Format = "auto",
    map_: options.Map = None,
    system: options.System = None,
    on_error: options.OnError = "stop",
    metric: options.Metrics = None,
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar=options.choice("likert5", "binary", "pair"),
            help="Make a study: grades from 1 to 5, right or wrong, or which of two systems is better.",
            rich_help_panel=STUDY,
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", min=1, max=1000, metavar="N", help="Judgements per item.", rich_help_panel=STUDY)
    ] = 3,
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="What the study is called.", rich_help_panel=STUDY)
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option("--annotator", metavar="NAME", help="Invite someone (repeat).", rich_help_panel=STUDY),
    ] = None,
    adjudicator: Annotated[
        list[str] | None,
        typer.Option(
            "--adjudicator", metavar="NAME", help="Invite someone who decides (repeat).", rich_help_panel=STUDY
        ),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option("--gold", metavar="FILE", help="Answers with a known judgement, mixed in.", rich_help_panel=STUDY),
    ] = None,
    practice: Annotated[
        str | None,
        typer.Option(
            "--practice",
            metavar="FILE",
            help="Answers with a judgement and a why, to begin with; else the packaged ones.",
            rich_help_panel=STUDY,
        ),
    ] = None,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            metavar="SPEC|none",
            help="The metric whose doubts choose what is judged.",
            rich_help_panel=STUDY,
        ),
    ] = "ava",
    cut: Annotated[
        float | None,
        typer.Option(
            "--cut", metavar="X", help="A mean rating of X and above is right (likert5: 4).", rich_help_panel=STUDY
        ),
    ] = None,
    round_: Annotated[
        int,
        typer.Option(
            "--round",
            min=0,
            metavar="N",
            help="Items per round; 0 puts all into one.",
            rich_help_panel=STUDY,
        ),
    ] = 50,
    uniform: Annotated[
        bool,
        typer.Option("--uniform", help="Draw the first round without regard to the judge.", rich_help_panel=STUDY),
    ] = False,
    gold_every: Annotated[
        int,
        typer.Option("--gold-every", min=2, metavar="N", help="One in N items is gold.", rich_help_panel=STUDY),
    ] = 20,
    lease: Annotated[
        int,
        typer.Option(
            "--lease", min=10, metavar="SECONDS", help="How long an item is held for someone.", rich_help_panel=STUDY
        ),
    ] = 600,
    db: Annotated[
        Path | None,
        typer.Option("--db", metavar="FILE", help="The study's file (NAME.qassay.db).", rich_help_panel=STUDY),
    ] = None,
    seed: options.Seed = 12345,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.", rich_help_panel=NETWORK)
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=1, max=65535, metavar="N", help="The port.", rich_help_panel=NETWORK)
    ] = 8765,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="A name under which the server is reached (repeat).",
            rich_help_panel=NETWORK,
        ),
    ] = None,
    tls_cert: Annotated[
        str | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate.", rich_help_panel=NETWORK)
    ] = None,
    tls_key: Annotated[
        str | None, typer.Option("--tls-key", metavar="FILE", help="Its key.", rich_help_panel=NETWORK)
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Let other machines in without encryption.", rich_help_panel=NETWORK),
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="Let programs score that send the token in this file, which is made if it is not there.",
            rich_help_panel=NETWORK,
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Check a study and stop.", rich_help_panel=UPKEEP),
    ] = False,
    backup: Annotated[
        Path | None,
        typer.Option("--backup", metavar="FILE", help="Copy a study and stop.", rich_help_panel=UPKEEP),
    ] = None,
    restore: Annotated[
        Path | None,
        typer.Option(
            "--restore", metavar="FILE", help="Make this copy the study again, and stop.", rich_help_panel=UPKEEP
        ),
    ] = None,
    _quiet: options.Quiet = False,
) -> None:
    """Collect judgements of people, look into scored runs, and score over HTTP."""
    try:
        from qassay.web.launch import Launch, launch  # noqa: PLC0415 - an extra
        from qassay.web.settings import Settings  # noqa: PLC0415 - as above
        from qassay.web.study.creation import StudyPlan  # noqa: PLC0415 - as above
        from qassay.web.study.tasks import Task  # noqa: PLC0415 - as above
    except ImportError as problem:
        raise SpecError('serving needs the extra web; pip install "qassay[web]"') from problem
    settings = Settings(host, port, tuple(allow_host or ()), tls_cert, tls_key, insecure)
    settings.check()
    plan = None
    if task is not None:
        options.one_of("--task", task, "likert5", "binary", "pair")
        plan = StudyPlan(
            name or (Path(inputs[0]).name.partition(".")[0] if inputs else "study"),
            Task(task),
            k,
            tuple(metric or ()),
            None if judge == "none" or task == "pair" else judge,
            cut,
            round_,
            uniform,
            gold_every,
            lease,
            seed,
            on_error,
        )
    wanted = Launch(
        settings,
        tuple(inputs or ()),
        plan,
        db,
        gold,
        practice,
        tuple(annotator or ()),
        tuple(adjudicator or ()),
        tuple(metric or ()),
        token_file,
        format_,
        options.columns_of(map_),
        system,
        options.on_error_of(on_error),
    )
    if check or backup or restore:
        _upkeep(wanted, backup, restore)
        return

    def started(lines: list[str]) -> None:
        for line in lines:
            output.print(line, highlight=False, markup=False, soft_wrap=True)
        say("Ctrl-C stops the server")

    try:
        with ProgressBar() as bar:
            launch(wanted, started, bar)
    except KeyboardInterrupt:
        say("stopped")


def _upkeep(wanted: Launch, backup: Path | None, restore: Path | None) -> None:
    """Check, copy or restore a study without serving it."""
    from qassay.web.launch import back_up, check_study, put_back, study_path  # noqa: PLC0415 - an extra

    path = study_path(wanted)
    if path is None:
        raise SpecError("say which study, as in `qassay serve answers.qassay.db --check`")
    if restore is not None:
        put_back(restore, path)
        say(f"restored {path}")
    elif backup is not None:
        back_up(path, backup)
        say(f"wrote {backup}")
    else:
        for line in check_study(path):
            output.print(line, highlight=False)
