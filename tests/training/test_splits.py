import pytest

from qassay.training.keyphrase.judged import evouna
from qassay.training.splits import held_back
from shared import train


def test_a_tenth_of_the_questions_is_held_back():
    """One question in ten is kept for the final test."""
    questions = {pair.question for pair in evouna(train("evouna/NQ.json"))}

    share = sum(map(held_back, questions)) / len(questions)

    assert share == pytest.approx(0.1, abs=0.01)


def test_spelling_does_not_move_a_question():
    """Case, spaces and marks do not decide on which side a question stands."""
    assert held_back("Who wrote Hamlet?") == held_back("  who wrote  hamlet")
