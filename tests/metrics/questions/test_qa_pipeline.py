import pytest

from fake_pipeline import CapitalChunker, FirstNameReader, LengthVerifier, pipeline
from qassay.metrics.questions.qa_pipeline import NO_SUMMARY, NOTHING_TO_ASK, QAPipeline
from qassay.metrics.questions.question_generation import Questioner
from qassay.metrics.registry import create
from qassay.records import Example, Reference


@pytest.fixture
def reader():
    return FirstNameReader()


@pytest.fixture
def asking(reader):
    return pipeline(reader)


def _ask(asking, examples, metrics):
    """Return the records of all examples, one behind the other."""
    return [record for held in asking.ask(examples, [create(name) for name in metrics]) for record in held]


def _example(summary, *references, document=None, name="1", system="a"):
    return Example(name, "", tuple(Reference(each) for each in references), summary, system, context=document)


def test_qaeval_asks_what_the_reference_holds_and_reads_the_summary(asking):
    """The question comes from the reference, its answer from the candidate summary."""
    (record,) = _ask(asking, [_example("then Bob sang", "yesterday Anna sang")], ["qaeval"])
    (question,) = record.sources[0].questions
    assert (question.question, question.answer, question.prediction) == ("Who sang?", "Anna", "Bob")


def test_feqa_asks_what_the_summary_holds_and_reads_the_document(asking):
    """The question comes from the candidate summary, its answer from the document."""
    (record,) = _ask(asking, [_example("then Bob sang", document="it was Carol who sang")], ["feqa"])
    (question,) = record.sources[0].questions
    assert (record.sources[0].source, question.answer, question.prediction) == ("summary", "Bob", "Carol")


def test_every_reference_raises_its_own_questions(asking):
    """Several references stand side by side in the record."""
    example = _example("then Bob sang", "so Anna sang", "then Ida and Eve sang")
    (record,) = _ask(asking, [example], ["qaeval"])
    assert [(each.source, len(each.questions)) for each in record.sources] == [("reference 1", 1), ("reference 2", 2)]


def test_an_unanswered_question_has_no_verdicts(asking):
    """Whatever the reader would have said, it is not verified."""
    (record,) = _ask(asking, [_example("nobody sang", "yesterday Anna sang")], ["qaeval"])
    (question,) = record.sources[0].questions
    assert not question.answered
    assert question.verdicts == {}


def test_a_reference_is_tagged_once_for_all_systems(reader):
    """The same text raises its questions once, however many summaries are held against it."""
    tagged = []

    class Counting(CapitalChunker):
        def tag(self, sentences):
            tagged.extend(sentences)
            return super().tag(sentences)

    asking = QAPipeline(Questioner(Counting()), reader, LengthVerifier())
    examples = [_example(f"then {name} sang", "yesterday Anna sang", system=name) for name in ("Bob", "Eve", "Ida")]
    _ask(asking, examples[:2], ["qaeval"])
    _ask(asking, examples[2:], ["qaeval"])
    assert tagged == ["yesterday Anna sang"]


def test_a_missing_summary_is_unscored(asking):
    """No summary is not an empty summary."""
    (record,) = _ask(asking, [_example(None, "yesterday Anna sang")], ["qaeval"])
    assert (record.unscored, record.sources) == (NO_SUMMARY, [])


@pytest.mark.parametrize("summary", ["", "nobody sang"])
def test_a_summary_without_a_noun_phrase_cannot_be_tested_for_faithfulness(asking, summary):
    """There is nothing to ask, which is no proof of anything."""
    (record,) = _ask(asking, [_example(summary, document="it was Carol")], ["feqa"])
    assert record.unscored == NOTHING_TO_ASK


def test_an_empty_summary_answers_nothing(asking):
    """Against a reference with content an empty summary is a real 0."""
    (record,) = _ask(asking, [_example("", "yesterday Anna sang")], ["qaeval"])
    assert record.unscored is None
    assert not record.sources[0].questions[0].answered


@pytest.mark.parametrize(
    ("text", "language"), [("他来自北京", "Chinese"), ("東京へ行きました", "Japanese"), ("서울에 갔다", "Korean")]
)
def test_another_language_is_not_questioned(asking, text, language):
    """The embedded models are English, and would give numbers without meaning."""
    (record,) = _ask(asking, [_example(text, text)], ["qaeval"])
    assert record.sources == []
    assert record.unscored == f"the summary is in {language}, and the embedded chunker and reader are English"


def test_a_language_concerns_the_metric_that_reads_it(asking):
    """A Chinese document leaves the references as they are."""
    example = _example("then Bob sang", "yesterday Anna sang", document="他来自北京")
    qaeval, feqa = _ask(asking, [example], ["qaeval", "feqa"])
    assert qaeval.unscored is None
    assert feqa.unscored.startswith("the document is in Chinese")
