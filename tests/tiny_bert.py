"""A BERT small enough to be made inside a test, in the folder layout of Hugging Face."""

import json
import string
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

# On models this small a second thread costs more than it brings.
torch.set_num_threads(1)

WORDS = """the a of in is are was it he she they yes no not what who how many when where capital france paris rome
four seven steps involved test hypothesis red car blue answer question city""".split()  # noqa: SIM905 - reads best so


def write_tiny_bert(folder: Path, *, width: int = 32, heads: int = 2, layers: int = 2, positions: int = 64) -> Path:
    """Write a randomly initialised BERT with a vocabulary of a few words and all letters."""
    folder.mkdir(parents=True, exist_ok=True)
    letters = [*string.ascii_lowercase, *string.digits, *".,?!'"]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a word piece, not a secret
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    settings |= {"pad_token": "[PAD]", "unk_token": "[UNK]", "model_max_length": positions}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        max_position_embeddings=positions,
    )
    BertModel(config).save_pretrained(folder)
    return folder
