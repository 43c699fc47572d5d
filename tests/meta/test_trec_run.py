import ir_measures
import pytest

from answers import answer
from qassay.errors import DataError
from qassay.meta.ranking.trec_run import rank_answers, write_run


def candidates(*texts: str, question: str = "q?", **fields):
    return [answer(text, "reference", question=question, id=text, **fields) for text in texts]


def test_answers_are_ordered_by_score_within_their_question():
    """Each question has its own ranking, the best answer first."""
    examples = [*candidates("a", "b", question="first?"), *candidates("c", question="second?")]

    ranking = rank_answers(zip(examples, [0.1, 0.9, 0.5], strict=True))

    assert [(each.question, each.answer, each.rank) for each in ranking.answers] == [
        ("question-1", "b", 1),
        ("question-1", "a", 2),
        ("question-2", "c", 1),
    ]
    assert ranking.questions == 2


def test_questions_that_systems_answer_under_one_id_have_that_id():
    """So the run goes with judgements that know the questions by their ids."""
    examples = [
        answer(f"{system} says {id_}", "reference", question=f"{id_}?", id=id_, system=system)
        for system in "AB"
        for id_ in ("q7", "q1")
    ]

    ranking = rank_answers((each, 0.5) for each in examples)

    assert [(each.question, each.answer) for each in ranking.answers] == [
        ("q7", "A/q7"),
        ("q7", "B/q7"),
        ("q1", "A/q1"),
        ("q1", "B/q1"),
    ]


def test_equal_scores_keep_their_order():
    """Ties do not shuffle answers."""
    ranking = rank_answers((each, 0.5) for each in candidates("a", "b", "c"))

    assert [each.answer for each in ranking.answers] == ["a", "b", "c"]


def test_unscored_answers_are_left_out_and_counted():
    """An answer without a score has no place."""
    ranking = rank_answers(zip(candidates("a", "b"), [None, 0.5], strict=True))

    assert [each.answer for each in ranking.answers] == ["b"]
    assert ranking.unscored == 1


def test_questions_keep_the_names_that_the_data_gives_them():
    """A `question_id` names the question, and tells questions of one text apart."""
    examples = [*candidates("a", extra={"question_id": "Q17"}), *candidates("b", extra={"question_id": "Q18"})]

    ranking = rank_answers((each, 0.5) for each in examples)

    assert [(each.question, each.rank) for each in ranking.answers] == [("Q17", 1), ("Q18", 1)]


def test_systems_tell_answers_with_one_id_apart():
    """With several systems the answer's name begins with its system's."""
    examples = [*candidates("a", system="one"), *candidates("a", system="two")]

    ranking = rank_answers(zip(examples, [0.5, 0.4], strict=True))

    assert [each.answer for each in ranking.answers] == ["one/a", "two/a"]


def test_answers_without_a_question_cannot_be_ranked():
    """The answer is named, with what to give."""
    with pytest.raises(DataError, match=r'"b" has no question.*question_id'):
        rank_answers((each, 0.5) for each in [*candidates("a"), *candidates("b", question=" ")])


def test_trec_tools_read_the_run(tmp_path):
    """ir-measures reads the file and finds the right answer first."""
    path = tmp_path / "run.txt"
    ranking = rank_answers(zip(candidates("an answer", "other"), [0.9, 0.1], strict=True))

    write_run(path, ranking, "ava kind")

    judged = [ir_measures.Qrel("question-1", "an_answer", 1), ir_measures.Qrel("question-1", "other", 0)]
    run = list(ir_measures.read_trec_run(str(path)))
    assert ir_measures.calc_aggregate([ir_measures.P @ 1], judged, run)[ir_measures.P @ 1] == 1.0
