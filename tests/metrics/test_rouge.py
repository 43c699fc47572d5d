"""ROUGE: shares of n-grams and of common subsequences, by the rules for references, stems and weights."""

from math import log

import pytest

from answers import answer, score_of, scores_of


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        # by hand: c has 4 words, r has 5; "the cat" twice in c, once in r
        ("rouge_1,stat=p", 2 / 4),
        ("rouge_1,stat=r", 2 / 5),
        ("rouge_1", 2 * 2 / (4 + 5)),
        ("rouge_2,stat=p", 1 / 3),
        ("rouge_2,stat=r", 1 / 4),
        ("rouge_l,stat=p", 2 / 4),
        ("rouge_l,stat=r", 2 / 5),
        ("rouge_l,beta=1", 2 * 2 / (4 + 5)),
        # (1 + 1.44) P R / (R + 1.44 P)
        ("rouge_l", 2.44 * 0.5 * 0.4 / (0.4 + 1.44 * 0.5)),
        ("rouge_l,beta=0", 0.5),
    ],
)
def test_counts(spec, expected):
    """Repeated words count as often as the other side has them."""
    assert score_of(spec, "the cat the cat", "the cat sat on mats") == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("refs", "expected"),
    [
        # P 1 and R 1/4 against the first, P 1/2 and R 1 against the second
        ("pr", 1.0),
        ("max", 2 * 0.5 / 1.5),
    ],
)
def test_several_references(refs, expected):
    """`pr` takes the best precision and the best recall apart, `max` the best score."""
    assert score_of(f"rouge_1,refs={refs}", "a b", "a b c d e f g h", "a") == pytest.approx(expected)


@pytest.mark.parametrize(("stem", "expected"), [("no", 0.0), ("yes", 1.0)])
def test_stems(stem, expected):
    """With stems, forms of one word are the same word."""
    assert score_of(f"rouge_l,stem={stem}", "connected", "connection") == expected


def test_short_words_keep_their_form():
    """Words of three letters or fewer are not stemmed, as in rouge-score."""
    assert score_of("rouge_1,stem=yes", "was", "wa") == 0


@pytest.mark.parametrize(("reference", "expected"), [("yes", 1.0), ("no", 0.0), ("yes indeed", 0.0)])
def test_too_short_for_a_bigram(reference, expected):
    """One-word texts have no bigrams; they match when they are the same."""
    assert score_of("rouge_2", "yes", reference) == expected


def test_skip_bigrams():
    """Lin (2004), section 5, "police killed the gunman": three of its six skip-bigrams stand in S2."""
    # S1 "police killed the gunman", S2 "police kill the gunman": "police the", "police gunman", "the gunman"
    # together with unigrams (section 5.1): 3 words of 4 and 3 pairs of 6
    assert score_of("rouge_su4", "police kill the gunman", "police killed the gunman") == pytest.approx(6 / 10)


@pytest.mark.parametrize(
    ("reference", "recall"),
    [
        ("x 1 2 3 4 y", 3 / (6 + 15)),  # 6 words and 5+4+3+2+1 pairs; x, y and "x y" are found
        ("x 1 2 3 4 5 y", 2 / (7 + 20)),  # 7 words and 6+5+4+3+2 pairs; only x and y are found
    ],
)
def test_longest_gap(reference, recall):
    """Two words with four others between them are a skip-bigram; with five they are not."""
    assert score_of("rouge_su4,stat=r", "x y", reference) == pytest.approx(recall)


def test_idf_weights():
    """With `:idf` precision is weighed by the candidate's words, recall by the reference's."""
    run = [answer("the cat", "the dog cat"), answer("the dog", "the dog"), answer("the", "the end")]
    # documents: 3 references; df(the) = 3, df(dog) = 2, df(cat) = 1: weights log(4 / (df + 1))
    dog, cat = log(4 / 3), log(4 / 2)
    precision, recall = cat / cat, cat / (dog + cat)
    expected = 2.44 * precision * recall / (recall + 1.44 * precision)
    assert scores_of("rouge_l:idf", run)[0] == pytest.approx(expected, abs=1e-12)


def test_bonus_needs_both_opinions():
    """No bonus comes from opinions that are not stated."""
    plain = score_of("rouge_l", "yes it is", "it is so")
    assert score_of("rouge_l,yesno=5", "yes it is", "it is so") == plain


def test_entity_with_stem_looks_for_the_words_themselves():
    """Gold entities are looked for letter for letter."""
    with_bonus = score_of("rouge_l,entity=1,stem=yes", "ten years ago", "a decade", entities=("ten years", "ten year"))
    assert with_bonus == pytest.approx(2.44 * (2 / 5) * (2 / 4) / (2 / 4 + 1.44 * 2 / 5))
