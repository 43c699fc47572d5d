import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from qassay.meta.accuracy.estimates import JudgedAnswers, estimate_systems
from qassay.meta.accuracy.labels import MatchedLabels
from qassay.meta.accuracy.system_wise import RankedAnswers, evaluate_systems
from qassay.report.terminal.accuracy import (
    accuracy_table,
    agreement_rows,
    as_markdown,
    as_table,
    first_answer_rows,
    plan_table,
    system_rows,
)


def shown(table, width=80):
    text = io.StringIO()
    Console(file=text, width=width, color_system=None).print(table)
    return text.getvalue()


@pytest.fixture(scope="module")
def report():
    rng = np.random.default_rng(0)
    scores = rng.beta(3, 1, 600)
    truth = (rng.random(600) < scores).astype(float)
    value = np.where((np.arange(600) < 300) & (rng.random(600) < 0.3), truth, np.nan)
    labels = replace(MatchedLabels.none(600), value=value)
    answers = JudgedAnswers(["labelled"] * 300 + ["[b]odd\x1b[31m"] * 300, [*range(600)], scores, labels, truth)
    return estimate_systems(answers, width=0.05)


@pytest.fixture(scope="module")
def results():
    rng = np.random.default_rng(1)
    system = np.repeat(["S1", "S2", "S3"], 100).tolist()
    scores = rng.random(300)
    answers = RankedAnswers.build(system, [*range(100)] * 3, None, scores, (rng.random(300) < scores).astype(float))
    return {"Test": evaluate_systems(answers, 0.5)}


def test_estimates_fit_a_terminal_of_80_columns(report):
    """With every column there is, no line is broken."""
    lines = shown(accuracy_table(report)).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines if " ppi " in line] == ["labelled"]


def test_estimates_of_labels_and_judge_stand_below(report):
    """Three lines for a system with labels, one for a system without."""
    text = shown(accuracy_table(report))
    assert (text.count(" ppi "), text.count(" labels "), text.count(" judge ")) == (1, 2, 2)  # a heading is "labels"


def test_names_of_systems_are_shown_as_they_are(report):
    """Neither markup nor control characters steer the terminal."""
    text = shown(accuracy_table(report))
    assert "[b]odd" in text
    assert "\x1b" not in text


def test_plans_name_labels_with_and_without_judge(report):
    """One line for the system with labels; people judged all answers of the other."""
    lines = shown(plan_table(report.systems)).splitlines()
    assert "without judge" in lines[1]
    assert [line.split()[:2] for line in lines if "0.05" in line] == [["labelled", "0.05"]]


def test_rows_have_the_form_of_the_papers_tables(results):
    """Seed 004: Table 5 by measure, Table 6 by evaluator with the systems across, Table 7 by both."""
    assert agreement_rows(results)[0] == ["set", "measure", "RMSE ± sd", "τ", "p"]
    assert [row[1] for row in agreement_rows(results)[1:]] == ["P@1", "MAP", "MRR"]
    assert first_answer_rows(results)[0] == ["set", "by", "S1", "S2", "S3", "RMSE ± sd", "τ", "p"]
    assert [row[1] for row in first_answer_rows(results)[1:]] == ["judge", "people"]
    assert len(system_rows(results)) == 1 + 6


def test_markdown_has_a_line_a_row(results):
    """Header, rule, rows."""
    lines = as_markdown(first_answer_rows(results)).splitlines()
    assert lines[1] == "| --- | --- | --- | --- | --- | --- | --- | --- |"
    assert len(lines) == 4


def test_rows_are_shown_in_the_terminal(results):
    """The same rows."""
    assert "people" in shown(as_table(system_rows(results)))
