"""ROUGE-1, -2 and -L are rouge-score's on real English answers, with and without stemming.

`tok=coco` cuts words as rouge-score does where texts are ASCII and hold no underscore (which rouge-score takes for a
space), so only those are compared. Texts too short for any bigram are left out for ROUGE-2: rouge-score gives two
equal one-word answers 0, and Qassay gives identical texts the maximum.
"""

import numpy as np
import pytest
from rouge_score.rouge_scorer import RougeScorer

from answers import scores_of
from qassay.text.tokenisers.tokenise import coco
from real_answers import kpqa, one_by_one, squad_answers

PAIRS = {
    "marco": lambda: kpqa("marco_all") + kpqa("marcomulti_unilm"),
    "avsd": lambda: one_by_one(kpqa("avsd_all")),
    "squad": lambda: one_by_one(squad_answers()[:800]),
}
ORDERS = {"rouge_1": 1, "rouge_2": 2, "rouge_l": 1}
NAMES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL"}
STATS = {"f": "fmeasure", "p": "precision", "r": "recall"}


def comparable(example, order):
    texts = [example.candidate, *(each.text for each in example.references)]
    plain = all(text.isascii() and "_" not in text and any(map(str.isalnum, text)) for text in texts)
    return plain and max(len(coco(text)) for text in texts) >= order


@pytest.mark.parametrize("stem", ["no", "yes"])
@pytest.mark.parametrize("metric", NAMES)
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, metric, stem):
    """Precision, recall and F of each of at least 1,000 pairs a set are rouge-score's."""
    examples = [each for each in PAIRS[name]() if comparable(each, ORDERS[metric])]
    oracle = RougeScorer([NAMES[metric]], use_stemmer=stem == "yes")

    ours = [scores_of(f"{metric},tok=coco,beta=1,refs=max,stem={stem},stat={stat}", examples) for stat in STATS]

    theirs = [oracle.score(each.references[0].text, each.candidate)[NAMES[metric]] for each in examples]
    expected = [[getattr(score, field) for score in theirs] for field in STATS.values()]
    assert len(examples) >= 1000
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("stem", ["no", "yes"])
@pytest.mark.parametrize("metric", NAMES)
def test_several_references(metric, stem):
    """With `refs=max` the best F over six references is the one of rouge-score's `score_multi`."""
    examples = [each for each in kpqa("avsd_all") if comparable(each, 1) and len(coco(each.candidate)) > 1]
    oracle = RougeScorer([NAMES[metric]], use_stemmer=stem == "yes")

    ours = scores_of(f"{metric},tok=coco,beta=1,refs=max,stem={stem}", examples)

    expected = [
        oracle.score_multi([reference.text for reference in each.references], each.candidate)[NAMES[metric]].fmeasure
        for each in examples
    ]
    assert len(examples) >= 900
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)
