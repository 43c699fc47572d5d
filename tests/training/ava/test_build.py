from collections import Counter

import numpy as np
import pytest

from qassay.errors import DataError
from qassay.io.parsing.read_context import ReadOptions
from qassay.io.readers.datasets.answer_selection import QuestionSentences
from qassay.training.ava.pairs import build_pairs, read_rows, read_selections
from qassay.training.splits import held_back
from shared import train

READING = ReadOptions()


@pytest.mark.parametrize(
    ("path", "questions"),
    [
        # All questions of the development splits as WikiQA and TREC-QA publish them, also those with one right answer.
        ("wikiqa/WikiQA-dev.tsv", 296),
        ("trecqa/DEV.xml", 82),
    ],
)
def test_answer_selection_sets_keep_all_their_questions(path: str, questions: int):
    """Questions without a second right sentence count in the statistics."""
    left_out: Counter[str] = Counter()

    found = list(read_selections([str(train(path))], READING, left_out))

    assert len(found) == questions
    assert not left_out


def test_held_back_questions_give_no_pairs():
    """Of EVOUNA's questions those of the final test are left out, and counted."""
    left_out: Counter[str] = Counter()

    found = list(read_selections([str(train("evouna/NQ.json"))], READING, left_out))

    assert not any(held_back(each.question) for each in found)
    assert left_out["question held back for the final test"] > 250


def test_no_question_stands_on_both_sides(tmp_path):
    """The side follows from the question's text, also where a question comes again."""
    selections = [QuestionSentences(f"question {n}?", ("a", "b"), ("x",)) for n in range(50)] * 2

    build_pairs(selections, tmp_path, rng=np.random.default_rng(0), dev_share=0.3)

    sides = [{row.question for row in read_rows(tmp_path / f"{side}.jsonl")} for side in ("train", "dev")]
    assert not sides[0] & sides[1]
    assert len(sides[0]) + len(sides[1]) == 50


def test_both_sides_need_pairs(tmp_path):
    """One question is not enough, and nothing is written."""
    with pytest.raises(DataError, match="two correct answers"):
        build_pairs([QuestionSentences("q", ("a", "b"), ())], tmp_path / "out", rng=np.random.default_rng(0))

    assert not (tmp_path / "out").exists()
