from pathlib import Path

import numpy as np
import pytest

from qassay.errors import ModelError
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.judge_layer import Coefficients, JudgeLayer, probability, shortness

LAYER = JudgeLayer(
    {"bias": Coefficients(-1.0, -2.0), "a": Coefficients(3.0, 1.0)}, middle=6.0, width=1.5, threshold=0.5
)


def test_parts_add_up_to_the_logit_of_short_and_long_references():
    """Far from the middle, the coefficients of one side count alone."""
    parts = LAYER.parts(("a",), np.array([[2.0], [2.0]]), np.array([-1000, 1000]))

    # short: -1 + 3·2; long: -2 + 1·2
    np.testing.assert_allclose(parts, [[-1, 6], [-2, 2]])


def test_a_reference_of_middle_length_is_half_short():
    """At the middle both sides count half."""
    parts = LAYER.parts(("a",), np.array([[1.0]]), np.array([6]))

    np.testing.assert_allclose(parts, [[-1.5, 2.0]])


def test_a_reference_of_a_book_is_long():
    """A reference of 20,000 words is as long as one of a thousand, without a warning of overflow."""
    assert shortness(np.array([20_000]), 6.0, 1.5)[0] == pytest.approx(0.0)


def test_signals_without_a_coefficient_add_nothing():
    """A signal that the layer does not weigh has no part."""
    parts = LAYER.parts(("a", "b"), np.array([[1.0, 99.0]]), np.array([1]))

    assert parts[0, 2] == 0


def test_a_signal_that_is_missing_is_an_error():
    """A layer of a newer version names what is not there."""
    with pytest.raises(ModelError, match="a"):
        LAYER.parts(("b",), np.array([[1.0]]), np.array([1]))


def test_a_layer_is_read_as_it_was_written(tmp_path: Path):
    """What is written is read again."""
    LAYER.write(tmp_path)

    assert JudgeLayer.read(tmp_path) == LAYER


@pytest.mark.parametrize("text", ["{", '{"coefficients": {}, "middle": 6, "width": 1, "threshold": 0.5}'])
def test_a_damaged_layer_is_refused(tmp_path: Path, text: str):
    """A layer that cannot be used names its file."""
    (tmp_path / "judge_layer.json").write_text(text)

    with pytest.raises(ModelError, match=r"judge_layer\.json"):
        JudgeLayer.read(tmp_path)


def test_the_embedded_layer_is_there():
    """The package carries a layer that can be read."""
    assert JudgeLayer.read(EMBEDDED_FOLDER).threshold == 0.5


def test_shortness_falls_with_length():
    """One word is short, a paragraph is not."""
    found = shortness(np.array([1, 6, 40]), 6.0, 1.5)

    assert found[0] > 0.9
    assert found[1] == pytest.approx(0.5)
    assert found[2] < 0.1


def test_probabilities_of_extreme_logits_do_not_overflow():
    """However sure, a probability stays one."""
    np.testing.assert_allclose(probability(np.array([-1e4, 0.0, 1e4])), [0, 0.5, 1])
