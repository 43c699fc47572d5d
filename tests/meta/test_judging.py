from dataclasses import replace

import numpy as np
import pytest

import qassay
from qassay.errors import DataError, SpecError
from qassay.meta.accuracy.estimates import estimate_systems
from qassay.meta.accuracy.judged_run import JUDGED_MISSING, judge_answers
from qassay.meta.accuracy.label_files import Label, Labels
from qassay.records import Example, Reference


def answer(name, candidate, judgement=None, system="A", **extra):
    return Example(
        name, f"What is {name}?", (Reference("red blue"),), candidate, system, judgement=judgement, extra=extra
    )


FOUR = [
    answer("q1", "red blue", 1.0),
    answer("q2", "red", 1.0),
    answer("q3", "green", 0.0),
    answer("q4", None),
]


def test_scores_and_truth_stand_side_by_side():
    """Token recall 1, 1/2, 0; an answer that was not given has no score."""
    run = judge_answers(FOUR, "token_recall")
    assert run.answers.scores == pytest.approx([1, 0.5, 0, np.nan], nan_ok=True)
    assert run.answers.true == pytest.approx([1, 1, 0, np.nan], nan_ok=True)
    assert run.answers.labels is None
    assert run.signature.startswith("token_recall|")


def test_a_threshold_makes_verdicts():
    """From the threshold on an answer is right; the scores stay for choosing."""
    run = judge_answers(FOUR, "token_recall", threshold=0.5)
    assert run.answers.scores == pytest.approx([1, 1, 0, np.nan], nan_ok=True)
    assert run.probabilities[1] == 0.5


def test_the_threshold_is_tuned_on_a_development_file():
    """Two of the three are right there, which a threshold between 0 and 1/2 gives."""
    run = judge_answers(FOUR, "token_recall", dev=FOUR[:3])
    assert 0 < run.threshold <= 0.5


def test_a_development_file_without_judgements_is_an_error():
    """Nothing can be tuned on it."""
    with pytest.raises(DataError, match="no judgements"):
        judge_answers(FOUR, "token_recall", dev=[replace(each, judgement=None) for each in FOUR])


def test_judgements_of_some_answers_are_labels():
    """A system that people judged in part is estimated from that part."""
    run = judge_answers([replace(FOUR[0], judgement=None), *FOUR[1:]], "token_recall")
    assert run.answers.labels.labelled.tolist() == [False, True, True, False]


def test_ratings_need_a_cut():
    """Without one they are not used, and a note says how."""
    rated = [replace(each, judgement=float(i + 1)) for i, each in enumerate(FOUR)]
    assert judge_answers(rated, "token_recall").answers.true is None
    assert "says from which value on an answer is right" in judge_answers(rated, "token_recall").notes[0]
    assert judge_answers(rated, "token_recall", cut=3).answers.true.tolist() == [0, 0, 1, 1]


def test_what_became_of_the_labels_is_noted():
    """Those of missing answers, which are not right; unknown, waiting and averaged ones."""
    given = Label("q1", "", 0.5, "l:2", verdicts=2), Label("q4", "", 1.0, "l:3"), Label("q9", "", 1.0, "l:4")
    labels = Labels(given, (Label("q2", "", np.nan, "l:5"), Label("q3", "", np.nan, "l:6")), 1)
    notes = judge_answers([replace(each, judgement=None) for each in FOUR], "token_recall", labels=labels).notes
    assert [note.split(": ")[1] for note in notes] == ["1", "1", "2", "1"]


def test_a_missing_answer_that_people_judged_is_not_right():
    """Their verdict counts, and the judge's score is 0; one that nobody judged is left out."""
    run = judge_answers([*FOUR[:3], replace(FOUR[3], judgement=0.0), answer("q5", None)], "token_recall")

    assert run.answers.scores == pytest.approx([1, 0.5, 0, 0, np.nan], nan_ok=True)
    assert estimate_systems(run.answers).systems[0].true == 0.5
    assert run.notes == (f"{JUDGED_MISSING}: 1",)


def test_ranked_answers_count_by_the_first():
    """Accuracy is of rank 1; all ranks make MAP and MRR."""
    rows = [
        answer("q1/1", "red", 0.0, question_id="q1", rank=1),
        answer("q1/2", "red blue", 1.0, question_id="q1", rank=2),
        answer("q2/1", "red blue", 1.0, question_id="q2", rank=1),
        answer("q2/2", "green", 0.0, question_id="q2", rank=2),
    ]
    run = judge_answers(rows, "token_recall", threshold=1.0)
    assert [each.id for each in run.examples] == ["q1/1", "q2/1"]
    assert run.answers.scores.tolist() == [0.0, 1.0]
    assert run.system_wise.true["MRR"] == (0.75,)
    assert run.system_wise.by_judge["P@1"] == (0.5,)


def test_a_rank_for_some_answers_only_is_an_error():
    """It names the answer without one."""
    with pytest.raises(DataError, match=r'"rank" of the answer with id "b" is None'):
        judge_answers([answer("a", "red", rank=1), answer("b", "red")], "token_recall")


def test_rounds_are_numbered_and_drawn_anew():
    """The second round leaves the first one's answers out."""
    many = [answer(f"q{i}", "red" if i % 2 else "red blue") for i in range(40)]
    run = judge_answers(many, "token_recall")
    chosen, first = run.choose(10, seed=1)
    labels = Labels(tuple(Label(many[row].id, "A", 1.0, "l:2", 1, 0.25) for row in chosen.rows), (), 0)
    again, second = judge_answers(many, "token_recall", labels=labels).choose(30, seed=1)
    assert (first, second) == (1, 2)
    assert not set(chosen.rows) & set(again.rows)


def test_a_metric_beyond_1_is_no_judge():
    """CIDEr goes up to 10."""
    with pytest.raises(SpecError, match="cider does not score from 0 to 1"):
        judge_answers(FOUR, "cider")


def test_a_judged_missing_answer_counts_beside_labels_too():
    """The truth is known of it, whoever else labelled what."""
    judged = [*FOUR[:3], replace(FOUR[3], judgement=0.0)]

    run = judge_answers(judged, "token_recall", labels=Labels((Label("q1", "", 1.0, "l:2"),), (), 0))

    assert run.answers.scores[3] == 0
    assert estimate_systems(run.answers).systems[0].true == 0.5


def test_labels_join_the_judgements_of_a_system_judged_in_part():
    """What stands inside the answers is not thrown away."""
    labels = Labels((Label("q1", "", 1.0, "l:2"),), (), 0)
    run = judge_answers([replace(FOUR[0], judgement=None), *FOUR[1:]], "token_recall", labels=labels)
    assert run.answers.labels.value == pytest.approx([1, 1, 0, np.nan], nan_ok=True)


MANY = [answer(f"q{i}", "red" if i % 2 else "red blue") for i in range(20)]


def test_nothing_is_chosen_of_a_system_that_is_all_judged():
    """Its truth is known."""
    known = [replace(each, judgement=1.0, system="B") for each in MANY]
    chosen, _ = judge_answers([*known, *MANY], "token_recall").choose(10, seed=1)
    assert min(chosen.rows) >= len(known)


def test_judged_answers_are_not_chosen():
    """Nor those that wait in a list."""
    half = [replace(each, judgement=1.0) if i < 10 else each for i, each in enumerate(MANY)]
    waiting = tuple(Label(each.id, "", np.nan, "l:3", 1, 0.5) for each in MANY[10:14])
    labels = Labels((Label("q14", "", 1.0, "l:2", 1, 0.5),), waiting, 0)
    chosen, round_ = judge_answers(half, "token_recall", labels=labels).choose(20, seed=1)
    assert (sorted(chosen.rows), round_) == ([15, 16, 17, 18, 19], 2)


def test_shares_of_people_are_noted():
    """They may be ratings on a scale from 0 to 1, which they should not be taken for unseen."""
    run = judge_answers(MANY, "token_recall", labels=Labels((Label("q1", "", 0.5, "l:2"),), (), 0))
    assert run.notes == ("labels between right and wrong, taken as the share of people who say right: 1",)


def test_the_tuned_threshold_is_told():
    """The reader sees from which score on an answer counts as right."""
    run = judge_answers(FOUR, "token_recall", dev=FOUR[:3])
    assert f"answers count as right with a score of at least {run.threshold:.4g}" in run.notes[0]


def test_a_threshold_makes_verdicts_of_both_judges():
    """Where a cheap judge stands for an LLM that was not asked, its scores count as right or wrong as well."""
    rows = [
        {
            "id": f"q{i}",
            "candidate": "a",
            "scores": {"llm": 0.7 if i < 10 else None, "cheap": 0.6},
            "asked": {"llm": {"probability": float(i < 10), "otherwise": "cheap"}},
        }
        for i in range(20)
    ]

    def accuracy(threshold):
        return qassay.accuracy(rows, "column:llm", threshold=threshold).accuracy.systems[0].best.estimate

    assert [accuracy(each) for each in (None, 0.5, 0.65, 0.9)] == pytest.approx([0.65, 1, 0.5, 0])
