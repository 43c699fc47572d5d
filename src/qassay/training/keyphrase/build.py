"""Building keyphrase training data: many sources into one format, split 9:1 with nothing on both sides."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from qassay.errors import SpecError
from qassay.training.answer_text import group_of, question_key
from qassay.training.files import write_rows, write_sides
from qassay.training.keyphrase.rows import JudgedPair, KeyphraseRow
from qassay.training.keyphrase.sources import FORMATS, Reader
from qassay.training.sources import DataSource, counts_by_source, licensed, nothing_left, read_recipe
from qassay.training.sources import parse_source as parse_any
from qassay.training.splits import held_back, linked

RECIPE = "keyphrase"
RECIPES = {"embedded": RECIPE, "kpqa": "keyphrase_kpqa"}
"""By preset: what the embedded model is trained on, and what Lee et al. (2021) trained on."""
JUDGED = "judged.jsonl"
NATURAL_QUESTIONS = frozenset({"evouna", "qed"})
"""Formats whose questions are Natural Questions, a tenth of which the judge's final test keeps for itself."""


def parse_source(text: str) -> DataSource:
    """Return the file that `format:path` names, as in `squad:dev-v1.1.json`."""
    return parse_any(text, RECIPE, FORMATS)


def recipe_sources(folder: Path, preset: str = "embedded", without: Collection[str] = ()) -> list[DataSource]:
    """Return the files of a recipe in the folder with the public training sets, but for the sources left out."""
    if preset not in RECIPES:
        raise SpecError(f'"{preset}" is not a recipe; there are {", ".join(RECIPES)}')
    sources = read_recipe(RECIPES[preset], folder)
    names = dict.fromkeys(source.name for source in sources)
    if unknown := [name for name in without if name not in names]:
        raise SpecError(f'"{unknown[0]}" is not a source of this recipe; its sources are {", ".join(names)}')
    return [source for source in sources if source.name not in without]


@dataclass(slots=True)
class KeyphraseData:
    """Rows split for training, with what was left out and why."""

    train: list[KeyphraseRow]
    dev: list[KeyphraseRow]
    sources: list[DataSource]
    left_out: Counter[str] = field(default_factory=Counter)
    judged: list[JudgedPair] = field(default_factory=list)
    """Judged answers to train on besides, where there are any."""
    met: set[str] = field(default_factory=set)
    """Questions of evaluation sets that the sources have, as keys."""
    coreference: Mapping[str, str] = field(default_factory=dict)
    """The model that resolved mentions, where it was not the rules."""

    def counts(self) -> dict[str, dict[str, int]]:
        """Count rows by source and side."""
        return counts_by_source({"train": self.train, "dev": self.dev})

    def judged_counts(self) -> dict[str, int]:
        """Count judged answers by source."""
        return dict(sorted(Counter(pair.source for pair in self.judged).items()))

    def write(self, folder: Path) -> None:
        """Write `train.jsonl`, `dev.jsonl` and `sources.json` (files with checksums, licences, counts).

        Judged answers go to `judged.jsonl`.
        """
        entries = [(source, source.described()) for source in self.sources]
        listed = [
            {"format": source.format, "path": entry.pop("path"), "name": source.name, **entry}
            for source, entry in entries
        ]
        counts = {"rows": self.counts(), "judged": self.judged_counts(), "left_out": dict(self.left_out)}
        resolved = {"coreference": dict(self.coreference)} if self.coreference else {}
        write_sides(folder, {"train": self.train, "dev": self.dev}, {"files": listed, **resolved, **counts})
        if self.judged:
            write_rows(folder / JUDGED, self.judged)


def build(
    sources: Sequence[DataSource],
    *,
    rng: np.random.Generator,
    held_out: Iterable[str] = (),
    licensed_only: bool = False,
    dev_share: float = 0.1,
    formats: Mapping[str, Reader] = FORMATS,
) -> KeyphraseData:
    """Read all sources and split them by group, leaving out the questions of `held_out` (texts or keys).

    Rows that share a group or a question are kept on one side, through any chain of such links, so that neither an
    article nor a question is ever in both. The same question and answer twice count once.
    """
    left_out: Counter[str] = Counter()
    chosen = licensed(sources, left_out) if licensed_only else list(sources)
    excluded = {question_key(question) for question in held_out}
    met: set[str] = set()
    kept: dict[tuple[str, str], KeyphraseRow] = {}
    for source in chosen:
        for row in formats[source.format](source.path, source.name or source.format):
            key = (question_key(row.question), row.answer)
            if key[0] in excluded:
                left_out["question of an evaluation set"] += 1
                met.add(key[0])
            elif source.format in NATURAL_QUESTIONS and held_back(row.question):
                left_out["question held back for the judge's final test"] += 1
            elif not key[0]:
                left_out["no question"] += 1
            elif key in kept:
                left_out["repeated"] += 1
            else:
                kept[key] = row
    rows = list(kept.values())
    if not rows:
        raise nothing_left(left_out)
    sides: tuple[list[KeyphraseRow], list[KeyphraseRow]] = ([], [])
    for row, is_dev in zip(rows, _dev_groups(rows, rng, dev_share), strict=True):
        sides[is_dev].append(row)
    return KeyphraseData(train=sides[0], dev=sides[1], sources=chosen, left_out=left_out, met=met)


def _dev_groups(rows: Sequence[KeyphraseRow], rng: np.random.Generator, share: float) -> list[bool]:
    """Choose groups for the dev side, source by source, until each source has its share of rows there."""
    roots = linked([(row.group, group_of(row.question)) for row in rows])
    members: dict[str, list[int]] = {}
    for index, root in enumerate(roots):
        members.setdefault(root, []).append(index)
    wanted = {source: share * count for source, count in Counter(row.source for row in rows).items()}
    placed: Counter[str] = Counter()
    is_dev = [False] * len(rows)
    names = sorted(members)
    for position in rng.permutation(len(names)):
        group = members[names[position]]
        found = Counter(rows[index].source for index in group)
        # The whole group must fit, so that one large article does not swallow a source's dev share many times over.
        if all(placed[source] + count <= wanted[source] + 1 for source, count in found.items()):
            placed += found
            for index in group:
                is_dev[index] = True
    return is_dev
