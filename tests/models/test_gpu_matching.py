"""Matching of token embeddings on torch's CPU device: the similarities that numpy finds."""

import pickle

import numpy as np
import pytest

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.matching import Units, best_similarities
from qassay.models.onnx.encoder import OnnxEncoder

pytestmark = pytest.mark.train

WIDTH = 24
LENGTHS = (2, 5, 31, 32, 33, 64, 70, 200)


@pytest.fixture
def device():
    """What `best_on_device` runs on here."""
    import torch  # noqa: PLC0415 - heavy

    return torch.device("cpu")


def _texts(lengths=LENGTHS):
    rng = np.random.default_rng(3)
    return [rng.standard_normal((length, WIDTH)).astype(np.float32) for length in lengths]


def _all_pairs(count):
    left, right = np.divmod(np.arange(count * count), count)
    return left, right


def _same(texts, arrays, left, right, device):
    """Assert that device and processor find the same similarities."""
    from qassay.models.gpu.matching import best_on_device  # noqa: PLC0415 - loads torch

    found = best_on_device(texts, left, right, device)
    wanted = best_similarities(Units(arrays), left, right)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_pairs_of_all_lengths_together(device):
    """Padding changes nothing, nor do texts that occur in several pairs or on both sides of one."""
    texts = _texts()

    _same(texts, texts, *_all_pairs(len(texts)), device)


def test_no_pairs(device):
    """Nothing to match gives nothing."""
    nothing = np.zeros(0, np.int64)

    _same(_texts(), _texts(), nothing, nothing, device)
    _same([], [], nothing, nothing, device)


@pytest.mark.parametrize(("name", "limit"), [("_NUMBERS_AT_ONCE", 9_000), ("_TOKENS_AT_ONCE", 100)])
def test_bounded_batches_find_the_same(monkeypatch, device, name, limit):
    """Pairs that do not go into one batch, and those that are too long for any."""
    from qassay.models.gpu import matching  # noqa: PLC0415 - loads torch

    monkeypatch.setattr(matching, name, limit)
    texts = _texts()

    _same(texts, texts, *_all_pairs(len(texts)), device)


def test_very_long_texts_match_in_the_same_windows(device):
    """Each token with those at about the same place of the other text."""
    texts = _texts((5_000, 4_000, 20))

    _same(texts, texts, np.array([0, 1, 2]), np.array([1, 0, 0]), device)


def test_rows_of_several_blocks_and_arrays(device):
    """In one block, in another, by numbers of rows, and what is still in the processor's memory."""
    import torch  # noqa: PLC0415 - heavy

    from qassay.models.gpu.device_rows import DeviceRows  # noqa: PLC0415 - loads torch

    blocks = [torch.from_numpy(each) for each in _texts((40, 90))]
    first, second = (DeviceRows(block, 0, len(block)) for block in blocks)
    texts = [first[3:9], second[10:80], first[np.array([30, 2, 7])], _texts((12,))[0], first[3:9]]

    _same(texts, [np.array(each) for each in texts], *_all_pairs(len(texts)), device)


def test_states_are_left_as_they_are(device):
    """What is remembered of a text is not scaled."""
    texts = _texts()
    before = [each.copy() for each in texts]

    _same(texts, texts, *_all_pairs(len(texts)), device)

    assert all((a == b).all() for a, b in zip(texts, before, strict=True))


def test_precision_that_was_allowed_elsewhere_comes_back(device):
    """Products are made in single precision, and the process has its own setting afterwards."""
    import torch  # noqa: PLC0415 - heavy

    given = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        _same(_texts(), _texts(), *_all_pairs(len(LENGTHS)), device)
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(given)


def test_the_encoder_matches_where_its_states_are():
    """Texts, a blank one and one that is read in windows, against the arrays that are fetched of them."""
    from qassay.models.gpu.runtime import TorchRuntime  # noqa: PLC0415 - loads torch

    encoder = OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=TorchRuntime(EMBEDDED_FOLDER, "cpu"))
    texts = ["Mary Shelley", "It was Mary Shelley in 1818.", "", "The committee agreed on nothing. " * 120]
    encoded = encoder.encode(texts, 1)
    left, right = _all_pairs(len(texts))

    found = encoder.match(encoded, left, right)

    wanted = best_similarities(Units([each.vectors for each in encoded]), left, right)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_embeddings_travel_to_other_processes_as_arrays():
    """What is pickled has no memory of a device in it."""
    from qassay.models.gpu.runtime import TorchRuntime  # noqa: PLC0415 - loads torch

    encoder = OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=TorchRuntime(EMBEDDED_FOLDER, "cpu"))
    (encoded,) = encoder.encode(["Mary Shelley"], 1)

    found = pickle.loads(pickle.dumps(encoded))  # noqa: S301 - our own bytes

    assert isinstance(found.states, np.ndarray)
    np.testing.assert_array_equal(found.vectors, encoded.vectors)
