"""`qassay explain` as a user meets it."""

import pytest

from commands import answers, qassay, qassay_json, write_rows


def test_an_answer_of_a_file_is_explained(tmp_path):
    """It is found by its id."""
    file = write_rows(tmp_path / "a.jsonl", answers(3))
    assert qassay_json("explain", file, "--id", "q1", "-m", "token_f1")["candidate"] == answers(3)[1]["candidate"]


def test_an_answer_of_standard_input_is_explained(tmp_path):
    """Also by a metric that counts words over the whole input first."""
    file = write_rows(tmp_path / "a.jsonl", answers(3))
    words = ("--id", "q1", "-m", "rouge_l:idf")
    from_pipe = qassay_json("explain", "-", *words, stdin=file.read_text(encoding="utf-8"))
    assert from_pipe == qassay_json("explain", file, *words)


def test_an_answer_of_the_command_line_is_explained():
    """A reference and an answer are enough."""
    document = qassay_json("explain", "--reference", "red", "--candidate", "it is red", "-m", "token_recall")
    assert document["scores"] == {"token_recall": 1.0}


@pytest.mark.parametrize("words", [("--question", "x"), ("--reference", "y"), ("--candidate", "")], ids=lambda w: w[0])
def test_a_file_and_an_answer_together_are_refused(refused, tmp_path, words):
    """Neither is ignored silently."""
    file = write_rows(tmp_path / "a.jsonl", answers(3))
    assert "stand instead of answers" in refused("explain", file, "--id", "q1", *words)


@pytest.mark.parametrize("option", ["--id", "--system"])
def test_choosing_without_a_file_is_refused(refused, option):
    """There is nothing to choose from."""
    message = refused("explain", option, "q1", "--reference", "y", "--candidate", "z")
    assert "choose one of several answers" in message


def test_a_bad_row_names_no_option_that_is_not_there(refused, tmp_path):
    """`explain` has no --on-error."""
    file = write_rows(tmp_path / "a.jsonl", [{"id": "q1", "references": [], "candidate": "x"}])
    message = refused("explain", file, "--id", "q1", "-m", "token_f1")
    assert '"references" is empty' in message
    assert "--on-error" not in message


NUMBERS = ("--question", "How many?", "--reference", "five to ten", "--candidate", "5 to 10", "-m", "lerc")


def test_the_rule_that_fired_is_named_in_text():
    """With the words before and after."""
    assert "rule number_form 5 \u2192 five; 10 \u2192 ten" in qassay("explain", *NUMBERS).stdout


def test_the_rule_that_fired_is_named_in_json():
    """Both changes of one rule are there."""
    (reference,) = qassay_json("explain", *NUMBERS)["references"]
    assert reference["ingredients"]["lerc"] == {
        "judged as": "five to ten",
        "rule number_form": "5 \u2192 five; 10 \u2192 ten",
    }


def test_the_rule_that_fired_is_named_on_the_page(tmp_path):
    """As in the terminal."""
    qassay("explain", *NUMBERS, "--html", tmp_path / "page.html")
    assert "rule number_form" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_no_rule_is_named_where_rules_are_off():
    """What is written is judged."""
    assert "rule" not in qassay("explain", *NUMBERS[:-1], "lerc,rules=off").stdout.replace("rules=off", "")


def test_the_page_is_a_report_too(tmp_path):
    """The option has the name that it has in every other command."""
    qassay("explain", *NUMBERS, "--report", tmp_path / "page.html", check=0)
    assert (tmp_path / "page.html").is_file()
