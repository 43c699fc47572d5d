"""A small run with every kind of answer that a report must show, scored for real."""

from qassay.records import Example, Opinion, Reference
from qassay.report.answers import AnswerRow, Ordering, select_answers
from qassay.report.explain.evidence import gather_evidence
from qassay.report.html.score_page import Report
from qassay.scoring.scorer import Scorer

INJECTION = "<script>alert(1)</script> <img src=x onerror=alert(2)> --> ]]>"
RIVER = (Reference("长江全长约6300公里。"), Reference("约6300公里"))
CAPITAL = (Reference("The capital of France is Paris."),)
SAFE = (Reference("No </script><!-- never", Opinion.NO),)

EXAMPLES = (
    Example("q1", "What is the capital of France?", CAPITAL, "Paris is the capital.", "atlas", judgement=5.0),
    Example("q1", "What is the capital of France?", CAPITAL, "It is Rome.", "birch", judgement=1.0),
    Example("q2", "长江有多长", RIVER, "🌊 大约6300公里", "atlas", question_type="number"),
    Example("q2", "长江有多长", RIVER, None, "birch"),
    Example("q3", "Is <b>this</b> safe?", SAFE, INJECTION, "atlas", opinion=Opinion.NO),
    Example("q3", "Is <b>this</b> safe?", SAFE, "", "birch", entities=("one", "two")),
)
SPECS = ("exact_match", "token_f1", "bleu", "rouge_l")


def report(scored=EXAMPLES, specs=SPECS, **changes):
    """Score the examples and put the report together as `qassay score` does."""
    scorer = Scorer(specs)
    scorer.first_pass(scored)
    batch = scorer.score(scored)
    totals = scorer.totals()
    totals.add(batch)
    evidence = list(gather_evidence(scored, scorer))
    rows = [AnswerRow(*row, found) for row, found in zip(batch.rows(), evidence, strict=True)]
    ordering = Ordering.of(scorer.metrics)
    fields = {
        "title": "A sample",
        "aggregates": totals.aggregates(seed=1),
        "histograms": {name: each.histograms for name, each in totals.systems.items()},
        "ordering": ordering,
        "answers": select_answers(lambda: rows, ordering),
        "skipped": 0,
        "notes": dict(totals.notes),
        "seed": 1,
    }
    return Report(**{**fields, **changes})
