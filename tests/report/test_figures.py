from xml.etree import ElementTree as ET

import pytest

from qassay.report.figures.inline import histogram, interval, ticks


def shapes(figure, tag):
    return ET.fromstring(str(figure)).findall(tag)  # noqa: S314 - our own figure


def test_every_bin_with_a_count_has_a_bar():
    """Empty bins have none."""
    assert len(shapes(histogram([3, 0, 1], label="x"), "rect")) == 2


def test_the_fullest_bin_fills_the_height():
    """Heights are shares of the highest bin."""
    bars = shapes(histogram([4, 2], label="x", height=41), "rect")
    assert [float(bar.get("height")) for bar in bars] == [40, 20]


def test_a_common_peak_makes_figures_comparable():
    """With a peak of 1 a bin that holds half of the scores is half as high."""
    bars = shapes(histogram([1, 1], label="x", height=41, peak=1.0), "rect")
    assert [float(bar.get("height")) for bar in bars] == [20, 20]


def test_a_rare_score_can_still_be_seen():
    """One score in a million shows a hairline."""
    bars = shapes(histogram([1_000_000, 1], label="x"), "rect")
    assert float(bars[1].get("height")) >= 1


def test_a_system_without_scores_has_an_empty_figure():
    """No scores draw no bars."""
    assert shapes(histogram([], label="x"), "rect") == []


def test_the_dot_stands_at_its_value():
    """The middle of the axis is the middle of the figure."""
    (dot,) = shapes(interval(5.0, 4.0, 6.0, maximum=10.0, label="x"), "circle")
    assert dot.get("cx") == "50.00%"


def test_a_missing_value_has_no_dot():
    """Missing is not zero."""
    assert shapes(interval(None, None, None, maximum=1.0, label="x"), "circle") == []


def test_an_end_beyond_the_axis_stays_inside_the_figure():
    """Whiskers are cut at the limits."""
    whisker = next(
        each
        for each in shapes(interval(0.9, 0.5, 1.7, maximum=1.0, label="x"), "line")
        if each.get("class") == "whisker"
    )
    assert float(whisker.get("x2").rstrip("%")) <= 100


def test_the_axis_names_its_ends():
    """Ticks go from the least to the greatest."""
    labels = [each.text for each in shapes(ticks(10.0), "text")]
    assert (labels[0], labels[-1]) == ("0", "10")


@pytest.mark.parametrize("label", ['a "quoted" name', "<script>", "a & b"])
def test_labels_are_escaped(label):
    """A label survives the way through markup unchanged."""
    assert ET.fromstring(str(histogram([1], label=label))).get("aria-label") == label  # noqa: S314 - our own figure
