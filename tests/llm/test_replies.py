"""Verdicts are read as they were asked for, and from nothing else."""

import math

import pytest

from qassay.llm.prompts import PROMPTS
from qassay.llm.replies import ChatReply, read_verdict, why_none

VERIFY, LIKERT = PROMPTS["verify"], PROMPTS["likert5"]


@pytest.mark.parametrize(
    ("content", "verdict"),
    [
        ('{"verdict": "correct"}', "correct"),
        ('{"verdict": "Not Attempted", "reason": "it declines"}', "not_attempted"),
        ('```json\n{"verdict": "incorrect"}\n```', "incorrect"),
        ('<think>{"verdict": "correct"}? no</think>\n{"verdict": "incorrect"}', "incorrect"),
        ("thinking without a start: correct</think> B", "incorrect"),
        ("A", "correct"),
        (" **C** ", "not_attempted"),
        ("CORRECT.", "correct"),
        ('{"verdict": "correct"} {"verdict": "correct"}', "correct"),
        ('{"reasons": [{"a": 1}], "verdict": "correct"}', "correct"),
    ],
)
def test_verdicts_are_found(content, verdict):
    """As JSON with further fields, in a fence, behind thoughts, as a word or as a letter."""
    found = read_verdict(ChatReply("schema", content), VERIFY)
    assert (found.word, found.score) == (verdict, VERIFY.verdicts[verdict])


@pytest.mark.parametrize(
    "content",
    [
        "",
        "What a lovely day",
        "A good answer",
        "The answer is correct",
        "D",
        '{"verdict": "perhaps"}',
        '{"verdict": null}',
        '{"verdict": true}',
        '{"verdict": ["correct"]}',
        '{"answer": "correct"}',
        '{"verdict": "correct"',
        '{"verdict": "correct"} or {"verdict": "incorrect"}',
        '{"verdict": "correct", "verdict": "incorrect"}',
        "[" * 100_000,
        "<think>A",
    ],
)
def test_anything_else_is_no_verdict(content):
    """Prose, other fields, other values and contradictions are none."""
    assert read_verdict(ChatReply("schema", content), VERIFY) is None


@pytest.mark.parametrize(("content", "score"), [('{"verdict": 4}', 0.75), ('{"verdict": "5"}', 1.0), ("1", 0.0)])
def test_ratings_are_numbers(content, score):
    """A rating of 1 to 5 is a score from 0 to 1."""
    assert read_verdict(ChatReply("json", content), LIKERT).score == score


def drawn(*tokens):
    """Make tokens with the probabilities of what could have stood there."""
    return tuple(
        (token, {other: math.log(p) for other, p in others.items()} if others else {token: 0.0})
        for token, others in tokens
    )


@pytest.mark.parametrize(
    ("content", "tokens", "score"),
    [
        (
            '{"verdict": "correct"}',
            [
                ('{"', 0),
                ("verdict", 0),
                ('":', 0),
                (' "', 0),
                ("correct", {"correct": 0.7, "in": 0.2, "not": 0.1}),
                ('"}', 0),
            ],
            0.7,
        ),
        (
            '{"verdict":"incorrect"}',
            [('{"verdict', 0), ('":"', 0), ("in", {"in": 0.6, "cor": 0.3, "x": 0.1}), ("correct", 0), ('"}', 0)],
            0.3 / 0.9,
        ),
        (
            '{"verdict": "correct"}',
            [('{"verdict":', 0), (' "correct', {' "correct': 0.9, ' "incorrect': 0.1}), ('"}', 0)],
            0.9,
        ),
        ("A", [("A", {"A": 0.8, " A": 0.1, "B": 0.05, "C": 0.05})], 0.9),
        ("B", [("<think>A</think>", 0), ("B", {"B": 0.75, "A": 0.25})], 0.25),
    ],
)
def test_log_probabilities_make_a_probability(content, tokens, score):
    """Of the tokens that could have begun the verdict, each counts by its probability; others are left out."""
    found = read_verdict(ChatReply("schema", content, tokens=drawn(*tokens)), VERIFY)
    assert found.from_logprobs
    assert found.score == pytest.approx(score)


def test_ratings_are_averaged_by_probability():
    """A rating of 4 or 5 with even odds is 0.875."""
    tokens = drawn(('{"verdict": "', 0), ("5", {"5": 0.5, "4": 0.5}), ('"}', 0))
    assert read_verdict(ChatReply("schema", '{"verdict": "5"}', tokens=tokens), LIKERT).score == pytest.approx(0.875)


@pytest.mark.parametrize(
    "tokens",
    [
        [("another text", 0)],
        [('{"verdict": "', 0), ("correct", {"correct": 0.1, "x": 0.9}), ('"}', 0)],
        [('{"verdict": "', 0), ("c", {}), ('orrect"}', 0)],
    ],
)
def test_unclear_log_probabilities_are_left_alone(tokens):
    """Where they do not belong to the reply, or most of them to something else, the verdict stands by itself."""
    found = read_verdict(ChatReply("schema", '{"verdict": "correct"}', tokens=drawn(*tokens)), VERIFY)
    assert found.score == 1.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (ChatReply("json", "Well,\nwell"), 'no verdict in the reply "Well, well"'),
        (ChatReply("json", ""), "the reply was empty"),
        (ChatReply("json", '{"verd', finish="length"), "the reply was cut off"),
        (ChatReply("json", "", finish="content_filter"), "the endpoint's filter withheld the reply"),
    ],
)
def test_no_verdict_has_a_reason(reply, reason):
    """The reason quotes the last reply."""
    assert why_none([ChatReply("schema", "x"), reply]) == reason
