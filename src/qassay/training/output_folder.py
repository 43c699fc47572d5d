"""Where a trained model goes: the folder is checked before any work, and filled when all of it is done."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

from qassay.errors import ModelError, OutputError
from qassay.models.base import EMBEDDED_FOLDER, parse_ref
from qassay.models.folder import DESCRIPTION, KEYPHRASE_SETTINGS, OnnxModel
from qassay.models.hf import judge as ava
from qassay.models.onnx import chunker, consistency, judge, judge_layer, reader
from qassay.models.onnx.weight_file import weights_identity
from qassay.training.model_card import CARD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

LERC = (judge.DESCRIPTION, "judge.npz", "judge.onnx")
JUDGE = (*LERC, judge_layer.DESCRIPTION)
CHUNKER = (chunker.DESCRIPTION, "chunker.npz", "chunker.onnx", "chunker.safetensors")
READER = (reader.DESCRIPTION, "reader.npz", "reader.onnx", "reader.safetensors")
ANSWER_READER = (reader.ANSWER_READER, "answer_reader.npz", "answer_reader.onnx", "answer_reader.safetensors")
CONSISTENCY = (consistency.DESCRIPTION, "consistency.npz", "consistency.onnx", "consistency.safetensors")
"""The files of each head in a folder over the embedded model's trunk."""

PLAN = "plan.json"
"""What every trained keyphrase model's folder holds."""
_CONFIG = "config.json"
_ELSEWHERE = "give -o another folder"
_FILE_MODE = 0o666


def folder_of(base: str) -> Path | None:
    """Return the folder that a base model's name says, if it says one."""
    parsed = parse_ref(base)
    return parsed.folder if parsed.kind == "folder" else None


def check_place(folder: Path, *, base: Path | None = None) -> None:
    """Refuse a file, and the folder of the base model, in which nothing can be written."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"is a file; a model is a folder: {_ELSEWHERE}", folder)
    if base is not None and folder.is_dir() and folder.samefile(base):
        raise OutputError(f"is the base model, and would be lost; {_ELSEWHERE}", folder)


def check_head(folder: Path, head: Collection[str], *, base: Path | None = None) -> None:
    """Refuse a folder to which a head over the embedded model's trunk cannot be added."""
    check_place(folder, base=base)
    if not _filled(folder):
        return
    if not _is_ours(folder):
        raise OutputError(f"holds something else than a model over the embedded one's trunk; {_ELSEWHERE}", folder)
    if judge.DESCRIPTION in head:
        # Both are the same network: with a layer it is a judge, without one a reader for LERC.
        there = (folder / judge.DESCRIPTION).is_file()
        layer = folder / judge_layer.DESCRIPTION
        if judge_layer.DESCRIPTION in head and there and not layer.is_file():
            raise OutputError(f"holds a reader for LERC, which a judge would replace; {_ELSEWHERE}", folder)
        trained = layer.is_file() and layer.read_bytes() != (EMBEDDED_FOLDER / layer.name).read_bytes()
        if judge_layer.DESCRIPTION not in head and trained:
            raise OutputError(f"holds a judge, which a reader for LERC would replace; {_ELSEWHERE}", folder)


def check_encoders(folder: Path, design: str, *, layered: bool, base: Path | None = None) -> None:
    """Refuse a folder that holds another model than a judge of this design, with a layer or without."""
    check_place(folder, base=base)
    if (folder / ava.DESCRIPTION).is_file():
        if ava.read_settings(folder).design != design or (folder / judge_layer.DESCRIPTION).is_file() != layered:
            raise OutputError(f"holds a judge of another kind, which would be replaced; {_ELSEWHERE}", folder)
    elif any((folder / name).is_file() for name in (DESCRIPTION, KEYPHRASE_SETTINGS, _CONFIG)):
        raise OutputError(f"holds another model, which would be damaged; {_ELSEWHERE}", folder)


def check_weigher(folder: Path, *, base: Path) -> None:
    """Refuse a folder that holds anything but a keyphrase model, finished or not."""
    check_place(folder, base=base)
    heads = (ava.DESCRIPTION, judge.DESCRIPTION, chunker.DESCRIPTION, reader.DESCRIPTION, consistency.DESCRIPTION)
    alone = (folder / PLAN).is_file() and not any((folder / name).is_file() for name in heads)
    if not alone and any((folder / name).is_file() for name in (DESCRIPTION, _CONFIG, *heads)):
        raise OutputError(f"holds another model, which would be damaged; {_ELSEWHERE}", folder)


@contextmanager
def filled(folder: Path) -> Iterator[Path]:
    """Return an empty folder to write a model in; its files go to `folder` at the end, and nowhere if it comes to none.

    They get the mode that new files have, whatever wrote them.
    """
    check_place(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Models that are opened there are remembered by its name, which no other may get.
    staged = folder.with_name(f".{folder.name}.{token_hex(4)}")
    staged.mkdir()
    try:
        yield staged
        mask = os.umask(0)
        os.umask(mask)
        folder.mkdir(exist_ok=True)
        for path in sorted(staged.iterdir()):
            path.chmod(_FILE_MODE & ~mask)
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(staged)


def copy_others(folder: Path, staged: Path, head: Collection[str]) -> None:
    """Copy what a new head stands beside: the heads that `folder` has already, and the embedded ones for the rest.

    The embedded model's card stays behind: it tells of models that are not the new one.
    """
    sources = [EMBEDDED_FOLDER, *([folder] if _filled(folder) else [])]
    for source in sources:
        for path in source.iterdir():
            if path.is_file() and path.name != CARD and path.name not in head:
                shutil.copyfile(path, staged / path.name)


def copy_embedded(staged: Path, head: Collection[str]) -> None:
    """Copy a head of the embedded model's."""
    for name in head:
        if (EMBEDDED_FOLDER / name).is_file():
            shutil.copyfile(EMBEDDED_FOLDER / name, staged / name)


def _filled(folder: Path) -> bool:
    return folder.is_dir() and any(path.is_file() for path in folder.iterdir())


def _is_ours(folder: Path) -> bool:
    try:
        there, embedded = OnnxModel.read(folder), OnnxModel.read(EMBEDDED_FOLDER)
        same = weights_identity(folder / there.weights) == weights_identity(EMBEDDED_FOLDER / embedded.weights)
    except ModelError:
        return False
    return same and there.default_layer == embedded.default_layer and not (folder / ava.DESCRIPTION).is_file()
