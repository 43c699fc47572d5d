import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from qassay.errors import ModelError
from qassay.models.base import WINDOWED
from qassay.models.load import load_encoder
from tiny_bert import write_tiny_bert

TEXTS = ["Paris is the capital of France.", "no", "", "Four steps are involved in a hypothesis test."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_tiny_bert(tmp_path_factory.mktemp("hf"))


@pytest.fixture
def encoder(folder):
    return load_encoder(str(folder), "cpu")


@pytest.mark.parametrize("layer", [1, 2])
def test_states_are_those_of_transformers(folder, encoder, layer):
    """Texts of unlike length, run together, have the states that each has alone."""
    model, tokenizer = AutoModel.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)

    found = encoder.encode(TEXTS, layer)

    with torch.no_grad():
        alone = [model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True) for text in TEXTS]
    expected = np.concatenate([each.hidden_states[layer][0].numpy() for each in alone])
    np.testing.assert_allclose(np.concatenate([each.vectors for each in found]), expected, atol=2e-6)


def test_marks_and_spans(encoder):
    """The tokenizer's own marks are flagged; the others point at their words."""
    (found,) = encoder.encode(["Paris is red"], 1)

    assert found.special.tolist() == [True, False, False, False, True]
    assert found.spans[1:-1].tolist() == [[0, 5], [6, 8], [9, 12]]


def test_long_texts_are_read_in_windows(encoder):
    """A text longer than the model's positions is read whole, and counted."""
    (found,) = encoder.encode(["paris " * 200], 2)

    assert len(found.ids) == 202
    assert np.isfinite(found.vectors).all()
    assert encoder.notes.take() == {WINDOWED: {"paris " * 200}}


@pytest.mark.parametrize("layer", [0, 3])
def test_a_layer_that_is_not_there_is_refused(encoder, layer):
    """The message says which layers there are."""
    with pytest.raises(ModelError, match="layers 1 to 2"):
        encoder.encode(["x"], layer)


def test_the_fingerprint_is_of_the_weights(encoder, tmp_path, folder):
    """The same files elsewhere have the same fingerprint."""
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())

    assert load_encoder(str(tmp_path), "cpu").fingerprint == encoder.fingerprint


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_gpu_that_is_not_there_is_refused(folder):
    """Without a GPU, asking for one is an error that says what to give instead."""
    with pytest.raises(ModelError, match="device='cpu'"):
        load_encoder(str(folder), "cuda")
