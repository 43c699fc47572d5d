"""BLEU's own choices, beyond what sacrebleu has."""

from math import exp, log, sqrt

import numpy as np
import pytest

from answers import answer, score_of, scores_of, stats_of
from qassay.records import Opinion


@pytest.mark.parametrize("smooth", ["none", "coco", "exp", "floor", "add-k"])
def test_shorter_than_the_order(smooth):
    """Orders that the candidate is too short for are left out."""
    assert score_of(f"bleu,n=4,smooth={smooth}", "two words", "two words") == 1


@pytest.mark.parametrize(
    ("smooth", "expected"),
    [
        # P1 = 1/2, P2 = 0/1
        ("none", 0.0),
        ("exp", sqrt(1 / 2 * 1 / 2)),
        ("floor", sqrt(1 / 2 * 0.1)),
        ("add-k", sqrt(1 / 2 * 1 / 2)),
        # tiny and small constants of the COCO scorer
        ("coco", sqrt((1 + 1e-15) / (2 + 1e-9) * 1e-15 / (1 + 1e-9))),
    ],
)
def test_smoothing(smooth, expected):
    """An order without hits counts what the smoothing says."""
    assert score_of(f"bleu,n=2,smooth={smooth}", "a b", "a c") == pytest.approx(expected, rel=1e-12)


def test_no_hit_at_all():
    """Without any common word no smoothing gives more than 0."""
    assert score_of("bleu,smooth=exp", "a b c d", "e f g h") == 0


@pytest.mark.parametrize(
    ("references", "wanted"),
    [
        (["a b c d e f"], 6),
        (["a b c d e f", "a b c"], 3),  # distances 2 and 1
        (["a b c d e", "a b c"], 3),  # distances 1 and 1: the shorter
        (["a b", "a b c d"], 4),
    ],
)
def test_closest_reference_length(references, wanted):
    """The reference length is the closest one, the shorter on a tie."""
    _, stats = stats_of("bleu,n=1", [answer("a b c x", *references)])
    assert stats[0].tolist()[2:] == [4, wanted]


def test_brevity_penalty():
    """A short candidate is multiplied by exp(1 - r/c)."""
    assert score_of("bleu,n=1,smooth=none", "a b", "a b c") == pytest.approx(exp(1 - 3 / 2))


@pytest.mark.parametrize(("refs", "hits"), [("all", 3), ("max", 2)])
def test_several_references(refs, hits):
    """`all` clips over all references together, `max` takes the best one."""
    _, stats = stats_of(f"bleu,n=1,refs={refs}", [answer("a b c", "a b x", "c y z")])
    assert stats[0, 0] == hits


def test_blank_references_do_not_count():
    """A blank reference is no reference: it neither clips nor lends its length."""
    assert score_of("bleu,n=1", "a b", "a b", " ") == 1


def test_every_reference_blank():
    """With blank references only the answer is unscored."""
    assert np.isnan(score_of("bleu", "a b", "", " "))


def test_weighted_precision():
    """With weights, P1 is the matched weight over the candidate's weight, repeats at their mean (Lee et al. 2021)."""
    run = [answer("cat the cat", "the cat"), answer("dog", "the dog"), answer("x", "the end")]
    # 3 documents, df(the) = 3, df(cat) = 1: weights 0 and log 2; one of two cats matches
    assert scores_of("bleu:idf,n=1,smooth=none", run)[0] == pytest.approx(log(2) / (2 * log(2)))


def test_weighted_brevity_penalty_counts_tokens():
    """The brevity penalty counts tokens, not weights."""
    run = [answer("cat", "the cat sat"), answer("dog", "the dog")]
    assert scores_of("bleu:idf,n=1,smooth=none", run)[0] == pytest.approx(exp(1 - 3 / 1))


@pytest.mark.parametrize(
    ("opinion", "hits", "total"),
    [
        # 3 words, 2 hit both references' words; the bonus counts those hit in references of the same opinion
        (Opinion.YES, 2 + 2 * 2, 3 + 2 * 2),
        (Opinion.NO, 2 + 2 * 1, 3 + 2 * 1),
        (Opinion.DEPENDS, 2, 3),
        (None, 2, 3),
    ],
)
def test_yes_no_bonus(opinion, hits, total):
    """Only references that share the candidate's opinion bring a bonus."""
    example = answer("it is x", ("it is so", Opinion.YES), ("it was not", Opinion.NO), opinion=opinion)
    _, stats = stats_of("bleu,n=1,yesno=2", [example])
    assert stats[0, :2].tolist() == [hits, total]


def test_entity_ngrams_stay_inside_one_entity():
    """A bigram that only two entities together would hold brings no bonus."""
    example = answer("ten years 221 BC", "x", entities=("ten years", "221 BC"))
    _, stats = stats_of("bleu,n=2,entity=1", [example])
    assert stats[0, :4].tolist() == [4, 2, 4 + 4, 3 + 2]


def test_entity_counts_are_clipped():
    """A repeated entity counts as often as any one entity holds it."""
    example = answer("ten ten ten", "x", entities=("ten", "ten"))
    _, stats = stats_of("bleu,n=1,entity=1", [example])
    assert stats[0, 0] == 1


def test_missing_candidate_with_entities():
    """A missing candidate stays unscored, whatever entities were wanted."""
    example = answer(None, "x", entities=("ten years",), opinion=Opinion.YES)
    _, stats = stats_of("bleu,yesno=1,entity=1", [example])
    assert not stats.any()


def test_corpus_is_not_the_mean():
    """Corpus BLEU pools counts: a long answer weighs more than a short one."""
    metric, stats = stats_of("bleu,n=1,smooth=none", [answer("a b c d", "a b c d"), answer("x", "y")])
    assert metric.finish(stats.sum(0)) == pytest.approx(4 / 5)
