"""Bonuses of Yang et al. (2018) where references are tried one by one, with weights, and in mixed scripts."""

from dataclasses import replace

import pytest

from answers import scores_of
from qassay.records import Example, Opinion, Reference

ROUTERS = Example(
    "1",
    "Do routers hurt?",
    (
        Reference("routers have an impact on people", Opinion.YES),
        Reference("there is no harm", Opinion.NO),
    ),
    "routers have no impact on people",
    opinion=Opinion.NO,
)


@pytest.mark.parametrize("metric", ["bleu,n=1,refs=max", "bleu,n=2,refs=max", "bleu:uniform,n=1"])
def test_a_reference_has_no_bonus_from_another(metric: str) -> None:
    """Of references tried one by one the best counts, with the bonus that it has by itself."""
    alone = [scores_of(f"{metric},yesno=2", [replace(ROUTERS, references=(each,))])[0] for each in ROUTERS.references]
    assert scores_of(f"{metric},yesno=2", [ROUTERS])[0] == pytest.approx(max(alone))


@pytest.mark.parametrize("metric", ["bleu,n=2,refs=max", "rouge_l"])
@pytest.mark.parametrize("bonus", ["yesno=2", "entity=1", "yesno=1,entity=2"])
def test_equal_weights_give_the_plain_bonus(metric: str, bonus: str) -> None:
    """With weights that are all the same, a bonus counts as it does without any."""
    example = replace(
        ROUTERS, references=(Reference("no routers have an impact", Opinion.NO),), entities=("no impact",)
    )
    name, _, options = metric.partition(",")
    weighted = ",".join(filter(None, (f"{name}:uniform", options, bonus)))
    assert scores_of(weighted, [example])[0] == pytest.approx(scores_of(f"{metric},{bonus}", [example])[0])


def test_a_bonus_is_weighed_like_the_tokens_that_earn_it() -> None:
    """With keyphrase weights p + p y over 1 + p y is the precision; tokens that weigh nothing bring next to nothing."""
    example = replace(ROUTERS, references=(Reference("no routers have an impact on people", Opinion.NO),))
    plain = scores_of("rouge_l:kpqa", [example])[0]
    with_bonus = scores_of("rouge_l:kpqa,yesno=1", [example])[0]
    assert plain < with_bonus <= 2 * plain


def test_the_same_entity_twice_counts_once() -> None:
    """Gold entities are a set."""
    once = replace(ROUTERS, entities=("no impact",))
    twice = replace(ROUTERS, entities=("no impact", "No impact"))
    assert scores_of("rouge_l,entity=1", [twice])[0] == scores_of("rouge_l,entity=1", [once])[0]


@pytest.mark.parametrize("metric", ["rouge_l,tok=squad", "bleu,n=1,tok=squad"])
def test_a_chinese_entity_in_an_english_answer_is_found(metric: str) -> None:
    """Entities are cut like the candidate, which keeps a quoted name whole."""
    example = Example(
        "1",
        "Who?",
        (Reference("It was \u79e6\u59cb\u7687 for ten years"),),
        "The first emperor \u79e6\u59cb\u7687 ruled here for ten years",
        entities=("\u79e6\u59cb\u7687",),
    )
    assert scores_of(f"{metric},entity=1", [example])[0] > scores_of(metric, [example])[0]
