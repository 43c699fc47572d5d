"""What rules need of texts: a rule changes nothing in a pair that lacks it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from qassay.equivalence.canonicalise import denies
from qassay.equivalence.negation.denial import DENYING
from qassay.equivalence.pair_words import PairWords
from qassay.equivalence.registry import RULES
from qassay.equivalence.rule import AnswerPair
from qassay.equivalence.tables import read_table
from qassay.text.traits import find_traits

EXAMPLES = [each.pair for rule in RULES for each in rule.examples]
WORDS = sorted({word for pair in EXAMPLES for text in pair for word in text.split()})
ODD = [
    "eightpm",
    "8",
    "o'clockpm",
    "5million",
    "C",
    "plusblood",
    "NoT",
    "IV",
    "two",
    "half",
    "1/2",
    "-5",
    "the '90s",
    "10%",
    ":",
    "in",
]
OPPOSITES = read_table("opposites")
texts = st.lists(st.sampled_from([*WORDS, *ODD]), max_size=6).flatmap(
    lambda words: st.sampled_from(["", " ", "-"]).map(lambda between: between.join(words))
)
pairs = st.one_of(
    st.builds(AnswerPair, texts, texts, texts),
    st.sampled_from(EXAMPLES),
    st.builds(lambda one, other: AnswerPair(one[0], other[1], one[2]), *[st.sampled_from(EXAMPLES)] * 2),
    st.builds(
        lambda pair, text, marks: AnswerPair(pair[0], text, text.replace(*marks)),
        st.sampled_from(EXAMPLES),
        st.one_of(texts, st.sampled_from([text for pair in EXAMPLES for text in pair])),
        st.sampled_from([(" ", ""), (" ", "-"), ("-", " "), ("-", ""), ("the ", ""), *OPPOSITES]),
    ),
)


def _needs_met(rule, pair):
    reference, candidate = find_traits([pair.reference]), find_traits([pair.candidate])
    if not rule.needs.met(reference, candidate)[0]:
        return False
    return rule.may_change is None or rule.may_change(PairWords([pair], candidate))[0]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@given(pair=pairs)
@example(pair=AnswerPair("When?", "8 p.m.", "eightpm"))
@example(pair=AnswerPair("What?", "C+", "C plusblood"))
def test_a_rule_changes_nothing_where_its_needs_are_not_met(rule, pair):
    """Its needs only spare a look at pairs that it would leave alone."""
    assert _needs_met(rule, pair) or not (rule.applies(pair) and rule.replacements(pair))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_needs_are_met_by_every_example_that_a_rule_changes(rule):
    """The examples are what the rule is for."""
    changed = [each.pair for each in rule.examples if each.read is not None]
    assert all(_needs_met(rule, pair) for pair in changed)


@given(texts)
def test_a_text_that_denies_has_the_trait(text):
    """A text without it is not read for denials."""
    assert find_traits([text])[0] & DENYING or not denies(text)
