"""Acronyms and what they stand for."""

import time

import pytest

from qassay.equivalence.canonicalise import restated


@pytest.mark.parametrize(
    ("reference", "candidate", "read"),
    [
        ("World Health Organization", "the WHO", "the World Health Organization"),
        ("World Health Organization", "It was the WHO.", "It was the World Health Organization."),
        ("NASA", "National Aeronautics and Space Administration", "NASA"),
        ("MoMA in New York", "MoMA", None),
        ("MOMA", "Museum of Modern Art", "MOMA"),
        ("Massachusetts Institute of Technology", "M.I.T.", "Massachusetts Institute of Technology"),
        ("Franklin D. Roosevelt", "FDR", "Franklin D. Roosevelt"),
        ("Martin Luther King Jr.", "MLK", "Martin Luther King"),
        ("JFK", "John F. Kennedy won it", "JFK won it"),
        ("magnetic resonance imaging", "an MRI", "an magnetic resonance imaging"),
        ("Machine Learning", "ML", "Machine Learning"),
        ("World War I", "WWI", "World War I"),
    ],
)
def test_initials_tell_what_an_acronym_stands_for(reference: str, candidate: str, read: str | None) -> None:
    """The answer has the reference's form of the name."""
    found = restated("Which one?", reference, candidate)
    assert (found and found.candidate) == read


@pytest.mark.parametrize(
    ("question", "reference", "candidate"),
    [
        ("What does UN stand for?", "United Nations", "UN"),
        ("", "Los Angeles", "New Orleans, LA"),
        ("", "FBI", "He was arrested for being in a bar."),
        ("", "World War II", "WWI"),
        ("", "AC and DC", "AD"),
        ("", "Daylight Savings in the US", "DST"),
        ("", "top-level domain", "the top-level domain (TLD)"),
        ("", "Amrita Institute of Medical Sciences (AIMS)", "Amala Institute of Medical Sciences"),
        ("", "World Health Organization", "NATO"),
        ("", "MCI", "Mary Cooper"),
        ("What does the acronym stand for?", "National Aeronautics and Space Administration", "NASA"),
        ("What is his full name?", "Lyndon B. Johnson", "LBJ"),
        ("", "USA", "United States Army"),
        ("", "nitrous oxide", "NO"),
        ("", "Apple Inc.", "AI"),
        ("", "BTS", "The Big Texan Steak Ranch"),
        ("", "Customer-managed relationship", "CMR stands for something else"),
        ("", "SAP Center", "Spain and Portugal"),
        ("", "WHO CAME?", "Who Has Once"),
    ],
)
def test_other_acronyms_are_left_alone(question: str, reference: str, candidate: str) -> None:
    """What the question gives, what is spelt by chance, and what a text writes out itself stays."""
    assert restated(question, reference, candidate) is None


def test_who_in_a_question_is_not_the_who() -> None:
    """The question's words are compared as they are written."""
    found = restated("Who declared the pandemic?", "World Health Organization", "the WHO")
    assert found is not None


def test_many_capitals_take_no_time() -> None:
    """Every acronym is looked for once in every text."""
    text = "Ab Cd " * 600
    before = time.process_time()
    restated("", text, "ABCDEF " * 500)
    assert time.process_time() - before < 2
