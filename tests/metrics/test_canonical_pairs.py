"""The learned metrics judge answers in their reference's words, as far as the rules reach."""

import numpy as np
import pytest

from qassay import score
from qassay.equivalence.rule import RULE_NAMES
from qassay.errors import SpecError
from qassay.features.resources import Resources
from qassay.metrics.learned.canonical_pairs import RULE_NOTE
from qassay.metrics.registry import create

ROWS = [
    ("How long did it take?", "two weeks", "It took 14 days."),
    ("How far is it?", "1.5 km", "1.5 miles"),
    ("How many came?", "twenty-one", "21"),
    ("What is the capital of Australia?", "Canberra", "The capital is Sydney, not Canberra."),
    ("Who wrote Frankenstein?", "Mary Shelley", "It was Shelley."),
]


def _rows(rows=ROWS):
    return [
        {"id": str(i), "question": question, "references": [reference], "candidate": candidate}
        for i, (question, reference, candidate) in enumerate(rows)
    ]


@pytest.mark.parametrize("spec", ["ava", "lerc"])
def test_terms_do_not_decide(spec):
    """The same in other units and forms is right; the same number with another unit is wrong, and so is a denial."""
    scores = score(_rows(), [spec])[spec]
    assert scores[0] > 0.9
    assert scores[1] < 0.5
    assert scores[2] == 1
    assert scores[3] < 0.5


def test_an_answer_that_no_rule_changes_is_judged_the_same_without_rules():
    """Rules touch nothing else."""
    found = score(_rows(), ["ava", "ava,rules=off", "lerc", "lerc,rules=off"])
    assert found["ava"][4] == found["ava,rules=off"][4]
    assert found["lerc"][4] == found["lerc,rules=off"][4]
    assert (found["ava"][:4] != found["ava,rules=off"][:4]).all()


def test_one_rule_alone_changes_its_own_answers():
    """The others are judged as they are written."""
    found = score(_rows(), ["ava", "ava,rules=off", "ava,rules=denial"])
    np.testing.assert_array_equal(found["ava,rules=denial"][:3], found["ava,rules=off"][:3])
    assert found["ava,rules=denial"][3] == found["ava"][3]


def test_notes_count_the_answers_that_each_rule_changed():
    """Each once, however many judges and references see it."""
    rows = [{**row, "references": [*row["references"], "three fortnights"]} for row in _rows()]
    notes = score(rows, ["ava", "lerc"]).notes
    assert {note.removeprefix(RULE_NOTE): count for note, count in notes.items() if note.startswith(RULE_NOTE)} == {
        "units": 2,
        "number_form": 1,
        "denial": 1,
    }


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("ava,rules=units+denial", "ava,rules=denial+units"),
        ("ava,rules=units+units", "ava,rules=units"),
        ("lerc,rules=all", "lerc"),
        ("lerc,rules=off", "lerc,rules=off"),
    ],
)
def test_rules_have_a_canonical_form(spec, canonical):
    """Rules stand in their own order, once each, and all of them are the default."""
    assert str(create(spec).spec) == canonical


def test_all_rules_by_name_are_the_default():
    """Naming every rule is naming none."""
    assert str(create(f"ava,rules={'+'.join(RULE_NAMES)}").spec) == "ava"


@pytest.mark.parametrize("spec", ["ava,rules=unit", "lerc,rules=denial+unit", "ava,rules=", "ava,rules=off+units"])
def test_an_unknown_rule_is_refused(spec):
    """The message lists the rules."""
    with pytest.raises(SpecError, match="units"):
        create(spec)


def test_the_nearest_rule_is_named():
    """A slip is told."""
    with pytest.raises(SpecError, match='did you mean "units"'):
        create("ava,rules=unit")


def test_models_of_the_paper_take_no_rules():
    """They judge what is written, as published."""
    with pytest.raises(SpecError, match="what is written"):
        create("ava,kind=linear,rules=off")


def test_signatures_tell_rules_apart():
    """Scores with other rules are other scores."""
    resources = Resources()
    found = [create(spec).identity(resources).get("rules") for spec in ("lerc", "lerc,rules=off", "lerc,rules=units")]
    assert len(set(found)) == 3
    assert found[1] is None


def test_the_best_reference_counts_whichever_side_it_is_on():
    """One reference is met as written, the other in other terms."""
    (both,) = score(
        [
            {
                "id": "1",
                "question": "How long?",
                "references": ["a fortnight or so", "two weeks"],
                "candidate": "14 days",
            }
        ],
        ["lerc,screen=off"],
    )["lerc,screen=off"]
    assert both == 1
