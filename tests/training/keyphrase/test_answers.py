import json

import pytest

from qassay.errors import DataError
from qassay.training.keyphrase import sources
from shared import train


def key(row):
    return [row.answer[start:end].lower() for start, end in row.spans]


@pytest.mark.parametrize("yes", [True, False])
@pytest.mark.parametrize("question", ["is it red", "do they know", "can you see it", "was there rain", "has she left"])
def test_the_yes_or_no_is_key(question, yes):
    """However a yes-no answer is written out, its yes or no is key, and the sentence behind it is not."""
    rows = list(sources.yes_no_rows(question, yes=yes, passage="It is not red. It rains.", source="s"))

    assert len(rows) == 2
    assert all(key(row)[0] == ("yes" if yes else "no") for row in rows)
    assert all(set(key(row)) <= {"yes", "no", "not"} for row in rows)


def test_boolq_answers_are_written_out(tmp_path):
    """Each question gives two wordings of its answer."""
    path = tmp_path / "boolq.jsonl"
    path.write_text(json.dumps({"question": "is it red", "answer": True, "passage": "It is red."}), encoding="utf-8")

    rows = list(sources.FORMATS["boolq"](path, "boolq"))

    assert len({row.answer for row in rows}) == 2


def test_pubmedqa_leaves_maybe_out(tmp_path):
    """Only yes and no can be key."""
    entry = {"QUESTION": "Does it?", "LONG_ANSWER": "It does.", "final_decision": "yes"}
    path = tmp_path / "pubmed.json"
    path.write_text(json.dumps({"1": entry, "2": entry | {"final_decision": "maybe"}}), encoding="utf-8")

    assert len(list(sources.FORMATS["pubmedqa"](path, "pubmedqa"))) == 2


def test_short_answers_are_keyed_by_content(tmp_path):
    """MCScript: content words are key, a leading yes or no before them."""
    path = tmp_path / "script.xml"
    path.write_text(
        '<data><instance><questions><question text="Who came?"><answer correct="True" text="their friends"/>'
        '<answer correct="False" text="no one came"/></question></questions></instance></data>',
        encoding="utf-8",
    )

    rows = list(sources.mcscript(path, "mcscript"))

    assert [key(row) for row in rows] == [["friends"], ["no"]]


def test_broken_xml_is_one_clear_error(tmp_path):
    """A cut-off file stops with its name."""
    path = tmp_path / "script.xml"
    path.write_text("<data><instance>", encoding="utf-8")

    with pytest.raises(DataError, match=r"script\.xml: not XML"):
        list(sources.mcscript(path, "mcscript"))


@pytest.mark.parametrize(
    ("reader", "path"),
    [
        (sources.FORMATS["boolq"], "boolq/dev.jsonl"),
        (sources.FORMATS["pubmedqa"], "pubmedqa/ori_pqal.json"),
        (sources.mcscript, "mcscript/train-data.xml"),
        (sources.multirc_options, "multirc/val.jsonl"),
    ],
)
def test_the_published_files_are_read(reader, path):
    """Every row of the real files has its key part inside its answer."""
    rows = list(reader(train(path), "real"))

    assert rows
    assert all(row.spans and 0 <= start < end <= len(row.answer) for row in rows for start, end in row.spans)
