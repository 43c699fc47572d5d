import csv
from xml.etree import ElementTree as ET

from qassay.training.model_card import draw_curves, write_curves

ROWS = [
    {"epoch": 1.0, "train_loss": 2.0, "dev_loss": 1.5, "average_precision": 0.4},
    {"epoch": 2.0, "train_loss": 1.0, "dev_loss": 1.2, "average_precision": 0.6},
]


def test_every_epoch_is_a_row_of_the_table(tmp_path):
    """The table has all columns, one row an epoch."""
    write_curves(tmp_path, ROWS)

    with (tmp_path / "curves.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert [float(row["dev_loss"]) for row in found] == [1.5, 1.2]


def test_the_drawing_has_a_line_for_each_loss():
    """Losses are drawn, other columns are not; the drawing is well-formed."""
    drawing = ET.fromstring(draw_curves(ROWS))  # noqa: S314 - our own drawing
    lines = drawing.findall("{http://www.w3.org/2000/svg}polyline")

    assert len(lines) == 2


def test_one_epoch_can_be_drawn():
    """A single point, with nothing to scale by, is no division by zero."""
    assert "<polyline" in draw_curves(ROWS[:1])


def test_no_epoch_leaves_no_file(tmp_path):
    """Before the first epoch there is nothing to write."""
    write_curves(tmp_path, [])

    assert not list(tmp_path.iterdir())
