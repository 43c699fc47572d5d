import pytest

from qassay.errors import ModelError
from qassay.models.folder import DESCRIPTION, KeyphraseHead, OnnxModel, fingerprint, write_description


def described(folder, head=None):
    files = ["tokenizer.json", "w.bin", "layer1.onnx", *([head.question, head.answer, head.weights] if head else [])]
    folder.mkdir(exist_ok=True)
    for name in files:
        (folder / name).write_text("x", encoding="utf-8")
    model = OnnxModel(8, 64, {1: "layer1.onnx"}, 1, "w.bin", "int8", head)
    write_description(folder, model)
    return model


def test_a_description_survives_writing_and_reading(tmp_path):
    """What is written comes back, the keyphrase head included."""
    model = described(tmp_path, KeyphraseHead(1, "q.onnx", "a.onnx", "k.bin", 1.15))

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


@pytest.mark.parametrize("name", ["tokenizer.json", "w.bin", "layer1.onnx"])
def test_a_missing_file_is_named(tmp_path, name):
    """Every file that the description names must be there."""
    described(tmp_path)
    (tmp_path / name).unlink()

    with pytest.raises(ModelError, match=name):
        OnnxModel.read(tmp_path)


def test_fingerprints_follow_the_content(tmp_path):
    """Equal content has one fingerprint wherever it lies; one changed byte gives another."""
    (tmp_path / "a").write_bytes(b"weights")
    (tmp_path / "b").write_bytes(b"weights")
    (tmp_path / "c").write_bytes(b"weightz")

    assert fingerprint(tmp_path / "a") == fingerprint(tmp_path / "b") != fingerprint(tmp_path / "c")
