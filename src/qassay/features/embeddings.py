"""The token embeddings of a batch's texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qassay.features.batch import Batch
    from qassay.models.base import TokenEmbeddings


def text_embeddings(batch: Batch, ref: str, layer: int) -> list[TokenEmbeddings]:
    """Return the token embeddings of every text at a layer of a model."""
    return batch.memo((text_embeddings, ref, layer), lambda: _encode(batch, ref, layer))


def _encode(batch: Batch, ref: str, layer: int) -> list[TokenEmbeddings]:
    encoder = batch.resources.encoder(ref)
    found = encoder.encode(batch.texts, layer)
    batch.take_notes(encoder)
    return found
