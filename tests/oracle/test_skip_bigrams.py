"""ROUGE-SU4 on real answers is what counting every skip-bigram by brute force gives (Lin 2004, section 5)."""

from collections import Counter

import numpy as np
import pytest

from answers import scores_of
from qassay.text.tokenisers.tokenise import word
from real_answers import dureader, kpqa, one_by_one

PAIRS = {
    "marco": lambda: kpqa("marco_all"),
    "avsd": lambda: one_by_one(kpqa("avsd_all"))[:2000],
    "Chinese": lambda: one_by_one(dureader())[:1000],
}


def skip_bigrams(text):
    """Count words, and pairs of words in order with at most four words between them."""
    tokens = word(text)
    found = Counter((token, None) for token in tokens)
    for i, first in enumerate(tokens):
        found.update((first, second) for second in tokens[i + 1 : i + 6])
    return found


def precision_recall(candidate, reference):
    ours, theirs = skip_bigrams(candidate), skip_bigrams(reference)
    shared = sum((ours & theirs).values())
    return shared / ours.total(), shared / theirs.total()


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name):
    """Precision, recall and F of each of at least 1,000 pairs are those of the counts."""
    examples = PAIRS[name]()

    ours = [scores_of(f"rouge_su4,stat={stat}", examples) for stat in "prf"]

    counted = np.array([precision_recall(each.candidate, each.references[0].text) for each in examples]).T
    total = counted.sum(0)
    harmonic = np.divide(2 * counted[0] * counted[1], total, out=np.zeros_like(total), where=total > 0)
    assert len(examples) >= 1000
    np.testing.assert_allclose(ours, [*counted, harmonic], rtol=0, atol=1e-12)
