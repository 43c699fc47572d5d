"""BLEU and ROUGE-L with bonuses are the formulas of Yang et al. (2018), section 3, written out plainly.

Texts and gold entities are DuReader's. Its demo has few yes-no questions, so opinions are handed out in turn.
"""

from collections import Counter
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from answers import scores_of, stats_of
from qassay.records import Opinion
from real_answers import dureader

OPINIONS = (Opinion.YES, Opinion.NO, Opinion.DEPENDS, None)
ALPHA, BETA, GAMMA = 2.0, 1.0, 1.2


def characters(text):
    return [letter for letter in text.lower() if not letter.isspace()]


def labelled():
    """Return every candidate and reference an opinion, or none."""
    return [
        replace(
            example,
            opinion=OPINIONS[i % 3],
            references=tuple(
                replace(reference, opinion=OPINIONS[(i + j) % 4]) for j, reference in enumerate(example.references)
            ),
        )
        for i, example in enumerate(dureader())
    ]


def grams(tokens, n):
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def highest(texts, n):
    ceiling = Counter()
    for tokens in texts:
        ceiling |= grams(tokens, n)
    return ceiling


def numerator_and_denominator(example, n):
    """Write out equation 2 with the bonuses of equations 4 and 5."""
    ours = grams(characters(example.candidate), n)
    texts = [characters(each.text) for each in example.references]
    agreeing = [
        tokens for tokens, each in zip(texts, example.references, strict=True) if each.opinion == example.opinion
    ]
    clipped, opinion, entity = (
        sum((ours & highest(each, n)).values())
        for each in (texts, agreeing, [characters(entity) for entity in example.entities])
    )
    bonus = ALPHA * opinion + BETA * entity
    return clipped + bonus, sum(ours.values()) + bonus


def bleu(pairs, length, wanted):
    """Write out equations 1 and 3."""
    if any(hits == 0 for hits, _ in pairs):
        return 0.0
    return exp(min(1 - wanted / length, 0)) * exp(sum(log(hits / total) for hits, total in pairs) / len(pairs))


def lengths(example):
    length = len(characters(example.candidate))
    return length, min((len(characters(each.text)) for each in example.references), key=lambda r: (abs(r - length), r))


def lcs(left, right):
    row = [0] * (len(right) + 1)
    for one in left:
        diagonal = 0
        for j, other in enumerate(right, 1):
            diagonal, row[j] = row[j], diagonal + 1 if one == other else max(row[j], row[j - 1])
    return row[-1]


def rouge_l(example):
    """Write out equations 6 to 8 with the bonuses of section 3.2."""
    ours = characters(example.candidate)
    inside = "".join(ours)
    entities = [characters(entity) for entity in example.entities]
    listed = sum(len(entity) for entity in entities if "".join(entity) in inside)
    precisions, recalls = [], []
    for reference in example.references:
        theirs = characters(reference.text)
        common = lcs(ours, theirs)
        bonus = ALPHA * common * (reference.opinion == example.opinion) + BETA * listed
        precisions.append((common + bonus) / (len(ours) + bonus))
        recalls.append((common + bonus) / (len(theirs) + bonus))
    precision, recall = max(precisions), max(recalls)
    below = recall + GAMMA**2 * precision
    return (1 + GAMMA**2) * recall * precision / below if below else 0.0


@pytest.mark.parametrize("n", [1, 4])
def test_bleu(n):
    """Each of at least 1,000 answers scores as the formula says, with both bonuses."""
    examples = labelled()

    ours = scores_of(f"bleu,n={n},tok=char,smooth=none,yesno={ALPHA},entity={BETA}", examples)

    expected = [
        bleu([numerator_and_denominator(each, i) for i in range(1, n + 1)], *lengths(each)) for each in examples
    ]
    long_enough = np.array([len(characters(each.candidate)) >= n for each in examples])
    assert long_enough.sum() >= 1000
    np.testing.assert_allclose(ours[long_enough], np.array(expected)[long_enough], rtol=0, atol=1e-12)


def test_corpus_bleu():
    """Over a corpus numerators, denominators and lengths are summed first."""
    examples = labelled()

    metric, stats = stats_of(f"bleu,n=2,tok=char,smooth=none,yesno={ALPHA},entity={BETA}", examples)

    pairs = [np.sum([numerator_and_denominator(each, n) for each in examples], axis=0) for n in (1, 2)]
    expected = bleu(pairs, *np.sum([lengths(each) for each in examples], axis=0))
    assert metric.finish(stats.sum(0)) == pytest.approx(expected, abs=1e-12)


def test_rouge_l():
    """Each of 300 answers scores as the formula says, with both bonuses."""
    examples = [each for each in labelled() if len(each.candidate) < 300][:300]

    ours = scores_of(f"rouge_l,tok=char,yesno={ALPHA},entity={BETA}", examples)

    np.testing.assert_allclose(ours, [rouge_l(each) for each in examples], rtol=0, atol=1e-12)
    assert sum(bool(each.entities) for each in examples) >= 50
