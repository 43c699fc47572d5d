import numpy as np
import pytest

from qassay.errors import DataError
from qassay.meta.statistics.panel import Panel, Pooling


def panel():
    return Panel.build(
        [1, 2, np.nan, 4],
        {"m": [0.1, np.nan, 0.3, 0.4]},
        system=["x", "y", "x", "y"],
        question=["q1", "q1", "q2", "q2"],
        pooling={"m": Pooling(np.arange(8.0).reshape(4, 2), lambda stats: stats[:, 0] / stats[:, 1])},
    )


def test_complete_rows_have_a_score_and_a_judgement():
    """Rows that lack either are left out."""
    assert panel().complete("m").tolist() == [True, False, False, True]


def test_a_part_keeps_only_its_own_systems_and_questions():
    """Names and numbers are cut down with the rows, and pooled statistics too."""
    part = panel().where(np.array([False, True, False, True]))

    assert part.systems == ("y",)
    assert part.system.tolist() == [0, 0]
    assert part.questions == ("q1", "q2")
    assert part.pool("m").stats.tolist() == [[2, 3], [6, 7]]


def test_splitting_leaves_rows_without_a_label_out():
    """Each label has its part; None is no label."""
    parts = panel().split(["yes", None, "no", "yes"])

    assert {name: len(part) for name, part in parts.items()} == {"yes": 2, "no": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"judgement": [1, np.inf, 2]}, "judgement has 1 infinite values, the first in row 2"),
        ({"scores": {"m": [1, 2, -np.inf]}}, "m has 1 infinite values, the first in row 3"),
        ({"scores": {"m": [1, 2]}}, "2 scores of m for 3 judgements"),
        ({"system": ["x"]}, "1 values of system for 3 judgements"),
        ({"judgement": [[1, 2, 3]]}, "judgement has 2 dimensions"),
        ({"judgement": [], "scores": {}}, "no answers"),
    ],
)
def test_bad_columns_are_refused(arguments, message):
    """What cannot be aligned or counted stops with a message that says where."""
    given = {"judgement": [1, 2, 3], "scores": {"m": [1, 2, 3]}} | arguments

    with pytest.raises(DataError, match=message):
        Panel.build(**given)


def test_an_unknown_metric_is_named_with_the_known_ones():
    """A misspelt metric is the user's mistake, and the message helps."""
    with pytest.raises(DataError, match="no scores of rouge; there are scores of m"):
        panel().score("rouge")
