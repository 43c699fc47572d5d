import pytest

from qassay.errors import DataError
from qassay.meta.systems import compare_table, name_systems
from qassay.records import Example, Reference
from qassay.scoring import score_examples


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
    with pytest.raises(DataError, match='unlike signatures: the references of id "q1" differ'):
        compare(answers("A"), other)


def test_the_document_has_both_scores_and_the_counts():
    """`--json` prints flat rows."""
    ids = ("q1", "q2", "q3", "q4", "q5")
    (found,) = compare(answers("A", ids), answers("B", ids, candidate="it is two"))
    document = found.to_dict()
    assert (document["a"], document["a_value"], document["b"], document["wins"]) == ("A", 1.0, "B", 5)
    assert "reason" not in document
