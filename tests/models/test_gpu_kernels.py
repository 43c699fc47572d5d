"""The GPU's kernels, in Triton's interpreter: the bits of torch's own operations, and the scores of onnxruntime."""

import logging
from functools import partial

import numpy as np
import pytest

from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.judge import JudgeInput, OnnxJudge
from qassay.models.onnx.keyphrase import OnnxWeigher
from qassay.models.onnx.reader import ANSWER_READER, OnnxReader

pytestmark = pytest.mark.train

ROWS = [
    ("Who wrote the novel Frankenstein?", "Mary Shelley", "It was written by Mary Shelley in 1818."),
    ("When did the war end?", "in 1945", "It ended on 8 May 1945, at least in Europe."),
]
NEAR = 1e-6


@pytest.fixture
def launch(monkeypatch):
    """The functions that run kernels, with products fused and added up in order, as a GPU does."""
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    pytest.importorskip("triton", minversion="3.9")
    from triton.runtime.interpreter import InterpreterBuilder, TensorHandle  # noqa: PLC0415 - may be absent

    from qassay.models.gpu import launch  # noqa: PLC0415 - needs Triton

    def in_order(_, left, right, added, *_given):
        found = added.data
        for place in range(left.data.shape[1]):
            product = left.data[:, place, None].astype(np.float64) * right.data[None, place]
            found = (product + found).astype(np.float32)
        return TensorHandle(found, added.dtype.scalar)

    monkeypatch.setattr(InterpreterBuilder, "create_dot", in_order)
    return launch


@pytest.fixture
def operations():
    """What chooses among kernels and torch's own operations; it loads torch."""
    from qassay.models.gpu import operations  # noqa: PLC0415 - as above

    return operations


@pytest.fixture
def samples(operations):
    """Inputs of each operation, on torch's CPU device."""
    import torch  # noqa: PLC0415 - heavy

    return operations.Samples(torch.device("cpu"))


@pytest.fixture
def with_kernels(launch, operations, monkeypatch):
    """The embedded encoder on torch's CPU device, with kernels; no operation is left to torch's own."""
    from qassay.models.gpu import network, runtime  # noqa: PLC0415 - loads torch

    fused = operations.Operations(
        launch.linear, launch.add_and_norm, launch.linear_and_norm, partial(launch.attend, dot=True)
    )
    monkeypatch.setattr(network, "operations_on", lambda _: fused)
    return OnnxEncoder("mini", EMBEDDED_FOLDER, runtime=runtime.TorchRuntime(EMBEDDED_FOLDER, "cpu"))


@pytest.fixture
def cpu():
    """The embedded encoder on onnxruntime."""
    return OnnxEncoder("mini", EMBEDDED_FOLDER, threads=1)


@pytest.mark.parametrize("gelu", [False, True])
def test_dense_layers_have_the_same_bits(launch, operations, samples, gelu):
    """Ranges, integers, scaling and Gelu."""
    found, wanted = (each.linear(samples.rows, samples.weights, gelu=gelu) for each in (launch, operations.PLAIN))

    assert operations.same_bits(found, wanted)


def test_ranges_that_are_known_are_not_looked_for(launch, operations, samples):
    """What comes with rows is what would be found."""
    states = launch.add_and_norm(*samples.sums)

    found = launch.linear(states, samples.weights)

    assert states.ranges is not None
    assert operations.same_bits(found, operations.PLAIN.linear(states._replace(ranges=None), samples.weights))


def test_normalisation_has_the_same_bits(launch, operations, samples):
    """Of the sum of rows."""
    found, wanted = (each.add_and_norm(*samples.sums) for each in (launch, operations.PLAIN))

    assert operations.same_bits(found, wanted)


def test_dense_layers_that_are_normalised_have_the_same_bits(launch, operations, samples):
    """The product is scaled, added and normalised in one pass."""
    found, wanted = (each.linear_and_norm(*samples.product_sums) for each in (launch, operations.PLAIN))

    assert operations.same_bits(found, wanted)


@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize("dot", [False, True])
@pytest.mark.parametrize("sample", ["attention", "short_attention"])
def test_attention_has_the_same_bits(launch, operations, samples, sample, *, dot, lanes):
    """For queries in blocks, alone in theirs, keys in several blocks or all at once, and both kinds of processors."""
    given = getattr(samples, sample)

    found = launch.attend(*given, lanes, dot=dot)

    assert operations.same_bits(found, operations.PLAIN.attend(*given, lanes))


def test_all_kernels_are_chosen_where_they_are_exact(launch, operations, caplog):
    """Without a warning."""
    import torch  # noqa: PLC0415 - heavy

    found = operations.chosen(launch, torch.device("cpu"))

    assert not caplog.records
    assert found[:3] == (launch.linear, launch.add_and_norm, launch.linear_and_norm)
    assert found.attend.keywords == {"dot": True}


@pytest.mark.parametrize("fault", ["raises", "is off"])
def test_kernels_that_fail_are_not_used(operations, fault, caplog):
    """A GPU on which they do not run, or give other numbers, does without them, and a warning says so once each."""
    import torch  # noqa: PLC0415 - heavy

    class Faulty:
        """Kernels that raise, or return what they are given."""

        @staticmethod
        def linear(rows, *_given, **_settings):
            if fault == "raises":
                raise RuntimeError("no such instruction")
            return rows

        add_and_norm = linear_and_norm = attend = linear

    with caplog.at_level(logging.WARNING, "qassay.gpu"):
        found = operations.chosen(Faulty, torch.device("cpu"))

    assert found == operations.PLAIN
    assert [record.args[0] for record in caplog.records] == [
        "dense layers",
        "normalisation",
        "dense layers with normalisation",
        "attention",
    ]


def test_the_judge_gives_the_logits_of_the_cpu(with_kernels, cpu):
    """Through the encoder and all layers of the judge."""
    pairs = [JudgeInput(*row) for row in ROWS]

    found, wanted = (OnnxJudge(each).judge(pairs) for each in (with_kernels, cpu))

    np.testing.assert_allclose(found, wanted, atol=NEAR, rtol=NEAR)


def test_keyphrase_weights_are_those_of_the_cpu(with_kernels, cpu):
    """Whose answers attend to the states of their questions."""
    pairs = [(question, answer) for question, _, answer in ROWS]

    found, wanted = (OnnxWeigher(each).weigh(pairs) for each in (with_kernels, cpu))

    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=NEAR, rtol=NEAR)


def test_the_reader_of_answers_finds_those_of_the_cpu(with_kernels, cpu):
    """With the same probability that there is none."""
    pairs = [(question, answer) for question, _, answer in ROWS]

    found, wanted = (OnnxReader(each, ANSWER_READER).answer(pairs) for each in (with_kernels, cpu))

    assert [each.text for each in found] == [each.text for each in wanted]
    assert [each.none for each in found] == pytest.approx([each.none for each in wanted], abs=NEAR)
