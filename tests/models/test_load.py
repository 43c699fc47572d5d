import os
import subprocess
import sys

import pytest

from qassay.errors import ModelError
from qassay.models import load
from qassay.models.load import load_encoder, load_weigher
from tiny_bert import write_tiny_bert


def test_a_foreign_folder_is_refused(tmp_path):
    """A folder without any model's description is named, with what was looked for."""
    with pytest.raises(ModelError, match=r"model\.json.*config\.json"):
        load_encoder(str(tmp_path))


def test_pickled_weights_are_never_read(tmp_path):
    """A Hugging Face folder whose weights are a pickle is refused."""
    write_tiny_bert(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")

    with pytest.raises(ModelError, match="safetensors"):
        load_encoder(str(tmp_path))


def test_damaged_weights_are_one_clear_error(tmp_path):
    """Safetensors that end in the middle are an error that names the folder."""
    write_tiny_bert(tmp_path)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])

    with pytest.raises(ModelError, match=tmp_path.name):
        load_encoder(str(tmp_path))


def test_an_encoder_without_keyphrase_head_cannot_weigh(tmp_path):
    """A plain Hugging Face encoder has no keyphrase head; the message says how to train one."""
    with pytest.raises(ModelError, match="qassay train keyphrase"):
        load_weigher(str(write_tiny_bert(tmp_path)))


def test_a_gpu_without_torch_is_one_clear_error(monkeypatch):
    """Asking for a GPU where torch is not installed names the extra that has it."""
    monkeypatch.setattr(load, "find_spec", lambda _: None)
    load._onnx_encoder.cache_clear()

    with pytest.raises(ModelError, match=r"qassay\[hf\]"):
        load_encoder("mini", "cuda")


def test_a_hub_name_without_network_is_one_clear_error(tmp_path):
    """Offline and not cached: exit with a sentence, not a traceback of the download."""
    code = (
        "from qassay.errors import ModelError\n"
        "from qassay.models.load import load_encoder\n"
        "try:\n    load_encoder('no-such-owner/no-such-model')\n"
        "except ModelError as problem:\n    print(problem)"
    )
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}

    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - our own

    assert "is not cached on this machine" in done.stdout


def test_embeddings_and_weights_share_one_encoder():
    """Both come from one object, so that a text encoded for one is there for the other."""
    load._onnx_encoder.cache_clear()
    load._onnx_weigher.cache_clear()
    assert load_weigher("mini")._encoder is load_encoder("mini")


@pytest.mark.parametrize("name", ["m" * 5000, "-model", "a--b"])
def test_a_name_that_the_hub_cannot_have_is_one_clear_error(name):
    """It is refused before anything is fetched, in a short message."""
    with pytest.raises(ModelError, match="is no name of a Hugging Face model") as refused:
        load_encoder(name)
    assert len(str(refused.value)) < 500
