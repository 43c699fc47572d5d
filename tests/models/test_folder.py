import msgspec
import numpy as np
import pytest

from qassay.errors import ModelError
from qassay.models.folder import DESCRIPTION, KeyphraseHead, OnnxModel, fingerprint, write_description
from qassay.models.onnx.weight_file import write_weights


def described(folder, head=None):
    files = ["tokenizer.json", "w.npz", "layer1.onnx", *([head.question, head.answer, head.weights] if head else [])]
    folder.mkdir(exist_ok=True)
    for name in files:
        (folder / name).write_text("x", encoding="utf-8")
    model = OnnxModel(8, 64, {1: "layer1.onnx"}, 1, "w.npz", "int8", head)
    write_description(folder, model)
    return model


def test_a_description_survives_writing_and_reading(tmp_path):
    """What is written comes back, the keyphrase head included."""
    model = described(tmp_path, KeyphraseHead(1, "q.onnx", "a.onnx", "k.npz", 1.15))

    assert OnnxModel.read(tmp_path) == model


def test_a_folder_without_description_is_refused(tmp_path):
    """The message says which file is missing."""
    with pytest.raises(ModelError, match=DESCRIPTION):
        OnnxModel.read(tmp_path)


def test_a_damaged_description_is_refused(tmp_path):
    """Half a description is an error that names the file."""
    described(tmp_path)
    (tmp_path / DESCRIPTION).write_text('{"width": ', encoding="utf-8")

    with pytest.raises(ModelError, match="damaged"):
        OnnxModel.read(tmp_path)


def test_a_head_for_answers_alone_lies_beside_the_other(tmp_path):
    """Each weighing finds its own head; where there is one only, it serves both."""
    both = described(tmp_path, KeyphraseHead(1, "q.onnx", "a.onnx", "k.npz", 1.15))
    head = KeyphraseHead(1, None, "alone.onnx", "alone.npz", 1.0)
    both = msgspec.structs.replace(both, keyphrase_alone=head)
    for name in head.files:
        (tmp_path / name).write_text("x", encoding="utf-8")
    write_description(tmp_path, both)
    alone = msgspec.structs.replace(both, keyphrase=None)

    assert OnnxModel.read(tmp_path) == both
    assert both.keyphrase_head(with_question=True) == both.keyphrase
    assert both.keyphrase_head(with_question=False) == head
    assert alone.keyphrase_head(with_question=True) == head
    (tmp_path / "alone.npz").unlink()
    with pytest.raises(ModelError, match=r"alone\.npz"):
        OnnxModel.read(tmp_path)


@pytest.mark.parametrize("name", ["tokenizer.json", "w.npz", "layer1.onnx"])
def test_a_missing_file_is_named(tmp_path, name):
    """Every file that the description names must be there."""
    described(tmp_path)
    (tmp_path / name).unlink()

    with pytest.raises(ModelError, match=name):
        OnnxModel.read(tmp_path)


def test_a_layer_that_is_left_out_is_refused(tmp_path):
    """Every layer up to the highest can be asked for, and must be there."""
    model = described(tmp_path)
    write_description(tmp_path, msgspec.structs.replace(model, graphs={2: "layer1.onnx"}, default_layer=2))

    with pytest.raises(ModelError, match="layers must be 1, 2"):
        OnnxModel.read(tmp_path)


def test_a_folder_with_a_graph_for_each_step_is_refused(tmp_path):
    """A description of the layout in which graphs went on from the layer below says that it must be exported again."""
    described(tmp_path)
    path = tmp_path / DESCRIPTION
    path.write_text(path.read_text(encoding="utf-8").replace('"graphs"', '"layers"'), encoding="utf-8")

    with pytest.raises(ModelError, match=r"another version.*graphs.*export the model again"):
        OnnxModel.read(tmp_path)


@pytest.mark.parametrize(("longest", "temperature"), [(2, 1.15), (-1, 1.15), (64, 0.0)])
def test_numbers_that_nothing_can_be_computed_with_are_refused(tmp_path, longest, temperature):
    """No room for a word, or a temperature to be divided by that is zero, is damage."""
    model = described(tmp_path, KeyphraseHead(1, "q.onnx", "a.onnx", "k.npz", temperature))
    write_description(tmp_path, msgspec.structs.replace(model, longest=longest))

    with pytest.raises(ModelError, match="damaged"):
        OnnxModel.read(tmp_path)


def test_fingerprints_follow_the_content(tmp_path):
    """Equal content has one fingerprint wherever it lies; one changed byte gives another."""
    (tmp_path / "a").write_bytes(b"weights")
    (tmp_path / "b").write_bytes(b"weights")
    (tmp_path / "c").write_bytes(b"weightz")

    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b") != fingerprint(tmp_path / "c")


def test_fingerprints_of_weights_follow_the_arrays(tmp_path):
    """Weights count by what they hold, however they were compressed."""
    arrays = {"a": np.arange(2000, dtype=np.int8), "b": np.ones(9, np.float32)}
    write_weights(tmp_path / "w.npz", arrays)
    np.savez(tmp_path / "stored.npz", **arrays)
    write_weights(tmp_path / "other.npz", arrays | {"b": np.zeros(9, np.float32)})

    found, stored, other = (fingerprint(tmp_path / f"{name}.npz") for name in ("w", "stored", "other"))

    assert found == stored != other


@pytest.mark.parametrize("place", ["../w.npz", "/models/w.npz", "a/w.npz", "a\\w.npz", ".."])
def test_a_file_outside_the_folder_is_refused(tmp_path, place):
    """A description names files that lie beside it, and nothing else is opened."""
    described(tmp_path / "model")
    (tmp_path / "w.npz").write_text("x", encoding="utf-8")
    text = (tmp_path / "model" / DESCRIPTION).read_text(encoding="utf-8")
    (tmp_path / "model" / DESCRIPTION).write_text(text.replace("w.npz", place.replace("\\", "\\\\")), encoding="utf-8")

    with pytest.raises(ModelError, match="not the name of a file beside it"):
        OnnxModel.read(tmp_path / "model")


def test_bytes_that_are_no_text_are_refused(tmp_path):
    """A description with a byte that is not UTF-8 is damaged, and not a traceback."""
    described(tmp_path)
    text = (tmp_path / DESCRIPTION).read_bytes()
    (tmp_path / DESCRIPTION).write_bytes(text.replace(b"w.npz", b"w\xff.npz"))

    with pytest.raises(ModelError, match="damaged"):
        OnnxModel.read(tmp_path)
