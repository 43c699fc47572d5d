from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.report.figures.drawing import Axis, Drawing, axis, printable, shorten_to, text, tint

NUMBERS = st.floats(-1e9, 1e9, allow_subnormal=False)


def parsed(markup):
    return ET.fromstring(str(markup))  # noqa: S314 - our own figure


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_an_axis_holds_all_its_values(values):
    """The ticks begin at or below the least and end at or above the greatest."""
    scale, ticks = axis(values, 0, 100)
    slack = 1e-6 * max(1.0, *map(abs, values))
    assert scale.low <= min(values) + slack
    assert scale.high >= max(values) - slack
    assert (ticks[0], ticks[-1]) == (scale.low, scale.high)


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0, 1], [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ([1, 5], [1, 2, 3, 4, 5]),
        ([0.31, 0.42], [0.3, 0.325, 0.35, 0.375, 0.4, 0.425]),
        ([3, 3], [2.4, 2.6, 2.8, 3, 3.2, 3.4, 3.6]),
        ([], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ],
)
def test_ticks_are_round_numbers(values, ticks):
    """Steps are 1, 2, 2.5 or 5 times a power of ten; equal values get room on both sides."""
    assert axis(values, 0, 100)[1] == pytest.approx(ticks)


def test_numbers_beyond_an_axis_stay_at_its_end():
    """Nothing is drawn outside."""
    scale = Axis(0, 1, 10, 90)
    assert (scale.at(-1), scale.at(0.5), scale.at(2)) == (10, 50, 90)


def test_a_long_text_is_shortened_and_kept_in_its_title():
    """The room decides, and nothing is lost."""
    element = parsed(text("rouge_su4,beta=1.5,refs=max", 0, 0, room=80))
    assert element.find("title").text == "rouge_su4,beta=1.5,refs=max"
    assert "".join(element.itertext()).removeprefix("rouge_su4,beta=1.5,refs=max").endswith("…")


def test_wide_characters_need_more_room():
    """Half as many Chinese characters fit."""
    assert len(shorten_to("问" * 30, 100)) < len(shorten_to("a" * 30, 100))


@pytest.mark.parametrize("content", ["a < b & c", '"quoted"', "<script>", "tab\tnew\nline", "🌊"])
def test_texts_are_escaped(content):
    """Whatever a label holds, it reads back as it was."""
    assert "".join(parsed(text(content, 0, 0)).itertext()) == content


@given(st.text())
def test_every_text_makes_sound_markup(content):
    """Control characters and half surrogates, which XML cannot hold, are left out."""
    drawing = Drawing("t", content, 10, 10, text(content, 0, 0, room=40))
    # In an attribute every line end and tab reads as a blank.
    expected = printable(content).replace("\r\n", "\n").translate(dict.fromkeys(map(ord, "\t\n\r"), " "))
    assert parsed(drawing.svg()).get("aria-label") == expected


def test_colours_that_come_again_have_broken_lines():
    """The ninth metric has the first colour, dashed."""
    assert [tint(i) for i in (0, 7, 8, 17)] == ["tint-0", "tint-7", "tint-0 dash-1", "tint-1 dash-2"]
