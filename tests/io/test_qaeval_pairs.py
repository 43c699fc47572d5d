"""QAEval's labelled answer pairs, on TAC 2008 with summaries and on SummEval without."""

import pytest

from commands import qassay_json
from qassay.errors import DataError
from qassay.io.input_stream import Reader
from qassay.records import Example, Reference
from shared import bench


def test_labelled_pairs_are_read(fixtures):
    """The answer is the reference, the prediction the candidate in its summary; the verdict is on the meaning."""
    first, second, third = Reader([fixtures / "qaeval-tac.csv"])
    kept = {"instance_id": "d0801-A", "summarizer_id": "13", "prompt_id": "4", "is_correct": "TRUE"}
    assert first == Example(
        id="qaeval-tac.csv:2",
        question="Who rescued the child?",
        references=(Reference("emergency staff"),),
        candidate="Rescuers",
        context="Rescuers came, and the child was safe.",
        judgement=1.0,
        extra=kept,
    )
    assert (second.judgement, third.judgement, third.candidate) == (0.0, None, "")


def test_a_verdict_is_true_or_false(read):
    """Any other word is refused with its line."""
    content = (
        b"instance_id,question,answer,prediction,is_correct,is_intended_answer\na,q,x,y,TRUE,TRUE\na,q,x,y,TRUE,so\n"
    )
    with pytest.raises(DataError, match="must be TRUE, FALSE or empty") as caught:
        read(content, "labels.csv")
    assert caught.value.line == 3


def test_verify_recognises_labelled_pairs(fixtures):
    """No option is needed, and the verdicts say how well a method does."""
    found = qassay_json("verify", fixtures / "qaeval-tac.csv", "-m", "token_f1")
    quality = {each["method"]: each for each in found["verification"]}
    # no word in common: both are called different, and one is
    assert (quality["token_f1"]["n"], quality["token_f1"]["mse"]) == (2, 0.5)


def test_the_real_pairs_are_read():
    """SummEval's file has 450 rows, of which 449 have a verdict on the meaning, counted in the raw file."""
    examples = list(Reader([bench("answer_verification/summeval_labeled-answers.csv")]))
    assert (len(examples), sum(each.judgement is not None for each in examples)) == (450, 449)
