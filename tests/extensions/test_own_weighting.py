"""A weighting of somebody else's package, as docs/extending.md shows it: installed, found, and used by any metric."""

import json

import pytest

from third_party import install, run_installed

SPECS = ("-m", "token_f1:content", "-m", "bert_score:content")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return install("Your own weighting", "qassay_content", tmp_path_factory.mktemp("content"))


@pytest.fixture
def answers(tmp_path):
    rows = [
        {"id": str(i), "question": "Who?", "references": ["It was Verne"], "candidate": text, "judgement": right}
        for i, (text, right) in enumerate([("It was Dickens", 0), ("Verne", 1), ("Jules Verne", 1)])
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_score_knows_it(environment, answers):
    """Any metric that takes weights takes it, and the signature names the package."""
    done = run_installed(environment, answers.parent, "score", answers.name, *SPECS, "--json")
    found = json.loads(done.stdout)["aggregates"]
    assert [row["metric"] for row in found] == ["token_f1:content", "bert_score:content"], done.stderr
    assert all("qassay-content:1.0" in row["signature"] for row in found)


def test_correlate_knows_it(environment, answers):
    """What it weighs is held against people's judgements."""
    done = run_installed(environment, answers.parent, "correlate", answers.name, *SPECS, "--json")
    assert {row["metric"] for row in json.loads(done.stdout)["correlations"]} == set(SPECS[1::2]), done.stderr


def test_explain_shows_its_weights(environment, answers):
    """The words carry its weights: two function words of a tenth each, and a name."""
    words = ("explain", answers.name, "--id", "0", "-m", "token_f1:content", "--json")
    done = run_installed(environment, answers.parent, *words)
    found = json.loads(done.stdout)["references"][0]
    assert [word["weights"]["content"] for word in found["reference_words"]] == pytest.approx([0.1, 0.1, 1.0])
    assert found["ingredients"]["token_f1:content"]["recall"] == "0.200 of 1.200"


def test_metrics_lists_it(environment, tmp_path):
    """The catalogue names it among the weightings."""
    done = run_installed(environment, tmp_path, "metrics", "rouge_l", "--json")
    assert "content" in json.loads(done.stdout)["weightings"], done.stderr
