import json

import pytest

from qassay.errors import DataError
from qassay.meta.correlation.judgements import read_judgements


@pytest.mark.parametrize("name", ["judgement", "verdict", "label", "correct", "value", "rating"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_judgement_has_any_name_that_a_label_has(write, name, kind):
    """No option reaches this file, so that the usual names must do; other columns are passed over."""
    row = {"id": "q1", "system": "A", "question": "why?", "annotator": "ann", name: 4}
    text = f"{','.join(row)}\n{','.join(map(str, row.values()))}\n" if kind == "csv" else f"{json.dumps(row)}\n"

    assert read_judgements(write(f"j.{kind}", text)).of([("q1", "A")]) == [4]


def test_a_judgement_comes_before_other_names(write):
    """It is what `agree -o` writes."""
    assert read_judgements(write("j.csv", "id,value,judgement\nq1,1,4\n")).of([("q1", "")]) == [4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,value,label\nq1,1,0\n", r'j\.csv:1: there are "label" and "value"; keep one of them$'),
        ("id,points\nq1,1\n", r"j\.csv:1: there is no rating among id, points; call it one of verdict, .*judgement$"),
        ("key,judgement\nq1,1\n", r'j\.csv:1: there is no column "id" among key, judgement; call yours so$'),
    ],
)
def test_a_remedy_does_not_send_to_options_that_do_not_reach_the_file(write, text, message):
    """--map is about the answers."""
    with pytest.raises(DataError, match=message):
        read_judgements(write("j.csv", text))
