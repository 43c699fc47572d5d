"""Words that run together, as systems that cite their sources often write them."""

import re

_SEAMS = re.compile(
    r"(?<=[a-z])(?=[A-Z][a-z])"  # byJames
    r"|(?<=[a-z]{2})(?=\d)"  # from1985
    r"|(?<=\d(?:st|nd|rd|th))(?=[a-z])"  # 15thevery
)


def split_joined(text: str) -> str:
    """Put a space between words that run together where it shows: "byJames", "from1985", "15thevery"."""
    return _SEAMS.sub(" ", text)
