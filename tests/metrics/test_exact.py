"""Exact match, token F1, token recall and containment."""

from math import log

import pytest

from answers import answer, score_of, scores_of


@pytest.mark.parametrize(
    ("candidate", "references", "expected"),
    [
        ("The Eiffel Tower!", ["eiffel tower"], 1),
        ("Eiffel", ["eiffel tower"], 0),
        ("1889", ["1887", "1889"], 1),
        ("", [""], 1),  # SQuAD 2.0: no answer is the answer
        ("Paris", [""], 0),
        ("", ["Paris"], 0),
        ("the", ["a"], 1),  # official rules: both normalise to nothing
        ("大元", ["大元。"], 1),
    ],
)
def test_exact_match(candidate, references, expected):
    """Texts are equal after normalisation, or not."""
    assert score_of("exact_match", candidate, *references) == expected


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("the cat sat", "cat sat down", 2 * 2 / (2 + 3)),
        ("cat cat", "cat", 2 * 1 / 3),
        ("cat", "dog", 0),
        ("十年", "用了十年", 2 * 2 / (2 + 4)),
        ("", "", 1),
        ("?!", "...", 1),
    ],
)
def test_token_f1(candidate, reference, expected):
    """F1 counts shared tokens with repeats."""
    assert score_of("token_f1", candidate, reference) == pytest.approx(expected)


@pytest.mark.parametrize(("candidate", "expected"), [("it was in Paris, France", 1), ("Paris", 1 / 2), ("London", 0)])
def test_token_recall(candidate, expected):
    """Recall does not mind a long answer."""
    assert score_of("token_recall", candidate, "Paris France") == expected


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("it was in Paris, France", "Paris France", 1),
        ("it was in France, Paris", "Paris France", 0),
        ("concatenate", "cat", 0),  # whole tokens only
        ("用了十年时间", "十年", 1),
        ("anything", "", 0),
        ("", "", 1),
    ],
)
def test_contains(candidate, reference, expected):
    """The reference's tokens stand in the candidate in a row."""
    assert score_of("contains", candidate, reference) == expected


def test_weighted_f1():
    """With `:idf` common words hardly count."""
    run = [answer("the cat", "the dog"), answer("x", "the cat"), answer("y", "the end")]
    # squad tokens, articles gone: 3 documents, df(cat) = df(dog) = 1, df(x) = 0
    assert scores_of("token_f1:idf", run)[0] == 0
    partly = [answer("big cat", "big dog"), answer("x", "big cat"), answer("y", "end")]
    big, cat, dog = log(4 / 3), log(4 / 2), log(4 / 2)
    precision, recall = big / (big + cat), big / (big + dog)
    assert scores_of("token_f1:idf", partly)[0] == pytest.approx(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize(("tok", "expected"), [("squad", 1), ("word", 0), ("char", 0)])
def test_tokeniser(tok, expected):
    """The tokeniser decides what is equal."""
    assert score_of(f"exact_match,tok={tok}", "The cat.", "cat") == expected


def test_english_that_quotes_chinese():
    """In English a quoted Chinese name is one word, as the official rules have it."""
    question = "What was the dynasty called in Chinese?"
    # official rules: 2 shared words ("da", "yuan") of 3 and 2
    assert score_of("token_f1", "Da Yuan (大元)", "Da Yuan", question=question) == pytest.approx(4 / 5)


def test_same_text_in_two_languages():
    """The same text is cut by each question's language, within one batch."""
    english = answer("大元", "Da Yuan 大元", question="What was the dynasty called in Chinese?")
    chinese = answer("大元", "大元朝", question="元朝的正式国号是什么?")
    # official rules: 1 of 1 and 3 words; by characters: 2 of 2 and 3
    assert scores_of("token_f1", [english, chinese]).tolist() == pytest.approx([2 / 4, 4 / 5])
