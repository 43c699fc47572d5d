"""From trained weights to the folder that the runtime loads without torch: graphs, tokenizer, `model.json`."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from onnx import TensorProto

from qassay.errors import ModelError
from qassay.models.folder import BELOW, DESCRIPTION, IDS, KeyphraseHead, OnnxModel, write_description
from qassay.training.encoder_layers import HEADS
from qassay.training.export.graph import LARGEST_FACTOR, Graph, LayerWeights, WeightFile, quantise

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Shape = list[str | int]
    Arrays = Mapping[str, NDArray[np.float32]]

_ENCODER_FILE = "encoder.npz"
_KEYPHRASE_FILE = "keyphrase.npz"
_ANSWER_KEYPHRASE_FILE = "keyphrase_alone.npz"


def export_encoder(
    base: Path, folder: Path, *, layers: int | None = None, default_layer: int = 1, int8: bool = True
) -> OnnxModel:
    """Write a graph that reaches each layer of a BERT, over one file of weights.

    Graphs up to the default layer begin with word pieces, those above it with the states of the default layer.
    `base` is a Hugging Face folder with safetensors and a fast tokenizer. In int8 (the default) matrices have a scale
    for each column and the word embeddings one for each word.
    """
    config = _bert_config(base)
    weights = _read_weights(base / "model.safetensors")
    depth = layers or int(config["num_hidden_layers"])
    folder.mkdir(parents=True, exist_ok=True)
    file = WeightFile(folder / _ENCODER_FILE)
    wide: Shape = [1, "pieces", int(config["hidden_size"])]
    graphs = {number: f"layer{number}.onnx" for number in range(1, depth + 1)}
    for number, name in graphs.items():
        graph = Graph(file, int8=int8, heads=config["num_attention_heads"], epsilon=config["layer_norm_eps"])
        inputs: dict[str, tuple[int, Shape]] = {BELOW: (TensorProto.FLOAT, wide)}
        states, above = BELOW, default_layer
        if number <= default_layer:
            inputs, above = {IDS: (TensorProto.INT64, [1, "pieces"])}, 0
            states = _embed(graph, weights, int8=int8)
        for each in range(above + 1, number + 1):
            states = graph.layer(states, f"layer{each}", LayerWeights.from_bert(weights, each - 1))
        graph.save(folder / name, inputs, {"states": (states, wide)})
    file.write()
    shutil.copy(base / "tokenizer.json", folder / "tokenizer.json")
    model = OnnxModel(
        width=config["hidden_size"],
        longest=config["max_position_embeddings"],
        graphs=graphs,
        default_layer=default_layer,
        weights=_ENCODER_FILE,
        precision="int8" if int8 else "fp32",
    )
    write_description(folder, model)
    return model


def _embed(graph: Graph, weights: Arrays, *, int8: bool) -> str:
    words = weights["embeddings.word_embeddings.weight"]
    if int8:
        small, scale = quantise(words, axis=1, largest=LARGEST_FACTOR)
        found = graph.one("Gather", graph.weight("words", small), IDS)
        scales = graph.one("Gather", graph.weight("words.scale", scale[:, None]), IDS)
        states = graph.one("Mul", graph.one("Cast", found, to=TensorProto.FLOAT), scales)
    else:
        states = graph.one("Gather", graph.weight("words", words), IDS)
    # Every text is a first segment, so that its type's vector can be part of the positions.
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    precision = np.float16 if int8 else np.float32
    table = graph.weight("positions", positions.astype(precision))
    if int8:
        # Done once, when the graph is opened.
        table = graph.one("Cast", table, to=TensorProto.FLOAT)
    count = graph.one("Shape", IDS, start=1, end=2)
    used = graph.one("Slice", table, graph.weight("zero", np.zeros(1, np.int64)), count)
    norm = (weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"])
    return graph.add_and_norm(states, used, "embeddings.norm", norm)


def export_keyphrase(weights: Arrays, folder: Path, *, layer: int, temperature: float, int8: bool = True) -> None:
    """Add a keyphrase head to an exported encoder: one graph for the question, run once, and one for the answers.

    The question's tokens see the question alone, so that what answers attend to (keys and values) is the same for all
    of them. The last layer of the question's side is never needed.
    """
    model = OnnxModel.read(folder)
    asked, layers = (_tuned_layers(weights, name) for name in ("asked", "layers"))
    file = WeightFile(folder / _KEYPHRASE_FILE)
    wide: Shape = [1, "pieces", model.width]
    question = Graph(file, int8=int8, heads=HEADS)
    states = question.one("Add", "states", question.weight("role.question", weights["roles"][0]))
    for number, tuned in enumerate(asked):
        states = question.layer(states, f"asked{number}", tuned)
    beside: dict[str, tuple[str, Shape]] = {}
    for number, tuned in enumerate(layers):
        _, keys, values = question.attention_inputs(states, f"joint{number}", tuned)
        seen: Shape = [1, "pieces", tuned.attention_out[0].shape[1]]
        beside |= {f"keys{number}": (keys, seen), f"values{number}": (values, seen)}
        if number + 1 < len(layers):
            states = question.layer(states, f"joint{number}", tuned)
    question.save(folder / "keyphrase_question.onnx", {"states": (TensorProto.FLOAT, wide)}, beside)

    answer = Graph(file, int8=int8, heads=HEADS)
    states = answer.one("Add", "states", answer.weight("role.answer", weights["roles"][1]))
    for number, tuned in enumerate(layers):
        only = answer.between_marks if number + 1 == len(layers) else None
        states = answer.layer(states, f"joint{number}", tuned, (f"keys{number}", f"values{number}"), only)
    inputs: dict[str, tuple[int, Shape]] = {"states": (TensorProto.FLOAT, wide)}
    inputs |= {name: (TensorProto.FLOAT, [1, "asked", shape[2]]) for name, (_, shape) in beside.items()}
    logits = _piece_logits(answer, states, weights)
    answer.save(folder / "keyphrase_answer.onnx", inputs, {"logits": (logits, [1, "pieces", 1])})
    file.write()
    head = KeyphraseHead(
        layer=layer,
        question="keyphrase_question.onnx",
        answer="keyphrase_answer.onnx",
        weights=_KEYPHRASE_FILE,
        temperature=temperature,
    )
    write_description(folder, msgspec.structs.replace(model, keyphrase=head))


def export_answer_keyphrase(
    weights: Arrays, folder: Path, *, layer: int, temperature: float, int8: bool = True
) -> None:
    """Add a keyphrase head that reads no question to an exported encoder, beside one that does where there is one."""
    model = OnnxModel.read(folder)
    layers = _tuned_layers(weights, "layers")
    file = WeightFile(folder / _ANSWER_KEYPHRASE_FILE)
    graph = Graph(file, int8=int8, heads=HEADS)
    states = "states"
    for number, tuned in enumerate(layers):
        only = graph.between_marks if number + 1 == len(layers) else None
        states = graph.layer(states, f"layer{number}", tuned, only=only)
    wide: Shape = [1, "pieces", model.width]
    outputs: dict[str, tuple[str, Shape]] = {"logits": (_piece_logits(graph, states, weights), [1, "pieces", 1])}
    graph.save(folder / "keyphrase_alone.onnx", {"states": (TensorProto.FLOAT, wide)}, outputs)
    file.write()
    head = KeyphraseHead(
        layer=layer,
        question=None,
        answer="keyphrase_alone.onnx",
        weights=_ANSWER_KEYPHRASE_FILE,
        temperature=temperature,
    )
    write_description(folder, msgspec.structs.replace(model, keyphrase_alone=head))


def _piece_logits(graph: Graph, states: str, weights: Arrays) -> str:
    """Score the pieces between the marks; nobody asks for the marks' logits, which are zeros."""
    hidden = graph.one("Tanh", graph.linear(states, "dense", weights["dense.weight"], weights["dense.bias"]))
    product = graph.one("MatMul", hidden, graph.weight("out.weight", weights["out.weight"].T))
    return graph.one("Pad", product, graph.weight("marks", np.array([0, 1, 0, 0, 1, 0], np.int64)))


def _tuned_layers(weights: Arrays, name: str) -> list[LayerWeights]:
    depth = len({key.split(".")[1] for key in weights if key.startswith(f"{name}.")})
    prefixes = [[f"{name}.{number}.{part}" for part in LayerWeights._fields] for number in range(depth)]
    return [
        LayerWeights(*((weights[f"{each}.weight"], weights[f"{each}.bias"]) for each in parts)) for parts in prefixes
    ]


def _bert_config(base: Path) -> dict[str, Any]:
    try:
        config: dict[str, Any] = json.loads((base / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError as missing:
        raise ModelError(f"{base}: there is no config.json; give a Hugging Face model folder") from missing
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        raise ModelError(f"{base}: only BERT models with gelu can be exported, not {config.get('model_type')}")
    if not (base / "tokenizer.json").is_file():
        raise ModelError(f"{base}: there is no tokenizer.json (a fast tokenizer), which {DESCRIPTION} needs")
    return config


def _read_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    from safetensors.numpy import load_file  # noqa: PLC0415 - part of the extra `train`

    if not path.is_file():
        raise ModelError(f"{path}: there is no such file; only safetensors are read, never pickles")
    arrays = {name.removeprefix("bert."): array for name, array in load_file(path).items()}
    return {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype.kind == "f"}
