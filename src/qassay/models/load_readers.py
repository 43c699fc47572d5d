"""Opening what reads texts for QAEval, FEQA and FactCC: chunkers, readers, checkers, models that write questions."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from qassay.errors import ModelError, option
from qassay.models.base import EMBEDDED, parse_ref
from qassay.models.folder import DESCRIPTION
from qassay.models.load import load_encoder, need_torch
from qassay.models.onnx.consistency import DESCRIPTION as CONSISTENCY

if TYPE_CHECKING:
    from qassay.models.base import Device
    from qassay.models.hf.generator import HFGenerator
    from qassay.models.hf.reader import HFReader
    from qassay.models.onnx.consistency import OnnxConsistency
    from qassay.models.onnx.encoder import OnnxEncoder
    from qassay.models.onnx.reader import Answerer, OnnxReader
    from qassay.models.syntax import Chunker


def load_chunker(ref: str = EMBEDDED, threads: int | None = None, device: Device = "auto") -> Chunker:
    """Open a chunker: the embedded one, or a folder that `qassay train chunker` wrote."""
    from qassay.models.onnx.chunker import OnnxChunker  # noqa: PLC0415 - loaded when a model runs

    return OnnxChunker(_exported(ref, "chunker", threads, device))


def load_reader(ref: str = EMBEDDED, device: Device = "auto", threads: int | None = None) -> Answerer:
    """Open a reader: the embedded one, a folder that `qassay train reader` wrote, or any extractive model (`hf`)."""
    if not _is_exported(ref):
        return _hf_reader(ref, device)
    from qassay.models.onnx.reader import OnnxReader  # noqa: PLC0415 - loaded when a model runs

    return OnnxReader(_exported(ref, "reader", threads, device))


@lru_cache(maxsize=2)
def load_answer_reader(ref: str = EMBEDDED, threads: int | None = None, device: Device = "auto") -> OnnxReader:
    """Open what reads answers for what they assert: a folder's answer reader, or its passage reader if it has none."""
    from qassay.models.onnx.reader import ANSWER_READER, OnnxReader  # noqa: PLC0415 - loaded when a model runs

    encoder = _exported(ref, "reader", threads, device)
    has_own = (parse_ref(ref).folder / ANSWER_READER).is_file()
    return OnnxReader(encoder, ANSWER_READER) if has_own else OnnxReader(encoder)


@lru_cache(maxsize=2)
def load_consistency(ref: str = EMBEDDED, threads: int | None = None, device: Device = "auto") -> OnnxConsistency:
    """Open what checks claims: the embedded one, or a folder that `qassay train consistency` wrote."""
    from qassay.models.onnx.consistency import OnnxConsistency  # noqa: PLC0415 - loaded when a model runs

    return OnnxConsistency(_exported(ref, "consistency", threads, device))


def has_consistency(ref: str) -> bool:
    """Whether a model checks claims against documents, as `factcc` and `faithful` do."""
    return _is_exported(ref) and (parse_ref(ref).folder / CONSISTENCY).is_file()


def load_generator(ref: str, device: Device = "auto") -> HFGenerator:
    """Open a sequence-to-sequence model of Hugging Face's (extra `hf`)."""
    if parse_ref(ref).kind == "embedded":
        raise ModelError(
            f"{ref} writes its questions by rule; name a sequence-to-sequence model for {option('generator')}"
        )
    return _generator(ref, device)


def _is_exported(ref: str) -> bool:
    parsed = parse_ref(ref)
    return parsed.kind != "hub" and (parsed.folder / DESCRIPTION).is_file()


def _exported(ref: str, what: str, threads: int | None, device: Device) -> OnnxEncoder:
    if not _is_exported(ref):
        raise ModelError(f"{ref} has no {what}; give {EMBEDDED}, or a folder that `qassay train {what}` wrote")
    from qassay.models.onnx.encoder import OnnxEncoder  # noqa: PLC0415 - loaded when a model runs

    encoder = load_encoder(ref, device, threads)
    if not isinstance(encoder, OnnxEncoder):
        raise ModelError(f"{ref} has no {what}")
    return encoder


@lru_cache(maxsize=2)
def _generator(ref: str, device: Device) -> HFGenerator:
    need_torch(ref)
    from qassay.models.hf.generator import HFGenerator  # noqa: PLC0415 - needs torch, an optional extra

    return HFGenerator(parse_ref(ref), device)


@lru_cache(maxsize=2)
def _hf_reader(ref: str, device: Device) -> HFReader:
    need_torch(ref)
    from qassay.models.hf.reader import HFReader  # noqa: PLC0415 - needs torch, an optional extra

    return HFReader(parse_ref(ref), device)
