"""Answer selection: every sentence is a candidate, the other right ones are its references."""

import re

import pytest

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Reference
from shared import bench, train

HEADER = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel\n"


def test_a_table_with_documents_is_read_without_quoting(fixtures):
    """A quote is a character of the sentence there, and a right sentence is never its own reference."""
    examples = list(Reader([fixtures / "as2-documents.tsv"]))
    right = '"Bees beat their wings fast .'
    assert examples[0] == Example(
        id="Q0/D0-0",
        question="how do bees fly",
        references=(Reference("The wings beat fast ."),),
        candidate=right,
        judgement=1.0,
        extra={"question_id": "Q0"},
    )
    assert [(example.id, len(example.references), example.judgement) for example in examples[1:]] == [
        ("Q0/D0-1", 1, 1.0),
        ("Q0/D0-2", 2, 0.0),
        ("Q1/D1-1", 1, 0.0),
    ]


def test_a_table_without_documents_is_grouped_by_text(fixtures):
    """Where every row has its own id, the question's text says what belongs together; cells are quoted."""
    examples = list(Reader([fixtures / "as2.tsv"]))
    assert [(example.id, example.references[0].text) for example in examples] == [
        ("Q1/S1", "The wings beat fast ."),
        ("Q2/S2", 'Bees, they say,\tbeat "wings" .'),
    ]


def test_sentences_without_reference_are_counted(fixtures):
    """The only right sentence, and any sentence of a question without a right one, cannot be compared."""
    reader = Reader([fixtures / "as2-documents.tsv"])
    list(reader)
    assert [str(skipped) for skipped in reader.skipped] == [
        f"{fixtures}/as2-documents.tsv:5: no other right sentence to compare with"
    ]


@pytest.mark.parametrize(
    ("rows", "line", "says"),
    [
        ("Q0\tq\tD\tt\tS0\tx\t2\n", 2, 'the label is "2"; it must be 0 or 1'),
        ("Q0\tq\tD\tt\tS0\tx\n", 2, "has 6 cells"),
        ("Q0\tq\tD\tt\tS0\tx\t1\nQ1\tr\tD\tt\tS1\tx\t1\nQ0\tq\tD\tt\tS2\ty\t1\n", 4, "comes again"),
    ],
)
def test_a_bad_table_is_refused(read, rows, line, says):
    """Other labels, missing cells and scattered questions are errors at their line."""
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        read((HEADER + rows).encode(), "as2.tsv")
    assert caught.value.line == line


def test_another_table_is_not_answer_selection(read):
    """Named as answer selection, a table without its columns is refused."""
    with pytest.raises(DataError, match='no column "QuestionID"'):
        read(b"candidate\treferences\na\tb\n", "as2.tsv", format="as2")


def test_tagged_text_is_read(fixtures):
    """The first line inside a tag is the sentence; a question without a right sentence gives nothing."""
    reader = Reader([fixtures / "trec.xml"])
    assert [(example.id, example.candidate, example.judgement) for example in reader] == [
        ("32.1/1", "Bees make honey .", 1.0),
        ("32.1/2", "Honey is made .", 1.0),
        ("32.1/3", "Bees fly .", 0.0),
    ]
    assert [str(skipped) for skipped in reader.skipped] == [
        f"{fixtures}/trec.xml:26: no other right sentence to compare with"
    ]


def test_the_question_of_tagged_text_is_read(fixtures):
    """Question, references and the question's id are there."""
    example = list(Reader([fixtures / "trec.xml"]))[2]
    assert example.question == "What do bees make ?"
    assert example.references == (Reference("Bees make honey ."), Reference("Honey is made ."))
    assert example.extra == {"question_id": "32.1"}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("<QApairs id='1'>\n<QApairs id='2'>\n", "begins inside another"),
        ("<QApairs id='1'>\n<question>\nq\n", "ends inside a question"),
        ("<QApairs id='1'>\nstray\n", "stands outside the tags"),
        ("<QApairs id='1'>\n</QApairs>\n", "no answers in it"),
        ("<QApairs id='1'>\n</QApairs>\n<QApairs id='1'>\n</QApairs>\n", "comes again"),
    ],
)
def test_broken_tags_are_refused(read, content, says):
    """Tags that do not close, or text outside them, are messages."""
    with pytest.raises(DataError, match=says):
        read(content.encode(), "trec.xml")


@pytest.mark.parametrize(
    ("path", "sentences"),
    [
        # Rows of the tables (WikiQA test: 6,165 sentences, as published; Yang et al. 2015, Table 2), and the
        # tags of TREC-QA counted in the raw text.
        (("bench", "wikiqa/WikiQA-test.tsv"), 6_165),
        (("train", "wikiqa/WikiQA-dev.tsv"), 2_733),
        (("train", "wikiqa/WikiQA-train.tsv"), 20_347),
        (("bench", "trecqa/TEST.xml"), 284 + 1_233),
        (("train", "trecqa/DEV.xml"), 222 + 926),
        (("train", "trecqa/TRAIN.xml"), 348 + 4_370),
    ],
)
def test_every_sentence_of_the_real_files_is_accounted_for(path, sentences):
    """Each sentence is an example or was left out for want of a reference."""
    folder, name = path
    reader = Reader([{"bench": bench, "train": train}[folder](name)])
    examples = list(reader)
    assert len(examples) + reader.skipped_total == sentences
    assert all(example.references for example in examples)


def test_the_system_can_be_named(fixtures):
    """Sentences come from no system, unless one is named."""
    reader = Reader([fixtures / "trec.xml"], ReadOptions(system="trec"))
    assert {example.system for example in reader} == {"trec"}
