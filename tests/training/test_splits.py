import pytest

from qassay.errors import SpecError
from qassay.training.keyphrase.judged import evouna
from qassay.training.splits import QuestionFold, held_back
from shared import train


def test_a_tenth_of_the_questions_is_held_back():
    """One question in ten is kept for the final test."""
    questions = {pair.question for pair in evouna(train("evouna/NQ.json"))}

    share = sum(map(held_back, questions)) / len(questions)

    assert share == pytest.approx(0.1, abs=0.01)


def test_spelling_does_not_move_a_question():
    """Case, spaces and marks do not decide on which side a question stands."""
    assert held_back("Who wrote Hamlet?") == held_back("  who wrote  hamlet")


def test_every_question_is_in_one_fold_however_spelt():
    """Data of different kinds agree on a question's fold."""
    questions = [f"Who won in {year}?" for year in range(1950, 1990)]

    held = [QuestionFold(number, 4).holds([*questions, "who won in  1950"]) for number in (1, 2, 3, 4)]

    assert sum(fold.astype(int) for fold in held).tolist() == [1] * 41
    assert all(fold[0] == fold[-1] for fold in held)
    assert all(fold.any() for fold in held)


def test_a_fold_is_read_as_it_is_said():
    """The second of four folds."""
    assert QuestionFold.parse("2/4") == QuestionFold(2, 4)


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "1/1", "a/b", "-1/4", "1/4/2"])
def test_what_is_no_fold_is_refused(text: str):
    """A fold is one of at least two."""
    with pytest.raises(SpecError, match="as in 1/4"):
        QuestionFold.parse(text)
