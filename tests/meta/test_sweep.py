from collections import Counter
from dataclasses import replace

import pytest

from qassay.errors import SpecError
from qassay.features import resources as features
from qassay.meta.correlation.evaluation import Options, evidence_of_table, measure
from qassay.meta.correlation.levels import Level
from qassay.meta.correlation.significance import DifferenceTest
from qassay.meta.correlation.sweep import Sweep, fitting, sweep
from qassay.meta.statistics.weighted import Coefficient
from qassay.records import Example, Opinion, Reference
from qassay.scoring.scorer import score_examples

PEARSON = Options(Level.ANSWER, (Coefficient.PEARSON,), DifferenceTest.BOOTSTRAP, 0, seed=1)


def stances(count=12):
    """Make yes-no answers of which those with the wrong stance share most words with the reference."""
    return [
        Example(
            f"q{i}",
            f"is it {i}?",
            (Reference(f"yes it is certainly {i}", Opinion.YES),),
            f"yes that is {i}" if i % 2 else f"no it is certainly not {i}",
            system="ABC"[i % 3],
            opinion=Opinion.YES if i % 2 else Opinion.NO,
            entities=(f"{i}",),
            judgement=5.0 if i % 2 else 1.0 + i % 4,
            question_type="odd" if i % 2 else "even",
        )
        for i in range(count)
    ]


def evidence(specs=("rouge_l", "bleu,n=1")):
    return evidence_of_table(score_examples(stances(), specs))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("yesno=0:4:0.5", [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]),
        ("yesno=0:2", [0, 1, 2]),
        ("yesno=0.1:0.3:0.1", [0.1, 0.2, 0.3]),
        ("yesno=1:1", [1]),
        ("yesno=0:1:0.4", [0, 0.4, 0.8]),
    ],
)
def test_values_go_from_low_to_high(text, values):
    """The high end is included when a step reaches it, free of rounding."""
    assert list(Sweep.parse(text).values) == values


@pytest.mark.parametrize(
    "text",
    ["", "yesno", "yesno=", "=0:4", "yesno=4", "yesno=4:0", "yesno=0:4:0", "yesno=0:4:-1", "yesno=a:b", "n=0:nan"],
)
def test_other_forms_are_refused_with_an_example(text):
    """The message shows how to write it."""
    with pytest.raises(SpecError, match=r"yesno=0:4:0\.5"):
        Sweep.parse(text)


def test_every_point_is_what_measuring_that_spec_gives():
    """Sweeping is scoring again, no approximation."""
    points = sweep(evidence(), ["rouge_l", "bleu,n=1"], Sweep.parse("yesno=0:3:1.5"), PEARSON)
    specs = [f"{metric},yesno={value}" for metric in ("rouge_l", "bleu,n=1") for value in (0, 1.5, 3)]
    agreements, _ = measure(evidence(specs), PEARSON)
    assert [each.correlation for each in points] == pytest.approx([each.first.value for each in agreements], abs=1e-12)


def test_pooled_metrics_are_swept_by_their_corpus_scores_at_system_level():
    """BLEU of a system is no mean, in a sweep as elsewhere."""
    options = Options(Level.SYSTEM, (Coefficient.PEARSON,), DifferenceTest.BOOTSTRAP, 0, seed=1)
    (point,) = sweep(evidence(), ["bleu"], Sweep.parse("yesno=2:2"), options)
    (agreement,), _ = measure(evidence(["bleu,yesno=2"]), options)
    assert point.correlation == pytest.approx(agreement.first.value, abs=1e-12)


def test_parts_are_swept_apart():
    """Each part has its own curve beside the whole."""
    points = sweep(evidence(), ["rouge_l"], Sweep.parse("yesno=0:1"), PEARSON, "question_type")
    assert [(each.by, each.value, each.n) for each in points] == [
        (None, 0, 12),
        (None, 1, 12),
        ("even", 0, 6),
        ("even", 1, 6),
        ("odd", 0, 6),
        ("odd", 1, 6),
    ]


@pytest.mark.parametrize("param", ["yesno", "entity", "beta"])
def test_texts_are_cut_once_for_all_values(monkeypatch, param):
    """A sweep of forty values calls tokenisers as often as one of a single value."""
    calls = Counter()
    find = features.tokeniser

    def counting(name, language):
        calls["now"] += 1
        return find(name, language)

    monkeypatch.setattr(features, "tokeniser", counting)
    ready = evidence(["rouge_l"])
    calls.clear()
    sweep(ready, ["rouge_l"], Sweep.parse(f"{param}=1:1"), PEARSON)
    once = calls["now"]
    calls.clear()
    sweep(ready, ["rouge_l"], Sweep.parse(f"{param}=1:5:0.1"), PEARSON)
    assert calls["now"] == once > 0


def test_a_bonus_for_the_right_stance_brings_the_metric_closer_to_people():
    """Where people punish the wrong stance, agreement rises with the bonus (Yang et al. 2018, Figure 1)."""
    without, with_bonus = sweep(evidence(), ["rouge_l"], Sweep.parse("yesno=0:2:2"), PEARSON)
    assert with_bonus.correlation > without.correlation + 1


def test_the_parameter_is_left_out_of_the_metrics_name():
    """Two specs that differ in the swept parameter alone are one curve."""
    points = sweep(evidence(), ["rouge_l,yesno=2", "rouge_l"], Sweep.parse("yesno=0:1"), PEARSON)
    assert [each.metric for each in points] == ["rouge_l", "rouge_l"]


def test_a_whole_number_takes_whole_steps():
    """BLEU's n cannot be 1.5."""
    with pytest.raises(SpecError, match="is not a whole number"):
        sweep(evidence(), ["bleu"], Sweep.parse("n=1:2:0.5"), PEARSON)


def test_values_out_of_range_are_refused():
    """The catalogue's limits hold."""
    with pytest.raises(SpecError, match="out of range"):
        sweep(evidence(), ["rouge_l"], Sweep.parse("yesno=-1:1"), PEARSON)


@pytest.mark.parametrize("param", ["tok", "stem", "colour"])
def test_what_is_no_number_cannot_be_swept(param):
    """Words, switches and unknown names are refused with the numbers that there are."""
    with pytest.raises(SpecError, match=rf'rouge_l has no number "{param}" \(it has beta, yesno, entity\)'):
        sweep(evidence(), ["rouge_l"], Sweep.parse(f"{param}=0:1"), PEARSON)


def test_metrics_that_fit_are_picked_from_those_scored():
    """Without a choice of metrics, those with the parameter are swept."""
    assert fitting(evidence(["exact_match", "rouge_l"]), Sweep.parse("yesno=0:1")) == ["rouge_l"]


def test_an_answer_beyond_memory_is_left_out_at_every_value(monkeypatch):
    """What the run skipped is skipped again."""
    monkeypatch.setattr("qassay.models.onnx.encoder.MOST_PIECES", 50)
    answers = [*stances(), replace(stances()[1], id="long", candidate="yes " * 60)]
    found = evidence_of_table(score_examples(answers, ["bert_score"], on_error="skip"))
    points = sweep(found, ["bert_score"], Sweep.parse("sharpen=1:2"), PEARSON)
    assert [point.n for point in points] == [12, 12]
