import numpy as np
import pytest

from qassay.errors import ModelError
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.weight_file import read_weights, weights_identity, write_weights
from qassay.training.export.encoder import export_encoder
from tiny_bert import write_tiny_bert

ARRAYS = {
    "small": np.arange(-60, 60, dtype=np.int8).repeat(40).reshape(60, 80),
    "wide": np.linspace(-1, 1, 500, dtype=np.float32),
}


def named(*names):
    """Name tensors as ONNX does: the key of field 8, the length, the name."""
    return b"".join(bytes([0x42, len(name)]) + name.encode() for name in names)


@pytest.fixture
def path(tmp_path):
    write_weights(tmp_path / "w.npz", ARRAYS)
    return tmp_path / "w.npz"


@pytest.mark.parametrize("name", ["small", "wide"])
def test_arrays_come_back(path, name):
    """What is written is read, type and shape included."""
    found = read_weights(path, named("small", "wide"))

    np.testing.assert_array_equal(found[name], ARRAYS[name], strict=True)


def test_only_what_a_graph_names_is_read(path):
    """An array of another graph stays where it is, even if its name is the end of one that is wanted."""
    assert list(read_weights(path, named("small", "very_wide"))) == ["small"]


def test_numpy_reads_the_file(path):
    """The format is NumPy's own."""
    np.testing.assert_array_equal(np.load(path)["small"], ARRAYS["small"])


def test_integers_are_compressed(path):
    """Quantised weights take less room than their bytes."""
    assert path.stat().st_size < ARRAYS["small"].nbytes


@pytest.mark.parametrize("kept", [0, 1000, -30])
def test_a_file_cut_short_is_one_clear_error(path, kept):
    """A truncated file is refused by name."""
    path.write_bytes(path.read_bytes()[:kept])

    with pytest.raises(ModelError, match=r"w\.npz: damaged, or not a file of weights"):
        read_weights(path, named("small"))
    with pytest.raises(ModelError, match=r"w\.npz: damaged, or not a file of weights"):
        weights_identity(path)


@pytest.mark.parametrize("name", ["small", "wide"])
def test_a_changed_byte_is_one_clear_error(path, name):
    """Damage inside an array is found, compressed or not."""
    data = bytearray(path.read_bytes())
    place = data.index(f"{name}.npy".encode()) + 150
    data[place] ^= 0xFF
    path.write_bytes(data)

    with pytest.raises(ModelError, match=r"w\.npz: damaged, or not a file of weights"):
        read_weights(path, named(name))


def test_a_graph_without_its_weights_is_one_clear_error(tmp_path):
    """Weights of another model do not fit the graph, which says so."""
    export_encoder(write_tiny_bert(tmp_path / "base"), tmp_path / "out")
    write_weights(tmp_path / "out" / "encoder.npz", ARRAYS)

    with pytest.raises(ModelError, match=r"layer1\.onnx: damaged, or not a graph"):
        OnnxEncoder("broken", tmp_path / "out").encode(["x"], 1)
