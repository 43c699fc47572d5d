import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commands import qassay, qassay_json, write_rows
from qassay.report.terminal.verification import bars
from qassay.scoring.defaults import VERIFICATION

ROWS = [
    {"id": "1", "question": "Who?", "answer": "Anna Berg", "prediction": "Anna Berg", "judgement": 1},
    {"id": "2", "question": "Who?", "answer": "Anna Berg", "prediction": "a Norwegian", "judgement": 0},
    {
        "id": "3",
        "question": "Where?",
        "answer": "Oslo",
        "prediction": "in Oslo",
        "answer_context": "She won in Oslo.",
        "prediction_context": "It was in Oslo that she won.",
        "judgement": 1,
        "mine": 7,
    },
]


@pytest.fixture
def pairs(tmp_path):
    return write_rows(tmp_path / "pairs.jsonl", ROWS)


def test_pairs_are_scored_by_every_method_and_held_against_verdicts(pairs):
    """One document has the aggregates, and accuracy and squared error of each method."""
    found = qassay_json("verify", pairs)
    assert [each["metric"] for each in found["aggregates"]] == list(VERIFICATION)
    quality = {each["method"]: each for each in found["verification"]}
    # exact match calls one of the two right ones wrong
    assert (quality["exact_match"]["accuracy"], quality["exact_match"]["n"]) == (2 / 3, 3)
    assert quality["token_f1"]["accuracy"] == 1
    assert {"a", "b", "accuracy_p", "mse_p"} <= set(found["leads"][0])


def test_the_output_keeps_what_the_input_had_and_drops_the_contexts(pairs, tmp_path):
    """Fields that Qassay does not know are written back."""
    qassay("verify", pairs, "-m", "em", "-o", tmp_path / "out.jsonl", check=0)
    *_, last = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    scores = {"exact_match": 0.0}
    assert last == {"id": "3", "system": "", "question": "Where?", "scores": scores, "judgement": 1.0, "mine": 7} | {
        "references_hash": "3292003bd3bc"
    }


def test_the_table_says_which_methods_are_tied(pairs):
    """In the form of Deutsch and Roth's Table 1."""
    shown = qassay("verify", pairs, check=0).stdout
    assert "majority class" in shown
    assert "66.7%" in shown


def test_ratings_are_left_to_correlate(tmp_path):
    """Verdicts are 0 or 1; the output with ratings goes into `correlate` as it is."""
    pairs = write_rows(tmp_path / "pairs.jsonl", [{**row, "judgement": 1 + i} for i, row in enumerate(ROWS)])
    done = qassay("verify", pairs, "-m", "token_f1", "-o", tmp_path / "out.jsonl", check=0)
    assert "qassay correlate" in done.stderr
    assert qassay_json("correlate", tmp_path / "out.jsonl")["correlations"][0]["n"] == 3


def test_standard_input_and_a_report(pairs, tmp_path):
    """The pairs may come through a pipe; the report shows every one."""
    qassay("verify", "-", "--report", tmp_path / "r.html", stdin=pairs.read_text(encoding="utf-8"), check=0)
    assert "a Norwegian" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "f1_token"], 'there is no metric "f1_token"'),
        (["--resume"], "--resume needs -o"),
        (["--on-error", "ignore"], "give stop or skip"),
    ],
)
def test_wrong_use_is_explained(pairs, words, message):
    """Exit status 2 and one message."""
    done = qassay("verify", pairs, *words, check=2)
    assert message in done.stderr


def test_bad_rows_can_be_left_out(tmp_path):
    """They are counted and listed."""
    pairs = write_rows(tmp_path / "pairs.jsonl", [*ROWS, {"id": "4", "answer": "x"}])
    assert "pairs.jsonl:4" in qassay("verify", pairs, "-m", "em", check=2).stderr
    assert qassay_json("verify", pairs, "-m", "em", "--on-error", "skip")["skipped"] == 1


def test_a_killed_run_resumes_to_the_same_bytes(tmp_path):
    """What was written before is kept and the rest follows."""
    rows = [
        {"id": str(i), "question": f"Which is number {i}?", "answer": f"number {i}", "prediction": f"the {i}th of them"}
        for i in range(700)
    ]
    pairs = write_rows(tmp_path / "pairs.jsonl", rows)
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    program = Path(sys.executable).with_name("qassay")
    words = [program, "verify", pairs, "-m", "lerc", "-m", "token_f1", "-o"]
    with subprocess.Popen([*words, cut], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:  # noqa: S603
        state = tmp_path / "cut.jsonl.part.state"
        while run.poll() is None and not state.exists():
            pass
        run.send_signal(signal.SIGKILL)
    assert state.exists()
    qassay("verify", pairs, "-m", "lerc", "-m", "token_f1", "-o", cut, "--resume", check=0)
    qassay("verify", pairs, "-m", "lerc", "-m", "token_f1", "-o", whole, check=0)
    assert cut.read_bytes() == whole.read_bytes()


def test_scores_are_drawn_by_verdict(pairs):
    """The table draws the scores of both kinds of pairs, and the document has their counts."""
    found = {each["method"]: each for each in qassay_json("verify", pairs, "-m", "em")["distributions"]}
    printed = qassay("verify", pairs, "-m", "em", check=0).stdout

    # one of the two pairs with the same meaning matches exactly
    assert found["exact_match"] == {
        "method": "exact_match",
        "same": [1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        "different": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    }
    assert "█        █" in printed


@pytest.mark.parametrize(
    ("counts", "drawn"), [([0, 1, 8], " ▁█"), ([0, 0], "  "), ([], ""), ([3, 3], "██"), ([1, 100], "▁█")]
)
def test_bars_are_in_proportion(counts, drawn):
    """Nothing is blank, little is the lowest bar, and the most is the tallest."""
    assert bars(counts) == drawn
