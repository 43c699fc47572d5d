"""BLEU is sacrebleu's, for answers and corpora, on real answers with one and with several references."""

from itertools import zip_longest

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from answers import stats_of
from real_answers import dureader, kpqa, squad_answers

SMOOTHINGS = ("none", "exp", "floor", "add-k")
SETS = {
    "one reference": (lambda: kpqa("marco_all"), "13a"),
    "six references": (lambda: kpqa("avsd_all"), "13a"),
    "short spans": (lambda: squad_answers()[:2000], "13a"),
    "Chinese": (dureader, "zh"),
}
cases = pytest.mark.parametrize("smooth", SMOOTHINGS)
sets = pytest.mark.parametrize("name", SETS)


def texts_of(example):
    return [reference.text for reference in example.references]


@sets
@cases
def test_sentence_scores(name, smooth):
    """Each of at least 1,000 answers scores as sacrebleu's `sentence_score` with its effective order."""
    read, tok = SETS[name]
    examples = read()
    oracle = BLEU(tokenize=tok, smooth_method=smooth, effective_order=True)

    metric, stats = stats_of(f"bleu,tok={tok},smooth={smooth}", examples)

    expected = [oracle.sentence_score(each.candidate, texts_of(each)).score / 100 for each in examples]
    assert len(examples) >= 1000
    np.testing.assert_allclose(metric.finish(stats), expected, rtol=0, atol=1e-9)


@sets
@cases
def test_corpus_score(name, smooth):
    """The statistics summed over the set finish to sacrebleu's `corpus_score`."""
    read, tok = SETS[name]
    examples = read()
    references = [list(column) for column in zip_longest(*map(texts_of, examples))]

    metric, stats = stats_of(f"bleu,tok={tok},smooth={smooth}", examples)

    expected = BLEU(tokenize=tok, smooth_method=smooth).corpus_score([each.candidate for each in examples], references)
    assert metric.finish(stats.sum(0)) == pytest.approx(expected.score / 100, abs=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_other_orders(order):
    """BLEU-1, -2, -3 and -6 are sacrebleu's with that `max_ngram_order`."""
    examples = kpqa("avsd_all")
    oracle = BLEU(tokenize="13a", smooth_method="exp", effective_order=True, max_ngram_order=order)

    metric, stats = stats_of(f"bleu,n={order},tok=13a,smooth=exp", examples)

    expected = [oracle.sentence_score(each.candidate, texts_of(each)).score / 100 for each in examples]
    np.testing.assert_allclose(metric.finish(stats), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("draw", range(3))
def test_bootstrap_draws(draw):
    """A bootstrap draw, made from counts and statistics alone, is the corpus score of the drawn answers."""
    examples = kpqa("marco_all")
    drawn = np.random.default_rng(draw).integers(len(examples), size=len(examples))
    counts = np.bincount(drawn, minlength=len(examples)).astype(float)

    metric, stats = stats_of("bleu,tok=13a,smooth=exp", examples)

    sample = [examples[i] for i in drawn]
    expected = BLEU(tokenize="13a").corpus_score(
        [each.candidate for each in sample], [[each.references[0].text for each in sample]]
    )
    assert metric.finish(counts @ stats) == pytest.approx(expected.score / 100, abs=1e-9)
