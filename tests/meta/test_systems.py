import random
from dataclasses import replace

import pytest

import qassay
from qassay.errors import DataError
from qassay.meta.comparison.systems import compare_table, name_systems
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples


def answers(system="", ids=("q0", "q1", "q2"), candidate="it is one"):
    return [Example(each, "what?", (Reference("it is one"),), candidate, system) for each in ids]


def compare(*systems, **options):
    return compare_table(score_examples([each for part in systems for each in part], ["rouge_l"]), draws=100, **options)


def test_answers_without_a_system_get_the_name_of_their_file():
    """Two files of unnamed answers are two systems."""
    named = name_systems([("old", answers()), ("new", answers())])
    assert [each.system for each in named] == ["old"] * 3 + ["new"] * 3


def test_a_name_that_two_files_use_is_told_apart_by_the_file():
    """The same system in two versions keeps its name and says which file."""
    named = name_systems([("old", answers("T5")), ("new", answers("T5"))])
    assert {each.system for each in named} == {"T5 (old)", "T5 (new)"}


def test_files_of_one_name_are_numbered():
    """Files of the same name in two folders do not run into one."""
    named = name_systems([("answers", answers()), ("answers", answers())])
    assert [each.system for each in named] == ["answers (1)"] * 3 + ["answers (2)"] * 3


def test_names_of_one_file_stay():
    """A file that holds two systems needs nothing."""
    named = name_systems([("both", [*answers("A"), *answers("B")])])
    assert {each.system for each in named} == {"A", "B"}


def test_every_later_system_is_compared_with_every_earlier_one():
    """Three systems make three pairs, in their order."""
    found = compare(answers("A"), answers("B"), answers("C"))
    assert [(each.a, each.b) for each in found] == [("A", "B"), ("A", "C"), ("B", "C")]


def test_equal_answers_tie():
    """No difference, no wins."""
    (found,) = compare(answers("A"), answers("B"))
    assert (found.result.difference, found.result.wins, found.result.ties, found.result.losses) == (0, 0, 3, 0)


def test_only_shared_questions_count():
    """The others are counted on both sides."""
    (found,) = compare(answers("A", ("q0", "q1", "q2", "q3")), answers("B", ("q2", "q3", "q4")))
    assert (found.result.n, found.unshared) == (2, 3)


def test_made_up_ids_pair_by_line():
    """Ids of the form FILE:LINE meet where the line is the same, whatever the file."""
    (found,) = compare(answers("A", ("old:1", "old:2", "old:3")), answers("B", ("new:2", "new:3", "new:4")))
    assert (found.result.n, found.unshared) == (2, 2)


def test_given_ids_that_look_like_lines_are_not_taken_apart():
    """Ids of several files are ids, not lines."""
    with pytest.raises(DataError, match="share no id"):
        compare(answers("A", ("x:1", "y:1")), answers("B", ("z:1", "w:1")))


def test_unlike_references_are_refused_by_id():
    """The message names the first id whose references differ."""
    other = [Example("q1", "what?", (Reference("it is two"),), "it is one", "B")]
    with pytest.raises(DataError, match='unlike signatures: "references" of id "q1" is not the same in both'):
        compare(answers("A"), other)


def test_unlike_fields_are_refused_where_a_metric_reads_them():
    """What the score depends on must be the same for both."""
    one = Example("q1", "what?", (Reference("it is one"),), "it is one", "A")
    with pytest.raises(DataError, match='"entities" of id "q1" is not the same in both'):
        compare_table(score_examples([one, replace(one, system="B", entities=("one",))], ["rouge_l,entity=1"]))


@pytest.mark.parametrize("spec", ["rouge_l", "lerc"])
def test_what_a_system_retrieved_may_be_unlike(spec):
    """A passage beside an answer is the system's own affair, even where a metric reads it."""
    one = Example("q1", "what?", (Reference("it is one"),), "it is one", "A", context="It is.")
    table = score_examples([one, replace(one, system="B", context="Or not.")], [spec])
    assert compare_table(table)[0].result.n == 1


def test_pairs_are_compared():
    """Pairs of answers are compared like any other; `em` is exact match."""
    rows = [
        {"id": str(i), "system": system, "answer": "Anna Berg", "prediction": prediction}
        for system, prediction in (("A", "Anna Berg"), ("B", "Berg"))
        for i in range(6)
    ]
    em, f1 = compare_table(qassay.verify(rows, ["em", "token_f1"]))
    assert (em.metric, em.result.a, em.result.b, em.result.wins) == ("exact_match", 1.0, 0.0, 6)
    # one of one and two tokens shared: 2 * 1 * .5 / 1.5
    assert f1.result.b == pytest.approx(2 / 3)


def test_the_document_has_both_scores_and_the_counts():
    """`--json` prints flat rows."""
    ids = ("q1", "q2", "q3", "q4", "q5")
    (found,) = compare(answers("A", ids), answers("B", ids, candidate="it is two"))
    document = found.to_dict()
    assert (document["a"], document["a_value"], document["b"], document["wins"]) == ("A", 1.0, "B", 5)
    assert "reason" not in document


def test_p_values_are_corrected_within_a_metric():
    """Three pairs under each of two metrics: Holm's steps written out, times 3, 2 and 1 and never falling."""
    rng = random.Random(3)
    systems = [
        replace(each, candidate="it is one" if rng.random() < share else "two")
        for system, share in (("A", 0.2), ("B", 0.5), ("C", 0.9))
        for each in answers(system, [f"q{i}" for i in range(20)])
    ]
    found = compare_table(score_examples(systems, ["rouge_l", "exact_match"]), draws=500)
    pairs = sorted((each.result.p_permutation, each.p_holm) for each in found if each.metric == "exact_match")
    (first, second, third) = (p for p, _ in pairs)
    steps = [min(1, 3 * first), min(1, max(3 * first, 2 * second)), min(1, max(3 * first, 2 * second, third))]
    assert [adjusted for _, adjusted in pairs] == pytest.approx(steps)


def test_one_pair_needs_no_correction():
    """The corrected p-value is the permutation's own."""
    (found,) = compare(answers("A"), answers("B", candidate="two"))
    assert found.p_holm == found.result.p_permutation


def test_many_pairs_have_draws_enough_to_be_sure():
    """Seven systems make 21 pairs; with 100 draws none could be below 5 % after the correction."""
    found = compare(*(answers(system) for system in "ABCDEFG"))
    assert {each.result.draws for each in found} == {80 * 21}
