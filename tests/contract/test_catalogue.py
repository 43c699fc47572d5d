"""One suite over the whole catalogue: what holds for every metric, with every weighting and every choice it offers.

A metric that is not classified below fails the suite.
"""

import unicodedata
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answers import answer
from qassay.features.batch import Batch
from qassay.metrics.base import NO_CANDIDATE
from qassay.metrics.registry import CATALOGUE, create, parse_spec
from qassay.models.hf.judge_design import DESIGNS
from qassay.records import Opinion
from qassay.scoring.scorer import Scorer, score_examples


@dataclass(frozen=True)
class Traits:
    """What a metric is declared to do, beyond what every metric does."""

    references: str
    """How several references count: `best`, `pooled` (BLEU's clipping over all) or `mean`."""
    scores: str = "answers"
    """Answers; summaries, which are asked about (tests/contract/test_question_metrics.py); or sentences, which are
    checked against what they rest on (tests/metrics/questions/test_factcc.py)."""


TRAITS = {
    "exact_match": Traits("best"),
    "token_f1": Traits("best"),
    "token_recall": Traits("best"),
    "contains": Traits("best"),
    "is_answered": Traits("best"),
    "bleu": Traits("pooled"),
    "rouge_1": Traits("best"),
    "rouge_2": Traits("best"),
    "rouge_l": Traits("best"),
    "rouge_su4": Traits("best"),
    "meteor": Traits("best"),
    "cider": Traits("mean"),
    "bert_score": Traits("best"),
    "lerc": Traits("mean"),
    "ava": Traits("mean"),
    "qaeval": Traits("mean", "summaries"),
    "feqa": Traits("mean", "summaries"),
    "factcc": Traits("mean", "sentences"),
    "faithful": Traits("mean", "sentences"),
}

OF_ANSWERS = {
    name: entry for name, entry in CATALOGUE.items() if name not in TRAITS or TRAITS[name].scores == "answers"
}
SPECS = [
    spec
    for name, entry in OF_ANSWERS.items()
    for spec in (name, *(f"{name}:{weighting}" for weighting in entry.declaration.weightings))
]
NEED_A_FOLDER = {f"ava,kind={design}" for design in DESIGNS}
"""Models that are trained before they can be used."""
CHOICES = [
    spec
    for name, entry in OF_ANSWERS.items()
    for param in entry.declaration.params
    for choice in (param.choices or (("yes", "no") if isinstance(param.default, bool) else ()))
    if (spec := f"{name},{param.name}={choice}") not in NEED_A_FOLDER
]
BONUSES = ["bleu,yesno=2,entity=1", "rouge_l,yesno=2,entity=1", "bleu:idf,yesno=1,entity=1", "rouge_l:idf,yesno=1"]
OVER_RUNS = ["bert_score,rescale=run", "bert_score,context=phrase,rescale=run"]
EVERYTHING = list({str(parse_spec(spec)): None for spec in (*SPECS, *CHOICES, *BONUSES, *OVER_RUNS)})
"""Each metric once, however it is written."""
BEST_REFERENCE = [
    spec
    for spec in EVERYTHING
    if TRAITS[parse_spec(spec).name].references == "best" or create(spec).settings.get("refs") == "max"
]

TEXTS = {
    "a sentence": "Four steps are involved in a hypothesis test.",
    "one word": "yes",
    "an article": "The",
    "punctuation": "?!",
    "a number": "3.14",
    "Chinese": "秦始皇在公元前221年统一了中国。",
    "Japanese": "答えは東京タワーです。",
    "Korean": "정답은 서울입니다.",
    "Thai": "ภาษาไทย",
    "Hindi": "हिन्दी में उत्तर",
    "Arabic": "الجواب الصحيح",
    "Turkish": "İSTANBUL",
    "emoji": "👩\u200d👩\u200d👧 👍🏽",
    "a control character": "\x00",
    "a combining mark": "\u0301",
}

every_spec = pytest.mark.parametrize("spec", EVERYTHING)
every_weighting = pytest.mark.parametrize("spec", SPECS)

EXAMPLES = [
    answer(
        "Skipping rope is an aerobic exercise.",
        ("Skipping rope is a kind of aerobic exercise with low intensity.", Opinion.YES),
        ("Skipping rope can be regarded as an aerobic exercise only when done for long.", Opinion.DEPENDS),
        opinion=Opinion.YES,
    ),
    answer(
        "Qin unified China in 221 BC after a war which lasted ten years.",
        "Qin unified China in ten years, from 230 BC to 221 BC.",
        entities=("ten years", "230 BC", "221 BC"),
    ),
    answer("the the the cat", "the cat", "a cat sat on the mat"),
    answer("yes", "no", "yes"),
    answer("yes", "yes"),
    answer("", "an answer was wanted"),
    answer(None, "no answer came"),
    answer("", ""),
    answer("something", ""),
    answer("something", "", "something else"),
    answer("?!", "?!", "..."),
    answer("秦朝用了十年统一中国", "秦国用十年统一了中国", "十年"),
    answer("答えは東京です", "東京"),
    answer("서울 입니다", "서울"),
    answer("It was called Da Yuan (大元)", "Da Yuan", "大元"),
    answer("👍", "👍🏽"),
    answer("a b c d e f g h", "h g f e d c b a"),
    answer("running dogs ran", "the dog runs"),
    answer("YES IT IS", "yes it is", "no"),
    answer("word " * 150, "word " * 149 + "other"),
]
EXAMPLES = [replace(each, id=str(i), question="What is the answer?", context="") for i, each in enumerate(EXAMPLES)]


def counted(spec, examples):
    """Make a scorer that knows the references of the whole run."""
    scorer = Scorer([spec])
    scorer.first_pass(examples)
    return scorer


@cache
def whole_run(spec):
    """Score the examples once for all tests that look at what came of them; return the scorer and its batch."""
    scorer = counted(spec, EXAMPLES)
    return scorer, scorer.score(EXAMPLES)


def whole_scores(spec):
    """Return the examples' scores."""
    return next(iter(whole_run(spec)[1].scores.values()))


def scored(scorer, examples):
    return next(iter(scorer.score(examples).scores.values()))


def by_text(spec, make):
    """Score one example made from each text, all in one run."""
    examples = [replace(make(text), question="?") for text in TEXTS.values()]
    return dict(zip(TEXTS, scored(counted(spec, examples), examples).tolist(), strict=True))


def same(left, right):
    """Compare scores; sums of weights may differ in their last digit when tokens are numbered in another order."""
    np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-14)


def test_every_metric_is_classified():
    """A new metric is classified here before anyone uses it."""
    assert set(TRAITS) == set(CATALOGUE)


@every_spec
def test_order_of_examples(spec):
    """An answer scores the same wherever it stands."""
    order = np.random.default_rng(0).permutation(len(EXAMPLES))
    shuffled = scored(whole_run(spec)[0], [EXAMPLES[i] for i in order])
    same(shuffled, whole_scores(spec)[order])


@every_spec
def test_batch_size(spec):
    """An answer scores the same in a small batch as in a large one."""
    cut = score_examples(EXAMPLES, [spec], batch=7)
    same(cut[next(iter(cut.scores))], whole_scores(spec))


@every_weighting
def test_shards(spec):
    """The statistics of two halves add up to the corpus score of the whole."""
    scorer, batch = whole_run(spec)
    metric, (whole,) = scorer.metrics[0], batch.stats.values()
    parts = [metric.stats(Batch(part, scorer.resources)) for part in (EXAMPLES[:9], EXAMPLES[9:])]
    same(metric.finish(sum(part.sum(0) for part in parts)), metric.finish(whole.sum(0)))


@every_weighting
def test_aggregate(spec):
    """The aggregate of a run is the corpus score of its statistics, and counts scored and unscored answers."""
    table = score_examples(EXAMPLES, [spec])
    metric, aggregate = create(spec), table.aggregates[0]
    values, stats = table.scores[aggregate.metric], table.stats[aggregate.metric]
    assert aggregate.value == pytest.approx(float(metric.finish(stats.sum(0))))
    assert (aggregate.n, aggregate.unscored) == ((~np.isnan(values)).sum(), np.isnan(values).sum())


@every_weighting
def test_corpus_rule(spec):
    """Where the catalogue says `mean`, the corpus score is the mean of the scored answers' scores."""
    scorer, batch = whole_run(spec)
    metric, values, (stats,) = scorer.metrics[0], whole_scores(spec), batch.stats.values()
    corpus = float(metric.finish(stats.sum(0)))
    is_mean = corpus == pytest.approx(np.nanmean(values), abs=1e-12)
    assert is_mean == (metric.declaration.corpus == "mean")


@every_weighting
def test_identical_text_alone(spec):
    """A candidate equal to its reference scores the maximum, also when it is the whole run."""
    runs = {name: [answer(text, text, question="?")] for name, text in TEXTS.items()}
    found = {name: scored(counted(spec, run), run)[0] for name, run in runs.items()}
    assert found == dict.fromkeys(TEXTS, create(spec).declaration.maximum)


@every_spec
def test_identical_texts(spec):
    """A candidate equal to its reference scores the maximum, in any script and at any length."""
    assert by_text(spec, lambda text: answer(text, text)) == dict.fromkeys(TEXTS, create(spec).declaration.maximum)


@every_spec
def test_decomposed_candidates(spec):
    """A text whose accents are spelt apart is the same text."""
    found = by_text(spec, lambda text: answer(unicodedata.normalize("NFD", text), text))
    assert found == dict.fromkeys(TEXTS, create(spec).declaration.maximum)


@every_spec
def test_decomposed_references(spec):
    """So is a reference whose accents are spelt apart."""
    found = by_text(spec, lambda text: answer(text, unicodedata.normalize("NFD", text)))
    assert found == dict.fromkeys(TEXTS, create(spec).declaration.maximum)


@every_spec
def test_empty_candidates(spec):
    """An empty candidate against a reference that is not empty is a real 0."""
    assert by_text(spec, lambda text: answer("", text)) == dict.fromkeys(TEXTS, 0)


@every_spec
def test_blank_candidates(spec):
    """So is one of spaces alone."""
    assert by_text(spec, lambda text: answer(" \n\u3000", text)) == dict.fromkeys(TEXTS, 0)


@every_spec
def test_missing_candidate(spec):
    """A missing candidate is unscored, with the reason."""
    example = answer(None, "no answer came", question="?")
    batch = counted(spec, [example]).score([example])
    (values,), (reasons,) = batch.scores.values(), batch.unscored.values()
    assert np.isnan(values[0])
    assert reasons == {0: NO_CANDIDATE}


@every_spec
def test_reasons(spec):
    """Exactly the unscored answers have a reason, and their statistics are zeros."""
    batch = whole_run(spec)[1]
    (values,), (reasons,), (stats,) = batch.scores.values(), batch.unscored.values(), batch.stats.values()
    assert sorted(reasons) == np.flatnonzero(np.isnan(values)).tolist()
    assert not stats[sorted(reasons)].any()


@every_spec
def test_bounds(spec):
    """No score is below 0 or above the maximum."""
    values = whole_scores(spec)
    known = values[~np.isnan(values)]
    assert known.min() >= 0
    assert known.max() <= create(spec).declaration.maximum


@every_spec
def test_spec_round_trip(spec):
    """The metric's own spec prints and reads back."""
    own = create(spec).spec
    assert parse_spec(str(own)) == own


@every_spec
def test_nothing_scored(spec):
    """Statistics of nothing finish to NaN, one by one and summed."""
    metric, (stats,) = create(spec), whole_run(spec)[1].stats.values()
    width = stats.shape[1]
    assert np.isnan(metric.finish(np.zeros(width)))
    assert np.isnan(metric.finish(np.zeros((3, width)))).all()


@pytest.mark.parametrize("spec", BEST_REFERENCE)
def test_extra_reference(spec):
    """Where the best reference counts, one more never lowers a score."""
    before = [each for each in EXAMPLES if each.candidate and any(r.text for r in each.references)]
    extra = [answer("", text).references for text in ("the cat sat", "秦朝十年", "yes", "", "something else entirely")]
    after = [replace(each, references=each.references + more) for more in extra for each in before]
    scorer = counted(spec, [*before, *after])
    least, found = np.tile(scored(scorer, before), len(extra)), scored(scorer, after)
    known = ~np.isnan(least)
    assert (found[known] >= least[known]).all()


@every_spec
def test_repeated_reference(spec):
    """Giving every reference twice changes nothing."""
    twice = [replace(each, references=each.references * 2) for each in EXAMPLES]
    same(scored(whole_run(spec)[0], twice), whole_scores(spec))


@every_spec
def test_repeated_examples(spec):
    """The same texts elsewhere in the batch do not matter."""
    thrice = scored(whole_run(spec)[0], EXAMPLES * 3)
    same(thrice, np.tile(whole_scores(spec), 3))


@every_spec
def test_examples_are_left_alone(spec):
    """Scoring twice gives the same to the last digit."""
    np.testing.assert_array_equal(scored(whole_run(spec)[0], EXAMPLES), whole_scores(spec))


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec.endswith(":uniform")])
def test_uniform_weights(spec):
    """Equal weights are no weights, where there is one reference."""
    single = [replace(each, references=each.references[:1]) for each in EXAMPLES]
    same(scored(counted(spec, single), single), scored(counted(spec.removesuffix(":uniform"), single), single))


texts = st.lists(st.sampled_from(["a", "the", "cat", "cats", "sat", "?", "大", "元", "é", ""]), max_size=8).map(
    " ".join
)
answers = st.lists(
    st.builds(
        lambda candidate, references: answer(candidate, *references, question="?"),
        texts,
        st.lists(texts, min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=6,
)


@every_weighting
@settings(max_examples=10)
@given(examples=answers)
def test_any_texts(spec, examples):
    """Whatever the texts, scores keep their bounds, and each is the same alone as among others."""
    scorer = counted(spec, examples)
    together = scored(scorer, examples)
    alone = np.concatenate([scored(scorer, [each]) for each in examples])
    known = together[~np.isnan(together)]
    assert ((known >= 0) & (known <= scorer.metrics[0].declaration.maximum)).all()
    same(alone, together)
