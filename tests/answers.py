"""Short ways to say "this candidate against these references" and to score it, for the tests of metrics."""

from qassay.features.batch import Batch
from qassay.metrics.registry import create
from qassay.records import Example, Reference
from qassay.scoring.scorer import Scorer


def answer(candidate, *references, **fields):
    """Make an example; a reference is a text or a (text, opinion) pair."""
    made = tuple(Reference(each) if isinstance(each, str) else Reference(*each) for each in references)
    return Example(**{"id": "1", "question": "", **fields}, references=made, candidate=candidate)


def scorer_of(spec, examples):
    """Make a scorer that has counted the references of the examples, as a run does first."""
    scorer = Scorer([spec])
    scorer.first_pass(examples)
    return scorer


def stats_of(spec, examples):
    """Return the metric and its statistics of the examples, scored as one batch."""
    metric = create(spec)
    return metric, metric.stats(Batch(examples, scorer_of(spec, examples).resources))


def scores_of(spec, examples):
    """Return each example's score, all examples being one batch."""
    metric, stats = stats_of(spec, examples)
    return metric.finish(stats)


def score_of(spec, candidate, *references, **fields):
    """Return one candidate's score."""
    return float(scores_of(spec, [answer(candidate, *references, **fields)])[0])
