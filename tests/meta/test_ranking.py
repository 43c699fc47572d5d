import csv
from itertools import pairwise, permutations

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.meta.ranking.rankings import Ties, pair_agreement, rank_candidates, system_agreement
from qassay.meta.statistics.panel import Panel
from shared import bench


def pairs(judgement, scores, **options):
    panel = Panel.build(judgement, {"m": scores}, system=["x", "y"] * 3, question=[1, 1, 2, 2, 3, 3])
    return pair_agreement(panel, "m", **options)


def test_pairs_ranked_as_people_rank_them_are_counted():
    """Two clear pairs, one ranked alike and one tied by the metric; the third pair is too close to count."""
    result = pairs([5, 1, 2, 4, 3, 2], [0.9, 0.2, 0.5, 0.5, 0.1, 0.9])

    assert (result.agree, result.ties, result.disagree, result.pairs) == (1, 1, 0, 2)
    assert result.share == 0.5


def test_a_clear_pair_without_a_score_is_counted_as_missing():
    """Missing is not a tie."""
    result = pairs([5, 1, 1, 4, 3, 3], [np.nan, 0.2, 0.1, 0.5, 0.1, 0.9])

    assert (result.pairs, result.missing, result.share) == (1, 1, 1.0)


def test_without_clear_pairs_there_is_no_share():
    """An empty set of pairs has no percentage."""
    assert pairs([3, 3, 3, 3, 3, 3], [1, 2, 3, 4, 5, 6]).share is None


def test_all_pairs_of_several_systems_count():
    """Three systems on one question make three pairs."""
    panel = Panel.build([1, 3, 5], {"m": [1, 2, 3]}, system=["x", "y", "z"], question=["q"] * 3)

    assert pair_agreement(panel, "m").pairs == 3


def test_kpqas_pairs_are_found():
    """Seed 000 reports 93 pairs on MS-MARCO (section 5.2, rank-pair): the two halves of its file, 2 or more apart."""
    with bench("kpqa_human/marco_all.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    judgement = [float(row["scores"]) for row in rows]
    panel = Panel.build(
        judgement, {"m": judgement}, system=["x"] * 500 + ["y"] * 500, question=[row["question"] for row in rows]
    )

    result = pair_agreement(panel, "m")

    assert (result.pairs, result.share) == (93, 1.0)


@pytest.mark.parametrize(
    ("true", "estimated", "published"),
    # Seed 004, Table 7 (MRR, gold and AVA) and Table 5 (RMSE and its deviation, τ, p): TREC-QA test and WikiQA test.
    [
        (
            [0.763, 0.933, 0.945, 0.976, 0.820, 0.869],
            [0.764, 0.936, 0.981, 0.990, 0.793, 0.880],
            [0.020, 0.012, 1.0, 0.003],
        ),
        (
            [0.746, 0.917, 0.876, 0.833, 0.906, 0.883],
            [0.732, 0.820, 0.783, 0.741, 0.791, 0.762],
            [0.095, 0.035, 0.867, 0.017],
        ),
    ],
)
def test_system_agreement_gives_seed_004s_numbers(true, estimated, published):
    """RMSE, its deviation, Kendall's τ-b and p as published, to the three digits printed."""
    result = system_agreement(estimated, true)

    got = [result.rmse, result.sigma, result.kendall, result.kendall_p]
    assert got == pytest.approx(published, abs=6e-4)


def test_systems_without_a_number_are_left_out():
    """They are counted, and with two systems left there is no τ but a reason."""
    result = system_agreement([0.5, np.nan, 0.7], [0.4, 0.5, 0.6])

    assert (result.n, result.missing, result.kendall) == (2, 1, None)
    assert result.rmse == pytest.approx(0.1)
    assert "at least 3" in result.reason


def test_no_system_has_no_error():
    """All missing is undefined with a reason."""
    assert system_agreement([np.nan], [1]).reason == "no system has both numbers"


def test_tie_free_rankings_match_ir_measures():
    """P@1, AP and RR are ir-measures', averaged over questions that have a correct candidate."""
    rng = np.random.default_rng(3)
    question = np.repeat([f"q{i}" for i in range(40)], 8)
    scores = rng.permutation(320) / 320
    correct = (rng.random(320) < 0.15).astype(int)
    correct[:8] = 0

    result = rank_candidates(question.tolist(), scores, correct)

    documents = [f"d{i}" for i in range(320)]
    judged = [ir_measures.Qrel(q, d, int(c)) for q, d, c in zip(question, documents, correct, strict=True)]
    run = [ir_measures.ScoredDoc(q, d, s) for q, d, s in zip(question, documents, scores, strict=True)]
    measures = [ir_measures.P @ 1, ir_measures.AP, ir_measures.RR]
    answered = set(question[correct == 1])
    measured = list(ir_measures.iter_calc(measures, judged, run))
    means = [np.mean([m.value for m in measured if m.measure == each and m.query_id in answered]) for each in measures]
    assert [result.p_at_1, result.map, result.mrr] == pytest.approx(means, abs=1e-9)
    assert result.without_correct == 40 - len(answered)
    assert result.tied == 0


def by_hand(order, correct):
    """P@1, average precision and reciprocal rank of one order."""
    ranked = [correct[i] for i in order]
    places = [place for place, right in enumerate(ranked, 1) if right]
    precision = [(i + 1) / place for i, place in enumerate(places)]
    return np.array([ranked[0], np.mean(precision), 1 / places[0]])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6).filter(
        lambda rows: any(right for _, right in rows)
    )
)
def test_tie_rules_are_those_of_all_orders(rows):
    """Over every order that the scores allow: the mean is the expectation, worst and best are the extremes."""
    scores, correct = zip(*rows, strict=True)
    allowed = [
        order for order in permutations(range(len(rows))) if all(scores[i] >= scores[j] for i, j in pairwise(order))
    ]
    each = np.array([by_hand(order, correct) for order in allowed])

    results = {
        rule: rank_candidates(["q"] * len(rows), np.array(scores, float), np.array(correct, float), ties=rule)
        for rule in Ties
    }

    got = {rule: [result.p_at_1, result.map, result.mrr] for rule, result in results.items()}
    np.testing.assert_allclose(got[Ties.MEAN], each.mean(axis=0), atol=1e-9)
    np.testing.assert_allclose(got[Ties.WORST], each.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(got[Ties.BEST], each.max(axis=0), atol=1e-9)


def test_questions_without_a_correct_candidate_can_be_kept():
    """They are counted, left out by default, and 0 when kept."""
    question, scores, correct = ["a", "a", "b"], [2, 1, 1], [1, 0, 0]

    assert rank_candidates(question, scores, correct).p_at_1 == 1.0
    kept = rank_candidates(question, scores, correct, keep_without_correct=True)
    assert (kept.p_at_1, kept.questions, kept.without_correct) == (0.5, 2, 1)


@pytest.mark.parametrize("correct", [[0, 0], [np.nan, np.nan]])
def test_no_correct_candidate_at_all_is_undefined(correct):
    """Nothing to rank gives None and a reason."""
    result = rank_candidates(["a", "a"], [1, 2], correct)

    assert (result.map, result.reason) == (None, "no question has a correct candidate")


def test_candidates_need_a_question_a_score_and_a_label():
    """Columns of unequal length are refused."""
    with pytest.raises(DataError, match="for every candidate"):
        rank_candidates(["a"], [1, 2], [1, 0])
