import numpy as np
import pytest

from qassay.errors import SpecError
from qassay.metrics.registry import create
from qassay.records import ANSWER_CONTEXT, Example, Reference
from qassay.scoring.defaults import VERIFICATION
from qassay.scoring.scorer import Scorer, batches, score_examples

LERC, BERT_SCORE = VERIFICATION[2:]

ANSWERS = (("Oslo", "in Oslo"), ("Anna Berg", "Anna Berg"), ("the police", "paramedics"), ("Rome", ""), ("Rome", None))
EXAMPLES = [
    Example(str(i), "What is it?", (Reference(answer),), prediction, "a", extra={ANSWER_CONTEXT: f"It is {answer}."})
    for i, (answer, prediction) in enumerate(ANSWERS)
]


def test_words_are_compared_as_in_the_catalogue():
    """Exact match also goes by the name that papers use."""
    table = score_examples(EXAMPLES[:4], ["em", "token_f1", "is_answered"])
    assert table.scores["exact_match"].tolist() == [0, 1, 0, 0]
    # one shared token of one and two: 2 * 1 * .5 / 1.5
    assert table.scores["token_f1"].tolist() == pytest.approx([2 / 3, 1, 0, 0])
    assert table.scores["is_answered"].tolist() == [1, 1, 1, 0]


def test_a_missing_prediction_is_unscored():
    """It is neither wrong nor right."""
    table = score_examples(EXAMPLES, VERIFICATION)
    assert all(np.isnan(table.scores[method][4]) for method in VERIFICATION)
    assert table.unscored[LERC] == {4: "no candidate"}


def test_embeddings_are_rescaled_over_the_run():
    """The farthest pair is 0, the nearest 1, and an empty prediction has no part in it."""
    scores = score_examples(EXAMPLES, [BERT_SCORE]).scores[BERT_SCORE]
    assert (scores[1], scores[2], scores[3]) == (1.0, 0.0, 0.0)
    assert 0 < scores[0] < 1


def test_batches_do_not_change_scores():
    """What a pair gets does not depend on its neighbours."""
    scorer = Scorer(VERIFICATION)
    scorer.first_pass(EXAMPLES)
    apart = [scorer.score(chunk).scores[LERC][0] for chunk in batches(EXAMPLES, 1)]
    np.testing.assert_array_equal(apart, scorer.score(EXAMPLES).scores[LERC])


def test_phrases_in_their_contexts_take_no_weights():
    """Weights are for whole answers."""
    with pytest.raises(SpecError, match="take no weights"):
        create("bert_score:idf,context=phrase")


def test_one_spec_gives_one_number():
    """The number of a pair does not depend on the command: in context it goes by a name of its own."""
    table = score_examples(EXAMPLES, ["bert_score", BERT_SCORE])
    assert table["bert_score"][2] != table[BERT_SCORE][2]
