"""Everyday answers whose verdict nobody would doubt, by kind: numbers, times, symbols, names, yes and no."""

from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest

import qassay

LINES = Path(__file__).with_name("everyday_answers.tsv").read_text(encoding="utf-8").splitlines()[1:]
ANSWERS = {
    kind: [row[1:] for row in rows] for kind, rows in groupby((line.split("\t") for line in LINES), key=itemgetter(0))
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_answers_of_a_kind_get_the_verdict_that_everybody_would_give(kind):
    """Right answers score at least .5, and wrong ones less."""
    examples = [
        {"id": str(i), "question": question, "references": [reference], "candidate": candidate}
        for i, (_, question, reference, candidate) in enumerate(ANSWERS[kind])
    ]

    scores = qassay.score(examples, ["ava"])["ava"]

    judged = zip(ANSWERS[kind], scores, strict=True)
    assert [row for row, score in judged if (score >= 0.5) != (row[0] == "right")] == []


def test_every_kind_has_right_and_wrong_answers():
    """A judge that always says the same fails each kind."""
    assert all({row[0] for row in rows} == {"right", "wrong"} for rows in ANSWERS.values())
