"""A metric of somebody else's package, as docs/extending.md shows it: installed, found, and used by every command."""

import json
import os

import pytest

from third_party import install, run_installed


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return install("Your own metric in fifteen lines", "qassay_length", tmp_path_factory.mktemp("length"))


@pytest.fixture
def answers(tmp_path):
    rows = [
        {"id": str(i), "references": ["It was Verne"], "candidate": text, "judgement": right, "system": system}
        for system in ("A", "B")
        for i, (text, right) in enumerate([("It was Dickens, or so", 0), ("Verne", 1), ("Jules Verne", 1)])
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _json(environment, folder, *words):
    done = run_installed(environment, folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_score_knows_it(environment, answers):
    """It scores beside ours, the signature names the package, and the report shows it."""
    words = ("score", answers.name, "-m", "length", "-m", "rouge_l", "--report", "report.html")
    found = _json(environment, answers.parent, *words)["aggregates"]
    assert [row["value"] for row in found if row["metric"] == "length"] == pytest.approx([0.8 / 3] * 2)
    assert "|qassay-length:1.0|" in found[0]["signature"]
    page = (answers.parent / "report.html").read_text(encoding="utf-8")
    assert "Words of the answer, at most ten, as a share of ten" in page


def test_workers_know_it(environment, answers):
    """Other processes find the package as well."""
    found = _json(environment, answers.parent, "score", answers.name, "-m", "length", "--workers", "2", "--batch", "2")
    assert found["aggregates"][0]["n"] == 3


def test_compare_and_correlate_know_it(environment, answers):
    """Systems are compared by it, and it is held against people."""
    compared = _json(environment, answers.parent, "compare", answers.name, "-m", "length")
    correlated = _json(environment, answers.parent, "correlate", answers.name, "-m", "length")
    assert compared["comparisons"][0]["metric"] == "length"
    assert correlated["correlations"][0]["n"] == 6


def test_explain_knows_it(environment, answers):
    """One answer's score is shown beside its words."""
    words = ("explain", answers.name, "--id", "0", "--system", "A", "-m", "length")
    assert _json(environment, answers.parent, *words)["scores"] == {"length": 0.5}


def test_metrics_lists_it(environment, tmp_path):
    """The catalogue has it with its package."""
    assert _json(environment, tmp_path, "metrics", "length")["package"] == "qassay-length 1.0"


def test_a_broken_package_is_named_and_stops_nothing_else(environment, answers):
    """The message names the package; other metrics score, and the list goes on without it."""
    site = answers.parent
    described = site / "qassay_broken-2.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Name: qassay-broken\nVersion: 2.0\n", encoding="utf-8")
    (described / "entry_points.txt").write_text("[qassay.metrics]\nbroken = no_such:Metric\n", encoding="utf-8")
    broken = {**environment, "PYTHONPATH": os.pathsep.join([str(site), environment["PYTHONPATH"]])}
    asked = run_installed(broken, site, "score", answers.name, "-m", "broken")
    other = run_installed(broken, site, "score", answers.name, "-m", "length")
    listed = run_installed(broken, site, "metrics")
    assert (asked.returncode, other.returncode, listed.returncode) == (2, 0, 0)
    assert '"broken" of the package qassay-broken 2.0 cannot be loaded' in " ".join(asked.stderr.split())
    assert "qassay-broken 2.0" in listed.stderr
