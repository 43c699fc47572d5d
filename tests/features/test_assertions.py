"""What candidates assert, as the embedded reader finds it."""

import pytest

from qassay.features.assertions import NOTHING_ASSERTED, Assertion, assertions
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.records import Example, Reference


def _batch(*pairs: tuple[str, str | None]) -> Batch:
    examples = [Example(str(i), question, (Reference("x"),), text) for i, (question, text) in enumerate(pairs)]
    return Batch(examples, Resources())


def _assertion(question: str, candidate: str | None) -> Assertion:
    return assertions(_batch((question, candidate)))[0]


@pytest.mark.parametrize(
    ("question", "candidate", "asserted"),
    [
        (
            "Who composed the opera?",
            "It was composed by Jules Massenet, who had studied alongside Georges Bizet.",
            "Jules Massenet",
        ),
        ("Who wrote it?", "People often attribute it to Beethoven; in fact Chopin wrote it.", "Chopin"),
    ],
)
def test_the_asserted_words_are_told_from_mere_mentions(question, candidate, asserted):
    """They are where the positions say."""
    found = _assertion(question, candidate)
    assert found.text == asserted == candidate[found.start : found.end]
    assert found.attempted


def test_without_a_question_everything_is_asserted():
    """There is nothing to ask of the candidate."""
    text = "Goethe wrote it in Weimar."
    assert _assertion(" ", text) == Assertion(text, 0, len(text), 0.0)


@pytest.mark.parametrize("candidate", [None, "", " \n"])
def test_a_blank_candidate_asserts_nothing(candidate):
    """And is no attempt."""
    assert _assertion("Who wrote Faust?", candidate) == NOTHING_ASSERTED
    assert not NOTHING_ASSERTED.attempted


@pytest.mark.parametrize("candidate", ["Goethe", "Johann von Goethe", "歌德"])
def test_a_short_candidate_asserts_itself(candidate):
    """Without being read."""
    assert _assertion("Who wrote Faust?", candidate) == Assertion(candidate, 0, len(candidate), 0.0)


@pytest.mark.parametrize(
    "candidate",
    [
        *(
            "I don't know",
            "I don\u2019t know.",
            "Unknown",
            "not stated",
            "N/A",
            "It's unclear.",
            "Cannot be determined.",
        ),
        *("can't say", "Not enough information", "None given", "no data", "Nobody knows."),
    ],
)
def test_a_short_refusal_asserts_nothing(candidate):
    """Whatever its length says."""
    assert not _assertion("Who wrote Faust?", candidate).attempted


def test_a_long_refusal_asserts_nothing():
    """The reader says so."""
    assert not _assertion("Who wrote Faust?", "Sorry, I could not find this in the documents.").attempted


@pytest.mark.parametrize(
    ("question", "candidate"),
    [
        ("Where is the headquarters?", "In New York City, on the East River."),
        ("Why do leaves turn yellow?", "The green chlorophyll breaks down and other pigments become visible."),
        ("How much venom does it have?", "I could not find much on it, but the usual figure is 7 millilitres."),
    ],
)
def test_an_answer_that_leaves_out_the_question_is_an_attempt(question, candidate):
    """And so is one that answers after all."""
    assert _assertion(question, candidate).attempted


def test_a_script_that_the_reader_does_not_know_is_not_read():
    """All of the text is asserted, as far as anybody can tell."""
    text = "《红楼梦》的作者是曹雪芹。"
    assert _assertion("谁写了它", text) == Assertion(text, 0, len(text), 0.0)


def test_ten_thousand_words_are_read():
    """In windows, and the positions are those of the whole text."""
    text = (
        "The weather was mild and the streets were quiet on most days of that long year. " * 700
        + "The portrait was painted by Maria Hill."
    )
    found = _assertion("Who painted the portrait?", text)
    assert found.text == "Maria Hill" == text[found.start : found.end]


def test_equal_pairs_are_read_once_and_the_batch_remembers_them(monkeypatch):
    """Duplicates have the same assertion, and a second metric reads nothing."""
    batch = _batch(*[("Who wrote it?", "In fact Chopin wrote it.")] * 3, ("Who?", "Chopin"))
    reader = batch.resources.answer_reader()
    read = []
    monkeypatch.setattr(reader, "_read", lambda *job: read.append(job) or type(reader)._read(reader, *job))
    first = assertions(batch)
    assert first[0] == first[1] == first[2]
    assert assertions(batch) is first
    assert len(read) == 1


@pytest.mark.parametrize("candidate", ["It was Monet, but I'm not sure.", "It was Monet. I am unsure though."])
def test_a_doubt_behind_an_answer_leaves_it_an_answer(candidate):
    """What stands before the doubt is asserted."""
    assert _assertion("Who painted the picture?", candidate).text == "Monet"
    assert not _assertion("Who painted the picture?", "I don't know who it was, but I'm not sure.").attempted


@pytest.mark.parametrize(
    "question", ["Is Paris or Rome the capital of France?", "Who wrote Faust, Goethe or Schiller?"]
)
def test_the_question_again_asserts_nothing(question):
    """However its marks and capitals are written."""
    assert _assertion(question, question.lower().strip("?")) == NOTHING_ASSERTED
