"""The learned metrics judge answers in their reference's own terms."""

import numpy as np
import pytest

from qassay import score
from qassay.metrics.learned.canonical_pairs import as_written
from qassay.metrics.learned.judges import RESTATED, LearnedMetric

ROWS = [
    ("How long did it take?", "two weeks", "It took 14 days."),
    ("How far is it?", "1.5 km", "1.5 miles"),
    ("When was it?", "17 August 1945", "1945-08-17"),
    ("What is the capital of Australia?", "Canberra", "The capital is Sydney, not Canberra."),
    ("Who wrote Frankenstein?", "Mary Shelley", "It was Shelley."),
]


def _rows(rows=ROWS):
    return [
        {"id": str(i), "question": question, "references": [reference], "candidate": candidate}
        for i, (question, reference, candidate) in enumerate(rows)
    ]


@pytest.mark.parametrize("spec", ["ava", "lerc"])
def test_terms_do_not_decide(spec):
    """The same in other units and forms is right; the same number with another unit is wrong, and so is a denial."""
    scores = score(_rows(), [spec])[spec]
    assert scores[0] > 0.9
    assert scores[1] < 0.5
    assert scores[2] == 1
    assert scores[3] < 0.5


def test_what_is_not_restated_is_judged_as_ever(monkeypatch):
    """And so is everything, by the models of the paper."""
    specs = ["ava", "lerc", "ava,kind=linear"]
    found = score(_rows(), specs)
    monkeypatch.setattr(LearnedMetric, "sides", lambda _, batch, pairs: as_written(batch, pairs))
    written = score(_rows(), specs)

    assert found["ava"][4] == written["ava"][4]
    assert found["lerc"][4] == written["lerc"][4]
    np.testing.assert_array_equal(found["ava,kind=linear"], written["ava,kind=linear"])
    assert (found["ava"][:4] != written["ava"][:4]).all()


def test_restated_answers_are_counted_in_a_note():
    """Each once, however many judges and references see it."""
    rows = [{**row, "references": [*row["references"], "three fortnights"]} for row in _rows()]
    assert score(rows, ["ava", "lerc"]).notes[RESTATED] == 4
    assert RESTATED not in score(_rows(ROWS[4:]), ["ava"]).notes


def test_the_best_reference_counts_whichever_side_it_is_on():
    """One reference is met as written, the other in other terms."""
    (both,) = score(
        [
            {
                "id": "1",
                "question": "How long?",
                "references": ["a fortnight or so", "two weeks"],
                "candidate": "14 days",
            }
        ],
        ["lerc"],
    )["lerc"]
    assert both == 1
