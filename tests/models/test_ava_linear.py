import pytest

from qassay.errors import ModelError
from qassay.models.linear_judge import LinearAva, linear_features, sim_text


def test_features_of_the_papers_example():
    """x1: the short answer stands in t; x2 to x4 count shared tokens over both sizes."""
    found = linear_features("who won", "anna won it", ["anna"], "it was anna")

    # token sets: q {who, won}, r {anna, won, it}, t {it, was, anna}
    assert found == (1.0, pytest.approx(2 * 2 / 6), pytest.approx(2 * 1 / 5), 0.0)


def test_a_short_answer_must_stand_there_as_a_whole():
    """Inclusion is of whole words."""
    assert linear_features("q", "r", ["ann"], "it was anna")[0] == 0.0


def test_two_empty_texts_are_not_alike():
    """Without tokens there is nothing to share."""
    assert sim_text(frozenset(), frozenset()) == 0.0


def test_a_missing_classifier_says_how_to_train_one(tmp_path):
    """The error names the command."""
    with pytest.raises(ModelError, match="qassay train ava"):
        LinearAva.read(tmp_path)
