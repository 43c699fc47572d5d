"""EVOUNA: five systems a question, with verdicts."""

from collections import Counter

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader
from qassay.records import Example, Reference
from shared import train


def test_each_question_gives_five_examples(fixtures):
    """One example a system; golden answers are split, verdicts are 1 and 0, and what is missing stays so."""
    examples = list(Reader([fixtures / "evouna.json"]))
    assert examples[0] == Example(
        id="evouna-1",
        question="who got the first nobel prize",
        references=(Reference("Wilhelm Röntgen"), Reference("Röntgen")),
        candidate="Wilhelm Röntgen",
        system="fid",
        judgement=1.0,
    )
    assert [(example.system, example.candidate, example.judgement) for example in examples[1:]] == [
        ("gpt35", "Einstein", 0.0),
        ("chatgpt", "Röntgen", 1.0),
        ("gpt4", "Röntgen", None),
        ("newbing", None, None),
    ]


def test_improper_questions_are_counted(fixtures):
    """A question that people called improper is left out and listed."""
    reader = Reader([fixtures / "evouna.json"])
    list(reader)
    assert [str(skipped) for skipped in reader.skipped] == [f"{fixtures}/evouna.json:12: improper question"]


def test_a_row_of_another_shape_is_refused(read):
    """A verdict that is no truth value is an error at its line."""
    row = b'[\n{"question": "q", "golden_answer": "a", "improper": false, "answer_fid": "a", "judge_fid": "yes"}]'
    with pytest.raises(DataError, match="is not a row of EVOUNA") as caught:
        read(row, "evouna.json")
    assert caught.value.line == 2


def test_the_real_file_is_read():
    """Natural Questions: 3,610 questions of which 590 are improper; five systems answered the other 3,020.

    The verdicts are those in the file, counted in the raw JSON.
    """
    reader = Reader([train("evouna/NQ.json")])
    verdicts = Counter((example.system, example.judgement) for example in reader)
    assert reader.skipped_total == 590
    assert verdicts.total() == 5 * 3_020
    assert (verdicts["fid", 1.0], verdicts["newbing", 1.0], verdicts["newbing", None]) == (2_082, 2_413, 1)
