"""The share of attempted answers and the score of these, on every surface that shows a judge's scores."""

import json

import numpy as np
import pytest

import qassay
from commands import qassay as command
from commands import qassay_json
from qassay.scoring.scorer import Scorer

QUESTION = "Who wrote Faust?"
RIGHT, WRONG, REFUSED = "It was written by Goethe.", "It was written by Schiller.", "Sorry, I could not find this."


def _rows(system, *candidates):
    fields = {"question": QUESTION, "references": ["Goethe"], "system": system}
    return [{"id": f"q{i}", "candidate": each, **fields} for i, each in enumerate(candidates)]


CAREFUL = _rows("careful", *[RIGHT] * 10, *[REFUSED] * 8, "", None)
BOLD = _rows("bold", *[RIGHT] * 10, *[WRONG] * 10)
BOTH = [*CAREFUL, *BOLD]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in BOTH))
    return path


def test_the_share_of_attempts_and_their_score_come_with_a_system():
    """A blank answer is no attempt, and a missing one, which is unscored, counts nowhere."""
    found = qassay.score(BOTH, "ava")
    careful, bold = (found.aggregate("ava", system) for system in ("careful", "bold"))
    assert (careful.attempted.value, careful.attempted.n) == (pytest.approx(10 / 19), 19)
    assert (bold.attempted.value, bold.attempted.n) == (1.0, 20)
    assert careful.given_attempted.n == 10
    assert careful.given_attempted.value == pytest.approx(found["ava"][:10].mean())
    assert bold.given_attempted.value == bold.value


def test_both_have_the_intervals_of_scores():
    """A bootstrap, and Wilson's where all are alike."""
    found = qassay.score(BOTH, "ava")
    careful, bold = (found.aggregate("ava", system).attempted for system in ("careful", "bold"))
    assert careful.low < careful.value < careful.high
    assert careful.interval == "bootstrap"
    assert (bold.interval, bold.high) == ("wilson", 1.0)
    assert bold.low < 1


def test_where_nothing_is_attempted_there_is_no_score_of_it():
    """Missing is not zero."""
    aggregate = qassay.score(_rows("A", REFUSED, ""), "ava").aggregate("ava")
    assert aggregate.attempted.value == 0
    assert (aggregate.given_attempted.value, aggregate.given_attempted.n) == (None, 0)


def test_a_right_abstention_keeps_its_score():
    """It is no attempt, and right."""
    row = {"id": "1", "question": QUESTION, "references": [REFUSED], "candidate": REFUSED}
    found = qassay.score([row], "ava")
    assert found["ava"][0] == 1.0
    assert found.aggregate("ava").attempted.value == 0


def test_intervals_of_scores_are_what_they_were():
    """The same answers are drawn, whether attempts are noted or not."""
    with_judge = qassay.score(BOTH, ["token_f1", "ava"]).aggregate("token_f1", "bold")
    alone = qassay.score(BOTH, "token_f1").aggregate("token_f1", "bold")
    assert (with_judge.low, with_judge.high) == (alone.low, alone.high)


@pytest.mark.parametrize("batch", [1, 7, 40])
def test_batches_do_not_matter(batch):
    """Whatever their size."""
    whole = qassay.score(BOTH, "ava").aggregate("ava", "careful")
    assert qassay.score(BOTH, "ava", batch=batch).aggregate("ava", "careful") == whole


def test_a_stopped_run_goes_on():
    """Attempts are stored with the totals."""
    scorer = Scorer(["ava"])
    examples = [qassay.Example(row["id"], QUESTION, (qassay.Reference("Goethe"),), row["candidate"]) for row in CAREFUL]
    totals, resumed = scorer.totals(), scorer.totals()
    first, second = scorer.score(examples[:12]), scorer.score(examples[12:])
    totals.add(first)
    resumed.restore(totals.state())
    for each in (totals, resumed):
        each.add(second)
    assert resumed.aggregates(seed=1) == totals.aggregates(seed=1)


def test_very_many_answers_are_counted_in_groups(monkeypatch):
    """The figures stay, in bounded memory."""
    whole = qassay.score(CAREFUL, "ava").aggregate("ava")
    monkeypatch.setattr("qassay.scoring.aggregates.aggregation.GROUPS", 8)
    grouped = qassay.score(CAREFUL, "ava", batch=5).aggregate("ava")
    assert grouped.attempted.value == pytest.approx(whole.attempted.value)
    assert grouped.given_attempted.value == pytest.approx(whole.given_attempted.value)


def test_score_prints_them(file):
    """In JSON and in the terminal."""
    first = qassay_json("score", file, "-m", "ava")["aggregates"][0]
    assert first["attempted"]["value"] == pytest.approx(10 / 19)
    assert {"value", "low", "high", "n"} <= first["given_attempted"].keys()
    printed = command("score", file, "-m", "ava", check=0).stdout
    assert " attempted " in printed
    assert "0.526" in printed
    assert "given attempted" in printed


def test_only_metrics_that_read_answers_have_them(file):
    """Nothing else is said of attempts."""
    assert "attempted" not in command("score", file, "-m", "token_f1", "-m", "ava,kind=linear", check=0).stdout
    assert "attempted" not in qassay_json("score", file, "-m", "token_f1")["aggregates"][0]
    assert "attempts" not in qassay_json("compare", file, "-m", "token_f1")


def test_the_report_has_them(file, tmp_path):
    """Below the scores of the metric."""
    page = qassay.score(file, "ava").report(tmp_path / "page.html").read_text()
    assert "Share of answers that are attempts" in page
    assert "Score of the attempted answers" in page
    assert "0.526" in page


def test_compare_tests_the_shares_and_the_scores_of_what_both_attempted(file):
    """Question by question."""
    found = qassay.compare(file, "ava")
    share, given = found.attempts
    assert (share.metric, given.metric) == ("ava attempted", "ava given attempted")
    assert (share.result.a, share.result.b) == (pytest.approx(10 / 19), 1.0)
    assert share.result.p_permutation < 0.05
    assert given.result.n == 10
    assert given.result.difference == pytest.approx(0)
    assert [each.metric for each in found.comparisons] == ["ava"]


def test_compare_prints_them(file, tmp_path):
    """In the terminal, in JSON and on the page."""
    printed = command("compare", file, "-m", "ava", "--report", tmp_path / "page.html", check=0).stdout
    assert "ava attempted" in printed
    assert "ava given attempted: 10 questions that not both attempted were left out" in printed
    assert [each["metric"] for each in qassay_json("compare", file, "-m", "ava")["attempts"]] == [
        "ava attempted",
        "ava given attempted",
    ]
    assert "ava given attempted" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_compare_finds_them_in_files_of_scores(file, tmp_path, kind):
    """As good as from the answers."""
    qassay.score(file, ["ava", "token_f1"], output=tmp_path / f"scores.{kind}")
    stored, fresh = qassay.compare(tmp_path / f"scores.{kind}"), qassay.compare(file, ["ava", "token_f1"])
    assert [each.result.difference for each in stored.attempts] == pytest.approx(
        [each.result.difference for each in fresh.attempts]
    )
    assert stored.table.aggregate("ava", "careful").attempted.value == pytest.approx(10 / 19)
    assert stored.table.aggregate("token_f1", "careful").attempted is None


def test_accuracy_estimates_them(file):
    """With the judge alone."""
    careful, bold = qassay.accuracy(file).accuracy.systems
    assert careful.attempted.estimate == pytest.approx(10 / 19)
    assert careful.attempted.low < 10 / 19 < careful.attempted.high
    assert careful.given_attempted.n == 10
    assert careful.given_attempted.estimate > careful.best.estimate
    assert bold.given_attempted.estimate == bold.best.estimate


def test_labels_correct_the_accuracy_of_attempted_answers(file):
    """As they do that of all."""
    labels = [{"id": f"q{i}", "system": "bold", "verdict": int(i < 5)} for i in range(20)]
    bold = qassay.accuracy(file, labels=labels).accuracy.systems[1]
    assert bold.given_attempted.labels == 20
    assert bold.given_attempted.estimate == pytest.approx(0.25)


def test_accuracy_prints_them(file, tmp_path):
    """In the terminal, in JSON and on the page."""
    printed = command("accuracy", file, "--report", tmp_path / "page.html", check=0).stdout
    assert "accuracy given attempted" in " ".join(printed.split())
    first = qassay_json("accuracy", file)["systems"][0]
    assert first["attempted"]["n"] == 19
    assert first["given_attempted"]["method"] == "judge"
    assert "Attempted answers" in (tmp_path / "page.html").read_text()


def test_a_judge_that_reads_no_answers_says_nothing_of_attempts(file):
    """Neither figures nor a table."""
    first = qassay_json("accuracy", file, "--judge", "token_f1")["systems"][0]
    assert "attempted" not in first
    assert "attempted" not in command("accuracy", file, "--judge", "token_f1", check=0).stdout


def test_nothing_attempted_has_no_accuracy():
    """The share is 0, and there is nothing to be right."""
    (system,) = qassay.accuracy(_rows("A", REFUSED, "", REFUSED)).accuracy.systems
    assert system.attempted.estimate == 0
    assert system.given_attempted is None
    assert system.to_dict()["given_attempted"] is None


def test_a_missing_answer_with_a_verdict_is_no_attempt():
    """It counts as not right, and so among the answers."""
    rows = [{**row, "judgement": 1} for row in _rows("A", RIGHT, RIGHT, None)]
    (system,) = qassay.accuracy(rows).accuracy.systems
    assert system.attempted.estimate == pytest.approx(2 / 3)
    assert np.isclose(system.given_attempted.n, 2)
