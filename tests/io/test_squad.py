"""SQuAD: questions in one file, each system's answers in another."""

import re

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Reference
from shared import train

CONTEXT = "Emma is a novel by Jane Austen, published in 1815."


def files(fixtures, *names):
    return [fixtures / f"{name}.json" for name in names]


def test_questions_and_predictions_are_joined(fixtures):
    """Each question meets the system's answer; the system is named after its file."""
    examples = list(Reader(files(fixtures, "squad", "squad-alpha")))
    assert examples[0] == Example(
        id="e1",
        question="Who wrote Emma?",
        references=(Reference("Jane Austen"), Reference("Austen")),
        candidate="Austen",
        system="squad-alpha",
        context=CONTEXT,
        question_type="answerable",
    )


def test_a_question_without_answer_has_an_empty_reference(fixtures):
    """The right answer to an unanswerable question is none."""
    examples = list(Reader(files(fixtures, "squad", "squad-alpha")))
    assert (examples[1].references, examples[1].candidate) == ((Reference(""),), "")
    assert examples[1].question_type == "unanswerable"


def test_each_file_of_predictions_is_a_system(fixtures):
    """Several systems follow each other, and questions that one left out have no candidate."""
    reader = Reader(files(fixtures, "squad", "squad-alpha", "squad-beta"))
    found = [(example.system, example.id, example.candidate) for example in reader]
    assert found == [
        ("squad-alpha", "e1", "Austen"),
        ("squad-alpha", "e2", ""),
        ("squad-alpha", "u1", "in 1922"),
        ("squad-beta", "e1", "Jane"),
        ("squad-beta", "e2", None),
        ("squad-beta", "u1", None),
    ]
    assert reader.bytes_read == reader.total_bytes


def test_answers_that_nobody_asked_for_are_counted(fixtures):
    """An answer to a question that is not in the data is left out and listed."""
    reader = Reader(files(fixtures, "squad", "squad-beta"))
    list(reader)
    assert [skipped.reason for skipped in reader.skipped] == [f"answers x9, which {fixtures}/squad.json does not ask"]


def test_the_system_can_be_named(fixtures):
    """The option names the one system there is."""
    reader = Reader(files(fixtures, "squad", "squad-alpha"), ReadOptions(format="squad", system="mine"))
    assert {example.system for example in reader} == {"mine"}


@pytest.mark.parametrize(
    ("names", "options", "says"),
    [
        (["squad"], {}, "holds questions and no answers"),
        (["squad-alpha"], {}, "holds answers and no questions"),
        (["squad-alpha"], {"format": "squad"}, "holds answers and no questions"),
        (["squad", "squad-alpha", "squad-beta"], {"system": "x"}, "system= names one system"),
        (["squad", "squad-alpha"], {"mapping": {"candidate": "x"}}, "columns= does not apply"),
        (["squad", "answers"], {"format": "squad"}, "is not a map from question ids to answers"),
        (["answers", "squad-alpha"], {}, "give the file of questions before it"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(fixtures, names, options, says):
    """Questions without answers, answers without questions and one name for two systems are errors."""
    with pytest.raises(DataError, match=re.escape(says)):
        list(Reader(files(fixtures, *names), ReadOptions(**options)))


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        (b'{"data": [{"paragraphs": [{"context": "c", "qas": [{"id": 5}]}]}]}', "is not a SQuAD article"),
        (b'{"data": [{"paragraphs": [{"context": "c", "qas": []}]}]}', "there are no answers in it"),
        (b'{"data": [{"paragraphs": [{"context": "c"', "cut short"),
    ],
)
def test_broken_questions_are_refused(fixtures, tmp_path, questions, says):
    """A file of questions that is not as SQuAD's are is a message."""
    path = tmp_path / "dev.json"
    path.write_bytes(questions)
    with pytest.raises(DataError, match=says):
        list(Reader([path, fixtures / "squad-alpha.json"]))


def test_the_same_question_twice_is_refused(fixtures, tmp_path):
    """Two questions with one id cannot both be scored."""
    path = tmp_path / "dev.json"
    question = '{"id": "e1", "question": "q", "answers": []}'
    path.write_text(f'{{"data": [{{"paragraphs": [{{"context": "c", "qas": [{question}, {question}]}}]}}]}}', "utf-8")
    with pytest.raises(DataError, match='the id "e1" of system "squad-alpha" appears twice'):
        list(Reader([path, fixtures / "squad-alpha.json"]))


@pytest.mark.parametrize(
    ("data", "predictions", "questions", "missing", "unasked"),
    [
        # The counts of the data sets as published: 10,570 and 11,873 questions. The baseline's file
        # was made for another copy of the questions: it lacks 13 of them and answers 28 others.
        ("squad/dev-v1.1.json", "squad/predictions/1.1_BERT.json", 10_570, 0, 0),
        ("squad/dev-v1.1.json", "squad/predictions/1.1_Logistic_Regression_Baseline.json", 10_570, 13, 28),
        ("squad/dev-v2.0.json", "squad/predictions/v2.0_BERT.json", 11_873, 0, 0),
    ],
)
def test_real_predictions_are_read(data, predictions, questions, missing, unasked):
    """Real systems' answers meet all questions of the development sets."""
    reader = Reader([train(data), train(predictions)])
    candidates = [example.candidate for example in reader]
    assert (len(candidates), candidates.count(None), reader.skipped_total) == (questions, missing, unasked)


def test_half_of_the_second_version_is_unanswerable():
    """Version 2.0 has 5,945 questions whose right answer is none, as published (Rajpurkar et al. 2018, Table 2)."""
    reader = Reader([train("squad/dev-v2.0.json"), train("squad/predictions/v2.0_BERT.json")])
    assert sum(example.references == (Reference(""),) for example in reader) == 5_945


def test_predictions_that_name_a_question_twice_are_refused(fixtures, tmp_path):
    """Nobody can tell which answer is meant."""
    path = tmp_path / "predictions.json"
    path.write_text('{"q1": "a", "q1": "b"}', encoding="utf-8")
    with pytest.raises(DataError, match='has "q1" twice; keep one'):
        list(Reader([fixtures / "squad.json", path]))
