"""Letters with marks that carry meaning."""

import time

import pytest

from qassay.equivalence.canonicalise import restated


@pytest.mark.parametrize(
    ("reference", "candidate", "read"),
    [
        ("O-", "O negative", "O-"),
        ("A+", "A-positive, mostly", "A+, mostly"),
        ("AB+", "AB positive", "AB+"),
        ("C#", "C sharp", "C#"),
        ("F\u266f minor", "F# minor", "F\u266f minor"),
        ("B\u266d major", "B flat major", "B\u266d major"),
        ("B flat", "B\u266d", "B flat"),
        ("C++", "C plus plus", "C++"),
        ("O-", "O Negative", "O-"),
        ("O-", "O Rh negative", "O-"),
        ("H+", "H\u207a", "H+"),
    ],
)
def test_a_mark_takes_the_references_writing(reference: str, candidate: str, read: str) -> None:
    """A mark and its name say the same."""
    found = restated("", reference, candidate)
    assert found is not None
    assert found.candidate == read


@pytest.mark.parametrize(
    ("reference", "candidate", "left"),
    [
        ("C++", "C", ""),
        ("C", "C++", ""),
        ("C++", "C#", ""),
        ("A+", "A-", ""),
        ("O-", "type O", "type "),
        ("O negative", "O positive", ""),
        ("F# minor", "F minor", " minor"),
        ("B major", "B\u266d major", " major"),
        ("O-", "The universal donor is O positive.", "The universal donor is ."),
        ("B+", "She got a B-.", "She got a ."),
    ],
)
def test_another_mark_is_another_answer(reference: str, candidate: str, left: str) -> None:
    """A letter with another mark, or with none, is left out."""
    found = restated("", reference, candidate)
    assert found is not None
    assert found.candidate == left


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("C++", "It is written in C++."),
        ("C++", "C++, not in C"),
        ("O", "O negative"),
        ("Hepatitis B", "B"),
        ("plan A", "A man came"),
        ("A+", "A man came"),
        ("John F. Kennedy", "John F Kennedy"),
        ("vitamin B-12", "B"),
        ("Group A", "A\u2013B"),
        ("X-ray", "X"),
        ("C++", "Java"),
        ("K+", "the ion of potassium, which is K"),
    ],
)
def test_letters_that_do_not_contradict_stay(reference: str, candidate: str) -> None:
    """Initials, articles and what is only more exact are left as they are."""
    assert restated("", reference, candidate) is None


def test_many_letters_take_no_time() -> None:
    """A list of letters is left alone."""
    before = time.process_time()
    restated("", "A+ " * 1300, "A B " * 1000)
    assert time.process_time() - before < 1
