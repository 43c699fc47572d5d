"""Probes: pairs that tell assertion from mention, written by hand, and the floors that the embedded judge must hold."""

import json
import lzma
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qassay.scoring.scorer import score_examples
from qassay.training.answer_text import question_key

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import probes as benchmark

CATEGORIES = 20


@pytest.fixture(scope="module")
def probes():
    """Return all probes."""
    return benchmark.read()


@pytest.fixture(scope="module")
def figures(probes):
    """Return the embedded judge's figures on them."""
    return benchmark.measure(probes, score_examples(probes.examples, ["ava"], batch=128).scores["ava"])


def test_there_are_enough_probes_of_every_category(probes):
    """Five hundred and more in twenty categories, half of each right."""
    counts = Counter(probes.category)
    assert len(probes.examples) >= 500
    assert len(counts) == CATEGORIES
    category = np.array(probes.category)
    assert all(0.4 < probes.right[category == name].mean() < 0.6 for name in counts)


def test_no_probe_occurs_twice(probes):
    """Neither by its id nor by its texts."""
    texts = {(each.question, each.references, each.candidate) for each in probes.examples}
    assert len({each.id for each in probes.examples}) == len(texts) == len(probes.examples)


def test_no_question_of_a_probe_was_trained_on(probes):
    """The answers written for training are about other questions."""
    recipes = Path(sys.modules["qassay"].__file__ or "").parent / "training" / "recipes"
    packed = (recipes / name for name in ("written.jsonl.xz", "everyday.jsonl.xz"))
    lines = [line for path in packed for line in lzma.decompress(path.read_bytes()).splitlines()]
    trained = {question_key(json.loads(line)["question"]) for line in lines}
    assert not trained & {question_key(each.question) for each in probes.examples}


@pytest.mark.parametrize(
    ("figure", "least", "most"),
    [
        ("accuracy", 0.80, 1.0),
        ("auc", 0.88, 1.0),
        ("calibration error", 0.0, 0.10),
        ("wrong mentions called right", 0.0, 0.20),
        ("right long answers accepted", 0.90, 1.0),
    ],
)
def test_the_judge_holds_its_floors(figures, figure, least, most):
    """What was reached is not lost."""
    assert least <= figures[figure] <= most
