from qassay.report.clipping import BUDGET, LONGEST, clip, fitting_length


def test_a_short_text_is_whole():
    """Nothing is said where nothing is left out."""
    assert clip("short").remark == ""


def test_a_long_text_says_how_much_is_left_out():
    """The remark counts the characters that follow."""
    assert clip("x" * (LONGEST + 1234)).remark == "… 1,234 more characters"


def test_accents_are_composed():
    """The shown text is the one that positions refer to."""
    assert clip("e\u0301te\u0301").text == "\u00e9t\u00e9"


def test_few_texts_are_shown_to_full_length():
    """The budget does not matter for a small page."""
    assert fitting_length(["x" * 10_000] * 3) == LONGEST


def test_many_long_texts_are_shown_shorter():
    """All together keep to the budget in bytes, also in scripts that take three a character."""
    texts = [f"{i}" + "长" * 6000 for i in range(2000)]
    assert len(texts) * 3 * fitting_length(texts) <= BUDGET
