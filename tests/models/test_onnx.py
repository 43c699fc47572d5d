from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from qassay.errors import ModelError
from qassay.models.base import WINDOWED
from qassay.models.folder import write_description
from qassay.models.load import load_encoder
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.runtime import OnnxRuntime, Session
from qassay.training.export.encoder import export_encoder
from tiny_bert import write_tiny_bert

TEXTS = ["Paris is the capital of France.", "no", "", "Four steps are involved in a hypothesis test."]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return write_tiny_bert(tmp_path_factory.mktemp("base"), layers=3)


@pytest.fixture(scope="module")
def exported(base, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fp32")
    export_encoder(base, folder, int8=False)
    return OnnxEncoder("tiny", folder, threads=2)


@pytest.fixture
def embedded():
    return load_encoder("mini")


@pytest.mark.parametrize("layer", [1, 2, 3])
@pytest.mark.parametrize("text", TEXTS)
def test_fp32_equals_the_original(base, exported, layer, text):
    """Every layer's states are those of transformers' own BERT."""
    model, tokenizer = AutoModel.from_pretrained(base).eval(), AutoTokenizer.from_pretrained(base)

    (found,) = exported.encode([text], layer)

    with torch.no_grad():
        states = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[layer]
    np.testing.assert_allclose(found.vectors, states[0].numpy(), atol=2e-6)


def test_int8_stays_close(base, exported, tmp_path):
    """Quantised states point where the original ones do."""
    export_encoder(base, tmp_path, int8=True)
    small = OnnxEncoder("tiny8", tmp_path)

    (left,), (right,) = exported.encode([TEXTS[0]], 2), small.encode([TEXTS[0]], 2)

    cosines = (left.vectors * right.vectors).sum(1) / np.prod(
        [np.linalg.norm(each.vectors, axis=1) for each in (left, right)], axis=0
    )
    assert cosines.min() > 0.98


def test_spans_point_at_the_words(embedded):
    """Each token's span is its place in the text, in characters, accents and emoji included."""
    text = "Röntgen 🙂 won."

    (found,) = embedded.encode([text], 1)

    inner = found.spans[~found.special]
    assert [text[start:end] for start, end in inner][-2:] == ["won", "."]
    assert text[inner[0, 0] : inner[0, 1]].startswith("R")


def test_marks_are_flagged(embedded):
    """The first and last token are the marks around the text; an empty text is nothing but them."""
    full, empty = embedded.encode(["a b", ""], 1)

    assert full.special.tolist() == [True, False, False, True]
    assert empty.special.tolist() == [True, True]


def test_neighbours_do_not_matter(embedded):
    """A text has the same vectors, bit for bit, alone and among others."""
    (alone,) = OnnxEncoder("mini", embedded.runtime.folder, threads=1).encode([TEXTS[0]], 2)

    among = OnnxEncoder("mini", embedded.runtime.folder, threads=4).encode([*TEXTS, "much longer " * 40], 2)[0]

    np.testing.assert_array_equal(alone.vectors, among.vectors)


@pytest.mark.parametrize("layers", [(1, 3), (3, 1), (3,)])
@pytest.mark.parametrize("text", [TEXTS[0], "much longer " * 400])
def test_layers_asked_for_before_do_not_matter(base, tmp_path, layers, text):
    """A text has the same vectors, bit for bit, whether its lower layers were known or not."""
    export_encoder(base, tmp_path, default_layer=1)
    direct = OnnxEncoder("tiny", tmp_path).encode([text], 3)[0].vectors

    encoder = OnnxEncoder("tiny", tmp_path)
    found = {layer: encoder.encode([text], layer)[0].vectors for layer in layers}

    np.testing.assert_array_equal(found[3], direct)


@pytest.mark.parametrize("default_layer", [1, 2, 3])
def test_every_layer_is_the_same_from_any_default_one(base, exported, tmp_path, default_layer):
    """Where the graphs begin changes no layer's states."""
    export_encoder(base, tmp_path, default_layer=default_layer, int8=False)
    encoder = OnnxEncoder("tiny", tmp_path)

    found = [encoder.encode([TEXTS[0]], layer)[0].vectors for layer in (3, 2, 1)]

    expected = [exported.encode([TEXTS[0]], layer)[0].vectors for layer in (3, 2, 1)]
    np.testing.assert_array_equal(np.stack(found), np.stack(expected))


def test_no_graph_is_opened_that_is_not_needed(base, tmp_path):
    """A higher layer is reached from the default one at once, without the graphs of the layers between."""
    export_encoder(base, tmp_path, default_layer=1)
    encoder = OnnxEncoder("tiny", tmp_path)
    (tmp_path / "layer2.onnx").write_bytes(b"not a graph")

    (found,) = encoder.encode([TEXTS[0]], 3)

    assert len(found.vectors) == len(found.ids)


def test_equal_texts_run_once(embedded):
    """The same text twice gives the same object twice."""
    first, second = embedded.encode(["twice", "twice"], 1)

    assert first is second


def test_all_that_was_run_last_is_kept(base, tmp_path, monkeypatch):
    """Another metric that asks for the same texts gets them without a second run, however many they are."""
    monkeypatch.setattr(OnnxRuntime, "kept_bytes", 1)
    export_encoder(base, tmp_path)
    encoder = OnnxEncoder("tiny", tmp_path)

    first, second = (encoder.encode(TEXTS, 1) for _ in range(2))

    assert all(one.vectors is other.vectors for one, other in zip(first, second, strict=True))


def test_long_texts_are_read_whole_and_counted(embedded):
    """A text of many times the model's length gets a vector for every token."""
    embedded.notes.take()
    text = " ".join(f"word{number}" for number in range(1200))

    (found,) = embedded.encode([text], 1)

    assert np.isfinite(found.vectors).all()
    assert found.spans[-2, 1] == len(text)
    assert embedded.notes.take() == {WINDOWED: {text}}


def test_a_text_beyond_memory_is_one_clear_error(embedded, monkeypatch):
    """A line of ten megabytes must not take the machine down; what is too long is said, and how much it may be."""
    monkeypatch.setattr("qassay.models.onnx.encoder.MOST_PIECES", 50)

    with pytest.raises(ModelError, match=r"60 word pieces.*begins with \"dog dog.*\(50\); shorten it"):
        embedded.encode(["cat", "dog " * 60], 1)


def test_a_layer_that_is_not_there_is_refused(embedded):
    """The message says which layers there are."""
    with pytest.raises(ModelError, match="layers 1 to 4, not 9"):
        embedded.encode(["x"], 9)


def test_a_damaged_graph_is_one_clear_error(exported, tmp_path):
    """Bytes that are no graph are an error that names the file."""
    for file in exported.runtime.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "layer1.onnx").write_bytes(b"not a graph")

    with pytest.raises(ModelError, match=r"layer1\.onnx: damaged"):
        OnnxEncoder("broken", tmp_path).encode(["x"], 1)


def test_a_graph_of_another_layer_is_one_clear_error(exported, tmp_path):
    """A graph that opens, but takes something else than it is given, is an error that names the file."""
    for file in exported.runtime.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    first, other = (exported.model.graphs[layer] for layer in (exported.default_layer, exported.layers))
    (tmp_path / first).write_bytes((tmp_path / other).read_bytes())

    with pytest.raises(ModelError, match=rf"{first}: does not run"):
        OnnxEncoder("mixed up", tmp_path).encode(["x"], exported.default_layer)


def test_vectors_of_another_width_are_one_clear_error(exported, tmp_path):
    """A description that says another width than the graphs give is refused, before a long text trips over it."""
    for file in exported.runtime.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    write_description(tmp_path, msgspec.structs.replace(exported.model, width=7))

    with pytest.raises(ModelError, match=r"model\.json says 7"):
        OnnxEncoder("mixed up", tmp_path).encode(["x"], exported.default_layer)


def test_a_damaged_tokenizer_is_one_clear_error(exported, tmp_path):
    """The same for the tokenizer."""
    for file in exported.runtime.folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")

    with pytest.raises(ModelError, match=r"tokenizer\.json: damaged"):
        OnnxEncoder("broken", tmp_path).encode(["x"], 1)


@pytest.mark.parametrize("problem", [KeyboardInterrupt, ModelError])
def test_what_ends_one_thread_ends_the_others_within_a_long_text(embedded, problem):
    """Other threads end when their graph has run, though their text goes on; what happened first is raised."""

    def count(_outputs, _given):
        runs.append(1)
        return []

    runs = []
    session = Session("graph.onnx", SimpleNamespace(run=count, get_outputs=None, get_inputs=list))

    def work(item):
        if item == "interrupted":
            raise problem
        while len(runs) < 10**7:
            session.run(None, {})

    with pytest.raises(problem):
        OnnxRuntime(embedded.runtime.folder, threads=2).parallel(work, ["long text", "interrupted"], [2, 1])
    assert len(runs) < 10**7
