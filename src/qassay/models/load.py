"""Opening the model that a name stands for."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from qassay.errors import ModelError, option
from qassay.models import linear_judge as ava_linear
from qassay.models.base import EMBEDDED, parse_ref
from qassay.models.folder import DESCRIPTION, KEYPHRASE_SETTINGS, OnnxModel
from qassay.models.hf import judge as ava
from qassay.models.hf.judge_design import DESIGNS, READER
from qassay.models.onnx import judge, judge_layer
from qassay.models.onnx.ava import OnnxAva, read_heads

if TYPE_CHECKING:
    from pathlib import Path

    from qassay.models.base import Device, Encoder, ModelRef, Weigher
    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.onnx.judge import Judge
    from qassay.models.runtime import Runtime


def load_encoder(ref: str = EMBEDDED, device: Device = "auto", threads: int | None = None) -> Encoder:
    """Open an encoder: the embedded one, an exported folder, or any Hugging Face model (extra `hf`).

    The first two run on the CPU, or on a GPU through torch where that is asked for (`cuda`). `threads` bounds the
    processor threads that they use; by default all that the process may use.
    """
    if _is_exported(parse_ref(ref)):
        return _onnx_encoder(ref, threads, gpu=device == "cuda")
    return _hf_encoder(ref, device)


def load_weigher(
    ref: str = EMBEDDED, device: Device = "auto", threads: int | None = None, *, with_question: bool = True
) -> Weigher:
    """Open a keyphrase model: the embedded one, an exported folder, or one that `qassay train keyphrase` wrote.

    Some have a head of its own for answers without their questions, which `with_question` chooses.
    """
    if _is_exported(parse_ref(ref)):
        return _onnx_weigher(ref, threads, with_question=with_question, gpu=device == "cuda")
    return _hf_weigher(ref, device)


def load_judge(
    ref: str = EMBEDDED, device: Device = "auto", threads: int | None = None, *, kind: str = "mini"
) -> Judge:
    """Open a judge: the embedded one, or a folder that `qassay train judge` or `qassay train ava` wrote.

    `kind` says which of the judges is wanted that a folder may hold: `mini`, or one of AVA's designs.
    """
    parsed = parse_ref(ref)
    if parsed.kind == "folder" and (parsed.folder / ava.DESCRIPTION).is_file():
        need_torch(ref)
        return _ava_judge(ref, device)
    if not _is_exported(parsed):
        raise ModelError(f"{ref} has no judge; train one with `qassay train judge`, or use the model {EMBEDDED}")
    if kind in DESIGNS:
        return _onnx_ava(ref, threads, kind, gpu=device == "cuda")
    from qassay.models.onnx.judge import OnnxJudge  # noqa: PLC0415 - loaded when a model runs

    return OnnxJudge(_onnx_encoder(ref, threads, gpu=device == "cuda"))


@lru_cache(maxsize=len(DESIGNS))
def _onnx_ava(ref: str, threads: int | None, kind: str, *, gpu: bool) -> OnnxAva:
    return OnnxAva(_onnx_encoder(ref, threads, gpu=gpu), kind)


@lru_cache(maxsize=2)
def _ava_judge(ref: str, device: Device) -> Judge:
    return ava.AvaJudge(parse_ref(ref).folder, device)


def need_torch(name: str) -> None:
    """Raise an error for a model that runs on torch where torch is not installed."""
    if find_spec("torch") is None or find_spec("transformers") is None:
        raise ModelError(f'{name} needs the extra "hf": pip install "qassay[hf]", or use the model {EMBEDDED}')


def has_keyphrase_head(ref: str) -> bool:
    """Whether a model can weigh tokens: the embedded one, or a folder with a keyphrase head."""
    parsed = parse_ref(ref)
    if parsed.kind == "hub":
        return False
    if (parsed.folder / DESCRIPTION).is_file():
        return OnnxModel.read(parsed.folder).keyphrase_head(with_question=True) is not None
    return (parsed.folder / KEYPHRASE_SETTINGS).is_file()


def has_judge(ref: str, kind: str = "mini") -> bool:
    """Whether a model judges answers as `ava` of a kind does: `mini` with a layer, the others by themselves."""
    parsed = parse_ref(ref)
    if parsed.kind == "hub":
        return False
    if kind == "mini":
        return has_reader(ref) and (parsed.folder / judge_layer.DESCRIPTION).is_file()
    if kind == "linear":
        return (parsed.folder / ava_linear.DESCRIPTION).is_file()
    return _design(parsed) == kind or kind in read_heads(parsed.folder).designs


def has_reader(ref: str) -> bool:
    """Whether a model reads context, question, reference and answer, as `lerc` does."""
    parsed = parse_ref(ref)
    if parsed.kind == "hub":
        return False
    return _design(parsed) == READER or (
        (parsed.folder / judge.DESCRIPTION).is_file() and not (parsed.folder / ava.DESCRIPTION).is_file()
    )


def _design(parsed: ModelRef) -> str | None:
    return ava.read_settings(parsed.folder).design if (parsed.folder / ava.DESCRIPTION).is_file() else None


def is_encoder(ref: str) -> bool:
    """Whether a model gives embeddings; a judge with encoders of its own does not, nor a linear one."""
    parsed = parse_ref(ref)
    if parsed.kind != "folder":
        return True
    judges = (ava.DESCRIPTION, ava_linear.DESCRIPTION)
    return (parsed.folder / DESCRIPTION).is_file() or not any((parsed.folder / name).is_file() for name in judges)


def _is_exported(parsed: ModelRef) -> bool:
    """Whether a model is a folder of Qassay's own graphs."""
    return parsed.kind == "embedded" or (parsed.kind == "folder" and (parsed.folder / DESCRIPTION).is_file())


@lru_cache(maxsize=4)
def _onnx_encoder(ref: str, threads: int | None, *, gpu: bool) -> OnnxEncoder:
    # One object for embeddings and weights, so that both find what the other has already encoded.
    from qassay.models.onnx.encoder import OnnxEncoder  # noqa: PLC0415 - loaded when a model runs

    folder = parse_ref(ref).folder
    return OnnxEncoder(ref, folder, threads, _gpu_runtime(folder) if gpu else None)


def _gpu_runtime(folder: Path) -> Runtime:
    """Return what runs a folder's graphs on a GPU, if torch is installed and finds one."""
    if find_spec("torch") is None:
        raise ModelError(
            f'{option("device", "cuda")} needs the extra "hf": pip install "qassay[hf]", or give '
            f"{option('device', 'cpu')}"
        )
    from qassay.models.gpu.runtime import open_gpu  # noqa: PLC0415 - needs torch, an optional extra

    return open_gpu(folder)


@lru_cache(maxsize=4)
def _onnx_weigher(ref: str, threads: int | None, *, with_question: bool, gpu: bool) -> Weigher:
    from qassay.models.onnx.keyphrase import OnnxWeigher  # noqa: PLC0415 - loaded when a model runs

    return OnnxWeigher(_onnx_encoder(ref, threads, gpu=gpu), with_question=with_question)


@lru_cache(maxsize=2)
def _hf_encoder(ref: str, device: Device) -> Encoder:
    need_torch(ref)
    from qassay.models.hf.encoder import open_encoder  # noqa: PLC0415 - needs torch, an optional extra

    return open_encoder(parse_ref(ref), device)


@lru_cache(maxsize=2)
def _hf_weigher(ref: str, device: Device) -> Weigher:
    need_torch(ref)
    from qassay.models.hf.encoder import local_folder  # noqa: PLC0415 - needs an optional extra
    from qassay.models.hf.keyphrase import HFWeigher, read_settings  # noqa: PLC0415 - needs torch

    parsed = parse_ref(ref)
    read_settings(local_folder(parsed))
    return HFWeigher(parsed, device)
