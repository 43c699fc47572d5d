"""CIDEr-D is the formula of Vedantam et al. (2015), section 4, calculated here with matrices over all n-grams.

As in the authors' released scorer, term frequencies are counts (equation 1 divides them by the text's length, which
clipping would feel), the document frequency of an n-gram never seen in a reference is 1, and the logarithm is of
documents over document frequency. All references of one answer are one document.
"""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from answers import scores_of, stats_of
from qassay.text.tokenisers.tokenise import word
from real_answers import kpqa

ORDERS, SIGMA = 4, 6.0


def consecutive(tokens, n):
    return list(zip(*(tokens[i:] for i in range(n)), strict=False))


def document_texts(examples):
    """Return the tokens of candidates and references, and which example each reference belongs to."""
    candidates = [word(each.candidate) for each in examples]
    references = [word(reference.text) for each in examples for reference in each.references]
    owner = np.repeat(np.arange(len(examples)), [len(each.references) for each in examples])
    return candidates, references, owner


def cider_d(examples):
    """Calculate 10 times the mean over n and references of penalty * min(g(c), g(s)) . g(s) / (|g(c)| |g(s)|)."""
    candidates, references, owner = document_texts(examples)
    lengths = np.array([len(candidates[i]) for i in owner]) - np.array(list(map(len, references)))
    penalty = np.exp(-(lengths**2) / (2 * SIGMA**2))
    similarity = np.zeros(len(references))
    for n in range(1, ORDERS + 1):
        counter = CountVectorizer(analyzer=lambda tokens, n=n: consecutive(tokens, n))
        counts = counter.fit_transform(candidates + references).astype(float)
        documents = CountVectorizer(analyzer=lambda grams: grams, vocabulary=counter.vocabulary_, binary=True)
        of_examples = [
            [gram for tokens in (word(each.text) for each in example.references) for gram in consecutive(tokens, n)]
            for example in examples
        ]
        frequency = np.asarray(documents.transform(of_examples).sum(axis=0)).ravel()
        rarity = np.log(len(examples)) - np.log(np.maximum(1, frequency))
        vectors = counts.multiply(rarity).tocsr()
        ours, theirs = vectors[: len(candidates)][owner], vectors[len(candidates) :]
        norms = np.sqrt(ours.power(2).sum(axis=1)).A1 * np.sqrt(theirs.power(2).sum(axis=1)).A1
        shared = ours.minimum(theirs).multiply(theirs).sum(axis=1).A1
        similarity += np.divide(shared, norms, out=np.zeros_like(shared), where=norms > 0) / ORDERS
    sums = np.bincount(owner, penalty * similarity)
    return 10 * sums / np.bincount(owner)


def same_as_all_references(example):
    return all(word(example.candidate) == word(reference.text) for reference in example.references)


@pytest.mark.parametrize("name", ["marco_all", "avsd_all"])
def test_real_answers(name):
    """At least 990 answers a set, with one reference and with six, score as the formula says."""
    examples = kpqa(name)
    # Qassay gives these 10 at any length; the formula gives texts shorter than four words less.
    others = np.array([not same_as_all_references(each) for each in examples])

    ours = scores_of("cider", examples)

    assert others.sum() >= 990
    np.testing.assert_allclose(ours[others], cider_d(examples)[others], rtol=0, atol=1e-9)


def test_corpus_is_the_mean():
    """The corpus score is the mean of the answers' scores."""
    examples = kpqa("avsd_all")
    metric, stats = stats_of("cider", examples)
    assert metric.finish(stats.sum(0)) == pytest.approx(cider_d(examples).mean(), abs=1e-9)
