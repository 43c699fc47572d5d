"""A judge of somebody else's package, as docs/extending.md shows it: installed, found, and asked by every command."""

import json

import pytest

from third_party import install, run_installed


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return install("Your own judge", "qassay_keyword", tmp_path_factory.mktemp("keyword"))


@pytest.fixture
def answers(tmp_path):
    texts = ["It was Dickens", "It was Verne", "Jules Verne", "Nobody knows"] * 5
    rows = [
        {
            "id": str(i),
            "question": f"Who wrote number {i}?",
            "references": ["Verne"],
            "candidate": text,
            "judgement": float("Verne" in text),
            "system": system,
        }
        for system in ("A", "B")
        for i, text in enumerate(texts)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _json(environment, folder, *words):
    done = run_installed(environment, folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_score_asks_it(environment, answers):
    """It is a metric, and the signature has its fingerprint and its package."""
    found = _json(environment, answers.parent, "score", answers.name, "-m", "keyword", "--report", "report.html")
    (first, _) = found["aggregates"]
    assert first["value"] == pytest.approx(0.5)
    assert "|model:2026-11|qassay-keyword:1.0|" in first["signature"]
    assert "keyword" in (answers.parent / "report.html").read_text(encoding="utf-8")


def test_accuracy_asks_it(environment, answers):
    """Accuracies are estimated by it."""
    found = _json(environment, answers.parent, "accuracy", answers.name, "--judge", "keyword")
    assert [row["system"] for row in found["systems"]] == ["A", "B"]


def test_compare_correlate_and_explain_ask_it(environment, answers):
    """Every command that scores takes it."""
    compared = _json(environment, answers.parent, "compare", answers.name, "-m", "keyword")
    correlated = _json(environment, answers.parent, "correlate", answers.name, "-m", "keyword")
    words = ("explain", answers.name, "--id", "1", "--system", "A", "-m", "keyword")
    explained = _json(environment, answers.parent, *words)
    assert compared["comparisons"][0]["metric"] == "keyword"
    assert correlated["correlations"][0]["pearson"] == pytest.approx(1.0)
    assert explained["scores"] == {"keyword": 0.9}
