from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.io.readers.datasets.answer_selection import QuestionSentences, read_selection
from qassay.io.source import Source
from qassay.records import Example, Reference
from qassay.training.ava.pairs import AvaRow, gather, pair_up, read_rows
from qassay.training.files import write_rows
from shared import train


def test_pairs_are_the_papers():
    """Positives are the ordered pairs of different right answers, negatives right with wrong (section 4.2)."""
    rows, _ = pair_up([QuestionSentences("q", ("a", "b"), ("x",))], rng=np.random.default_rng(0))

    assert {(row.reference, row.candidate, row.label) for row in rows} == {
        ("a", "b", 1),
        ("b", "a", 1),
        ("a", "x", 0),
        ("b", "x", 0),
    }


def test_a_question_with_one_right_answer_gives_no_pairs():
    """At least two right answers are needed, and the others are counted."""
    rows, statistics = pair_up([QuestionSentences("q", ("a",), ("x", "y"))], rng=np.random.default_rng(0))

    assert rows == []
    assert (statistics.questions, statistics.multiple_questions, statistics.wrong) == (1, 0, 2)


@given(right=st.integers(2, 9), wrong=st.integers(0, 9), cap=st.integers(1, 30))
def test_a_cap_bounds_both_sides(right: int, wrong: int, cap: int):
    """There are n(n-1) positives and n·m negatives, and at most as many as the cap are kept of each."""
    selection = QuestionSentences("q", tuple(f"r{i}" for i in range(right)), tuple(f"w{i}" for i in range(wrong)))

    rows, statistics = pair_up([selection], rng=np.random.default_rng(0), cap=cap)

    assert (statistics.positives, statistics.negatives) == (right * (right - 1), right * wrong)
    assert sum(row.label for row in rows) == min(cap, right * (right - 1)) == statistics.kept_positives
    assert sum(1 - row.label for row in rows) == min(cap, right * wrong) == statistics.kept_negatives


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        # Questions, right and wrong sentences as WikiQA and TREC-QA publish them (dev splits; repeated sentences of a
        # question once); the rest follows from the definition.
        ("wikiqa/WikiQA-dev.tsv", (296, 140, 2592, 11, 25, 82, 36, 182)),
        ("trecqa/DEV.xml", (82, 222, 926, 49, 193, 802, 950, 4284)),
    ],
)
def test_statistics_of_public_sets(path: str, expected: tuple[int, ...]):
    """The counts of Table 2, for the public answer selection sets."""
    _, found = pair_up(read_selection(Source.at(train(path))), rng=np.random.default_rng(0))

    assert (
        found.questions,
        found.right,
        found.wrong,
        found.multiple_questions,
        found.multiple_right,
        found.multiple_wrong,
        found.positives,
        found.negatives,
    ) == expected


def test_judged_answers_are_gathered_by_question():
    """References and answers judged right stand against answers judged wrong; unjudged ones are left out."""
    references = (Reference("gold"),)
    examples = [
        Example(id="1", question="q", references=references, candidate="good", judgement=1.0),
        Example(id="2", question="q", references=references, candidate="bad", judgement=0.0),
        Example(id="3", question="q", references=references, candidate="unknown"),
        Example(id="4", question="q", references=references, candidate=None, judgement=0.0),
    ]

    assert list(gather(examples)) == [QuestionSentences("q", ("gold", "good"), ("bad",))]


def test_an_answer_judged_both_ways_counts_as_right():
    """Contradictory verdicts on one text make no wrong answer of a right one."""
    references = (Reference("gold"),)
    examples = [
        Example(id=str(number), question="q", references=references, candidate="same", judgement=label)
        for number, label in enumerate((0.0, 1.0))
    ]

    assert list(gather(examples)) == [QuestionSentences("q", ("gold", "same"), ())]


def test_a_rating_is_no_verdict():
    """Judgements beyond 0 and 1 are refused."""
    example = Example(id="a7", question="q", references=(Reference("r"),), candidate="c", judgement=4.0)

    with pytest.raises(DataError, match="a7"):
        list(gather([example]))


def test_the_short_answer_is_never_the_candidate():
    """What the linear model looks for in the candidate is another right answer."""
    rows, _ = pair_up([QuestionSentences("q", ("four", "four of them"), ("five",))], rng=np.random.default_rng(0))

    assert {(row.candidate, row.short) for row in rows} == {
        ("four", "four of them"),
        ("four of them", "four"),
        ("five", "four"),
    }


def test_rows_come_back_as_they_were_written(tmp_path: Path):
    """What is written is read again."""
    rows = [AvaRow("q", "r", "t", 1, "s", "x"), AvaRow("q", "r", "t", 0)]

    write_rows(tmp_path / "ava.jsonl", rows)

    assert list(read_rows(tmp_path / "ava.jsonl")) == rows


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "not a row of ava data"), ('{"question":"q","reference":"r","candidate":"t","label":3}', "it is 1")],
)
def test_a_bad_row_is_refused_with_its_line(tmp_path: Path, text: str, problem: str):
    """A row that cannot be used stops the reading and says where."""
    (tmp_path / "ava.jsonl").write_text(text)

    with pytest.raises(DataError, match=problem) as refused:
        list(read_rows(tmp_path / "ava.jsonl"))

    assert "ava.jsonl:1" in str(refused.value)
