import ir_measures
import numpy as np
import pytest

from answers import answer
from qassay.errors import DataError
from qassay.meta.trec_run import rank_answers, run_lines


def candidates(*texts: str, question: str = "q?", **fields):
    return [answer(text, "reference", question=question, id=text, **fields) for text in texts]


def test_answers_are_ordered_by_score_within_their_question():
    """Each question has its own ranking, the best answer first."""
    examples = [*candidates("a", "b", question="first?"), *candidates("c", question="second?")]

    ranked, _ = rank_answers(examples, [0.1, 0.9, 0.5])

    assert [(each.question, each.answer, each.rank) for each in ranked] == [
        ("q1", "b", 1),
        ("q1", "a", 2),
        ("q2", "c", 1),
    ]


def test_equal_scores_keep_their_order():
    """Ties do not shuffle answers."""
    ranked, _ = rank_answers(candidates("a", "b", "c"), [0.5, 0.5, 0.5])

    assert [each.answer for each in ranked] == ["a", "b", "c"]


def test_unscored_answers_are_left_out_and_counted():
    """An answer without a score has no place."""
    ranked, missing = rank_answers(candidates("a", "b"), [np.nan, 0.5])

    assert [each.answer for each in ranked] == ["b"]
    assert missing == 1


def test_questions_keep_the_names_that_the_data_gives_them():
    """A `question_id` names the question."""
    ranked, _ = rank_answers(candidates("a", extra={"question_id": "Q17"}), [0.5])

    assert ranked[0].question == "Q17"


def test_systems_tell_answers_with_one_id_apart():
    """With several systems the answer's name begins with its system's."""
    examples = [*candidates("a", system="one"), *candidates("a", system="two")]

    ranked, _ = rank_answers(examples, [0.5, 0.4])

    assert [each.answer for each in ranked] == ["one/a", "two/a"]


def test_scores_must_match_the_answers():
    """One score an answer."""
    with pytest.raises(DataError, match="2 answers and 1 scores"):
        rank_answers(candidates("a", "b"), [0.5])


def test_trec_tools_read_the_run(tmp_path):
    """ir-measures reads the lines and finds the right answer first."""
    ranked, _ = rank_answers(candidates("an answer", "other"), [0.9, 0.1])
    path = tmp_path / "run.txt"
    path.write_text("\n".join(run_lines(ranked, "ava kind")) + "\n")

    run = list(ir_measures.read_trec_run(str(path)))
    judged = [ir_measures.Qrel("q1", "an_answer", 1), ir_measures.Qrel("q1", "other", 0)]

    assert ir_measures.calc_aggregate([ir_measures.P @ 1], judged, run)[ir_measures.P @ 1] == 1.0
