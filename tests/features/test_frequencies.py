"""Document frequencies: what a document is, how rarity is told, and files of counts."""

from collections import Counter
from itertools import chain
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answers import answer
from qassay.errors import DataError
from qassay.features.frequencies import Frequencies, FrequencyNeed, in_spaced_language, load_frequencies, ngrams
from qassay.text.tokenisers.tokenise import tokeniser

words = st.lists(st.sampled_from(["a", "b", "c", "é"]), max_size=5).map(" ".join)
runs = st.lists(st.lists(words, min_size=1, max_size=3), max_size=6).map(
    lambda run: [answer("x", *references) for references in run]
)
needs = st.builds(FrequencyNeed, st.just("word"), st.integers(1, 4), st.booleans())


def counted(need, examples):
    frequencies = Frequencies(need)
    frequencies.add(examples, tokeniser(need.tok))
    return frequencies


@given(runs, needs)
def test_counts(examples, need):
    """An n-gram is counted once a document: a reference, or all references of an example together."""
    cut = tokeniser("word").tokens
    references = [[set(ngrams(cut(each.text), need.orders)) for each in example.references] for example in examples]
    documents = [set().union(*each) for each in references] if need.together else list(chain.from_iterable(references))
    found = counted(need, examples)
    assert found.documents == len(documents)
    assert found.counts == sum(map(Counter, documents), Counter())


@given(runs, needs, st.integers(0, 6))
def test_parts_add_up(examples, need, place):
    """Counting in parts is counting the whole."""
    parts = Frequencies(need)
    parts.add(examples[:place], tokeniser("word"))
    parts.add(examples[place:], tokeniser("word"))
    assert parts.counts == counted(need, examples).counts


def test_idf():
    """Rarity is log((N + 1) / (df + 1)), as in BERTScore (Zhang et al. 2020, section 3)."""
    found = counted(FrequencyNeed("word"), [answer("x", "the cat"), answer("x", "the dog", "the end")])
    assert found.idf(["the", "cat", "unseen"]).tolist() == pytest.approx([log(4 / 4), log(4 / 2), log(4 / 1)])


def test_ngrams():
    """N-grams of orders 1 to n, shorter ones first."""
    assert ngrams(["a", "b", "c"], 2) == [("a",), ("b",), ("c",), ("a", "b"), ("b", "c")]


@given(runs, needs)
def test_file_round_trip(tmp_path_factory, examples, need):
    """What is saved can be loaded."""
    path = tmp_path_factory.mktemp("df") / "df.json"
    saved = counted(need, examples)
    saved.save(path)
    (loaded,) = load_frequencies(path).values()
    assert (loaded.need, loaded.documents, loaded.counts) == (saved.need, saved.documents, saved.counts)
    assert loaded.fingerprint == saved.fingerprint


def test_fingerprint_does_not_depend_on_order():
    """The same counts have the same fingerprint, whatever order they came in."""
    examples = [answer("x", "a b"), answer("x", "b c")]
    need = FrequencyNeed("word", 2)
    assert counted(need, examples).fingerprint == counted(need, examples[::-1]).fingerprint


def test_fingerprint_tells_counts_apart():
    """Other counts have another fingerprint."""
    need = FrequencyNeed("word")
    assert counted(need, [answer("x", "a")]).fingerprint != counted(need, [answer("x", "b")]).fingerprint


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"tok": 1}', b"[]"])
def test_bad_file(tmp_path, content):
    """A file that holds something else is an error with its path."""
    path = tmp_path / "df.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="holds no document frequencies"):
        load_frequencies(path)


def test_missing_file(tmp_path):
    """So is one that is not there."""
    with pytest.raises(DataError, match="cannot be read"):
        load_frequencies(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    ("question", "reference", "expected"),
    [
        ("What was it called in Chinese?", "大元", True),
        ("", "大元", False),
        ("它叫什么?", "Da Yuan", False),
        ("", "Da Yuan", True),
    ],
)
def test_language_of_an_example(question, reference, expected):
    """Question and references together tell whether words are parted by spaces."""
    assert in_spaced_language(answer("x", reference, question=question)) is expected


def test_squad_words_are_counted_as_they_are_cut():
    """In an English example a quoted Chinese name is counted as one word."""
    found = counted(FrequencyNeed("squad"), [answer("x", "Da Yuan 大元", question="What was it called?")])
    assert ("大元",) in found.counts
