import numpy as np
import pytest

from qassay.training.keyphrase.build import KeyphraseData
from qassay.training.keyphrase.judged import split_judged
from qassay.training.keyphrase.rows import JudgedPair, KeyphraseRow
from qassay.training.splits import sample


def pair(question, source="made", label=1.0):
    return JudgedPair(question, ("a",), "b", label, source)


def row(question):
    return KeyphraseRow(question, "a", ((0, 1),), "s", "g")


@pytest.fixture
def data():
    return KeyphraseData(train=[row("Trained on?")], dev=[row("Held out?")], sources=[])


def test_pairs_follow_their_questions(data):
    """A question of the keyphrase data's training side is trained on, one of its dev side is chosen by."""
    train, dev = split_judged({"made": [pair("trained on"), pair("held out")]}, data, ())

    assert ([each.question for each in train], [each.question for each in dev]) == (["trained on"], ["held out"])


def test_other_questions_are_split_by_their_text(data):
    """About a fifth of the rest is chosen by, and never one question on both sides."""
    pairs = [pair(f"question {number // 2}") for number in range(1000)]

    train, dev = split_judged({"made": pairs}, data, ())

    assert len(dev) == pytest.approx(200, abs=60)
    assert not {each.question for each in train} & {each.question for each in dev}


def test_evaluation_questions_are_on_neither_side(data):
    """Held-out questions are dropped."""
    assert split_judged({"made": [pair("secret one")]}, data, {"secret one"}) == ([], [])


def test_some_sources_are_never_trained_on(data):
    """What is wholly new to a model tells how it does elsewhere."""
    train, dev = split_judged({"beetle": [pair("trained on", "beetle")]}, data, ())

    assert (len(train), len(dev)) == (0, 1)


def test_samples_are_even_over_sources():
    """At most so many of each source, all of a small one."""
    pairs = [pair(str(number), source) for source, count in (("a", 50), ("b", 3)) for number in range(count)]

    drawn = sample(pairs, 10, np.random.default_rng(0))

    assert [each.source for each in drawn] == ["a"] * 10 + ["b"] * 3
