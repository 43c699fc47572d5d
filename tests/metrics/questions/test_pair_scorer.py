import numpy as np
import pytest

from qassay.errors import SpecError
from qassay.io.readers.summaries import ANSWER_CONTEXT
from qassay.metrics.questions.pair_scorer import DEFAULT_METHODS, PairScorer
from qassay.records import Example, Reference
from qassay.scoring.scorer import batches, score_examples

ANSWERS = (("Oslo", "in Oslo"), ("Anna Berg", "Anna Berg"), ("the police", "paramedics"), ("Rome", ""), ("Rome", None))
EXAMPLES = [
    Example(str(i), "What is it?", (Reference(answer),), prediction, "a", extra={ANSWER_CONTEXT: f"It is {answer}."})
    for i, (answer, prediction) in enumerate(ANSWERS)
]


def test_words_are_compared_as_in_the_catalogue():
    """Exact match and F1 are the metrics of those names, here under the paper's names."""
    table = score_examples(EXAMPLES[:4], scorer=PairScorer(["em", "token_f1", "is_answered"]))
    assert table.scores["em"].tolist() == [0, 1, 0, 0]
    # one shared token of one and two: 2 * 1 * .5 / 1.5
    assert table.scores["token_f1"].tolist() == pytest.approx([2 / 3, 1, 0, 0])
    assert table.scores["is_answered"].tolist() == [1, 1, 1, 0]


def test_a_missing_prediction_is_unscored():
    """It is neither wrong nor right."""
    table = score_examples(EXAMPLES, scorer=PairScorer())
    assert all(np.isnan(table.scores[method][4]) for method in DEFAULT_METHODS)
    assert table.unscored["lerc"] == {4: "no prediction"}


def test_embeddings_are_rescaled_over_the_run():
    """The farthest pair is 0, the nearest 1, and an empty prediction has no part in it."""
    scores = score_examples(EXAMPLES, scorer=PairScorer(["bert_score"])).scores["bert_score"]
    assert (scores[1], scores[2], scores[3]) == (1.0, 0.0, 0.0)
    assert 0 < scores[0] < 1


def test_batches_do_not_change_scores():
    """What a pair gets does not depend on its neighbours."""
    scorer = PairScorer()
    scorer.count(EXAMPLES)
    apart = [scorer.score(chunk).scores["lerc"][0] for chunk in batches(EXAMPLES, 1)]
    np.testing.assert_array_equal(apart, scorer.score(EXAMPLES).scores["lerc"])


def test_an_unknown_method_names_those_there_are():
    """The paper's names are the ones to give."""
    with pytest.raises(SpecError, match=r'did you mean "token_f1".*is_answered'):
        PairScorer(["tokenf1"])
