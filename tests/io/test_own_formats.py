"""Formats that a program registers."""

import re

import pytest

import qassay
from qassay.errors import DataError
from qassay.io.input_stream import Reader, ReadOptions
from qassay.io.readers.formats import FORMATS


class Lines(qassay.Format):
    """A reference and an answer per line."""

    name = "own_lines"
    extensions = (".own",)

    def recognises(self, head):
        """Whether it says so."""
        return head.start.startswith(b"#own")

    def read(self, source, context):  # noqa: ARG002 - as every format has it
        """Yield dictionaries."""
        for number, line in source.lines():
            reference, _, candidate = line.partition("=")
            if candidate:
                yield {"references": [reference], "said": candidate}, number


@pytest.fixture
def registered():
    qassay.register_format(Lines)
    yield
    FORMATS.unregister("own_lines")


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "file"
    path.write_text("#own\nParis=It is Paris.\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("registered")
def test_a_registered_format_is_recognised(lines):
    """A format that a program registers is asked before Qassay's own, and its rows are mapped and checked."""
    (example,) = Reader([lines], ReadOptions(mapping={"candidate": "said"}, system="A"))
    assert (example.id, example.candidate, example.system) == ("file:2", "It is Paris.", "A")


@pytest.mark.usefixtures("registered")
def test_a_bad_row_of_a_registered_format_is_refused_with_its_line(lines):
    """A dictionary that lacks a field is refused as a row of JSON lines is."""
    with pytest.raises(DataError, match=re.escape('file:2: "candidate" is missing')):
        list(Reader([lines]))


@pytest.mark.usefixtures("registered")
def test_an_extension_decides_where_content_does_not(tmp_path):
    """A file that no format recognises is read by its name's ending."""
    path = tmp_path / "file.own"
    path.write_text("Paris=Rome\n", encoding="utf-8")
    (example,) = Reader([path], ReadOptions(mapping={"candidate": "said"}))
    assert example.candidate == "Rome"


def test_a_name_that_is_taken_is_refused():
    """A format cannot take the place of one of Qassay's own."""
    taken = type("Taken", (Lines,), {"name": "jsonl"})
    with pytest.raises(qassay.SpecError, match='there is a format "jsonl" already'):
        qassay.register_format(taken)


def test_what_is_no_format_is_refused():
    """Only subclasses of Format can be registered."""
    with pytest.raises(qassay.SpecError, match=re.escape("give a subclass of qassay.Format")):
        qassay.register_format(type("Nothing", (), {"name": "nothing"}))
