"""What is counted on integer tokens is what counting words one by one gives."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.text.tokenisers.tokenise import tokeniser
from qassay.text.tokenisers.tokens import Tokens, ranges

# few words and short texts, so that repeats, empty texts and texts too short for an n-gram abound
words = st.sampled_from(["a", "b", "c", "dd", "e."])
texts = st.lists(st.lists(words, max_size=9).map(" ".join), min_size=1, max_size=6)
orders = st.integers(1, 6)
rows_and_pairs = texts.flatmap(
    lambda rows: st.tuples(
        st.just(rows), st.lists(st.tuples(*[st.integers(0, len(rows) - 1)] * 2), min_size=1, max_size=8)
    )
)


def cut(rows):
    return Tokens.cut(rows, tokeniser("word"))


def sides(pairs):
    left, right = zip(*pairs, strict=True)
    return np.array(left), np.array(right)


def grams(text, n):
    tokens = tokeniser("word").tokens(text)
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def skip_grams(text, gap):
    tokens = tokeniser("word").tokens(text)
    near = (pair for pair in combinations(range(len(tokens)), 2) if pair[1] - pair[0] - 1 <= gap)
    return Counter((token,) for token in tokens) + Counter((tokens[i], tokens[j]) for i, j in near)


def lcs(left, right):
    """Fill the textbook table."""
    table = [[0] * (len(right) + 1)]
    for one in left:
        above, row = table[-1], [0]
        for j, other in enumerate(right):
            row.append(above[j] + 1 if one == other else max(above[j + 1], row[j]))
        table.append(row)
    return table[-1][-1]


@given(texts)
def test_rows(rows):
    """Each text's tokens can be read back."""
    tokens = cut(rows)
    assert [tokens.row(i) for i in range(len(tokens))] == [tokeniser("word").tokens(text) for text in rows]


@given(texts)
def test_lengths(rows):
    """Lengths, starts and owners of tokens agree."""
    tokens = cut(rows)
    assert tokens.lengths.tolist() == [len(tokeniser("word").tokens(text)) for text in rows]
    assert Counter(tokens.text_of.tolist()) == Counter({i: n for i, n in enumerate(tokens.lengths.tolist()) if n})


@given(rows_and_pairs)
def test_take(drawn):
    """Texts can be taken in any order, more than once."""
    rows, pairs = drawn
    chosen, _ = sides(pairs)
    taken = cut(rows).take(chosen)
    assert [taken.row(i) for i in range(len(taken))] == [tokeniser("word").tokens(rows[i]) for i in chosen]


@given(texts, orders)
def test_gram_totals(rows, n):
    """Each text has as many n-grams as positions where one begins."""
    assert cut(rows).grams(n).totals.tolist() == [grams(text, n).total() for text in rows]


@given(rows_and_pairs, orders)
def test_gram_matches(drawn, n):
    """The clipped matches of each pair are those of two counters' intersection."""
    rows, pairs = drawn
    table = cut(rows).grams(n)

    found = table.match(*sides(pairs))

    clipped = np.minimum(table.count[found.left], table.count[found.right])
    hits = np.bincount(found.pair, clipped, minlength=len(pairs))
    assert hits.tolist() == [(grams(rows[i], n) & grams(rows[j], n)).total() for i, j in pairs]


@given(rows_and_pairs, st.integers(0, 5))
def test_skip_gram_matches(drawn, gap):
    """Skip-bigrams with unigrams match as counters of them do."""
    rows, pairs = drawn
    table = cut(rows).skip_grams(gap)

    found = table.match(*sides(pairs))

    clipped = np.minimum(table.count[found.left], table.count[found.right])
    hits = np.bincount(found.pair, clipped, minlength=len(pairs))
    assert hits.tolist() == [(skip_grams(rows[i], gap) & skip_grams(rows[j], gap)).total() for i, j in pairs]


@given(texts, orders, st.randoms(use_true_random=False))
def test_mean_weights(rows, n, random):
    """A repeated n-gram weighs the mean of its tokens' weights over all its places in the text."""
    tokens = cut(rows)
    weights = np.array([random.random() for _ in tokens.ids])
    table = tokens.grams(n)

    found = table.mean_weights(weights)

    expected = []
    for i in range(len(tokens)):
        places = {}
        for start in range(tokens.starts[i], tokens.starts[i + 1] - n + 1):
            places.setdefault(tuple(tokens.ids[start : start + n]), []).append(weights[start : start + n].mean())
        expected += [np.mean(places[gram]) for gram in places]
    assert found == pytest.approx(expected)


@given(rows_and_pairs)
def test_lcs(drawn):
    """The longest common subsequence is as long as the textbook table says."""
    rows, pairs = drawn
    cuts = [tokeniser("word").tokens(text) for text in rows]
    assert cut(rows).lcs(*sides(pairs)).tolist() == [lcs(cuts[i], cuts[j]) for i, j in pairs]


def test_lcs_of_no_pairs():
    """No pairs have no lengths."""
    none = np.zeros(0, np.int64)
    assert cut(["a"]).lcs(none, none).tolist() == []


@pytest.mark.parametrize("n", [1, 2, 4, 9])
def test_many_words(n):
    """A vocabulary so large that n-grams of it no longer fit one integer is still counted exactly."""
    text = " ".join(f"w{i}" for i in range(70_000))
    table = cut([text, text, "w1 w2"]).grams(n)
    found = table.match(np.array([0, 2]), np.array([1, 0]))
    assert np.bincount(found.pair, minlength=2).tolist() == [70_000 - n + 1, max(0, 3 - n)]


def test_more_words_than_characters():
    """Texts with more distinct tokens than there are characters in Unicode are compared all the same."""
    one = " ".join(f"{i:x}" for i in range(600_000))
    two = " ".join(f"{i:x}" for i in range(600_000, 1_200_000))
    tokens = cut([one, two, "0 1 2"])
    assert tokens.lcs(np.array([0, 1, 2]), np.array([2, 2, 0])).tolist() == [3, 0, 3]
    assert tokens.as_strings[2] in tokens.as_strings[0]
    assert tokens.as_strings[0] != tokens.as_strings[1]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8))
def test_ranges(spans):
    """Ranges are written out one after another."""
    starts = np.array([start for start, _ in spans], np.int64)
    lengths = np.array([length for _, length in spans], np.int64)
    assert ranges(starts, lengths).tolist() == [i for start, length in spans for i in range(start, start + length)]


@given(rows=texts)
def test_rows_are_the_tokens_of_each_text(rows):
    """All at once or one by one."""
    tokens = cut(rows)

    assert tokens.rows() == [tokens.row(i) for i in range(len(rows))]


def test_the_last_token_of_each_text():
    """Texts without tokens stay without."""
    tokens = Tokens.number([["ada", "lovelace"], [], ["turing"]]).last_of_each()
    assert tokens.rows() == [["lovelace"], [], ["turing"]]
