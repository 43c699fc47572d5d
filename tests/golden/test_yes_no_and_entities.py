"""The worked examples of Yang et al. (2018), section 3, as exact fractions of the paper's own counts.

"Adaptations of ROUGE and BLEU to Better Evaluate Machine Reading Comprehension Task", MRQA 2018. The paper counts the
full stop as a token and does not lemmatise (its footnote 1), and takes the harmonic mean for ROUGE-L (footnote 2).
Numbers that it prints and that do not follow from its formulas are not used: the vanilla 0.59 of example 3 (the value
without the full stop) and the adapted 0.78 there (from rounded precision and recall).
"""

from fractions import Fraction

import pytest

from answers import answer, score_of, stats_of
from qassay.records import Opinion

SKIPPING_ROPE = answer(
    "Skipping rope is an aerobic exercise.",
    ("Skipping rope is a kind of aerobic exercise with low intensity.", Opinion.YES),
    (
        "Skipping rope can be regarded as an aerobic exercise only when skipping for a long time.",
        Opinion.DEPENDS,
    ),
    opinion=Opinion.YES,
)
QIN_DYNASTY = answer(
    "Qin unified China in 221 BC after the war against other kingdoms which lasted ten years.",
    "Qin unified China in ten years, from 230 BC to 221 BC.",
    entities=("ten years", "230 BC", "221 BC"),
)
FIRST_GOLD = SKIPPING_ROPE.references[0]


def bigram_precision(spec, example):
    """Read P2 as a fraction from the statistics of BLEU-2: [hits 1, hits 2, totals 1, totals 2, c, r]."""
    _, stats = stats_of(spec, [example])
    return Fraction(stats[0, 1]), Fraction(stats[0, 3])


@pytest.mark.parametrize(
    ("spec", "example", "hits", "total"),
    [
        # example 1: 6 bigrams, 4 hit, 3 for the bonus (they hit gold answer 1)
        pytest.param("bleu,n=2", SKIPPING_ROPE, 4, 6, id="example 1, vanilla"),
        pytest.param("bleu,n=2,yesno=1", SKIPPING_ROPE, 4 + 3, 6 + 3, id="example 1, yes-no"),
        # example 2: 16 bigrams, 5 hit, 2 for the bonus
        pytest.param("bleu,n=2", QIN_DYNASTY, 5, 16, id="example 2, vanilla"),
        pytest.param("bleu,n=2,entity=1", QIN_DYNASTY, 5 + 2, 16 + 2, id="example 2, entities"),
    ],
)
def test_bigram_precision(spec, example, hits, total):
    """BLEU's P2 has the numerators and denominators that the paper counts."""
    assert bigram_precision(spec, example) == (hits, total)


def rouge_l(spec, example, references):
    scored = score_of(
        spec,
        example.candidate,
        *((each.text, each.opinion) for each in references),
        opinion=example.opinion,
        entities=example.entities,
    )
    return Fraction(scored).limit_denominator(1000)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # example 3: LCS 6, |c| 7, |r| 12 for gold answer 1, which alone shares the opinion
        pytest.param("stat=p", Fraction(6, 7), id="vanilla P"),
        pytest.param("stat=r", Fraction(6, 12), id="vanilla R"),
        pytest.param("beta=1", Fraction(12, 19), id="vanilla F"),
        pytest.param("stat=p,yesno=1", Fraction(6 + 6, 7 + 6), id="adapted P"),
        pytest.param("stat=r,yesno=1", Fraction(6 + 6, 12 + 6), id="adapted R"),
        pytest.param("beta=1,yesno=1", Fraction(24, 31), id="adapted F"),
    ],
)
def test_rouge_l_with_yes_no_bonus(options, expected):
    """Example 3: sharing the opinion of gold answer 1 lifts ROUGE-L from 12/19 to 24/31."""
    assert rouge_l(f"rouge_l,{options}", SKIPPING_ROPE, [FIRST_GOLD]) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # the second gold answer, of another opinion, has an LCS of 6 as well and is longer: it changes nothing
        pytest.param("stat=p,yesno=1", Fraction(12, 13), id="adapted P"),
        pytest.param("stat=r,yesno=1", Fraction(12, 18), id="adapted R"),
        pytest.param("beta=1,yesno=1", Fraction(24, 31), id="adapted F"),
    ],
)
def test_rouge_l_with_both_gold_answers(options, expected):
    """Example 3 in full: the gold answer of another opinion brings no bonus."""
    assert rouge_l(f"rouge_l,{options}", SKIPPING_ROPE, SKIPPING_ROPE.references) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # example 4: LCS 7, |c| 17, |r| 14; "ten years" and "221 BC" appear, 4 tokens together
        pytest.param("stat=p", Fraction(7, 17), id="vanilla P"),
        pytest.param("stat=r", Fraction(7, 14), id="vanilla R"),
        pytest.param("beta=1", Fraction(14, 31), id="vanilla F"),
        pytest.param("stat=p,entity=1", Fraction(7 + 4, 17 + 4), id="adapted P"),
        pytest.param("stat=r,entity=1", Fraction(7 + 4, 14 + 4), id="adapted R"),
        pytest.param("beta=1,entity=1", Fraction(22, 39), id="adapted F"),
    ],
)
def test_rouge_l_with_entity_bonus(options, expected):
    """Example 4: two of three gold entities lift ROUGE-L from 14/31 to 22/39."""
    assert rouge_l(f"rouge_l,{options}", QIN_DYNASTY, QIN_DYNASTY.references) == expected


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        # the formula of section 3.2 with another weight: (7 + 4w) / (17 + 4w) and (7 + 4w) / (14 + 4w)
        (2, Fraction(2 * 15, 25 + 22)),
        (3, Fraction(2 * 19, 29 + 26)),
    ],
)
def test_entity_weight(weight, expected):
    """The weight multiplies the bonus in numerators and denominators."""
    assert rouge_l(f"rouge_l,beta=1,entity={weight}", QIN_DYNASTY, QIN_DYNASTY.references) == expected


def test_corpus_bleu_sums_bonuses_over_answers():
    """Over a corpus, numerators and denominators with their bonuses are summed first (end of section 3.1)."""
    metric, stats = stats_of("bleu,n=2,yesno=1,entity=1", [SKIPPING_ROPE, QIN_DYNASTY])
    total = stats.sum(0)
    assert (Fraction(total[1]), Fraction(total[3])) == (7 + 7, 9 + 18)
    assert metric.finish(total) < 1
