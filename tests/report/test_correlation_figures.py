from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from correlation_samples import correlation_report, judged_answers
from qassay.report.figures.correlation import (
    NAMED,
    colours_of,
    intervals_figure,
    parts_figure,
    ranked,
    scatter_figure,
    sweep_figure,
    systems_figure,
)
from qassay.report.figures.scatter import scatter_drawing
from qassay.report.html.wrong_answers import most_wrong


@pytest.fixture(scope="module")
def report():
    return correlation_report()


def shapes(drawing, path):
    return ET.fromstring(str(drawing.svg())).findall(path)  # noqa: S314 - our own figure


def of_class(drawing, name, tag="*"):
    return [each for each in shapes(drawing, f".//{tag}") if name in (each.get("class") or "").split()]


def test_every_metric_has_a_dot_and_a_whisker_for_each_coefficient(report):
    """Three coefficients make three pictures; what is undefined says so instead."""
    figure = intervals_figure(report.agreements)
    assert [each.title for each in figure.drawings] == ["pearson", "spearman", "kendall"]
    assert len(of_class(figure.drawings[0], "dot")) == 2
    assert [each.text for each in of_class(figure.drawings[0], "note")] == ["undefined"]


def test_the_best_metric_stands_first(report):
    """Metrics without a value stand last."""
    values = [each.first.value for each in ranked(each for each in report.agreements if each.by is None)]
    assert values[0] > values[1]
    assert values[2] is None


def test_a_metric_has_one_colour_in_every_figure(report):
    """Whatever its place among the best."""
    assert colours_of(report.agreements) == {"rouge_l": "tint-0", "token_f1": "tint-1", "exact_match": "tint-2"}


def test_each_metric_has_a_scatter_plot_with_its_most_wrong_answers_numbered(report):
    """Markers count from one."""
    figure = scatter_figure(report.evidence, most_wrong(report.evidence))
    markers = of_class(figure.drawings[0], "marker")
    assert [each.find("text").text for each in markers] == [str(i) for i in range(1, NAMED + 1)]
    assert len(figure.rows) == 3 * 35


def test_markers_of_a_page_lead_to_the_answers(report):
    """In a file of its own a picture has no links."""
    wrong = most_wrong(report.evidence)
    linked = scatter_figure(report.evidence, wrong, linked=True).drawings[1]
    alone = scatter_figure(report.evidence, wrong).drawings[1]
    assert of_class(linked, "marker", "a")[0].get("href") == "#wrong-1-1"
    assert of_class(alone, "marker", "a") == []


def test_markers_do_not_cover_each_other():
    """Six answers at one point have six places."""
    # The one system that the metric calls right is the one that people call wrong.
    examples = [
        replace(each, candidate=each.references[0].text, judgement=1.0)
        if each.system == "atlas"
        else replace(each, candidate="no", judgement=5.0)
        for each in judged_answers()
    ]
    report = correlation_report(examples, specs=("exact_match",), swept=None, by=None)
    drawing = scatter_figure(report.evidence, most_wrong(report.evidence)).drawings[0]
    circles = [each.find("circle") for each in of_class(drawing, "marker")]
    places = np.array([[float(each.get("cx")), float(each.get("cy"))] for each in circles])
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))[np.triu_indices(NAMED, 1)]
    assert apart.min() > 2 * float(circles[0].get("r"))


def test_many_answers_are_drawn_as_few_spots():
    """Ten thousand points make at most 1,500 spots, whose areas count the answers."""
    rng = np.random.default_rng(0)
    drawing = scatter_drawing("m", rng.random(10_000), rng.random(10_000), "tint-0")
    assert 100 < len(of_class(drawing, "spot")) <= 1500


def test_equal_points_make_one_larger_spot():
    """Four answers at a point have twice the radius of one."""
    drawing = scatter_drawing("m", np.array([0.0, 1, 1, 1, 1]), np.array([0.0, 1, 1, 1, 1]), "tint-0")
    assert sorted(float(each.get("r")) for each in of_class(drawing, "spot")) == [2, 4]


def test_constant_scores_have_no_trend():
    """No line can be laid through points on top of each other."""
    drawing = scatter_drawing("m", np.ones(5), np.arange(5.0), "tint-0")
    assert of_class(drawing, "trend") == []


def test_systems_are_named():
    """At system level each dot has its name beside it."""
    points = {"rouge_l": [("atlas", 0.2, 3.0), ("birch", 0.4, 4.0), ("comet", 0.4, 4.0)]}
    (drawing,) = systems_figure(points).drawings
    assert [each.text for each in of_class(drawing, "mention")] == ["atlas", "birch", "comet"]
    assert len({each.get("y") for each in of_class(drawing, "mention")}) == 3


def test_each_part_has_bars_and_its_size(report):
    """Two question types make two pictures on one axis."""
    figure = parts_figure(report.agreements, "question_type")
    assert [each.title for each in figure.drawings] == ["first & half (n = 17)", "后半 (n = 18)"]
    assert [len(of_class(each, "bar")) for each in figure.drawings] == [2, 2]
    ticks = [[each.text for each in of_class(drawing, "tick")] for drawing in figure.drawings]
    assert ticks[0] == ticks[1]


def test_a_sweep_has_one_line_a_metric_and_marks_the_highest(report):
    """The larger dot stands where the line is highest."""
    figure = sweep_figure(report.points, colours_of(report.agreements))
    drawing = figure.drawings[0]
    (line,) = of_class(drawing, "line", "polyline")
    heights = [float(pair.split(",")[1]) for pair in line.get("points").split()]
    largest = max(of_class(drawing, "dot"), key=lambda each: float(each.get("r")))
    assert float(largest.get("cy")) == pytest.approx(min(heights), abs=0.1)
    assert figure.legend == [("rouge_l", "tint-0")]


def test_parts_that_a_parameter_leaves_alone_are_named_and_not_drawn(report):
    """Their numbers are there all the same."""
    still = [replace(each, correlation=0.5) if each.by == "后半" else each for each in report.points]
    figure = sweep_figure(still, {})
    assert [each.title for each in figure.drawings] == ["all", "first & half"]
    assert figure.note == "yesno changes nothing in: 后半"
    assert {row[2] for row in figure.rows} == {None, "first & half", "后半"}


def test_undefined_points_leave_a_gap(report):
    """A sweep without any value draws no line."""
    figure = sweep_figure([replace(each, correlation=None) for each in report.points], {})
    assert of_class(figure.drawings[0], "line", "polyline") == []


def test_names_of_systems_cover_neither_dots_nor_each_other():
    """Sixteen systems in a bunch are named as far as there is room, and every dot tells its name."""
    rng = np.random.default_rng(1)
    points = [(f"system-{i}", 0.5 + 0.02 * rng.random(), 3 + 0.2 * rng.random()) for i in range(16)]
    (drawing,) = systems_figure({"m": points}).drawings
    names = of_class(drawing, "mention")
    heights = sorted(float(each.get("y")) for each in names)
    assert len({(each.get("x"), each.get("y")) for each in names}) == len(names) > 8
    assert [each.text for each in shapes(drawing, "./g/title")] == [name for name, *_ in points]
    assert heights[0] > 0
