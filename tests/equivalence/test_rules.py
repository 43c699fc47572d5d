"""The rules: each one's own examples, and what holds of all."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.equivalence.canonicalise import canonicalise
from qassay.equivalence.registry import RULES, active_rules, rules_fingerprint
from qassay.equivalence.rule import RULE_NAMES
from qassay.equivalence.tables import read_table

EXAMPLES = [(rule, example) for rule in RULES for example in rule.examples]
CHANGED = [(rule, example) for rule, example in EXAMPLES if example.read is not None]
UNCHANGED = [(rule, example) for rule, example in EXAMPLES if example.read is None]


def _id(value):
    return getattr(value, "name", None) or f"{value.pair.reference} / {value.pair.candidate}"


@pytest.mark.parametrize(("rule", "example"), CHANGED, ids=_id)
def test_a_rule_alone_reads_its_examples_as_they_say(rule, example):
    """No rule needs another one."""
    found = canonicalise(*example.pair, [rule])
    assert found is not None
    assert found.candidate == example.read


@pytest.mark.parametrize(("rule", "example"), CHANGED, ids=_id)
def test_an_example_is_read_the_same_among_all_rules(rule, example):
    """No rule spoils another's examples, and the one that fired is named."""
    found = canonicalise(*example.pair)
    assert found is not None
    assert found.candidate == example.read
    assert rule.name in {fired.name for fired in found.fired}


@pytest.mark.parametrize(("rule", "example"), UNCHANGED, ids=_id)
def test_a_counterexample_is_left_alone_by_all_rules(rule, example):  # noqa: ARG001 - names the test
    """What looks like a rule's case and is none stays as it is written."""
    assert canonicalise(*example.pair) is None


def test_every_rule_is_known_by_name_and_order():
    """The names that specs are checked against are those of the rules."""
    assert tuple(rule.name for rule in RULES) == RULE_NAMES


@pytest.mark.parametrize("rule", RULES, ids=_id)
def test_every_rule_is_defined_and_has_examples_both_ways(rule):
    """A definition is one sentence; examples show what the rule does and what it leaves alone."""
    assert rule.definition.endswith(".")
    assert {example.read is None for example in rule.examples} == {True, False}


def test_every_example_belongs_to_a_rule():
    """A misspelt name would leave an example untested."""
    assert {row[0] for row in read_table("examples")} == set(RULE_NAMES)


@pytest.mark.parametrize("rule", RULES, ids=_id)
def test_a_rule_either_rewrites_or_vetoes(rule):
    """Exactly one of the two is there."""
    assert (rule.rewrite is None) != (rule.veto is None)


def test_rules_that_are_switched_off_do_nothing():
    """A pair that one rule is for is left alone by the others."""
    others = active_rules(tuple(name for name in RULE_NAMES if name != "units"))
    assert canonicalise("", "two weeks", "14 days", others) is None


def test_the_fingerprint_depends_on_which_rules_are_active():
    """A signature tells runs with other rules apart."""
    assert len({rules_fingerprint(), rules_fingerprint(("units",)), rules_fingerprint(("alias",))}) == 3


@pytest.mark.parametrize("name", ["swapped", "relation"])
def test_rules_that_read_relations_depend_on_what_compares_costs_and_weights(name):
    """Both read "costs more" by the same table, and their hashes follow it."""
    (rule,) = active_rules((name,))
    assert "comparing_words" in rule.tables


def test_the_fingerprint_depends_on_the_tables(monkeypatch):
    """A word more in a table may be another score."""
    (rule,) = active_rules(("opposite",))
    before = rule.digest()
    monkeypatch.setattr("qassay.equivalence.rule.read_bytes", lambda name: f"{name} changed".encode())
    assert rule.digest() != before


def test_a_fired_rule_is_reported_with_the_words_before_and_after():
    """Each change has its own."""
    found = canonicalise("", "1,200 people in two weeks", "1200 people in 14 days")
    assert found is not None
    assert [each[:3] for each in found.fired] == [("number_form", "1200", "1,200"), ("units", "14 days", "two weeks")]


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_taken(reference, candidate):
    """Whatever stands there, a change is reported with the rule that made it."""
    found = canonicalise("q", reference, candidate)
    assert found is None or (found.fired and found.candidate != candidate)


@given(st.integers(1000, 10**15 - 1), st.booleans())
def test_separators_make_no_difference(number, separated):
    """Python's own writing with separators is the oracle."""
    reference, candidate = (str(number), f"{number:,}")[:: 1 if separated else -1]
    found = canonicalise("How many?", reference, candidate)
    assert found is not None
    assert found.candidate == reference


@pytest.mark.parametrize(
    "piece", ["1 ", "a ", "not ", "one ", "1,000", "5 km and ", "U.S. ", "half a ", "Ab Cd ", "9 - ", "AB "]
)
def test_repetitive_texts_of_any_length_are_read(piece):
    """Of longer texts rules read the beginning, or nothing; with two million characters a square would take hours."""
    canonicalise(piece * 500_000, "5 km, 14 days, Canberra", "14 days")
    canonicalise("", (piece * 4000)[:4000], "5 km, 14 days")
    canonicalise("", "5 km, 14 days, Canberra", (piece * 4000)[:4000])
    assert canonicalise("", piece * 500_000, "14 days") is None
