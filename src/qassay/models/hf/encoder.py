"""Any Hugging Face encoder (extra `hf`): safetensors only, no pickles, no code from the repository.

Folders and cached models open without a network; `HF_HOME` and `HF_HUB_OFFLINE` are honoured.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from qassay.errors import ModelError, option
from qassay.models.base import WINDOWED, ModelNotes, ModelRef, TokenEmbeddings, windows
from qassay.models.folder import fingerprint
from qassay.models.matching import Units, best_similarities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qassay.arrays import Ints
    from qassay.models.base import Device, Vectors

_NEEDED = [
    "config.json",
    "*.safetensors",
    "*.safetensors.index.json",
    "tokenizer*",
    "special_tokens_map.json",
    "vocab*",
    "merges.txt",
    "*.model",
    "keyphrase.*",
]
_TOKENS_AT_ONCE = {"cpu": 2048, "cuda": 1 << 16}
_DEFAULT_POSITIONS = 512
_TUNED_LAYERS = {
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "bert-base-chinese": 8,
    "bert-base-multilingual-cased": 9,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "distilbert-base-uncased": 5,
    "distilroberta-base": 5,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
    "microsoft/deberta-xlarge-mnli": 40,
    "microsoft/deberta-large-mnli": 18,
}
"""The layers that the bert-score package found best on WMT16, for models in common use."""
_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "mpnet", "longformer"})


def local_folder(ref: ModelRef) -> Path:
    """Return a model's folder, downloading a Hub model if it is not cached and the network may be used."""
    if ref.kind != "hub":
        return ref.folder
    from huggingface_hub import errors, snapshot_download  # noqa: PLC0415 - part of the extra `hf`

    try:
        return Path(snapshot_download(ref.name, allow_patterns=_NEEDED))
    except errors.HFValidationError as problem:
        raise ModelError(
            f'"{ref.name}" is no name of a Hugging Face model; give one such as roberta-large, or a folder'
        ) from problem
    except errors.RepositoryNotFoundError as problem:
        raise ModelError(f'the Hugging Face Hub has no model "{ref.name}" that you may read') from problem
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled, OSError) as problem:
        raise ModelError(
            f'"{ref.name}" is not cached on this machine and the Hugging Face Hub cannot be reached; '
            "download it first or give a model folder"
        ) from problem


def choose_device(device: Device) -> str:
    """Return the device that `auto` means; raise an error for a GPU that is not there."""
    import torch  # noqa: PLC0415 - heavy, an optional extra

    available = torch.cuda.is_available()
    if device == "cuda" and not available:
        raise ModelError(f"there is no GPU that torch can use; give {option('device', 'cpu')}")
    return "cuda" if available and device != "cpu" else "cpu"


def positions_of(config: Any) -> int:  # noqa: ANN401 - the library's classes are many
    """Count the tokens that a model of this configuration can read at once."""
    positions = int(getattr(config, "max_position_embeddings", _DEFAULT_POSITIONS) or _DEFAULT_POSITIONS)
    return positions - 2 if config.model_type in _OFFSET_POSITIONS else positions


class Template(NamedTuple):
    """The special tokens that a tokenizer puts around a text, and between two."""

    before: list[int]
    between: list[int]
    after: list[int]
    alone_after: list[int]
    """After a text by itself, which may differ from what closes a pair."""
    second_type: int
    """The segment number of the second text of a pair."""


class HFBackbone:
    """A Hugging Face encoder with its tokenizer, opened from a folder."""

    def __init__(self, ref: ModelRef, device: Device) -> None:
        self.ref = ref.name
        self.folder = local_folder(ref)
        import torch  # noqa: PLC0415 - heavy, an optional extra
        from transformers import AutoConfig, AutoModel, AutoTokenizer  # noqa: PLC0415 - heavy, an optional extra
        from transformers.utils import logging  # noqa: PLC0415 - as above

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        if not (self.folder / "config.json").is_file():
            raise ModelError(
                f"{self.folder}: neither a model of Qassay's (model.json) nor of Hugging Face's (config.json)"
            )
        weights = sorted(self.folder.glob("model*.safetensors"))
        if not weights:
            raise ModelError(f"{self.folder}: no safetensors here; pickled weights are never read")
        self.device = choose_device(device)
        try:
            config = AutoConfig.from_pretrained(self.folder, trust_remote_code=False)
            self._slow = AutoTokenizer.from_pretrained(self.folder, use_fast=True, trust_remote_code=False)
            model = AutoModel.from_pretrained(self.folder, config=config, use_safetensors=True, trust_remote_code=False)
        except Exception as problem:  # the library raises many kinds for damaged or unknown models
            raise ModelError(f"{self.folder}: cannot be opened as a Hugging Face encoder: {problem}") from problem
        if not getattr(self._slow, "is_fast", False):
            raise ModelError(f"{self.folder}: this model has no fast tokenizer, which the positions of tokens need")
        encoder = model.get_encoder() if getattr(config, "is_encoder_decoder", False) else model
        self.dtype = torch.bfloat16 if self.device == "cuda" else torch.float32
        self.model = encoder.to(self.device, self.dtype).eval()
        self.layers = int(config.num_hidden_layers)
        self.longest = positions_of(config)
        self.has_types = int(getattr(config, "type_vocab_size", 1) or 1) > 1
        self.weight_files = weights

    @cached_property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer."""
        return fingerprint(self._tokenizer.to_str(), *self.weight_files)

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - the library's class is not typed
        tokenizer = self._slow.backend_tokenizer
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if hasattr(tokenizer.pre_tokenizer, "add_prefix_space"):
            # A first word is then the same token as the word inside a sentence; bert-score does so too.
            tokenizer.pre_tokenizer.add_prefix_space = True
        return tokenizer

    @cached_property
    def template(self) -> Template:
        """Find the special tokens by tokenising two texts of one letter."""
        alone, pair = self._tokenizer.encode("a"), self._tokenizer.encode("a", "a")
        first = alone.special_tokens_mask.index(0)
        last = len(alone.ids) - alone.special_tokens_mask[::-1].index(0)
        texts = [index for index, mark in enumerate(pair.special_tokens_mask) if not mark]
        half = len(texts) // 2
        return Template(
            before=alone.ids[:first],
            between=pair.ids[texts[half - 1] + 1 : texts[half]],
            after=pair.ids[texts[-1] + 1 :],
            alone_after=alone.ids[last:],
            second_type=pair.type_ids[texts[-1]],
        )

    def pieces(self, texts: Sequence[str]) -> list[tuple[Ints, Ints]]:
        """Return the ids and the spans of the texts' word pieces, without special tokens."""
        cut = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [(np.array(each.ids, np.int64), np.array(each.offsets, np.int64).reshape(-1, 2)) for each in cut]

    def names(self, text: str) -> list[str]:
        """Return a text's pieces as they are written in the vocabulary."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).tokens)

    def run(self, rows: Sequence[tuple[Ints, Ints]], layer: int) -> Iterator[tuple[int, Any]]:
        """Return (row, states at a layer as a tensor) for rows of (numbers, segment numbers), longest last."""
        import torch  # noqa: PLC0415 - heavy, an optional extra

        order = sorted(range(len(rows)), key=lambda index: len(rows[index][0]))
        start = 0
        while start < len(order):
            size = 1
            while start + size < len(order) and (size + 1) * len(rows[order[start + size]][0]) <= self._at_once:
                size += 1
            chosen = order[start : start + size]
            start += size
            longest = len(rows[chosen[-1]][0])
            ids = torch.zeros((size, longest), dtype=torch.long)
            types = torch.zeros_like(ids)
            mask = torch.zeros_like(ids)
            for place, index in enumerate(chosen):
                numbers, segments = rows[index]
                ids[place, : len(numbers)] = torch.from_numpy(numbers)
                types[place, : len(numbers)] = torch.from_numpy(segments)
                mask[place, : len(numbers)] = 1
            given = {"input_ids": ids, "attention_mask": mask} | ({"token_type_ids": types} if self.has_types else {})
            with torch.inference_mode():
                out = self.model(
                    **{key: value.to(self.device) for key, value in given.items()}, output_hidden_states=True
                )
            for place, index in enumerate(chosen):
                yield index, out.hidden_states[layer][place, : len(rows[index][0])]

    @property
    def _at_once(self) -> int:
        return _TOKENS_AT_ONCE[self.device]


class HFEncoder:
    """Token embeddings from a Hugging Face encoder."""

    english = False

    def __init__(self, backbone: HFBackbone) -> None:
        self.ref = backbone.ref
        self.layers = backbone.layers
        # For models that bert-score has not tuned, two thirds up, about where its tuned layers lie.
        self.default_layer = _TUNED_LAYERS.get(backbone.ref, max(1, round(backbone.layers * 2 / 3)))
        self.notes = ModelNotes()
        self._backbone = backbone

    @property
    def fingerprint(self) -> str:
        """Identity of weights and tokenizer."""
        return self._backbone.fingerprint

    def pieces(self, text: str) -> list[str]:
        """Cut a text into the model's pieces, without special tokens."""
        return self._backbone.names(text)

    def encode(self, texts: Sequence[str], layer: int) -> list[TokenEmbeddings]:
        """Return each text's embeddings at a layer, from 1; equal texts run once."""
        if not 1 <= layer <= self.layers:
            raise ModelError(f"{self.ref} has layers 1 to {self.layers}, not {layer}")
        distinct = list(dict.fromkeys(texts))
        made = dict(zip(distinct, self._encode(distinct, layer), strict=True))
        return [made[text] for text in texts]

    @staticmethod
    def match(texts: Sequence[TokenEmbeddings], left: Ints, right: Ints) -> tuple[Vectors, Vectors]:
        """Return each token's highest similarity with a token of the other text of its pair."""
        return best_similarities(Units([each.vectors for each in texts]), left, right)

    def _encode(self, texts: Sequence[str], layer: int) -> list[TokenEmbeddings]:
        before, after = self._backbone.template.before, self._backbone.template.alone_after
        room = self._backbone.longest - len(before) - len(after)
        pieces = self._backbone.pieces(texts)
        self.notes.add(WINDOWED, (text for text, (ids, _) in zip(texts, pieces, strict=True) if len(ids) > room))
        cuts = [(text, window) for text, (ids, _) in enumerate(pieces) for window in windows(len(ids), room)]
        rows = []
        for text, window in cuts:
            ids = np.concatenate([before, pieces[text][0][window.start : window.end], after]).astype(np.int64)
            rows.append((ids, np.zeros(len(ids), np.int64)))
        width = int(self._backbone.model.config.hidden_size)
        special_count = len(before) + len(after)
        vectors: list[Vectors] = [np.empty((len(ids) + special_count, width), np.float32) for ids, _ in pieces]
        for row, states in self._backbone.run(rows, layer):
            text, window = cuts[row]
            count = len(pieces[text][0])
            low = window.kept_from + (len(before) if window.kept_from else 0)
            high = window.kept_to + len(before) + (len(after) if window.kept_to == count else 0)
            vectors[text][low:high] = states[low - window.start : high - window.start].float().cpu().numpy()
        return [self._with_special_tokens(*parts, states) for parts, states in zip(pieces, vectors, strict=True)]

    def _with_special_tokens(self, ids: Ints, spans: Ints, vectors: Vectors) -> TokenEmbeddings:
        before, after = self._backbone.template.before, self._backbone.template.alone_after
        special = np.ones(len(vectors), bool)
        special[len(before) : len(before) + len(ids)] = False
        all_spans = np.zeros((len(vectors), 2), np.int64)
        all_spans[~special] = spans
        return TokenEmbeddings(np.concatenate([before, ids, after]).astype(np.int64), all_spans, vectors, special)


def open_encoder(ref: ModelRef, device: Device) -> HFEncoder:
    """Open a Hugging Face encoder for embeddings."""
    return HFEncoder(HFBackbone(ref, device))
