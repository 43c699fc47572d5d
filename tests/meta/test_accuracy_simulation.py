"""The intervals of `qassay accuracy` on EVOUNA-NQ, in a short run of benchmarks/accuracy_simulation.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shared import DATA, train

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "accuracy_simulation.py"
REPEATS = 150


@pytest.fixture(scope="module")
def means():
    train("evouna/NQ.json")
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, BENCHMARK, "--labels", "100", "--repeats", str(REPEATS), "--json"],
        env={**os.environ, "QASSAY_DATA": str(DATA)},
        capture_output=True,
        check=True,
    )
    return {line["design"]: line for line in json.loads(done.stdout)["means"]}


@pytest.mark.parametrize("design", ["random", "active", "two rounds", "questions"])
def test_intervals_hold_what_they_promise(means, design):
    """95 % intervals from 100 labels, five systems: 93 to 97 %, and twice the simulation's own error of 0.8 points."""
    assert 0.93 - 0.016 <= means[design]["coverage"] <= 0.97 + 0.016


def test_intervals_of_whole_questions_hold(means):
    """Twenty questions with five answers each; one simulated system leaves an error of 1.8 points."""
    assert 0.93 - 0.036 <= means["clusters"]["coverage"] <= 0.97 + 0.03


@pytest.mark.parametrize("design", ["random", "active", "two rounds"])
def test_intervals_are_narrower_than_those_of_labels_alone(means, design):
    """By a quarter at least, on average."""
    assert means[design]["narrower"] >= 0.25


@pytest.mark.parametrize("design", ["random", "active", "two rounds", "questions"])
def test_estimates_are_right_on_average(means, design):
    """The weights undo the choice; the mean of 750 estimates has an error of 0.1 points."""
    assert abs(means[design]["bias"]) < 0.004


def test_choosing_by_doubt_is_better_than_at_random(means):
    """The same number of labels, a narrower interval."""
    assert means["active"]["width"] < means["two rounds"]["width"] < means["random"]["width"]
