"""Answers in the reference's words that say something else."""

import pytest

from qassay.equivalence.canonicalise import restated
from qassay.equivalence.contradictions import says_the_contrary


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("before 1990", "after 1990"),
        ("more than 50%", "less than 50%"),
        ("at least 5", "at most 5"),
        ("It increased by 5%.", "It decreased by 5%"),
        ("north of the river", "the south of the river"),
        ("North Korea", "South Korea"),
        ("True", "False"),
        ("Brazil beat Germany", "Germany beat Brazil"),
        ("Corn syrup is denser than water.", "The water is denser than the corn syrup."),
        ("Apple sued Samsung", "Samsung sued Apple"),
        ("In 2002 Brazil beat Germany 2-0", "In 2002 Germany beat Brazil 2-0"),
        ("a profit of $5 million", "a loss of $5 million"),
        ("50 BC", "50 AD"),
        ("Henry VIII", "the wife of Henry VIII"),
        ("Barack Obama", "Barack Obama's father"),
    ],
)
def test_the_contrary_is_no_answer(reference: str, candidate: str) -> None:
    """Nothing is left of an answer that says the contrary."""
    found = restated("What about it?", reference, candidate)
    assert found is not None
    assert not found.candidate


@pytest.mark.parametrize(
    ("question", "reference", "candidate"),
    [
        ("", "red, white and blue", "blue, white and red"),
        ("", "Anna married Bob", "Bob married Anna"),
        ("", "terminal 4 is separated by a gap from terminal 6", "terminal 6 is separated by a gap from terminal 4"),
        ("", "before 1990", "before 1990 and after 1980"),
        ("", "before 1990", "prior to 1990"),
        ("Who was Elizabeth's father?", "Henry VIII", "the husband of Henry VIII"),
        ("", "the wife of Henry VIII", "the wife of Henry VIII"),
        ("", "Henry VIII", "Henry VIII, the father of Elizabeth"),
        ("", "up", "up"),
        ("", "Bond prices fall when interest rates rise", "Bond prices rise when interest rates fall"),
        ("", "Page founded Google with Brin", "Brin founded Google with Page"),
        ("Who was Mary Todd married to?", "Abraham Lincoln", "the wife of Abraham Lincoln"),
        ("", "medicine", "the father of medicine"),
        ("", "", "down"),
    ],
)
def test_what_may_mean_the_same_is_not_the_contrary(question: str, reference: str, candidate: str) -> None:
    """Order does not matter where it need not, and more words may say more."""
    assert not says_the_contrary(question, reference, candidate)


@pytest.mark.parametrize(
    ("candidate", "left"),
    [
        ("It wasn't Shakespeare", ""),
        ("It isn\u2019t Shakespeare.", "."),
        ("I don't know if it was Shakespeare", "I"),
        ("I am not sure whether Shakespeare", "I am"),
        ("Marlowe rather than Shakespeare", "Marlowe"),
        ("Marlowe (not Shakespeare)", "Marlowe"),
    ],
)
def test_what_is_denied_or_unknown_is_left_out(candidate: str, left: str) -> None:
    """An answer that does not claim the reference does not have it."""
    found = restated("Who wrote it?", "Shakespeare", candidate)
    assert found is not None
    assert found.candidate.strip(" .") == left.strip(" .")


def test_a_denial_is_the_answer_where_it_is_asked_for() -> None:
    """What a policy excludes is what it does not cover."""
    assert restated("What does it exclude?", "dental care", "It covers stays but not dental care") is None
