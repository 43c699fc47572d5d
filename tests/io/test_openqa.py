"""NQ-301: gold answers in one file, verdicts in another."""

import re

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader
from qassay.records import Example, Reference
from shared import bench


def test_a_table_with_gold_answers_is_read(fixtures):
    """Gold answers are split, and a verdict that is missing stays so."""
    examples = list(Reader([fixtures / "openqa-golds.tsv"]))
    assert examples[0] == Example(
        id="1",
        question="who wrote emma",
        references=(Reference("Jane Austen"), Reference("Austen")),
        candidate='She said "Austen"',
        judgement=1.0,
    )
    assert [example.judgement for example in examples[1:]] == [0.0, None]


def test_verdicts_take_the_gold_answers_of_the_file_before(fixtures):
    """Rows come from the file of verdicts, whose ids repeat; unknown questions are left out."""
    reader = Reader([fixtures / "openqa-golds.tsv", fixtures / "openqa-verdicts.tsv"])
    first, second = reader
    assert (first.id, first.candidate, first.judgement) == ("openqa-verdicts.tsv:2", '"Austen" it was', 0.0)
    assert (first.references, first.extra) == (
        (Reference("Jane Austen"), Reference("Austen")),
        {"annotator1": "Yes"},
    )
    assert second.id == "openqa-verdicts.tsv:3"
    assert [skipped.reason for skipped in reader.skipped] == ["no gold answer"]


def test_a_second_file_of_verdicts_is_refused(fixtures, tmp_path):
    """It would count every answer twice; the message names both files."""
    second = tmp_path / "gpt-4.tsv"
    second.write_bytes((fixtures / "openqa-verdicts.tsv").read_bytes())
    with pytest.raises(DataError, match=r"gpt-4.tsv: holds verdicts, as .*openqa-verdicts.tsv does.*one of them at a"):
        list(Reader([fixtures / "openqa-golds.tsv", fixtures / "openqa-verdicts.tsv", second]))


def test_verdicts_alone_are_refused(fixtures):
    """Without gold answers there is nothing to compare with."""
    with pytest.raises(DataError, match="holds answers and no questions"):
        list(Reader([fixtures / "openqa-verdicts.tsv"]))


def test_another_verdict_is_refused(read):
    """A verdict is yes, no or empty."""
    content = b"id\tQuestion\tGold answers\tModel answer\tAcceptable?\n1\tq\ta\tb\tMaybe\n"
    with pytest.raises(DataError, match=re.escape('"Acceptable?" is "maybe"')) as caught:
        read(content, "openqa.tsv")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("files", "right"),
    [
        # `Acceptable?` counted in the raw tables: people said Yes 816 times, BEM 671 times, of 1,490 answers.
        (["NQ301_BEM.tsv"], 671),
        (["NQ301_BEM.tsv", "NQ301_human.tsv"], 816),
    ],
)
def test_the_real_files_are_read(files, right):
    """All 1,490 answers are read with their verdicts."""
    examples = list(Reader([bench(f"openqa_eval/{name}") for name in files]))
    assert (len(examples), sum(example.judgement or 0 for example in examples)) == (1_490, right)
