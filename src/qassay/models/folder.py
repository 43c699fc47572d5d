"""The description of a model folder for the embedded runtime, and its checks."""

from __future__ import annotations

import hashlib
from pathlib import Path  # noqa: TC003 - msgspec reads the annotations
from typing import Literal, TypeVar

import msgspec

from qassay.errors import ModelError
from qassay.models.onnx.weight_file import SUFFIX, weights_identity

DESCRIPTION = "model.json"
TOKENIZER = "tokenizer.json"
KEYPHRASE_SETTINGS = "keyphrase.json"
"""Beside a Hugging Face model: how its keyphrase head is run."""
IDS, BELOW = "ids", "below"
"""What the graphs of an encoder take: those up to the default layer word pieces, those above it its states."""
_DIGITS = 12
_SPECIAL_TOKENS = 2


Description = TypeVar("Description", bound=msgspec.Struct)


def read_description(path: Path, kind: type[Description], *, absent: str) -> Description:
    """Read the JSON that describes a part of a model's folder; `absent` is the message where it is missing."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (FileNotFoundError, NotADirectoryError) as missing:
        raise ModelError(absent) from missing
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise ModelError(f"{path}: damaged or of another version: {problem}; export the model again") from problem


def check_file_names(*names: str) -> None:
    """Raise an error if a description names a file that is not in the same folder.

    For the `__post_init__` of descriptions: msgspec makes a `ValueError` there an error of the description.
    """
    for name in names:
        if name in {"", ".", ".."} or not {"/", "\\", ":"}.isdisjoint(name):
            raise ValueError(f'"{name}" is not the name of a file beside it')


class KeyphraseHead(msgspec.Struct, frozen=True):
    """Keyphrase weights: states of `layer` for question and answer, joined in graphs of their own."""

    layer: int
    question: str | None
    """None for a head that reads the answer alone."""
    answer: str
    weights: str
    temperature: float

    def __post_init__(self) -> None:
        check_file_names(*self.files)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the head."""
        return (*([self.question] if self.question is not None else []), self.answer, self.weights)


class OnnxModel(msgspec.Struct, frozen=True, omit_defaults=True):
    """The description of an ONNX model folder; all names are of files in that folder."""

    width: int
    longest: int
    """How many word pieces a text may have, including its two special tokens."""
    graphs: dict[int, str]
    """A graph up to each layer: from word pieces up to the default one, from the default one's states above it."""
    default_layer: int
    weights: str
    precision: Literal["int8", "fp32"]
    keyphrase: KeyphraseHead | None = None
    """For answers to questions."""
    keyphrase_alone: KeyphraseHead | None = None
    """For answers alone; trained without questions."""

    def __post_init__(self) -> None:
        check_file_names(self.weights, *self.graphs.values())

    @classmethod
    def read(cls, folder: Path) -> OnnxModel:
        """Read and check a folder's description; every file that it names must be there."""
        path = folder / DESCRIPTION
        model = read_description(
            path, cls, absent=f"{folder}: there is no {DESCRIPTION}, so this is no model of Qassay's"
        )
        heads = [head for head in (model.keyphrase, model.keyphrase_alone) if head]
        named = [TOKENIZER, model.weights, *model.graphs.values(), *(name for head in heads for name in head.files)]
        for name in named:
            if not (folder / name).is_file():
                raise ModelError(f"{folder / name}: this file is missing; install or export the model again")
        if sorted(model.graphs) != [*range(1, 1 + len(model.graphs))] or model.default_layer not in model.graphs:
            raise ModelError(
                f"{path}: damaged or of another version: layers must be 1, 2, …, the default one among them"
            )
        if model.longest <= _SPECIAL_TOKENS or any(head.temperature <= 0 for head in heads):
            raise ModelError(
                f"{path}: damaged or of another version: a text needs more room than its {_SPECIAL_TOKENS} special "
                "tokens, and a temperature is above 0; export the model again"
            )
        return model

    def keyphrase_head(self, *, with_question: bool) -> KeyphraseHead | None:
        """Return the keyphrase head for answers to questions, or for answers alone; the other where there is one only.

        A head for questions weighs answers alone by attending to no question; one for answers alone reads no question.
        """
        heads = (self.keyphrase, self.keyphrase_alone)
        first, second = heads if with_question else reversed(heads)
        return first or second


def write_description(folder: Path, model: OnnxModel) -> None:
    """Write the description of a folder."""
    (folder / DESCRIPTION).write_bytes(msgspec.json.format(msgspec.json.encode(model), indent=1) + b"\n")


def fingerprint(*parts: Path | str) -> str:
    """Hash files and texts into the short identity that enters signatures (the first 12 digits of SHA-256).

    Files of weights count by the names and checksums of their arrays, all others by their bytes.
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else _content(part))
    return digest.hexdigest()[:_DIGITS]


def _content(path: Path) -> bytes:
    return weights_identity(path).encode() if path.suffix == SUFFIX else path.read_bytes()
