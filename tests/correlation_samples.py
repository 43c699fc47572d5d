"""Judged answers of three systems, measured for real, with everything that the page of agreement must show."""

from qassay.meta.correlation.evaluation import Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.correlation.sweep import Sweep, sweep
from qassay.meta.statistics.weighted import Coefficient
from qassay.records import Example, Opinion, Reference
from qassay.report.html.correlation_page import CorrelationReport
from qassay.scoring.scorer import score_examples

INJECTION = "<script>alert(1)</script> <img src=x onerror=alert(2)> --> ]]>"
SPECS = ("rouge_l", "token_f1", "exact_match")


def judged_answers(questions=12):
    """Make answers of which every system gets some right, one with markup, and one of exact_match's all alike."""
    found = []
    for i in range(questions):
        for j, system in enumerate(("atlas", "birch", "comet")):
            wrong = (i + j) % 3 == 0
            right = f"yes, it is the {i}th" + " they say" * ((i + j) % 5)
            candidate = f"no, it is certainly not the {i}th" if wrong else right
            found.append(
                Example(
                    f"q{i}",
                    INJECTION if i % 3 else f"which one is number {i}?",
                    (Reference(f"yes, it is certainly the {i}th", Opinion.YES),),
                    None if (i, j) == (2, 0) else candidate,
                    system,
                    opinion=Opinion.NO if wrong else Opinion.YES,
                    question_type="first & half" if i < questions // 2 else "后半",
                    judgement=1.0 + j / 4 if wrong else 4.0 + (i % 4) / 4,
                )
            )
    return found


def correlation_report(
    examples=None, *, specs=SPECS, level=Level.ANSWER, by="question_type", swept="yesno=0:2:0.5", draws=100, **changes
):
    """Measure the answers as `qassay correlate` does."""
    evidence = evidence_of_table(score_examples(judged_answers() if examples is None else examples, specs))
    options = Options(level, tuple(Coefficient), DifferenceTest.BOOTSTRAP, draws, seed=1)
    agreements, differences = measure(evidence, options, by)
    points = [] if swept is None else sweep(evidence, ["rouge_l"], Sweep.parse(swept), options, by)
    fields = {
        "title": "A sample",
        "evidence": evidence,
        "options": options,
        "by": by,
        "agreements": agreements,
        "differences": differences,
        "points": points,
    }
    return CorrelationReport(**{**fields, **changes})
