"""A batch: texts stored once, pairs, and one memo of what is computed on them."""

import pytest

from answers import answer
from qassay.features.batch import Batch
from qassay.features.token_views import token_view


def test_equal_texts_are_stored_once():
    """A text that is candidate here and reference there has one row."""
    batch = Batch([answer("Paris", "Rome", "Paris"), answer("Rome", "Paris")])

    assert batch.texts == ["Paris", "Rome"]


def test_memo_computes_once():
    """What was computed under a key is returned, and not computed again."""
    batch = Batch([answer("Paris", "Rome")])
    first = batch.memo("lengths", lambda: [5, 4])

    assert batch.memo("lengths", lambda: pytest.fail("computed again")) is first


def test_views_are_shared():
    """Two metrics with one tokeniser and weighting see the same tokens."""
    batch = Batch([answer("Paris", "Rome")])

    assert token_view(batch, "word", "uniform") is token_view(batch, "word", "uniform")
