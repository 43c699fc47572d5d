"""Standard streams that are closed or piped: one message with its place, and the promised exit status."""

import subprocess
import sys
from pathlib import Path

import pytest

from commands import qassay, qassay_json, write_rows

ROWS = [{"id": "q1", "references": ["a"], "candidate": "a"}]
BAD = '{"id": "q1", "references": "a", "candidate": "a", "answer": 1, "summary": 1}\n'


def in_shell(words, folder):
    """Run `qassay WORDS` in a shell, which can close streams."""
    program = Path(sys.executable).with_name("qassay")
    return subprocess.run(  # noqa: S602 - our own words
        f"{program} {words}", shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.parametrize("words", ["score -", "score - -m token_f1", "compare -", "verify -", "explain - --id q1"])
def test_a_closed_standard_input_is_one_message(tmp_path, words):
    """A program may be started without one."""
    done = in_shell(f"{words} <&-", tmp_path)
    assert (done.returncode, done.stderr) == (2, "error: stdin: is closed; pipe the answers in, or give a file\n")


@pytest.mark.parametrize("words", [["score"], ["score", "-m", "token_f1"], ["compare"], ["verify"], ["summary"]])
def test_piped_input_is_called_stdin(words):
    """Whether or not it had to be kept in a file."""
    assert qassay(*words, "-", stdin=BAD, check=2).stderr.startswith("error: stdin:1: ")


def test_a_closed_standard_error_keeps_the_exit_status(tmp_path):
    """There is no one to tell, and still something is wrong."""
    assert in_shell("score nowhere.jsonl 2>&-", tmp_path).returncode == 2


def test_files_that_name_no_system_are_noted(tmp_path):
    """Two files are counted as one system, and a note says how to tell them apart."""
    old, new = (
        write_rows(tmp_path / f"{name}.jsonl", [{**ROWS[0], "id": name}, {**ROWS[0], "id": f"{name} 2"}])
        for name in ("old", "new")
    )
    (note,) = qassay_json("score", old, new, "-m", "token_f1")["notes"].items()
    assert note[1] == 2
    assert 'give their rows a "system", or use `qassay compare`' in note[0]
    assert "notes" not in qassay_json("score", old, new, "-m", "token_f1", "--system", "A")


def test_answers_may_lack_what_default_metrics_need(tmp_path):
    """The run goes on, and the aggregate says why some answers have no score."""
    file = write_rows(tmp_path / "answers.jsonl", [{**ROWS[0], "question": "what?"}, {**ROWS[0], "id": "q2"}])
    found = {each["metric"]: each for each in qassay_json("score", file)["aggregates"]}
    assert found["rouge_l:kpqa"]["reasons"] == {"no question": 1}
    assert found["token_f1"]["n"] == 2


def test_a_table_of_pairs_is_told_how_to_be_read(tmp_path):
    """The command that the message gives works."""
    (tmp_path / "pairs.csv").write_text("gold,system,verdict\nNine,none,0\nAmma,Amma,1\n", encoding="utf-8")
    message = qassay("verify", "pairs.csv", folder=tmp_path, check=2).stderr
    assert "--format csv (or tsv) and --map references=ANSWER --map candidate=PREDICTION" in message
    words = ("--format", "csv", "--map", "references=gold", "--map", "candidate=system", "-m", "em")
    (found,) = qassay_json("verify", "pairs.csv", *words, folder=tmp_path)["aggregates"]
    assert found["value"] == 0.5


def test_the_package_runs_as_a_module():
    """`python -m qassay` is `qassay`."""
    done = subprocess.run([sys.executable, "-m", "qassay", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("qassay ")


def test_every_tokeniser_that_a_metric_takes_is_explained():
    """The list below the parameters has what `tok` may be."""
    assert "piece: the embedded model's word pieces" in qassay("metrics", "bleu", check=0).stdout
