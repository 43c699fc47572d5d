"""What the adapters share, without any tool."""

import math

import pytest

import qassay
from host_rows import POOLED, ROWS
from qassay.hosts.answers import answer_row, pooled_score, pooled_stderr, require_single, score_answer

TWICE = [{**row, "id": f"{row['id']}-{i}", "sample": i, "of": row["id"]} for row in ROWS[:40] for i in (1, 2)]


def test_an_answer_has_a_score_or_a_reason():
    """One reference may be a text; what cannot be scored has no score."""
    assert score_answer("exact_match", answer_row("paris", "Paris")).value == 1.0
    assert score_answer("rouge_l", answer_row("Paris", "")).reason == "every reference is empty"


def test_pooled_scores_and_their_standard_errors_are_those_of_score():
    """The standard error is the interval's; answers that say the same twice, as a cluster, do not narrow it."""
    found = qassay.score(ROWS[:40], POOLED).aggregates[0]
    assert pooled_score(POOLED, ROWS[:40]) == found.value
    assert pooled_stderr(POOLED, ROWS[:40]) == pytest.approx((found.high - found.low) / 3.92, rel=1e-4)
    assert pooled_stderr(POOLED, TWICE, cluster="of") == pytest.approx(pooled_stderr(POOLED, ROWS[:40]), rel=0.1)
    assert math.isnan(pooled_score(POOLED, [answer_row("Paris", "")]))


@pytest.mark.parametrize("metric", ["cider", "token_f1:idf"])
def test_metrics_of_the_whole_run_are_refused(metric):
    """A metric that weighs words by all references cannot score one answer; the message names what can."""
    with pytest.raises(qassay.SpecError, match=f"{metric} depends on the whole run.*use qassay.score on all rows"):
        require_single(metric)


@pytest.mark.parametrize("metric", ["ava", "bleu", "token_f1:kpqa", "qaeval"])
def test_metrics_of_one_answer_are_taken(metric):
    """Metrics that read each answer for itself are not refused."""
    require_single(metric)


@pytest.mark.parametrize(
    ("candidate", "references", "reason"),
    [
        ("Paris", None, '"references" must be a list of strings and is null'),
        ("Paris", math.nan, '"references" must be a list of strings and is null'),
        ("Paris", [], '"references" is empty; give at least one'),
        (None, "Paris", "no candidate"),
        (math.nan, "Paris", "no candidate"),
        ({"text": "Paris"}, "Paris", '"candidate" must be a string and is an object'),
    ],
)
def test_a_row_at_fault_is_unscored(candidate, references, reason):
    """An answer that lacks what a metric needs has the reason as its comment; no row is named."""
    found = score_answer("token_f1", answer_row(candidate, references, "What is the capital of France?"))
    assert found.value is None
    assert found.comment.startswith(reason)


def test_a_judge_without_a_question_says_so():
    """The score stands, with a note; metrics that need the question have none."""
    found = score_answer("ava", answer_row("It is Paris", "Paris"))
    assert found.value > 0.9
    assert found.comment == "answers without a question, judged by their references alone"
    assert score_answer("ava", answer_row("Paris", "Paris", "Which city?")).comment is None
    assert score_answer("token_f1:kpqa", answer_row("It is Paris", "Paris")).comment == "no question"


def test_a_script_that_no_model_reads_is_unscored():
    """Chinese answers have no `ava`, and a `token_f1` like any."""
    row = answer_row("\u5df4\u9ece\u662f\u9996\u90fd", "\u5df4\u9ece", "\u9996\u90fd\uff1f")
    assert score_answer("ava", row).comment == "in a script that the model cannot read"
    assert score_answer("token_f1", row).value == pytest.approx(4 / 7)
