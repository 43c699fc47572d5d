"""Figure 1 of Lee et al. (2021), "KPQA: A Metric for Generative Question Answering Using Keyphrase Weights"."""

from fractions import Fraction

import pytest

from answers import score_of

REFERENCE = "Four steps are involved in a hypothesis test."
GENERATED = "There are seven steps involved in a hypothesis test ."


@pytest.mark.parametrize(
    ("spec", "printed"),
    [
        ("bleu,n=1,tok=coco", 0.778),  # Figure 1: BLEU-1
        ("rouge_l,tok=coco", 0.713),  # Figure 1: ROUGE-L (beta 1.2, as in the COCO scorer)
    ],
)
def test_printed_scores(spec, printed):
    """A wrong answer that repeats the question scores as high as the figure says."""
    assert round(score_of(spec, GENERATED, REFERENCE), 3) == printed


@pytest.mark.parametrize(
    ("spec", "exact"),
    [
        # 9 candidate and 8 reference words without the full stops; 7 shared, 6 of them in order
        ("bleu,n=1,tok=coco,smooth=none", Fraction(7, 9)),
        ("rouge_l,tok=coco,stat=p", Fraction(6, 9)),
        ("rouge_l,tok=coco,stat=r", Fraction(6, 8)),
        # (1 + 36/25) P R / (R + 36/25 P)
        ("rouge_l,tok=coco", Fraction(61, 25) * Fraction(1, 2) / (Fraction(3, 4) + Fraction(36, 25) * Fraction(2, 3))),
    ],
)
def test_exact_fractions(spec, exact):
    """The printed numbers are these fractions of the words counted by hand."""
    assert score_of(spec, GENERATED, REFERENCE) == pytest.approx(float(exact), abs=1e-15)


def test_keyphrase_weights():
    """`rouge_l:kpqa` takes the subsequence with "steps", not the one with "are": about .09 (Figure 1 prints .127)."""
    question = "How many steps are involved in a hypothesis test?"

    assert score_of("rouge_l:kpqa", GENERATED, REFERENCE, question=question) == pytest.approx(0.09, abs=0.01)
