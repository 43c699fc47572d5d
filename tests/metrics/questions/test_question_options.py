"""How questions are chosen and answered: round trip, several wordings, phrases within others, no abstention."""

import pytest

from fake_pipeline import CapitalChunker, FirstNameReader, LengthVerifier, pipeline
from qassay.metrics.questions.qa_pipeline import QAPipeline, answers_with, most_agreed
from qassay.metrics.questions.question_generation import Questioner
from qassay.metrics.registry import create
from qassay.models.onnx.reader import Answer
from qassay.records import Example, Reference


class _Forgetful(FirstNameReader):
    """Finds no answer in a reference's own sentence about Ida."""

    def _answer(self, question, passage):
        return Answer("", 0, 0, 0.9) if passage == "so Ida sang" else super()._answer(question, passage)


class _Unsure(FirstNameReader):
    """Believes none of its answers."""

    def _answer(self, question, passage):
        return super()._answer(question, passage)._replace(none=0.8)


def _questions(reader, spec, *references, summary="then Bob sang"):
    asking = QAPipeline(Questioner(CapitalChunker()), reader, LengthVerifier())
    example = Example("1", "", tuple(Reference(each) for each in references), summary)
    (record,) = asking.ask([example], [create(spec)])[0]
    return [question for source in record.sources for question in source.questions]


def test_a_question_that_its_own_sentence_does_not_answer_is_left_out():
    """The reader would not understand it elsewhere either."""
    spec = "qaeval,roundtrip=yes"
    assert [each.answer for each in _questions(_Forgetful(), spec, "so Anna sang", "so Ida sang")] == ["Anna"]


def test_without_the_round_trip_every_question_is_asked():
    """The filter is off unless it is asked for."""
    assert len(_questions(_Forgetful(), "qaeval", "so Anna sang", "so Ida sang")) == 2


@pytest.mark.parametrize(("spec", "answered"), [("qaeval", False), ("qaeval,abstain=no", True)])
def test_a_reader_that_may_not_abstain_always_answers(spec, answered):
    """As in the program of FEQA's authors."""
    (question,) = _questions(_Unsure(), spec, "so Anna sang")
    assert question.answered is answered


def test_variants_of_a_metric_stand_side_by_side():
    """Their records are told apart by the parameters that the questions depend on."""
    example = Example("1", "", (Reference("so Anna sang"),), "then Bob sang")
    specs = ["qaeval", "qaeval,abstain=no,verify=token_f1", "qaeval,wordings=2"]
    records = pipeline().ask([example], [create(spec) for spec in specs])[0]
    assert [each.metric for each in records] == ["qaeval", "qaeval,abstain=no", "qaeval,wordings=2"]


def test_the_answer_that_most_wordings_agree_on_counts():
    """Two that overlap outweigh a third that is likelier than each of them."""
    apart, long, short = Answer("Bob", 0, 3, 0.1), Answer("in Oslo", 10, 17, 0.3), Answer("Oslo", 13, 17, 0.2)
    found = most_agreed([apart, long, short])
    assert found.text == "Oslo"
    assert found.none == pytest.approx(0.2)


def test_one_wording_is_its_own_best():
    """Nothing changes where there is nothing to agree with."""
    answer = Answer("Oslo", 0, 4, 0.3)
    assert most_agreed([answer]) is answer


@pytest.mark.parametrize(
    ("answer", "same"),
    [
        (Answer("the race", 0, 8, 0.1), True),
        (Answer("race", 4, 8, 0.1), True),
        (Answer("in", 9, 11, 0.1), False),
        (Answer("", 0, 0, 0.9), False),
    ],
)
def test_a_round_trip_succeeds_with_part_of_the_phrase(answer, same):
    """An article more or less does not matter."""
    assert answers_with(answer, (0, 8)) is same


def test_phrases_without_a_plain_question_are_asked_for_by_a_gap():
    """Unless the sentence is a fragment."""
    asked = _questions(FirstNameReader(), "qaeval", "he met Anna and then Rome won")
    assert [each.question for each in asked] == ["He met (who?) and then Rome won.", "Who won?"]
    assert _questions(FirstNameReader(), "qaeval", "so Anna and then Rome") == []


def test_plain_questions_alone_are_asked_on_demand():
    """The phrase that only a gap could ask for is left out."""
    asked = _questions(FirstNameReader(), "qaeval,questions=plain", "he met Anna and then Rome won")
    assert [each.question for each in asked] == ["Who won?"]


def test_nested_phrases_are_asked_about_on_demand():
    """The possessor inside a phrase has a question of its own."""
    from qassay.models.load_readers import load_chunker  # noqa: PLC0415 - the only test that opens a model

    asking = Questioner(load_chunker())
    plain, nested = (
        [each.question.text for each in asking.ask(["Newman's bonus was cut."], nested=n)[0]] for n in (0, 1)
    )
    assert "Whose bonus was cut?" in set(nested) - set(plain)
