import pytest

from qassay.metrics.questions.wording.verbs import base_form, is_past

_WORDS = {
    "hope",
    "hop",
    "visit",
    "create",
    "stop",
    "settle",
    "agree",
    "carry",
    "watch",
    "offer",
    "decide",
    "call",
    "use",
}


@pytest.mark.parametrize(
    ("verb", "part", "base"),
    [
        ("sold", "VBD", "sell"),
        ("went", "VBD", "go"),
        ("hoped", "VBD", "hope"),
        ("stopped", "VBD", "stop"),
        ("visited", "VBD", "visit"),
        ("created", "VBD", "create"),
        ("settled", "VBD", "settle"),
        ("agreed", "VBD", "agree"),
        ("carried", "VBD", "carry"),
        ("called", "VBD", "call"),
        ("decided", "VBD", "decide"),
        ("used", "VBD", "use"),
        ("watches", "VBZ", "watch"),
        ("carries", "VBZ", "carry"),
        ("offers", "VBZ", "offer"),
        ("has", "VBZ", "have"),
        ("know", "VBP", "know"),
    ],
)
def test_the_base_form_of_a_finite_verb(verb, part, base):
    """Irregular verbs are known, and regular endings are undone by English spelling."""
    assert base_form(verb, part, _WORDS.__contains__) == base


def test_a_verb_whose_base_is_no_known_word_has_none():
    """What would be a guess is left to the caller."""
    assert base_form("frobbed", "VBD", _WORDS.__contains__) is None


@pytest.mark.parametrize(("verb", "past"), [("beat", True), ("took", True), ("goes", False), ("walk", False)])
def test_irregular_past_tenses_are_known(verb, past):
    """Some have the form of the infinitive."""
    assert is_past(verb) == past
