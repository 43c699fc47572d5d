import numpy as np
import pytest

from qassay.errors import DataError
from qassay.io.scores.scored_files import ScoredRow
from qassay.meta.correlation.evaluation import Options, evidence_of_rows, evidence_of_table, measure
from qassay.meta.correlation.judgements import Judgements
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.statistics.weighted import Coefficient
from qassay.records import Example, Reference
from qassay.scoring.scorer import score_examples


def options(level=Level.ANSWER, coefficients=(Coefficient.PEARSON,), draws=0, **changes):
    return Options(level, coefficients, changes.pop("test", DifferenceTest.BOOTSTRAP), draws, seed=1, **changes)


def rows(count=12, **fields):
    """Make scored rows whose scores follow the judgement but for every third."""
    return [
        ScoredRow(
            f"q{i}",
            fields.get("system", "A"),
            {"a": float(i % 3 and i), "b": float(-i)},
            judgement=float(i),
            question_type="odd" if i % 2 else None,
        )
        for i in range(count)
    ]


def examples(count=8, system="A"):
    return [
        Example(
            f"q{i}",
            f"what {i}?",
            (Reference(f"it is {i}"),),
            f"it is {i if i % 2 else 'none'}",
            system,
            judgement=float(i % 2),
        )
        for i in range(count)
    ]


def test_a_score_table_and_its_written_rows_say_the_same():
    """Answers in memory and the file that `score` writes are the same evidence."""
    table = score_examples(examples(), ["rouge_l", "token_f1"])
    written = [
        ScoredRow(
            each.id, each.system, {spec: float(table[spec][i]) for spec in table.scores}, judgement=each.judgement
        )
        for i, each in enumerate(table.examples)
    ]
    ours, theirs = (measure(each, options())[0] for each in (evidence_of_table(table), evidence_of_rows(written)))
    assert [each.to_dict() for each in ours] == [each.to_dict() for each in theirs]


def test_parts_have_their_own_rows_and_the_rest_is_counted():
    """Answers without the field are in no part."""
    evidence = evidence_of_rows(rows())
    agreements, _ = measure(evidence, options(), "question_type")
    assert {(each.by, each.first.n) for each in agreements} == {(None, 12), ("odd", 6)}
    assert evidence.unlabelled("question_type") == 6


def test_a_part_is_correlated_as_if_it_were_alone():
    """The odd answers' coefficients are those of a file that holds them alone."""
    inside, _ = measure(evidence_of_rows(rows()), options(draws=50), "question_type")
    alone, _ = measure(evidence_of_rows([row for row in rows() if row.question_type]), options(draws=50))
    numbers = [[each.to_dict()[key] for key in ("pearson", "pearson_low", "n")] for each in (inside[2], alone[0])]
    assert numbers[0] == numbers[1]


def test_too_many_parts_are_refused():
    """Dividing by something that is different for every answer is a mistake."""
    many = [ScoredRow(f"q{i}", "A", {"a": i}, judgement=i, extra={"page": i}) for i in range(101)]
    with pytest.raises(DataError, match='"page" has 101 different values'):
        measure(evidence_of_rows(many), options(), "page")


def test_a_part_too_small_for_the_draws_of_level_overall_is_undefined():
    """Six questions cannot give draws of ten; the whole can."""
    evidence = evidence_of_rows([row for system in "AB" for row in rows(system=system)])
    agreements, _ = measure(evidence, options(Level.OVERALL, size=10, times=20), "question_type")
    reasons = {each.by: each.reasons for each in agreements if each.metric == "a"}
    assert reasons == {None: [], "odd": ["6 questions; a draw takes 10"]}


def test_without_resamples_there_are_neither_intervals_nor_tests():
    """Zero draws leave the coefficients alone."""
    agreements, differences = measure(evidence_of_rows(rows()), options(draws=0))
    assert {(each.first.interval, each.tied) for each in agreements} == {(None, None)}
    assert differences == []


def test_williams_test_needs_no_resamples():
    """It is there with zero draws."""
    _, differences = measure(evidence_of_rows(rows()), options(draws=0, test=DifferenceTest.WILLIAMS))
    assert [each.p is not None for each in differences] == [True]


def test_ties_with_the_best_are_marked():
    """A metric that goes the wrong way is not, and leaves the better one without a tie."""
    agreements, _ = measure(evidence_of_rows(rows(60)), options(draws=200))
    assert {each.metric: each.tied for each in agreements} == {"a": False, "b": False}


def test_missing_limits_and_values_are_null_in_the_document():
    """Every key is there, whatever could be calculated."""
    constant = [ScoredRow(f"q{i}", "A", {"a": 1.0}, judgement=i) for i in range(5)]
    (agreement,), _ = measure(evidence_of_rows(constant), options(draws=20))
    document = agreement.to_dict()
    assert (document["pearson"], document["pearson_low"], document["pearson_high"], document["pearson_p"]) == (
        None,
    ) * 4
    assert (document["undefined"], document["reason"]) == (1, "all scores are equal")


def test_undefined_questions_are_counted_at_input_level():
    """A question that one system answered has no coefficient."""
    several = [row for system in "ABC" for row in rows(4, system=system)] + [
        ScoredRow("alone", "A", {"a": 1.0, "b": 1.0}, judgement=1.0)
    ]
    varied = [
        ScoredRow(
            row.id, row.system, {"a": row.scores["a"] + ord(row.system)}, judgement=row.judgement + ord(row.system)
        )
        for row in several
    ]
    (agreement,), _ = measure(evidence_of_rows(varied), options(Level.INPUT))
    assert (agreement.first.n, agreement.undefined) == (4, 1)


def test_pooled_metrics_are_scored_over_all_answers_of_a_system():
    """At system level BLEU is the corpus score, not the mean of the answers'."""
    answers = [each for system in "ABC" for each in examples(6, system)]
    answers = [
        Example(
            each.id,
            each.question,
            each.references,
            f"{each.candidate} {'x ' * ord(each.system)}",
            each.system,
            judgement=float(ord(each.system)),
        )
        for each in answers
    ]
    table = score_examples(answers, ["bleu,n=1"])
    panel = evidence_of_table(table).panel
    assert panel.pool("bleu,n=1").of(np.ones((1, len(panel))))[0] == pytest.approx(
        table.stats["bleu,n=1"].sum(0)[0] / table.stats["bleu,n=1"].sum(0)[1], abs=1e-9
    )


def test_answers_of_one_system_to_the_same_question_belong_together():
    """Without named systems the question's text tells which answers depend on each other."""
    twice = [*examples(4), *[Example(f"again-{each.id}", each.question, each.references, "no") for each in examples(4)]]
    named = [Example(each.id, each.question, each.references, each.candidate, "", judgement=1.0) for each in twice]
    assert len(evidence_of_table(score_examples(named, ["rouge_l"])).panel.questions) == 4


def test_judgements_are_found_by_id_and_system():
    """The same id of two systems has two judgements."""
    given = Judgements({("q0", "A"): 1.0, ("q0", "B"): 2.0}, "j.csv")
    assert given.of([("q0", "B"), ("q0", "A"), ("q1", "A")]) == [2.0, 1.0, None]


def test_a_judgement_without_a_system_belongs_to_the_only_answer_of_its_id():
    """Files of one system need not name it."""
    assert Judgements({("q0", ""): 3.0}, "j.csv").of([("q0", "A"), ("q1", "A")]) == [3.0, None]


def test_a_judgement_without_a_system_is_refused_where_two_answered():
    """Whose it is cannot be told."""
    with pytest.raises(DataError, match=r'j\.csv: the judgement of "q0" names no system, and 2 systems answer it'):
        Judgements({("q0", ""): 3.0}, "j.csv").of([("q0", "A"), ("q0", "B")])


def test_answers_without_any_judgement_are_refused():
    """There is nothing to correlate with."""
    with pytest.raises(DataError, match='no answer has a "judgement"'):
        evidence_of_rows([ScoredRow("q", "A", {"a": 1.0})])


def test_the_same_answer_twice_is_refused():
    """A file given twice would count every answer double."""
    with pytest.raises(DataError, match='the scores of "q0" of system "A" appear 2 times'):
        evidence_of_rows([*rows(), *rows()])
