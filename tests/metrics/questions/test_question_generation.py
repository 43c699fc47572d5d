import pytest

from fake_pipeline import CapitalChunker
from qassay.metrics.questions.question_generation import Questioner
from qassay.models.load_readers import load_chunker


def _raised(text):
    return Questioner(load_chunker()).ask([text])[0]


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("1. Apples\n2. Pears\n3. Plums", ["Apples", "Pears", "Plums"]),
        ("4. Freedom of assembly is protected.", ["Freedom of assembly"]),
        ("(1) Apples are red.", ["Apples"]),
        ("1) Apples are red.", ["Apples"]),
        ("- 1. Apples are red.", ["Apples"]),
        ("\u2022 Apples are red.", ["Apples"]),
    ],
)
def test_the_number_of_a_list_entry_is_neither_asked_about_nor_kept(text, answers):
    """What the entry says is asked about alone."""
    raised = _raised(text)
    assert [each.question.answer for each in raised] == answers
    assert not any("1" in each.question.text or "4" in each.question.text for each in raised)
    assert [text[slice(*each.span)] for each in raised] == answers


@pytest.mark.parametrize("text", ["42.", "1984.", "42", "3.5 million people fled.", "-5 degrees were measured."])
def test_a_number_that_is_no_list_entry_is_asked_about(text):
    """A text may be a number, and a sentence may begin with one."""
    assert any(letter.isdigit() for each in _raised(text) for letter in each.question.answer)


def test_a_year_that_opens_a_text_is_asked_about():
    """Entries of lists have numbers of up to three figures."""
    assert _raised("1984. It was a good year.")[0].question.answer == "1984"


def test_a_question_knows_its_sentence_and_its_answer():
    """What was asked about can be shown and compared."""
    found = _raised("It rained. A jacket worn in the 1939 movie has fetched $137,000.")[-1].question
    assert found.sentence[slice(*found.answer_span)] == found.answer == "$137,000"


class Writer:
    """Words no question."""

    fingerprint = "writer"


class OtherChunker(CapitalChunker):
    """The same under another name."""

    fingerprint = "other"


def test_who_asks_is_known_by_chunker_and_writer():
    """A writer words the questions, but the chunker chooses what they are about."""
    first, other = (Questioner(chunker, Writer()).fingerprint for chunker in (CapitalChunker(), OtherChunker()))

    assert (first, other) == ("capitals+writer", "other+writer")


def test_without_a_writer_the_chunker_alone_is_named():
    """The questions are worded by rule."""
    assert Questioner(CapitalChunker()).fingerprint == "capitals"
