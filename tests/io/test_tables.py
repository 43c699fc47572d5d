"""CSV and TSV with a header: cells become fields, and records keep their physical lines."""

import csv
import io
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.records import Example, Opinion, Reference
from shared import bench


def test_a_csv_file_is_read(fixtures):
    """Byte order mark, CRLF, quotes, a line end inside a cell, a JSON list and empty cells are all understood."""
    first, second = Reader([fixtures / "answers.csv"])
    assert first == Example(
        id="q1",
        question='Who wrote "Emma"?',
        references=(Reference("Jane Austen"), Reference("Austen")),
        candidate="Jane\r\nAusten",
        judgement=4.5,
        extra={"source": "library"},
    )
    assert second == Example(
        id="q2", question="When?", references=(Reference("1815"),), candidate="", extra={"source": ""}
    )


def test_a_tsv_file_is_read(fixtures):
    """Numbered references without empty ones, entities as a list or as one, opinions in any case."""
    first, second = Reader([fixtures / "answers.tsv"])
    assert (first.id, first.references, first.system) == ("answers.tsv:2", (Reference("1815"),), "A")
    assert (first.entities, first.opinion) == (("1815",), Opinion.YES)
    assert second.references == (Reference("1816"), Reference("the year 1816"))
    assert (second.entities, second.opinion) == (("one",), None)


def test_kpqa_scores_are_judgements(fixtures):
    """KPQA's answer is the candidate, its score the judgement, and empty references are dropped."""
    first, second = Reader([fixtures / "kpqa.csv"])
    assert first == Example(
        id="kpqa.csv:2",
        question="is it a dog ?",
        references=(Reference("it is a cat"), Reference("a cat")),
        candidate="no , it is a cat",
        judgement=4.25,
    )
    assert second.references == (Reference("it is on the mat, asleep"),)


@pytest.mark.parametrize(
    "header", ["question,answer,reference1,reference2", "question,answer,reference1,reference2,scores"]
)
def test_scores_under_a_references_name_are_judgements(fixtures, read, header):
    """Where numbers stand under the last reference and none under `scores`, slashes separate the references."""
    _, *rows = (fixtures / "kpqa-misplaced.csv").read_text(encoding="utf-8").splitlines()
    first, second = read("\n".join([header, *rows]).encode(), "answers.csv")
    assert first == Example(
        id="answers.csv:2",
        question="Why did they plant it?",
        references=(Reference("to have fruit"), Reference("for apples")),
        candidate="for the apples",
        judgement=4.5,
    )
    assert second.references == (Reference("in the morning"), Reference("morning"), Reference("at dawn"))


def test_numbers_as_references_do_not_hide_the_scores(read):
    """A column of scores counts before references that are numbers, and their slashes stay."""
    (example,) = read(b"question,answer,reference1,reference2,scores\nhow many?,2,1/2,2,4.5\n", "answers.csv")
    assert (example.judgement, example.references) == (4.5, (Reference("1/2"), Reference("2")))


def test_a_record_has_the_line_it_begins_on(read):
    """Lines inside quoted cells count, so that the place is the editor's."""
    with pytest.raises(DataError, match="judgement") as caught:
        read(b'candidate,references,judgement\n"two\nlines",a,1\n\n"b",c,high\n', "answers.csv")
    assert caught.value.line == 5


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("candidate\na\n", 1, '"references" is missing'),
        ("candidate,reference,references\na,b,c\n", 1, 'both "references" and numbered ones'),
        ("candidate,references,candidate\na,b,c\n", 1, 'the header has "candidate" twice'),
        ("prediction,references\na,b\n", 1, "columns={'candidate': 'prediction'}"),
        ("candidate;references\na;b\n", 1, "separated by semicolons"),
        ("candidate,references\na,b,c\n", 2, "has 3 cells where the header has 2"),
        ("candidate,references\na\n", 2, "has 1 cells where the header has 2"),
        ("candidate,references\na,\n", 2, '"references" is empty'),
        ("candidate,reference1,reference2\na,, \n", 2, '"references" is empty'),
        ("candidate,references\na,\"['b', 'c']\"\n", 2, "looks like a Python list; write it as JSON"),
        ('candidate,references\na,"[""b"", "\n', 2, "begins like a JSON list and is none"),
        ('candidate,references\na,"[{""text"": 5}]"\n', 2, 'no "text"'),
        ('candidate,references\n"a,b\nc,d\n', 2, "never closed"),
        ('candidate,references\n"a"x,b\n', 2, "a quote ends before its cell does"),
        ("candidate,references\na,b\rc,d\n", 2, "check the quotes and the line ends"),
        ("candidate,references\na,b\0\n", 2, "NUL byte"),
        ("candidate,references,judgement\na,b,nan\n", 2, '"judgement" is nan'),
        ("candidate,references,judgement\na,b,inf\n", 2, '"judgement" is inf'),
        ("candidate,references,judgement\na,b,good\n", 2, '"judgement" must be a number'),
        ("candidate,references,opinion\na,b,perhaps\n", 2, "use yes, no, depends"),
    ],
)
def test_a_bad_table_is_refused(read, content, line, says):
    """Every bad cell, record or header is refused with its line."""
    with pytest.raises(DataError, match=re.escape(says)) as caught:
        read(content.encode(), "answers.csv")
    assert caught.value.line == line


@pytest.mark.parametrize("text", ["[1] says so", "[citation needed]", "[[b]]"])
def test_brackets_alone_do_not_make_a_list(read, text):
    """Text that begins with a bracket is text, unless a quote or an object follows."""
    (example,) = read(f"candidate,references\na,{text}\n".encode(), "answers.csv")
    assert example.references == (Reference(text),)


@pytest.mark.parametrize(
    ("name", "rows", "references"), [("avsd_all", 1000, 6), ("marco_all", 1000, 1), ("marcomulti_unilm", 100, 1)]
)
def test_the_real_human_scores_are_read(name, rows, references):
    """KPQA's files have the rows and references that its paper describes, scored from 1 to 5."""
    examples = list(Reader([bench(f"kpqa_human/{name}.csv")]))
    assert (len(examples), {len(example.references) for example in examples}) == (rows, {references})
    assert all(1 <= example.judgement <= 5 for example in examples)


def test_bytes_that_are_not_utf8_are_refused(read):
    """A table in another encoding is an error at its line."""
    with pytest.raises(DataError, match="is not UTF-8") as caught:
        read(b"candidate,references\na,b\n\xe9,c\n", "answers.csv")
    assert caught.value.line == 3


def test_bad_records_are_skipped_when_asked(tmp_path):
    """Each bad record is left out with its reason, and reading goes on behind it."""
    path = tmp_path / "answers.csv"
    path.write_bytes(b'candidate,references\na,b\n\xe9,c\nd\n"e"f,g\nh,\n"i\n\0",j\nk,l\n')
    reader = Reader([path], ReadOptions(on_error="skip"))
    assert [example.candidate for example in reader] == ["a", "k"]
    assert [skipped.place.rpartition(":")[2] for skipped in reader.skipped] == ["3", "4", "5", "6", "7"]


def test_columns_are_renamed(read):
    """A mapping names their columns; a column that had our name is kept beside it."""
    content = b"output,gold,candidate\nb,a,kept\n"
    (example,) = read(content, "answers.csv", mapping={"candidate": "output", "references": "gold"})
    assert (example.candidate, example.references) == ("b", (Reference("a"),))
    assert example.extra == {"candidate (input)": "kept"}


def test_a_mapped_column_that_is_not_there_is_refused(read):
    """A mapping to a column that the header does not have is an error, with the header."""
    with pytest.raises(DataError, match='no column "output", which columns= takes for "candidate"; it has a, ref'):
        read(b"a,references\n1,2\n", "answers.csv", mapping={"candidate": "output"})


def test_a_cell_may_be_long(read):
    """A cell longer than the csv module's default limit is read."""
    (example,) = read(b"candidate,references\n" + b"x" * 300_000 + b",a\n", "answers.csv")
    assert len(example.candidate) == 300_000


cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(cells, cells.filter(str.strip), cells), min_size=1, max_size=4))
@pytest.mark.parametrize(("name", "delimiter"), [("answers.csv", ","), ("answers.tsv", "\t")])
def test_what_the_csv_module_writes_is_read_back(tmp_path, name, delimiter, rows):
    """Whatever text a cell holds, it comes back as it was."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["candidate", "reference1", "note"])
    writer.writerows(rows)
    path = tmp_path / name
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    examples = list(Reader([path]))
    found = [(example.candidate, example.references[0].text, example.extra["note"]) for example in examples]
    assert found == rows
