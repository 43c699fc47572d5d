"""Running totals: the same aggregates from any cutting of the stream, and intervals that can be trusted."""

from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qassay
from answers import answer
from qassay.errors import DataError
from qassay.metrics.registry import create
from qassay.scoring.aggregates.aggregation import BINS, GROUPS, Totals
from qassay.scoring.aggregates.bootstrap import Resampled, bootstrap
from qassay.scoring.scored_batch import ScoredBatch
from qassay.scoring.scorer import Scorer

F1 = create("token_f1")


def batch_of(values, system="A", first=0):
    """Make a batch of answers with these scores; NaN is an unscored one."""
    values = np.asarray(values, float)
    known = ~np.isnan(values)
    examples = [answer("c", "r", id=str(first + i), system=system) for i in range(len(values))]
    stats = np.stack([np.where(known, values, 0), known], axis=1).astype(float)
    reasons = {int(i): "no candidate" for i in np.flatnonzero(~known)}
    return ScoredBatch(examples, {"token_f1": stats}, {"token_f1": values}, {"token_f1": reasons})


def totals_of(*batches):
    totals = Totals([F1])
    for batch in batches:
        totals.add(batch)
    return totals


def interval_of(values, seed=1):
    (aggregate,) = totals_of(batch_of(values)).aggregates(seed)
    return aggregate.low, aggregate.high


def test_mean():
    """A system's value is the mean of what is scored; what is not is counted beside it."""
    (found,) = totals_of(batch_of([1, 0, 0.5, np.nan])).aggregates(1)
    assert (found.value, found.n, found.unscored, found.reasons) == (0.5, 3, 1, {"no candidate": 1})


def test_nothing_scored():
    """A system of missing answers has no value and no interval."""
    (found,) = totals_of(batch_of([np.nan, np.nan])).aggregates(1)
    assert (found.value, found.low, found.high, found.n, found.unscored) == (None, None, None, 0, 2)


def test_systems_apart():
    """Each system has its own aggregate, in the order in which they came."""
    found = totals_of(batch_of([1, 1], "B"), batch_of([0], "A")).aggregates(1)
    assert [(each.system, each.value) for each in found] == [("B", 1), ("A", 0)]


def test_systems_mixed_in_one_batch():
    """Systems may alternate within a batch."""
    examples = [answer("x", "x", system="A"), answer("y", "x", system="B")] * 3
    scorer = Scorer(["token_f1"])
    totals = scorer.totals()
    totals.add(scorer.score(examples))
    assert {each.system: each.value for each in totals.aggregates(1)} == {"A": 1, "B": 0}


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40), st.integers(1, 39))
def test_cutting_does_not_matter(values, place):
    """Batches of any size give the same aggregates and intervals."""
    whole = totals_of(batch_of(values))
    cut = totals_of(*(batch_of(values[start:end], first=start) for start, end in ((0, place), (place, 99))))
    assert cut.aggregates(1, draws=20) == whole.aggregates(1, draws=20)


@given(st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=1, max_size=40))
def test_interval_holds_the_score(values):
    """An interval lies between 0 and the maximum, holds the score, and is the same for the same seed."""
    (found,) = totals_of(batch_of(values)).aggregates(7, draws=50)
    known = [value for value in values if value == value]  # noqa: PLR0124 - NaN is unlike itself
    assert (found.low is None) == (not known)
    assert not known or 0 <= found.low <= found.value <= found.high <= 1
    assert totals_of(batch_of(values)).aggregates(7, draws=50) == [found]


def test_few_answers_have_a_wide_interval():
    """Three right answers of three leave much open: Wilson's limits of 3 in 3, as statsmodels 0.14 prints them."""
    (found,) = totals_of(batch_of([1, 1, 1])).aggregates(1)
    assert (found.interval, found.low, found.high) == ("wilson", pytest.approx(0.4385030, abs=1e-6), 1)


def test_answers_all_alike_have_an_interval_with_a_width():
    """Two hundred wrong answers do not prove that all are: Wilson's limits of 0 in 200."""
    (found,) = totals_of(batch_of(np.zeros(200))).aggregates(1)
    assert (found.interval, found.low, found.high) == ("wilson", 0, pytest.approx(0.0188453, abs=1e-6))


def test_a_pooled_score_of_few_answers_has_no_interval():
    """BLEU of two answers is no mean, so that no share's interval fits it, and the row says why it has none."""
    rows = [{"references": ["a b c d e"], "candidate": "a b c d f"}, {"references": ["f g h i"], "candidate": "f g h"}]
    (found,) = qassay.score(rows, metrics=["bleu"]).to_dicts()
    assert (found["low"], found["high"], found["interval"]) == (None, None, "none: too few answers")


@pytest.mark.parametrize("size", [50, GROUPS + 200])
def test_the_order_of_rows_changes_nothing(size):
    """An interval depends on the answers, not on the order in which they come."""
    rows = [answer(f"the answer {i}", f"answer {i % 7} of {i}", id=f"q{i}") for i in range(size)]
    backwards, forwards = Scorer(["token_f1"]), Scorer(["token_f1"])
    limits = []
    for scorer, some in ((forwards, rows), (backwards, rows[::-1])):
        totals = scorer.totals()
        totals.add(scorer.score(some))
        limits.append([(each.low, each.high) for each in totals.aggregates(1)])
    assert limits[0] == [pytest.approx(each, abs=1e-12) for each in limits[1]]


def test_many_systems_take_little_memory():
    """A system of one answer holds one row of statistics, not room for thousands."""
    totals = totals_of(*(batch_of([0.5], f"system {i}") for i in range(50)))
    assert sum(system.sums["token_f1"].nbytes for system in totals.systems.values()) == 50 * 2 * 8


def test_coverage():
    """A 95 % interval holds the true mean in about 95 of 100 samples."""
    rng = np.random.default_rng(0)
    truth = 2 / 7  # the mean of Beta(2, 5)
    intervals = [interval_of(rng.beta(2, 5, size=150), seed) for seed in range(200)]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    # binomial: 0.95 +- 3 * 0.0154, and the percentile bootstrap is slightly narrow at this size
    assert 0.89 <= covered <= 0.99


def test_width():
    """The interval of a mean is as wide as the normal approximation says."""
    values = np.random.default_rng(0).random(2000)
    low, high = interval_of(values)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(2000), rel=0.1)


@pytest.mark.parametrize("times", [1.5, 10])
@pytest.mark.parametrize("arrange", [np.random.default_rng(0).permutation, np.sort], ids=["shuffled", "sorted"])
def test_grouped_width(arrange, times):
    """Beyond the number of groups the interval is as wide as answer by answer, however the file is sorted."""
    values = arrange(np.random.default_rng(1).random(int(times * GROUPS)))
    low, high = interval_of(values)
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(len(values)), rel=0.1)


@pytest.mark.parametrize("period", [2, 64])
def test_grouped_width_of_a_regular_file(period):
    """A file that alternates between kinds of questions has no narrower interval for it."""
    values = (np.arange(8 * GROUPS) % period < period / 2).astype(float)
    low, high = interval_of(values)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(len(values)), rel=0.1)


def test_grouped_value():
    """Grouping changes the interval alone: the value is exact."""
    values = np.random.default_rng(1).random(2 * GROUPS + 5)
    (found,) = totals_of(batch_of(values)).aggregates(1)
    assert (found.value, found.n) == (pytest.approx(values.mean(), abs=1e-12), len(values))


@pytest.mark.parametrize(("size", "grouped"), [(GROUPS, False), (GROUPS + 1, True)])
def test_grouping_is_in_the_signature(size, grouped):
    """The signature says when an interval was resampled in groups."""
    (found,) = totals_of(batch_of(np.ones(size))).aggregates(1, draws=2)
    assert (f"groups:{GROUPS}" in found.signature) is grouped


@pytest.mark.parametrize("size", [1, 100, GROUPS + 100])
def test_state_round_trip(size):
    """Totals restored from their state carry on as if nothing had happened."""
    values = np.random.default_rng(0).random(size)
    whole = totals_of(batch_of(values), batch_of([0.5, np.nan], "B", size))

    restored = Totals([F1])
    restored.restore(totals_of(batch_of(values)).state())
    restored.add(batch_of([0.5, np.nan], "B", size))

    assert restored.state() == whole.state()
    assert restored.aggregates(3, draws=20) == whole.aggregates(3, draws=20)


def test_cutting_across_the_number_of_groups():
    """Where the batches end does not matter to the groups either."""
    values = np.random.default_rng(0).random(GROUPS + 500)
    places = [0, 1000, GROUPS - 1, GROUPS, GROUPS + 1, len(values)]
    cuts = [batch_of(values[start:end], first=start) for start, end in pairwise(places)]
    assert totals_of(*cuts).state() == totals_of(batch_of(values)).state()


def test_state_in_the_middle_of_a_system():
    """A system may go on after the state was taken."""
    values = np.random.default_rng(0).random(2 * GROUPS)
    restored = Totals([F1])
    restored.restore(totals_of(batch_of(values[:GROUPS])).state())
    restored.add(batch_of(values[GROUPS:], first=GROUPS))
    assert restored.state() == totals_of(batch_of(values)).state()


def test_consumed_fields_are_not_written_back():
    """The batch itself keeps them, so that a run that is taken up again finds the answers that it knows."""
    example = answer("c", "r", extra={"read": 1, "kept": 2})
    batch = ScoredBatch([example], {}, {}, {}, consumed_fields=frozenset({"read"}))
    ((written, *_),) = batch.rows()
    assert (written.extra, batch.examples) == ({"kept": 2}, [example])


def test_histogram():
    """Scores are counted in equal bins from 0 to the maximum, which falls in the last one."""
    totals = totals_of(batch_of([0, 0.04, 0.5, 0.999, 1, np.nan]))
    counts = totals.systems["A"].histograms["token_f1"].tolist()
    assert (counts[0], counts[BINS // 2], counts[-1], sum(counts)) == (2, 1, 2, 5)


def signature_of(*examples, language="auto", spec="token_f1"):
    scorer = Scorer([spec], language=language)
    scorer.first_pass(examples)
    totals = scorer.totals()
    totals.add(scorer.score(list(examples)))
    return totals.signature(scorer.metrics[0], totals.systems[""])


ONE, TWO = answer("x", "one", question="1?"), answer("y", "two", question="2?")


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        pytest.param((TWO, ONE), True, id="another order"),
        pytest.param((answer("other", "one", question="1?"), TWO), True, id="other candidates"),
        pytest.param((ONE,), False, id="fewer questions"),
        pytest.param((ONE, answer("y", "two!", question="2?")), False, id="another reference"),
        pytest.param((ONE, answer("y", "two", question="3?")), False, id="another question"),
        pytest.param((ONE, answer("y", ("two", "yes"), question="2?")), False, id="another opinion"),
    ],
)
def test_data_in_the_signature(other, alike):
    """Signatures are alike when questions and references are, whatever their order and the candidates."""
    assert signature_of(ONE, TWO).alike(signature_of(*other)) is alike


@pytest.mark.parametrize(
    ("spec", "fields", "alike"),
    [
        pytest.param("rouge_l,entity=1", {"entities": ("ten",)}, False, id="entities that are read"),
        pytest.param("rouge_l", {"entities": ("ten",)}, True, id="entities that are not"),
        pytest.param("lerc", {"context": "They won."}, False, id="a context that is read"),
        pytest.param("ava", {"context": "They won."}, True, id="a context that is not"),
        pytest.param("rouge_l", {"question_type": "who", "judgement": 1.0}, True, id="what no metric reads"),
    ],
)
def test_what_a_metric_reads_is_in_its_signature(spec, fields, alike):
    """Another field makes signatures unlike where the score depends on it."""
    one, other = answer("x", "one", question="1?"), answer("x", "one", question="1?", **fields)
    assert (signature_of(one, spec=spec).data == signature_of(other, spec=spec).data) is alike


@pytest.mark.parametrize("spec", ["cider", "rouge_l:idf", "bert_score:idf"])
def test_the_frequencies_of_the_run_are_in_the_signature(spec):
    """The same texts in another order are the same run; one text more is another."""
    first, again, more = (
        dict(signature_of(*examples, spec=spec).fields)["df"]
        for examples in ((ONE, TWO), (TWO, ONE), (ONE, TWO, answer("z", "three", id="3")))
    )
    assert first == again != more


def test_a_state_of_another_version_is_refused():
    """The remedy is to start over."""
    with pytest.raises(DataError, match="without resume=True"):
        Totals([F1]).restore(msgspec.msgpack.encode({"systems": {"A": {"examples": 1, "data": "0"}}, "notes": {}}))


def test_language_in_the_signature():
    """Scores under another language setting are not comparable."""
    assert not signature_of(ONE).alike(signature_of(ONE, language="zh"))


def test_an_interval_holds_its_score_to_the_last_bit():
    """Four hundred times the same score is that score and some rounding, in the sum other than in the draws."""
    totals = Totals([F1], Scorer(["token_f1"]).resources)
    for first in range(0, 400, 50):
        totals.add(batch_of([0.8] * 50, first=first))

    (aggregate,) = totals.aggregates(0)

    assert aggregate.low <= aggregate.value <= aggregate.high
    assert aggregate.value == pytest.approx(0.8)


def test_remembered_draws_are_those_of_the_seed() -> None:
    """Draws that are remembered, and used by another run of the same size, equal those of a fresh generator."""
    rows = np.random.default_rng(0).random((50, 2))
    quantity = {"mean": Resampled(rows, lambda sums: sums[..., 0])}
    first, again = (bootstrap(quantity, 7, 120)["mean"] for _ in range(2))
    drawn = np.random.default_rng(7).integers(50, size=(120, 50))
    assert np.array_equal(first, again)
    assert np.allclose(first, rows[drawn, 0].sum(axis=1))
