import pytest

from qassay.records import Example, Reference
from qassay.report.answers import AnswerRow, Ordering, PageAnswers, system_names
from qassay.report.html.payload import REFERENCES, answers_payload


def payload(*examples, scores=None, unscored=None):
    rows = [AnswerRow(each, scores or {"a": 0.5}, unscored or {}) for each in examples]
    names = system_names(each.system for each in examples)
    return answers_payload(PageAnswers(rows, len(rows)), ["a"], names, Ordering())


def example(candidate, *references, system=""):
    return Example("q1", "why?", tuple(Reference(each) for each in references), candidate, system)


def test_equal_texts_are_stored_once():
    """Systems that answer the same question share its texts."""
    found = payload(example("yes", "because", system="A"), example("yes", "because", system="B"))
    assert found["texts"] == ["yes", "because", "why?"]


def test_marks_are_gaps_and_lengths():
    """Words in order have positive lengths, words out of order negative ones."""
    found = payload(example("old town hall in", "in the old town"))
    # "in" is shared but stands before "old town" in the reference: [gap 0, "old town" 8, gap 6, "in" -2]
    assert found["answers"][0]["references"][0]["candidate"] == [0, 8, 6, -2]


def test_a_missing_candidate_is_null():
    """An answer that was not given has no text."""
    assert payload(example(None, "x"))["answers"][0]["candidate"] is None


def test_a_judgement_of_zero_is_kept():
    """Zero is a judgement; none is none."""
    judged = Example("q1", "", (Reference("x"),), "y", judgement=0.0)
    assert payload(judged)["answers"][0]["judgement"] == 0.0


def test_an_unscored_metric_has_its_reason():
    """The reason stands under the metric's number."""
    found = payload(example(None, "x"), scores={"a": None}, unscored={"a": "no candidate"})["answers"][0]
    assert (found["scores"], found["value"], found["reasons"]) == ([None], None, {0: "no candidate"})


def test_equal_references_are_shown_once():
    """A reference that several people gave says how often."""
    found = payload(example("x", "Paris", "Paris", "Lyon"))["answers"][0]
    assert [each.get("times", 1) for each in found["references"]] == [2, 1]


def test_very_many_references_are_counted_not_shown():
    """Beyond a dozen, references are only counted."""
    found = payload(example("x", *(f"reference {i}" for i in range(REFERENCES + 5))))["answers"][0]
    assert (len(found["references"]), found["hidden"]) == (REFERENCES, 5)


def test_the_closest_reference_is_named():
    """The page opens with the reference that shares most with the answer."""
    assert payload(example("the old town", "nothing", "old town"))["answers"][0]["closest"] == 1


@pytest.mark.parametrize("length", [5001, 100_000])
def test_a_long_text_is_cut_and_counted(length):
    """The page holds the beginning and the number of characters that follow."""
    found = payload(example("x" * length, "y"))
    number = found["answers"][0]["candidate"]
    assert (len(found["texts"][number]), found["more"][number]) == (5000, length - 5000)
