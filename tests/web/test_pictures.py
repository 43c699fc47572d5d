"""The pictures of the screens in the documentation."""

import re

import pictures

SHOWN = re.compile(r'(?:src|srcset)="pictures/([\w-]+\.webp)"')


def test_the_pages_show_every_picture():
    """Each screen in light, dark and on a phone; none is missing, none is left over."""
    shown = [name for page in pictures.FOLDER.parent.glob("*.md") for name in SHOWN.findall(page.read_text())]
    wanted = {f"{name}-{mode}.webp" for name in pictures.SHOWN for mode in pictures.MODES}
    assert sorted(shown) == sorted(wanted)
    assert {each.name for each in pictures.FOLDER.iterdir()} == wanted


def test_the_pictures_are_small():
    """All together less than a megabyte."""
    assert sum(each.stat().st_size for each in pictures.FOLDER.iterdir()) < 1_000_000
