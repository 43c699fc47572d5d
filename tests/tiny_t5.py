"""A T5 small enough to be made inside a test, in the folder layout of Hugging Face."""

import json

import torch
from transformers import T5Config, T5ForConditionalGeneration

from tiny_bert import write_tiny_bert


def write_tiny_t5(folder):
    """Write a randomly initialised T5 of two layers, with the tiny BERT's tokenizer."""
    write_tiny_bert(folder)
    (folder / "model.safetensors").unlink()
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=len(vocabulary),
        d_model=32,
        d_kv=8,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=vocabulary["[CLS]"],
        eos_token_id=vocabulary["[SEP]"],
        pad_token_id=vocabulary["[PAD]"],
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder
