"""METEOR is NLTK's, with the one stated exception of identical texts."""

import csv
import math
import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.meteor_score import single_meteor_score

from nltk_wordnet import installed_wordnet, nltk_wordnet
from qassay.features.batch import Batch
from qassay.features.resources import Resources
from qassay.metrics.lexical.meteor import UNMATCHED, align, chunks, meteor
from qassay.metrics.registry import create
from qassay.records import Example, Reference
from shared import bench

# few words, so that repeats, equal stems and synonyms abound
words = st.sampled_from(["the", "man", "men", "guy", "runs", "running", "ran", "dog", "hound", "big", "large", "."])
texts = st.lists(words, max_size=12)
parameters = st.fixed_dictionaries(
    {"alpha": st.floats(0.05, 0.95), "beta": st.floats(0.1, 5), "gamma": st.floats(0, 1)}
)

NO_SYNONYMS = SimpleNamespace(synsets=lambda _word: [])
"""A WordNet without words, which leaves NLTK the exact and stem stages."""


@pytest.fixture(scope="module")
def wordnets():
    """Open the installed WordNet with Qassay and with NLTK before anything is timed."""
    return installed_wordnet(), nltk_wordnet()


def tokens_of(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


def human_judged_pairs(name):
    with bench(f"kpqa_human/{name}.csv").open(encoding="utf-8", newline="") as file:
        return [
            (tokens_of(row["answer"]), tokens_of(text))
            for row in csv.DictReader(file)
            for column, text in row.items()
            if column.startswith("reference") and tokens_of(text) != tokens_of(row["answer"])
        ]


@pytest.mark.parametrize(("name", "at_least"), [("marco_all", 990), ("avsd_all", 5_900)])
def test_real_answers_as_nltk_scores_them(wordnets, name, at_least):
    """Each real answer scores against each real reference as NLTK scores it with the same WordNet."""
    wordnet, oracle = wordnets
    pairs = human_judged_pairs(name)

    ours = [meteor(candidate, reference, synonyms=wordnet.synonyms) for candidate, reference in pairs]

    assert len(pairs) >= at_least
    assert ours == pytest.approx([single_meteor_score(r, c, wordnet=oracle) for c, r in pairs], abs=1e-9)


def test_real_answers_without_synonyms():
    """The exact and stem stages alone are NLTK's without a WordNet."""
    pairs = human_judged_pairs("marco_all")

    ours = [meteor(candidate, reference, ("exact", "stem")) for candidate, reference in pairs]

    theirs = [single_meteor_score(r, c, wordnet=NO_SYNONYMS) for c, r in pairs]
    assert ours == pytest.approx(theirs, abs=1e-9)


@given(texts, texts, parameters)
def test_any_words_and_parameters(wordnets, candidate, reference, options):
    """Repeats, crossings and any parameters come out as NLTK's."""
    wordnet, oracle = wordnets
    if candidate == reference:
        candidate = [*candidate, "."]
    ours = meteor(candidate, reference, synonyms=wordnet.synonyms, **options)
    assert ours == pytest.approx(single_meteor_score(reference, candidate, wordnet=oracle, **options), abs=1e-9)


@given(texts.filter(bool))
def test_identical_texts_score_the_maximum(tokens):
    """Identical texts score 1, whatever their length."""
    assert meteor(tokens, list(tokens)) == 1.0


@pytest.mark.parametrize(("candidate", "reference"), [([], []), ([], ["a"]), (["a"], []), (["a"], ["b"])])
def test_nothing_matched_scores_zero(candidate, reference):
    """Without a match the score is 0."""
    assert meteor(candidate, reference) == 0.0


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        (("exact",), [0, UNMATCHED, UNMATCHED]),
        (("exact", "stem"), [0, 1, UNMATCHED]),
        (("exact", "synonym"), [0, UNMATCHED, 2]),
        (("exact", "stem", "synonym"), [0, 1, 2]),
    ],
)
def test_each_stage_matches_more(stages, expected):
    """A word is matched by the stages asked for and by no other."""
    synonyms = {"big": {"large", "larg"}}
    alignment = align(
        ["the", "runs", "big"],
        ["the", "running", "large"],
        stages,
        lambda word: synonyms.get(word, set()),
    )
    assert alignment == expected


@pytest.mark.parametrize(
    ("alignment", "expected"),
    [
        ([], 0),
        ([UNMATCHED], 0),
        ([0], 1),
        ([UNMATCHED, 0], 1),
        ([0, 1, 2], 1),
        ([0, UNMATCHED, 1], 2),
        ([1, 0], 2),
        ([3, 4, 0, 1], 2),
    ],
)
def test_chunks_are_runs_in_both_texts(alignment, expected):
    """A chunk ends where either text has a gap or the order turns."""
    assert chunks(alignment) == expected


def answer(candidate, *references):
    return Example("q", "", tuple(map(Reference, references)), candidate)


def test_best_reference_counts():
    """Several references: the one that scores highest counts."""
    examples = [answer("a dog runs", "cats sleep", "the dog runs fast"), answer("a dog runs", "the dog runs fast")]
    several, single = create("meteor").values(Batch(examples))
    assert several == single > 0


def test_answers_that_cannot_be_scored():
    """A missing candidate has no score; a blank one scores 0."""
    missing, blank = create("meteor").values(Batch([answer(None, "yes"), answer(" ", "yes")]))
    assert math.isnan(missing)
    assert blank == 0.0


def test_case_is_ignored_whatever_the_tokeniser():
    """A tokeniser that keeps capitals gives the same score."""
    batch = Batch([answer("The Dog ran", "the dog runs")])
    assert create("meteor,tok=13a").values(batch) == create("meteor").values(batch)


def test_signature_names_the_wordnet():
    """The synonyms' source is part of the metric's identity, and only where there are synonyms."""
    assert create("meteor").identity(Resources()) == {"wordnet": installed_wordnet().fingerprint}
    assert create("meteor,stages=exact+stem").identity(Resources()) == {}


@pytest.mark.parametrize(
    ("wanted", "stated"),
    [("meteor", "meteor,stages=exact+stem"), ("meteor,stages=exact+synonym", "meteor,stages=exact")],
)
def test_spec_without_wordnet(monkeypatch, wanted, stated):
    """Where no WordNet is installed the metric's spec states the stages that are left."""
    monkeypatch.delenv("QASSAY_WORDNET", raising=False)
    monkeypatch.setattr("qassay.text.wordnet._places", lambda: iter(()))
    metric = create(wanted)
    assert str(metric.spec) == stated
    assert metric.text("stages") == stated.partition("=")[2]
    assert metric.identity(Resources()) == {}
