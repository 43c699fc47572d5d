import csv
import sys
from xml.etree import ElementTree as ET

import pytest

from correlation_samples import correlation_report
from qassay.errors import OutputError
from qassay.report.figures.correlation import intervals_figure, scatter_figure, sweep_figure
from qassay.report.figures.drawing import Drawing, Figure, text
from qassay.report.figures.files import standalone, write_figures
from qassay.report.html.correlation_page import correlation_figures, correlation_tables
from qassay.report.html.wrong_answers import most_wrong

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def report():
    return correlation_report()


def small(label="x"):
    return Figure(
        "small", "Small", [Drawing(label, label, 40, 30, text(label, 0, 10))], ("a", "b"), [("é", None), (1.5, 2)]
    )


def test_every_figure_of_the_page_is_a_file_of_its_own(tmp_path, report):
    """Pictures have three files, tables one."""
    pytest.importorskip("resvg_py", reason="needs resvg-py to draw PNGs")
    written, pictures = write_figures([*correlation_figures(report), *correlation_tables(report)], tmp_path)
    names = ("agreement", "scatter", "by_question_type", "sweep_yesno")
    expected = {f"{name}{suffix}" for name in names for suffix in (".svg", ".png", ".csv")}
    assert {each.name for each in written} == expected | {"differences.csv", "most_wrong.csv"}
    assert pictures
    assert (tmp_path / "scatter.png").read_bytes().startswith(b"\x89PNG")


def test_without_resvg_there_are_pictures_and_numbers_but_no_png(tmp_path, monkeypatch):
    """The optional package is missing, and the caller is told."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    written, pictures = write_figures([small()], tmp_path)
    assert {each.name for each in written} == {"small.svg", "small.csv"}
    assert not pictures


@pytest.mark.parametrize(
    "build",
    [
        lambda report: intervals_figure(report.agreements),
        lambda report: scatter_figure(report.evidence, most_wrong(report.evidence)),
        lambda report: sweep_figure(report.points, {}),
    ],
    ids=["intervals", "scatter", "sweep"],
)
def test_a_file_has_its_own_colours(report, build):
    """No variable is left that only the page knows, and the markup is sound."""
    svg = standalone(build(report))
    assert "var(" not in svg
    assert "#0b6e74" in svg
    assert ET.fromstring(svg).tag == f"{SVG}svg"  # noqa: S314 - our own figure


def test_pictures_stand_beside_and_below_each_other():
    """Three to a row, none over another."""
    figure = Figure("many", "Many", [Drawing(str(i), "", 100, 50, text("x", 0, 10)) for i in range(7)], (), ())
    inner = ET.fromstring(standalone(figure)).findall(f"{SVG}svg")  # noqa: S314 - our own figure
    places = [(float(each.get("x")), float(each.get("y"))) for each in inner]
    assert len(set(places)) == 7
    assert len({x for x, _ in places}) == 3


def test_numbers_are_csv_with_empty_cells_for_what_is_missing(tmp_path):
    """Any program reads them back."""
    write_figures([small()], tmp_path)
    with (tmp_path / "small.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["a", "b"], ["é", ""], ["1.5", "2"]]


@pytest.mark.parametrize("label", ["<script>alert(1)</script>", "nul \x00 and \ud800", "长江 🌊"])
def test_any_label_makes_sound_files(tmp_path, label):
    """Names come from files that others wrote."""
    write_figures([small(label)], tmp_path)
    drawing = ET.fromstring((tmp_path / "small.svg").read_text(encoding="utf-8"))  # noqa: S314 - our own figure
    assert drawing.tag.endswith("svg")


def test_a_file_in_the_folders_place_is_an_error(tmp_path):
    """Nothing is overwritten."""
    (tmp_path / "figures").write_text("mine")
    with pytest.raises(OutputError, match="is no folder for figures"):
        write_figures([small()], tmp_path / "figures")
    assert (tmp_path / "figures").read_text() == "mine"


def test_fields_with_odd_names_make_sound_file_names(tmp_path):
    """A field to divide by may hold a slash."""
    figure = Figure("by_a/b c", "x", (), ("a",), [(1,)])
    (path,), _ = write_figures([figure], tmp_path)
    assert path.name == "by_a_b_c.csv"
