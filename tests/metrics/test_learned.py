import shutil
from pathlib import Path

import numpy as np
import pytest

from answers import answer
from qassay.features.batch import Batch
from qassay.metrics.breakdown import Ingredient, ScoreBreakdown
from qassay.metrics.learned.base import NO_QUESTION, UNSURE
from qassay.metrics.registry import create, create_all
from qassay.models.base import EMBEDDED_FOLDER

QUESTION = "How many steps are involved in a hypothesis test?"


def values(spec: str, *examples):
    return create(spec).values(Batch(list(examples)))


@pytest.mark.parametrize("spec", ["ava", "lerc"])
def test_the_right_answer_scores_higher_than_the_wrong_one_with_more_overlap(spec: str):
    """Figure 1 of the KPQA paper, where overlap prefers the wrong answer."""
    reference = "Four steps are involved in a hypothesis test."
    right, wrong = values(
        spec,
        answer("It takes four.", reference, question=QUESTION),
        answer("There are seven steps involved in a hypothesis test .", reference, question=QUESTION),
    )

    assert right > wrong


@pytest.mark.parametrize("spec", ["ava", "ava,kind=linear", "lerc"])
def test_the_mean_of_references_lies_between_worst_and_best(spec: str):
    """`refs=mean` averages what `refs=max` chooses from."""
    both = answer("Paris", "It is Paris.", "It is Rome.", question="What is the capital of France?")
    alone = [answer("Paris", text.text, question=both.question) for text in both.references]
    first, second = values(spec, *alone)

    assert values(spec, both)[0] == max(first, second)
    assert values(f"{spec},refs=mean", both)[0] == pytest.approx((first + second) / 2)


def test_another_encoder_leaves_the_judge_as_it_is():
    """A model named for the whole run, which cannot judge, is for the metrics that need an encoder."""
    (metric,) = create_all(["ava"], model="roberta-large")

    assert metric.text("model") == "mini"


def test_an_explanation_adds_up_to_the_score():
    """The parts of the reference that fits best sum to the logit behind the score."""
    metric = create("ava")
    batch = Batch([answer("It is Paris, I think.", "Rome", "Paris", question="What is the capital of France?")])

    (found,) = metric.explain(batch)

    parts = found.parts
    logit = sum(part.part for part in parts)
    assert 1 / (1 + np.exp(-logit)) == pytest.approx(metric.values(batch)[0])
    assert [abs(part.part) for part in parts] == sorted((abs(part.part) for part in parts), reverse=True)


def test_what_needs_no_model_has_no_explanation():
    """Identical, blank and missing answers are not judged."""
    batch = Batch([answer("Paris", "Paris"), answer("", "Paris"), answer(None, "Paris")])

    assert [found.parts for found in create("ava").explain(batch)] == [(), (), ()]


def test_lerc_reads_the_context():
    """The same answer may be more or less right by its passage."""
    bare = answer("a few", "four", question=QUESTION)
    within = answer("a few", "four", question=QUESTION, context="A hypothesis test has four steps, which is a few.")

    first, second = values("lerc", bare, within)

    assert first != second


@pytest.mark.parametrize(
    ("spec", "reads"),
    [
        ("lerc", True),
        ("lerc,question=no", False),
        ("lerc,context=phrase", False),
        ("lerc,context=phrase,question=yes", True),
    ],
)
def test_lerc_reads_questions_unless_they_are_about_phrases(spec: str, reads: bool):
    """Two questions about the same phrase make a difference where they are read, and the signature says where not."""
    context = "A hypothesis test has a few of them, and each is short."
    batch = Batch(
        [answer("a few of them", "four", question=each, context=context) for each in (QUESTION, "Who is it?")]
    )
    metric = create(spec)

    first, second = metric.values(batch)

    assert (first != second) == reads
    assert metric.identity(batch.resources).get("question") == (None if reads else "no")


def test_a_reader_of_ones_own_is_asked_about_phrases(tmp_path: Path):
    """What is known of the embedded network need not hold for another."""
    folder = shutil.copytree(EMBEDDED_FOLDER, tmp_path / "mine")

    embedded, own = (create(f"lerc,context=phrase{model}") for model in ("", f",model={folder}"))

    assert (embedded.reads_questions, own.reads_questions) == (False, True)


def test_questions_that_are_not_read_are_not_missed():
    """A phrase without a question is no cause for a note."""
    batch = Batch([answer("a few", "four", context="It takes a few.")])

    create("lerc,context=phrase").values(batch)
    assert not batch.notes
    create("lerc,context=phrase,question=yes").values(batch)
    assert list(batch.notes) == [NO_QUESTION]


def test_five_hundred_references_are_judged():
    """Many references are slow but no trouble, and the best one counts."""
    many = [f"answer number {number}" for number in range(499)]

    (score,) = values("ava", answer("It is Paris.", *many, "Paris", question="What is the capital of France?"))

    assert score > 0.5


def test_verdicts_are_shared_between_metrics(monkeypatch):
    """The network runs once for `ava` and `lerc` where there is no context."""
    batch = Batch([answer("It is Paris.", "Paris", question="What is the capital of France?")])
    create("ava").values(batch)
    judge = batch.resources.judge("mini")
    monkeypatch.setattr(judge, "judge", lambda pairs: pytest.fail(f"read again: {pairs}"))

    (score,) = create("lerc").values(batch)

    assert 0 < score < 1


JUDGES = ["ava", "ava,kind=linear", "lerc", "ava,refs=mean"]


@pytest.mark.parametrize("spec", JUDGES)
@pytest.mark.parametrize("candidate", ["!!!", "the cat", "😂", "日本語"])
@pytest.mark.parametrize("reference", ["...", "😀", "?!"])
def test_other_words_or_symbols_than_a_reference_of_symbols_are_wrong(spec: str, candidate: str, reference: str):
    """No model is needed to see that the symbols are not there."""
    batch = Batch([answer(candidate, reference, question="Who sat?")])

    assert create(spec).values(batch).tolist() == [0.0]
    assert create(spec).unscored(batch) == {}


@pytest.mark.parametrize("spec", JUDGES)
def test_the_same_marks_are_right(spec: str):
    """Identical texts are right, of whatever they are made."""
    assert values(spec, answer("...", "...", question="Who?"))[0] == 1.0


@pytest.mark.parametrize("spec", ["ava", "ava,kind=linear", "lerc"])
def test_other_references_count_beside_one_of_symbols(spec: str):
    """The best score is what the references with words give."""
    beside = answer("a cat sat", "...", "the cat", "😀", question="Who sat?")
    alone = answer("a cat sat", "the cat", question="Who sat?")

    assert values(spec, beside)[0] == values(spec, alone)[0]


@pytest.mark.parametrize("spec", ["ava", "ava,kind=linear"])
def test_what_no_model_judged_has_no_parts_but_says_what_decided(spec: str):
    """An answer beside a reference without words is held against its symbols."""
    (found,) = create(spec).explain(Batch([answer("!!!", "...", question="Who sat?")]))

    assert found == ScoreBreakdown((Ingredient("decided by", "symbols, compared as written"),))


@pytest.mark.parametrize("spec", ["ava", "lerc"])
def test_an_answer_that_states_two_things_is_unsure(spec: str):
    """Neither right nor certainly wrong, whichever comes first; without rules the network decides."""
    question = "What is the capital of Australia?"
    first, second, one = values(
        spec,
        answer("The capital is Canberra. The capital is Sydney.", "Canberra", question=question),
        answer("The capital is Sydney. The capital is Canberra.", "Canberra", question=question),
        answer("The capital is Canberra. The capital is a planned city.", "Canberra", question=question),
    )

    assert (first, second) == (UNSURE, UNSURE)
    assert one > 0.5
