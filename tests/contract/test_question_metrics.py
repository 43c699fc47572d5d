"""What holds for every metric that asks questions, by every method of verification."""

from dataclasses import replace

import numpy as np
import pytest

from fake_pipeline import pipeline
from qassay.metrics.questions import question_pass as first_pass
from qassay.metrics.questions.qaeval import QuestionMetric
from qassay.metrics.registry import CATALOGUE, create, parse_spec
from qassay.records import Example, Reference
from qassay.scoring.scorer import Scorer, score_examples

SPECS = [
    str(parse_spec(f"{name},verify={method}"))
    for name, entry in CATALOGUE.items()
    if issubclass(entry.metric, QuestionMetric)
    for method in entry.declaration.param("verify").choices
]
SUMMARIES = ["then Anna sang", "then Bob and Eve sang", "nobody sang", "", None, "so Ida danced in Rome with Maria"]
EXAMPLES = [
    Example(
        str(i),
        "",
        (Reference("yesterday Anna sang"), Reference("so Ida and Anna sang in Rome")),
        summary,
        context="there Anna sang with Ida in Rome",
    )
    for i, summary in enumerate(SUMMARIES)
]
every_spec = pytest.mark.parametrize("spec", SPECS)


@pytest.fixture(autouse=True)
def _models(monkeypatch):
    """Models that follow from the texts alone."""
    monkeypatch.setattr(first_pass, "open_pipeline", lambda *_: pipeline())


def whole(spec, examples=EXAMPLES):
    return score_examples(examples, [spec])[spec]


@every_spec
def test_order_of_examples(spec):
    """A summary scores the same wherever it stands."""
    np.testing.assert_array_equal(whole(spec, EXAMPLES[::-1]), whole(spec)[::-1])


@every_spec
def test_batch_size(spec):
    """A summary scores the same in a small batch as in a large one."""
    np.testing.assert_array_equal(score_examples(EXAMPLES, [spec], batch=2)[spec], whole(spec))


@every_spec
def test_reasons(spec):
    """Exactly the unscored summaries have a reason."""
    table = score_examples(EXAMPLES, [spec])
    assert sorted(table.unscored[spec]) == np.flatnonzero(np.isnan(table[spec])).tolist()


@every_spec
def test_bounds(spec):
    """No score is below 0 or above 1."""
    known = whole(spec)[~np.isnan(whole(spec))]
    assert known.min() >= 0
    assert known.max() <= 1


@every_spec
def test_spec_round_trip(spec):
    """The metric's own spec prints and reads back."""
    assert parse_spec(str(create(spec).spec)) == parse_spec(spec)


@every_spec
def test_what_the_first_pass_did_not_see_is_asked_now(spec):
    """A summary with one of its references, as `explain` takes it apart, is scored as a run of its own would."""
    scorer = Scorer([spec])
    scorer.first_pass(EXAMPLES)
    alone = replace(EXAMPLES[0], references=EXAMPLES[0].references[:1])
    assert scorer.score([alone]).scores[spec][0] == pytest.approx(whole(spec, [alone])[0])
