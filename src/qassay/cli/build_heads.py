"""`qassay build chunker|reader`: training sets for the models behind QAEval and FEQA."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from qassay.cli.build import DataSeed, Folder, Licensed
from qassay.cli.options import Json
from qassay.cli.terminal import output, print_json, say
from qassay.models.base import EMBEDDED

if TYPE_CHECKING:
    from collections.abc import Mapping

Recipe = Annotated[
    Path, typer.Option("--recipe", metavar="FOLDER", help="The folder of train/ sets behind the embedded model.")
]


def chunker(
    out: Folder,
    recipe: Recipe,
    conll: Annotated[
        Path, typer.Option("--conll", metavar="FILE.zip", help="CoNLL-2000 as NLTK distributes it (conll2000.zip).")
    ],
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Sentences with chunks, names and answers of known kind, for `qassay train chunker`."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.training.chunker.build import build  # noqa: PLC0415 - heavy

    built = build(recipe, conll, rng=np.random.default_rng(seed), licensed_only=licensed_only)
    built.write(out)
    sides = {"train": built.train, "dev": built.dev, "test": built.test}
    _show({side: Counter(row.source for row in rows) for side, rows in sides.items()}, out, as_json=json)


def reader(
    out: Folder,
    recipe: Recipe,
    chunker: Annotated[
        str, typer.Option("--chunker", metavar="REF", help="Reads the sentences that questions are made of.")
    ] = EMBEDDED,
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Questions on passages with the spans that answer or none, and more without, for `qassay train reader`."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.models.load_question_answering import load_chunker  # noqa: PLC0415 - as above
    from qassay.training.reader.build import OPEN, build  # noqa: PLC0415 - heavy

    built = build(recipe, load_chunker(chunker), rng=np.random.default_rng(seed), licensed_only=licensed_only)
    built.write(out)
    counts: dict[str, Counter[str]] = {side: Counter(row.source for row in rows) for side, rows in built.sides.items()}
    counts[OPEN] = Counter(row.source for row in built.open)
    _show(counts, out, as_json=json)


def _show(counts: Mapping[str, Counter[str]], out: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"rows": {side: dict(found) for side, found in counts.items()}, "folder": str(out)})
        return
    table = Table("source", *counts, box=None, header_style="bold")
    for source in dict.fromkeys(source for found in counts.values() for source in found):
        table.add_row(source, *(f"{found[source]:,}" for found in counts.values()))
    table.add_row("all", *(f"{found.total():,}" for found in counts.values()), style="bold")
    output.print(table)
    say(f"wrote {out}")
