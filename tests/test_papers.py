"""The page of the papers' tables: made from kept figures, part by part."""

import json
import subprocess
import sys

import pytest

from qassay.metrics.registry import create
from snippets import ROOT

pytestmark = pytest.mark.train
COMMAND = ROOT / "benchmarks" / "papers.py"
PAGE, KEPT = ROOT / "docs" / "measured" / "papers.md", ROOT / "docs" / "measured" / "papers.json"
PRINTED = {
    "Yang et al. 2018": {"Examples 1 to 4", *(f"Table {n}" for n in range(1, 4)), "Figure 1", "Figure 2"},
    "Lee et al. 2021": {*(f"Table {n}" for n in range(1, 11)), "Figure 1", "Figure 4"},
    "Deutsch and Roth 2022": {*(f"Table {n}" for n in range(1, 6)), "Figure 2"},
    "Vu and Moschitti 2021": {f"Table {n}" for n in range(1, 10)},
}
"""Every table of the papers, and every figure with numbers behind it."""


@pytest.fixture
def papers(monkeypatch):
    """Return the command's module."""
    monkeypatch.syspath_prepend(str(COMMAND.parent))
    import papers  # noqa: PLC0415 - beside the benchmarks

    return papers


def run(*words):
    command = [sys.executable, COMMAND, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert done.returncode == 0, done.stderr
    return done


def test_a_part_is_measured_and_kept(tmp_path):
    """The page has the part's rows, and a second part joins the first."""
    kept = tmp_path / "kept.json"
    run("bonus-examples", "--json", kept, "-o", tmp_path / "page.md")
    done = run("bonus-agreement", "--json", kept)

    assert list(json.loads(kept.read_text(encoding="utf-8"))) == ["bonus-examples", "bonus-agreement"]
    assert "| example 2, adapted P2 | .39 | .39 | yes |" in (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "| example 2, adapted P2 | .39 | .39 | yes |" in done.stdout
    assert "| adapted ROUGE-L | – | .540 | – | .620 | – | .570 | no |" in done.stdout  # noqa: RUF001 - as printed
    assert "Of 25 rows 10 are measured as published, 6 partly, 9 not." in done.stdout


def test_parts_of_the_judge_are_named_together(papers):
    """Without a name the missing parts are measured; `judge` names those that depend on its weights."""
    everything = list(papers.PARTS)

    assert papers.wanted([], {"bonus-examples": {}}) == everything[1:]
    assert papers.wanted(["none"], {}) == []
    assert papers.wanted(["qags", "verification"], {}) == ["verification", "qags"]
    assert "kpqa-agreement" in papers.wanted(["judge"], {})
    assert "kpqa-models" not in papers.wanted(["judge"], {})


def test_figures_of_other_weights_are_told(papers):
    """A part that was measured with another judge is to be measured again."""
    now = papers.judge_weights()

    assert "measure it again" in papers.state_of("verification", {"verification": {"judge": "0" * 12}})
    assert papers.state_of("verification", {"verification": {"judge": now}}) == "measured, depends on the judge"
    assert papers.state_of("qags", {"qags": {}}) == "measured"
    assert papers.state_of("qags", {}) == "not measured"


def test_the_page_is_what_the_command_prints(papers):
    """The documentation holds the kept figures and nothing else."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))

    assert PAGE.read_text(encoding="utf-8") == papers.page(kept)


def test_every_metric_of_summaries_is_in_the_catalogue(papers):
    """Names, parameters and values are known, so that a long run does not end where it begins."""
    from papers_verification import FEQA_SPECS, SPECS  # noqa: PLC0415 - beside the benchmarks

    specs = [*SPECS.values(), *FEQA_SPECS.values()]

    assert papers.PARTS
    assert [create(spec).spec.name for spec in specs] == [spec.partition(",")[0] for spec in specs]


def test_factcc_and_factccx_stand_beside_their_own_figures(papers):
    """One network has both rows of Table 3, with a reason."""
    from papers_verification import consistency  # noqa: PLC0415 - beside the benchmarks

    assert papers.PARTS
    ours = {"pearson": 0.37, "spearman": 0.34, "kendall": 0.27}
    rows = {row.name: row for row in consistency({"factcc": ours}).rows}

    assert rows["FactCC"].ours == rows["FactCCX"].ours == (".37", ".34", ".27")
    assert rows["FactCC"].paper == (".34", ".36", ".29")
    assert rows["FactCCX"].paper == (".29", ".31", ".24")
    assert "marks spans" in rows["FactCCX"].why
    assert "made without" in rows["FEQA-EM"].why


@pytest.mark.parametrize("paper", PRINTED)
def test_every_table_has_its_place(papers, paper):
    """No table of a paper is left out of the page, whether it can be measured or not."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    found = {each["name"] for part in kept.values() for each in part["tables"] if each["paper"] == paper}
    lacking = papers.PARTS.keys() - kept.keys()

    assert found >= PRINTED[paper] or all(f"`{name}`" in papers.page(kept) for name in lacking)
    assert kept.keys() <= papers.PARTS.keys()


def test_a_row_that_is_not_as_published_says_why(papers):
    """Neither a reason without need nor a gap without one."""
    from paper_rows import NOT, PARTLY, Row  # noqa: PLC0415 - beside the benchmarks

    assert papers.PARTS
    assert Row("a", (".1",), (".2",), PARTLY, "another model").why == "another model"
    with pytest.raises(ValueError, match="says why"):
        Row("a", (), (), NOT)
    with pytest.raises(ValueError, match="says why"):
        Row("a", (), (), why="no need")
