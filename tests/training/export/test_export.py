import json

import numpy as np
import onnx
import pytest
from safetensors.numpy import load_file

from qassay.errors import ModelError
from qassay.training.export.encoder import export_encoder
from qassay.training.export.graph import Graph, LayerWeights, WeightFile, quantise
from tiny_bert import write_tiny_bert

pytestmark = pytest.mark.train


def test_layers_share_their_weights(tmp_path):
    """The file of weights holds each array once, whatever the number of graphs over it."""
    base = write_tiny_bert(tmp_path / "base", layers=2)

    export_encoder(base, tmp_path / "one", layers=1, int8=False)
    export_encoder(base, tmp_path / "two", layers=2, int8=False)

    one, two = ((tmp_path / name / "encoder.npz").stat().st_size for name in ("one", "two"))
    layer = 4 * (4 * 32 * 32 + 2 * 32 * 128)
    assert two - one == pytest.approx(layer, rel=0.6)


def test_graphs_go_on_from_the_default_layer(tmp_path):
    """Up to the default layer a graph begins with word pieces, which it embeds; above it, with the default layer."""
    export_encoder(write_tiny_bert(tmp_path / "base", layers=4), tmp_path / "out", default_layer=2)

    graphs = [onnx.load(tmp_path / "out" / f"layer{n}.onnx", load_external_data=False).graph for n in (1, 2, 3, 4)]

    kinds = [[node.op_type for node in graph.node] for graph in graphs]
    assert [each.count("MultiHeadAttention") for each in kinds] == [1, 2, 1, 2]
    assert [each.count("Gather") for each in kinds] == [2, 2, 0, 0]


def test_factors_leave_room_for_sixteen_bits(tmp_path):
    """No quantised matrix has a factor whose product pairs with unsigned 8-bit inputs overflow 16 bits."""
    export_encoder(write_tiny_bert(tmp_path / "base"), tmp_path / "out")

    stored = np.load(tmp_path / "out" / "encoder.npz")
    factors = [stored[name] for name in stored.files if name.endswith("widen.weight")]
    assert all(2 * 255 * int(np.abs(array.astype(int)).max()) < 2**15 for array in factors)
    assert factors


def test_quantised_lines_keep_their_scale():
    """Each line is within half a step of the original; a line of zeros stays zero."""
    array = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [100.0, 3.0, -7.0]], np.float32)

    small, scale = quantise(array, axis=1, largest=127)

    np.testing.assert_allclose(small * scale[:, None], array, atol=0.5 * scale.max() + 1e-7)
    assert not small[1].any()


def test_an_array_is_stored_once(tmp_path):
    """The same name twice is one array."""
    file = WeightFile(tmp_path / "w.npz")

    file.add("a", np.ones(2000, np.float32))
    file.add("a", np.ones(2000, np.float32))
    file.write()

    assert np.load(tmp_path / "w.npz").files == ["a"]


@pytest.mark.parametrize("broken", ["config.json", "tokenizer.json", "model.safetensors"])
def test_an_incomplete_base_is_refused(tmp_path, broken):
    """The message names the missing file."""
    base = write_tiny_bert(tmp_path / "base")
    (base / broken).unlink()

    with pytest.raises(ModelError, match=broken.replace(".", r"\.")):
        export_encoder(base, tmp_path / "out")


def test_only_berts_can_be_exported(tmp_path):
    """Another architecture is refused by name."""
    base = write_tiny_bert(tmp_path / "base")
    config = json.loads((base / "config.json").read_text(encoding="utf-8")) | {"model_type": "roberta"}
    (base / "config.json").write_text(json.dumps(config), encoding="utf-8")

    with pytest.raises(ModelError, match="roberta"):
        export_encoder(base, tmp_path / "out")


def test_attention_inputs_are_computed_once(tmp_path):
    """A layer whose keys and values were asked for before goes on with them."""
    weights = load_file(write_tiny_bert(tmp_path / "base") / "model.safetensors")
    graph = Graph(WeightFile(tmp_path / "w.npz"), int8=True, heads=4)
    layer = LayerWeights.from_bert(weights, 0)

    graph.attention_inputs("states", "layer", layer)
    graph.save(tmp_path / "g.onnx", {}, {"out": (graph.layer("states", "layer", layer), [1, "pieces", 32])})

    kinds = [node.op_type for node in onnx.load(tmp_path / "g.onnx", load_external_data=False).graph.node]
    assert kinds.count("DynamicQuantizeMatMul") == 4
