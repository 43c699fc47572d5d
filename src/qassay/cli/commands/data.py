"""`qassay data list|fetch`: public benchmark files, with checksums."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

import typer
from rich.progress import DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from qassay.cli.options import Json
from qassay.cli.terminal import messages, output, print_json, say
from qassay.io.fetch import data_folder, fetch
from qassay.io.manifest import GITHUB, DataFile, DataSet, find_set, list_sets

app = typer.Typer(help="Public benchmark files, with checksums.", no_args_is_help=True)

Folder = Annotated[
    Path | None, typer.Option("--folder", help="Where the files go; by default $QASSAY_DATA or the user's cache.")
]


@app.command("list")
def list_(folder: Folder = None, json: Json = False) -> None:
    """List the sets that can be fetched."""
    root = folder or data_folder()
    if json:
        print_json({"folder": str(root), "sets": [_document(each, root) for each in list_sets()]})
        return
    table = Table("set", "for", "size", "here", "licence", "what it is", box=None, header_style="bold")
    for each in list_sets():
        here = "" if not each.files else "yes" if not each.missing(root) else "no"
        size = f"{each.size / 1e6:.1f} MB" if each.files else "-"
        about = each.about if not each.left_out else f"{each.about} ({_left_out(each)})"
        table.add_row(each.name, " ".join(each.roles), size, here, each.licence, about)
    output.print(table)
    output.print(f"\n`qassay data fetch NAME` brings a set to {root}", highlight=False)


@app.command("fetch")
def fetch_(
    name: Annotated[str, typer.Argument(help="A set's name, as `qassay data list` shows it.")],
    folder: Folder = None,
    base_url: Annotated[str, typer.Option("--base-url", help="A mirror with the same layout.")] = GITHUB,
    json: Json = False,
) -> None:
    """Download a set's files, check their hashes, and print their paths."""
    wanted = find_set(name)
    with _Bar() as bar:
        fetched = fetch(wanted, folder, base_url=base_url, progress=bar.advance)
    for missing in wanted.left_out:
        say(f"not fetched: {missing.name}: {missing.reason}")
    if json:
        print_json({"files": [{"path": str(each.path), "fresh": each.fresh} for each in fetched]})
        return
    for each in fetched:
        output.print(f"{each.path}{'' if each.fresh else ' (was there)'}", highlight=False, soft_wrap=True)


class _Bar:
    """A line for each file that is coming in, on stderr."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=messages,
            transient=True,
            disable=not messages.is_terminal,
        )
        self._tasks: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def advance(self, file: DataFile, received: int) -> None:
        if file.name not in self._tasks:
            self._tasks[file.name] = self._progress.add_task(file.name, total=file.size)
        self._progress.update(self._progress.task_ids[self._tasks[file.name]], completed=received)


def _left_out(each: DataSet) -> str:
    return "; ".join(f"{Path(file.name).name} not fetched: {file.reason}" for file in each.left_out)


def _document(each: DataSet, root: Path) -> dict[str, object]:
    return {
        "name": each.name,
        "for": list(each.roles),
        "about": each.about,
        "licence": each.licence,
        "bytes": each.size,
        "complete": bool(each.files) and not each.missing(root),
        "files": [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in each.files],
        "left_out": [{"name": file.name, "reason": file.reason} for file in each.left_out],
    }
