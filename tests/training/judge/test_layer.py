from dataclasses import replace

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.features.resources import Resources
from qassay.metrics.registry import create
from qassay.training.judge.layer import (
    LONG,
    SHORT,
    RowSignals,
    UnseenLogits,
    cross_fitted,
    fit,
    logits,
    measure,
    sampled,
    with_new_sources,
)
from qassay.training.judge.rows import JudgeRow

NAMES = tuple(dict.fromkeys((*SHORT, *LONG)))


def measured(judge, label, *, lengths=None, seen=None, row=None, source="evouna") -> RowSignals:
    values = np.zeros((len(judge), len(NAMES)))
    values[:, NAMES.index("judge")] = judge
    rows = np.arange(len(judge)) if row is None else np.asarray(row)
    count = len(label)
    return RowSignals(
        NAMES,
        values,
        rows,
        np.full(len(judge), 2) if lengths is None else np.asarray(lengths),
        np.asarray(label, np.float64),
        np.full(count, source),
        np.array([f"g{number}" for number in range(count)]),
        np.zeros(count, bool) if seen is None else np.asarray(seen),
    )


def test_the_networks_logit_counts_for_what_it_is_worth():
    """Where the logit tells right from wrong, its coefficient is above 0, and the layer tells them apart too."""
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=400)
    data = measured(2 * label - 1 + rng.normal(size=400), label)

    layer = fit(data, weights={"evouna": 1.0})

    assert layer.coefficients["judge"].short > 0.5
    assert ((logits(layer, data) >= 0) == label).mean() > 0.8


def test_the_reference_that_fits_best_counts():
    """A row with a near and a far reference has the logit of the near one."""
    data = measured([3.0, -3.0, -3.0], [1, 0], row=[0, 0, 1])
    layer = fit(data, weights={"evouna": 1.0})

    found = logits(layer, data)

    assert found[0] > found[1]


def test_sentences_that_the_keyphrase_head_has_seen_are_left_out():
    """With nothing but seen sentences there is nothing to fit on."""
    data = measured([1.0, -1.0], [1, 0], lengths=[30, 30], seen=[True, True])

    with pytest.raises(DataError, match="right"):
        fit(data, weights={"evouna": 1.0})


def test_rows_of_one_kind_cannot_be_fitted():
    """A layer needs right and wrong answers."""
    with pytest.raises(DataError, match="all right or all wrong"):
        fit(measured([1.0, 2.0], [1, 1]), weights={"evouna": 1.0})


def test_sources_without_a_weight_do_not_count():
    """Only the named sources are fitted on."""
    with pytest.raises(DataError):
        fit(measured([1.0, -1.0], [1, 0], source="other"), weights={"evouna": 1.0})


def test_cross_fitted_logits_come_from_layers_that_did_not_see_the_row():
    """With random labels, what is fitted says nothing about rows that were left out."""
    rng = np.random.default_rng(1)
    label = rng.integers(2, size=500)
    data = measured(rng.normal(size=500), label)

    found = cross_fitted(data, weights={"evouna": 1.0})

    assert abs(np.corrcoef(found, label)[0, 1]) < 0.15


def test_rows_are_measured_pair_by_pair():
    """Every reference of every row has its signals, with the length of the reference."""
    rows = [
        JudgeRow("What is the capital of France?", ("Paris", "the city of Paris"), "It is Paris.", 1.0, "evouna", "g1"),
        JudgeRow("What is the capital of France?", ("Paris",), "It is Rome.", 0.0, "evouna", "g2"),
    ]

    found = measure(rows, create("ava"), seen={"g2"}, resources=Resources())

    assert found.row.tolist() == [0, 0, 1]
    assert found.lengths.tolist() == [1, 3, 1]
    assert found.seen.tolist() == [False, True]
    assert found.values[0, found.names.index("judge")] > found.values[2, found.names.index("judge")]


def test_opinions_stand_in_for_the_judge(monkeypatch: pytest.MonkeyPatch):
    """Where the network knows the rows by heart, others' word is weighed, as far as its own counts."""
    asked = "qassay.metrics.learned.ava.judge_logits"
    monkeypatch.setattr(asked, lambda *_, **__: pytest.fail("the network was asked in vain"))
    rows = [JudgeRow("What?", ("Paris", "the city of Paris"), "It is Paris.", 1.0, "evouna", "g1")]

    opinions = UnseenLogits(np.array([0.25, -11.0]), np.array([9.0, -0.5]))
    found = measure(rows, create("ava"), seen=(), resources=Resources(), opinions=opinions)

    assert found.values[:, found.names.index("judge")].tolist() == [0.25, -7.0]
    assert found.new_source is not None
    assert found.new_source.tolist() == [7.0, -0.5]


def test_long_references_are_there_as_of_a_known_and_of_a_new_source():
    """Lines with a long reference come twice, the second time with the logit of a network new to the source."""
    data = measured([1.0, 2.0, 3.0], [1.0, 0.0], lengths=[2, 20, 20], row=[0, 0, 1])

    found = with_new_sources(replace(data, new_source=np.array([-1.0, -2.0, -3.0])))

    assert found.values[:, NAMES.index("judge")].tolist() == [1.0, 2.0, 3.0, -2.0, -3.0]
    assert found.row.tolist() == [0, 0, 1, 2, 3]
    assert found.lengths.tolist() == [2, 20, 20, 20, 20]
    assert found.label.tolist() == [1.0, 0.0, 1.0, 0.0]
    assert found.group.tolist() == ["g0", "g1", "g0", "g1"]
    assert with_new_sources(data) is data


def test_a_network_that_fails_on_new_sources_counts_less_against_long_references():
    """The layer trusts the network by what it is worth on sources that it has not seen, too."""
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=400)
    known = measured(2 * label - 1 + rng.normal(size=400), label, lengths=np.full(400, 20))
    new = replace(known, new_source=rng.normal(size=400))

    trusted, doubted = (fit(each, weights={"evouna": 1.0}).coefficients["judge"].long for each in (known, new))

    assert 0 < doubted < 0.7 * trusted


def test_large_sources_are_sampled(monkeypatch: pytest.MonkeyPatch):
    """So many rows of a source that counts, in their order, the same in every run; other sources are left out."""
    monkeypatch.setattr("qassay.training.judge.layer._MOST", 3)
    rows = [
        JudgeRow("q", ("a",), str(number), 1.0, source, "g")
        for number, source in enumerate(["evouna"] * 9 + ["no such source"] + ["sas"] * 2)
    ]

    drawn = sampled(rows)

    assert [row.source for row in drawn] == ["evouna"] * 3 + ["sas"] * 2
    assert drawn == sorted(drawn, key=lambda row: int(row.candidate)) == sampled(rows)
    assert sampled([]) == []
