"""`qassay build KIND`: training sets from public data."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from qassay.cli.options import Device, Format, Json, device_of
from qassay.cli.terminal import output, print_json, say
from qassay.errors import SpecError
from qassay.models.base import EMBEDDED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from qassay.training.ava.selections import AvaData
    from qassay.training.coreference_model import ModelResolver

app = typer.Typer(help="Build training sets from public data.", no_args_is_help=True)

Folder = Annotated[
    Path, typer.Option("-o", "--output", metavar="FOLDER", file_okay=False, help="Where the training set goes.")
]
Recipe = Annotated[
    Path | None,
    typer.Option("--recipe", metavar="FOLDER", help="All training sets of the embedded model, from this folder."),
]
HeldOut = Annotated[
    list[Path] | None,
    typer.Option(
        "--held-out", metavar="FILE", help="Leave out the questions of an evaluation file, however spelt (repeat)."
    ),
]
Licensed = Annotated[bool, typer.Option("--licensed-only", help="Leave out sets whose source states no licence.")]
DataSeed = Annotated[int, typer.Option("--seed", min=0, help="For the split.")]


@app.command("keyphrase")
def keyphrase(
    out: Folder,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="FORMAT:FILE", help="A file to build from, as in squad:dev-v1.1.json (repeat)."),
    ] = None,
    recipe: Annotated[
        Path | None, typer.Option("--recipe", metavar="FOLDER", help="All training sets of a preset, from this folder.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset",
            metavar="NAME",
            help="With --recipe: embedded, the embedded model's sets (default), or kpqa, those of Lee et al. 2021.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="SOURCE", help="With --recipe: leave a source out, as in msmarco (repeat)."),
    ] = None,
    coreference: Annotated[
        str | None,
        typer.Option(
            "--coreference",
            metavar="REF",
            help="Sequence-to-sequence model that resolves mentions in HotpotQA (extra hf); by default rules do.",
        ),
    ] = None,
    coreference_prompt: Annotated[
        str | None,
        typer.Option(
            "--coreference-prompt", metavar="TEXT", help="What that model is given: {title}, {context}, {sentence}."
        ),
    ] = None,
    device: Device = "auto",
    held_out: HeldOut = None,
    licensed_only: Licensed = False,
    dev_share: Annotated[float, typer.Option("--dev-share", min=0.01, max=0.5, help="Rows for development.")] = 0.1,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Answers with the spans that carry them, for `qassay train keyphrase`: train.jsonl, dev.jsonl, sources.json.

    With --recipe and the preset embedded also judged.jsonl, the judged answers that the embedded model learns from:
    give it to `qassay train keyphrase --judged`, and to `qassay train judge --seen`.
    """
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.training.keyphrase.build import JUDGED, build, parse_source, recipe_sources  # noqa: PLC0415 - heavy
    from qassay.training.keyphrase.judged import embedded_judged  # noqa: PLC0415 - heavy
    from qassay.training.keyphrase.sources import FORMATS, formats_with  # noqa: PLC0415 - heavy
    from qassay.training.sources import questions_by_file  # noqa: PLC0415 - heavy

    if bool(data) == bool(recipe):
        raise SpecError("say what to build from: either --data FORMAT:FILE (repeat) or --recipe FOLDER")
    if not recipe and (preset or without):
        raise SpecError("--preset and --without choose among the sets of --recipe FOLDER")
    wanted = preset or "embedded"
    sources = recipe_sources(recipe, wanted, without or ()) if recipe else [parse_source(each) for each in data or ()]
    resolver = _resolver(coreference, coreference_prompt, device)
    evaluated = questions_by_file(held_out or ())
    excluded = set().union(*evaluated.values())
    built = build(
        sources,
        rng=np.random.default_rng(seed),
        held_out=excluded,
        licensed_only=licensed_only,
        dev_share=dev_share,
        formats=formats_with(resolver) if resolver else FORMATS,
    )
    built.coreference = resolver.description if resolver else {}
    if recipe and wanted == "embedded":
        rng = np.random.default_rng(seed)
        built.judged = embedded_judged(
            recipe, built, rng=rng, held_out=excluded, licensed_only=licensed_only, without=without or ()
        )
    built.write(out)
    if json:
        found = {"rows": built.counts(), "judged": built.judged_counts(), "left_out": dict(built.left_out)}
        print_json({**found, "held_out": _met(evaluated, built.met), "folder": str(out)})
        return
    table = Table("source", "train", "dev", box=None, header_style="bold")
    for name, counts in built.counts().items():
        table.add_row(name, str(counts["train"]), str(counts["dev"]))
    table.add_row("all", str(len(built.train)), str(len(built.dev)), style="bold")
    output.print(table)
    for reason, count in built.left_out.items():
        say(f"left out: {reason}: {count}")
    _say_met(evaluated, built.met)
    if not built.dev:
        say("no row is for dev, which training needs: build from more articles, or give a larger --dev-share")
    if built.judged:
        say(f"judged answers to train on, in {JUDGED}: {len(built.judged)}")
    say(f"wrote {out}")


def _resolver(ref: str | None, prompt: str | None, device: str) -> ModelResolver | None:
    if ref is None:
        if prompt is not None:
            raise SpecError("--coreference-prompt is for a model; name it with --coreference")
        return None
    from qassay.training.coreference_model import PROMPT, open_resolver  # noqa: PLC0415 - heavy

    return open_resolver(ref, PROMPT if prompt is None else prompt, device_of(device))


@app.command("ava")
def ava(
    out: Folder,
    inputs: Annotated[
        list[str] | None, typer.Argument(metavar="INPUT", help="Files of answers; - is stdin; .gz and .zst work.")
    ] = None,
    recipe: Recipe = None,
    format_: Format = "auto",
    cap: Annotated[
        int | None, typer.Option("--cap", min=1, help="Maximum of right pairs per question, and of wrong ones.")
    ] = None,
    dev_share: Annotated[
        float, typer.Option("--dev-share", min=0.01, max=0.5, help="Questions for development.")
    ] = 0.1,
    held_out: HeldOut = None,
    licensed_only: Annotated[
        bool, typer.Option("--licensed-only", help="With --recipe: leave out sets whose source states no licence.")
    ] = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Pairs of right answers, and of right and wrong ones, from answer selection data (Vu and Moschitti 2021).

    With --recipe all pairs that the embedded models are trained on, capped and split as they were.
    """
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.io.input_stream import ReadOptions  # noqa: PLC0415 - as above
    from qassay.training.ava.pairs import build_pairs, read_selections  # noqa: PLC0415 - heavy
    from qassay.training.ava.selections import build_recipe  # noqa: PLC0415 - heavy
    from qassay.training.sources import questions_by_file  # noqa: PLC0415 - heavy

    if bool(inputs) == bool(recipe):
        raise SpecError("say what to build from: either files of answers or --recipe FOLDER")
    evaluated, met = questions_by_file(held_out or ()), set[str]()
    if recipe:
        everything = set().union(*evaluated.values())
        built = build_recipe(recipe, rng=np.random.default_rng(seed), held_out=everything, licensed_only=licensed_only)
        built.write(out)
        _show_recipe(built, out, evaluated, as_json=json)
        return
    reading = ReadOptions(format=format_, can_skip=False)
    left_out: Counter[str] = Counter()
    selections = read_selections(inputs or (), reading, left_out, set().union(*evaluated.values()), met)
    found = build_pairs(selections, out, rng=np.random.default_rng(seed), cap=cap, dev_share=dev_share)
    if json:
        sides = {side: asdict(each) for side, each in found.items()}
        print_json({"folder": str(out), **sides, "left_out": dict(left_out), "held_out": _met(evaluated, met)})
        return
    table = Table("", *found, box=None, header_style="bold")
    for name in asdict(next(iter(found.values()))):
        table.add_row(name.replace("_", " "), *(f"{getattr(each, name):,}" for each in found.values()))
    output.print(table)
    for reason, count in left_out.items():
        say(f"left out: {reason}: {count}")
    _say_met(evaluated, met)
    say(f"wrote {out}")


def _show_recipe(built: AvaData, out: Path, evaluated: Mapping[Path, set[str]], *, as_json: bool) -> None:
    if as_json:
        found = {"rows": built.counts(), "left_out": dict(built.left_out), "held_out": _met(evaluated, built.met)}
        print_json({"folder": str(out), **found})
        return
    table = Table("source", "train", "dev", box=None, header_style="bold")
    for name, counts in built.counts().items():
        table.add_row(name, *(f"{counts[side]:,}" for side in ("train", "dev")))
    output.print(table)
    for reason, count in built.left_out.items():
        say(f"left out: {reason}: {count}")
    _say_met(evaluated, built.met)
    say(f"wrote {out}")


@app.command("judge")
def judge(
    out: Folder,
    data: Annotated[
        list[str] | None,
        typer.Option("--data", metavar="KIND:FILE", help="A file of judged answers, as in evouna:NQ.json (repeat)."),
    ] = None,
    recipe: Recipe = None,
    held_out: HeldOut = None,
    held_out_answers: Annotated[
        list[Path] | None,
        typer.Option(
            "--held-out-answers", metavar="FILE.csv", help="Leave out an evaluation file's references (repeat)."
        ),
    ] = None,
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Judged answers of many sets in one form, split by question: train.jsonl, dev.jsonl, test.jsonl, sources.json."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.training.judge.build import RECIPE, build, parse_source  # noqa: PLC0415 - heavy
    from qassay.training.sources import answers_in, questions_by_file, read_recipe  # noqa: PLC0415 - heavy

    if bool(data) == bool(recipe):
        raise SpecError("say what to build from: either --data KIND:FILE (repeat) or --recipe FOLDER")
    evaluated = questions_by_file(held_out or ())
    built = build(
        read_recipe(RECIPE, recipe) if recipe else [parse_source(each) for each in data or ()],
        rng=np.random.default_rng(seed),
        held_out=set().union(*evaluated.values()),
        held_out_answers=answers_in(held_out_answers or ()),
        licensed_only=licensed_only,
    )
    built.write(out)
    if json:
        found = {"left_out": dict(built.left_out), "disagreed": built.disagreed}
        found["held_out"] = _met(evaluated, built.met)
        print_json({"rows": built.counts(), **found, "folder": str(out)})
        return
    table = Table("source", "train", "dev", "test", box=None, header_style="bold")
    for name, counts in built.counts().items():
        table.add_row(name, *(str(counts[side]) for side in ("train", "dev", "test")))
    output.print(table)
    for reason, count in built.left_out.items():
        say(f"left out: {reason}: {count}")
    _say_met(evaluated, built.met)
    if built.disagreed:
        say(f"answers whose verdicts differ, labelled with their mean: {built.disagreed}")
    if not built.train or not built.dev:
        say("no row is for train or none for dev, and training needs both: build from more questions")
    say(f"wrote {out}")


def _met(evaluated: Mapping[Path, set[str]], met: set[str]) -> dict[str, dict[str, int]]:
    """Count the questions of each evaluation file, and those that the sources have, which are left out."""
    return {str(path): {"questions": len(keys), "left_out": len(keys & met)} for path, keys in evaluated.items()}


def _say_met(evaluated: Mapping[Path, set[str]], met: set[str]) -> None:
    for path, counts in _met(evaluated, met).items():
        say(f"{path}: {counts['left_out']:,} of {counts['questions']:,} questions are in the sources and left out")


HeadRecipe = Annotated[
    Path, typer.Option("--recipe", metavar="FOLDER", help="The folder with the training sets of the embedded model.")
]


@app.command("chunker")
def chunker(
    out: Folder,
    recipe: HeadRecipe,
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
    _show_counts({side: Counter(row.source for row in rows) for side, rows in sides.items()}, out, as_json=json)


@app.command("reader")
def reader(
    out: Folder,
    recipe: HeadRecipe,
    chunker: Annotated[
        str, typer.Option("--chunker", metavar="REF", help="Parses the sentences that questions are generated from.")
    ] = EMBEDDED,
    held_out: HeldOut = None,
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Questions on passages with the spans that answer or none, and more without, for `qassay train reader`."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.models.load_readers import load_chunker  # noqa: PLC0415 - as above
    from qassay.training.reader.build import OPEN, build  # noqa: PLC0415 - heavy
    from qassay.training.sources import questions_by_file  # noqa: PLC0415 - heavy

    evaluated = questions_by_file(held_out or ())
    excluded: set[str] = set().union(*evaluated.values())
    built = build(
        recipe,
        load_chunker(chunker),
        rng=np.random.default_rng(seed),
        held_out=excluded,
        licensed_only=licensed_only,
    )
    built.write(out)
    if not json:
        _say_met(evaluated, built.met)
    counts: dict[str, Counter[str]] = {side: Counter(row.source for row in rows) for side, rows in built.sides.items()}
    counts[OPEN] = Counter(row.source for row in built.open)
    _show_counts(counts, out, as_json=json)


@app.command("answer-reader")
def answer_reader(
    out: Folder,
    recipe: HeadRecipe,
    held_out: HeldOut = None,
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Answers with the words that they assert, or none, for `qassay train answer-reader`."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.training.assertions.reader_data import build  # noqa: PLC0415 - heavy
    from qassay.training.sources import questions_in  # noqa: PLC0415 - heavy

    excluded = questions_in(held_out or ())
    built = build(recipe, rng=np.random.default_rng(seed), held_out=excluded, licensed_only=licensed_only)
    built.write(out)
    _show_counts({side: Counter(row.source for row in rows) for side, rows in built.sides.items()}, out, as_json=json)


@app.command("consistency")
def consistency(
    out: Folder,
    recipe: HeadRecipe,
    synonyms: Annotated[
        Path | None,
        typer.Option(
            "--synonyms", metavar="FILE.tsv", help="Open English WordNet's synsets (synset, lexfile, members)."
        ),
    ] = None,
    chunker: Annotated[
        str, typer.Option("--chunker", metavar="REF", help="Parses the sentences that claims are made of.")
    ] = EMBEDDED,
    licensed_only: Licensed = False,
    seed: DataSeed = 0,
    json: Json = False,
) -> None:
    """Claims about documents, consistent and not, made by rules, for `qassay train consistency`."""
    import numpy as np  # noqa: PLC0415 - with what it is for

    from qassay.models.load_readers import load_chunker  # noqa: PLC0415 - as above
    from qassay.training.consistency.build import build  # noqa: PLC0415 - heavy

    rng = np.random.default_rng(seed)
    built = build(recipe, load_chunker(chunker), rng=rng, synonyms=synonyms, licensed_only=licensed_only)
    built.write(out)
    counts: dict[str, Counter[str]] = {side: Counter() for side in built.sides}
    for side, rows in built.sides.items():
        for row in rows:
            counts[side][row.source] += len(row.claims)
    _show_counts(counts, out, as_json=json)


def _show_counts(counts: Mapping[str, Counter[str]], out: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"rows": {side: dict(found) for side, found in counts.items()}, "folder": str(out)})
        return
    table = Table("source", *counts, box=None, header_style="bold")
    for source in dict.fromkeys(source for found in counts.values() for source in found):
        table.add_row(source, *(f"{found[source]:,}" for found in counts.values()))
    table.add_row("all", *(f"{found.total():,}" for found in counts.values()), style="bold")
    output.print(table)
    say(f"wrote {out}")
