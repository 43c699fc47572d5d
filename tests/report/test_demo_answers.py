"""The packaged example answers, which `qassay demo` and the guides use."""

from importlib.resources import files

import pytest

from qassay.io.input_stream import Reader


@pytest.fixture(scope="module")
def answers():
    return list(Reader([str(files("qassay") / "assets" / "demo.jsonl")]))


def test_three_systems_answer_the_same_forty_questions(answers):
    """Every comparison is paired."""
    asked = {system: {each.id for each in answers if each.system == system} for system in ("atlas", "birch", "comet")}
    assert [len(ids) for ids in asked.values()] == [40, 40, 40]
    assert asked["atlas"] == asked["birch"] == asked["comet"]


def test_every_answer_has_a_judgement_from_one_to_five(answers):
    """`correlate` can use them all."""
    assert all(1 <= each.judgement <= 5 for each in answers)


def test_people_find_the_careful_system_best_and_the_hasty_one_worst(answers):
    """The verbose one is right nearly as often, which words alone do not show."""
    means = [
        sum(each.judgement for each in answers if each.system == name) / 40 for name in ("atlas", "birch", "comet")
    ]
    assert min(means[:2]) > 4.5
    assert means[2] < 2.5


def test_missing_and_empty_answers_are_there(answers):
    """A reader sees that they are not the same."""
    assert [sum(each.candidate is None for each in answers), sum(each.candidate == "" for each in answers)] == [1, 3]


def test_yes_no_questions_state_opinions(answers):
    """The bonus metrics have something to work with."""
    asked = [each for each in answers if each.question_type == "yes-no"]
    assert all(each.opinion and all(reference.opinion for reference in each.references) for each in asked)
    assert len(asked) == 21
