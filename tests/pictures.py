"""Pictures of the screens of `qassay serve`, as the documentation shows them: `python tests/pictures.py`.

Every screen of the tour is opened in a headless Chromium in light, in dark and 360 pixels wide, and those that the
pages show are written to docs/serve/pictures as NAME-MODE.webp. `--all FOLDER` writes all of them, whole pages,
elsewhere: to be looked at.
"""

import argparse
import base64
import sys
import tempfile
from pathlib import Path

from browser.conftest import open_browser, programs
from web.tour import tour, touring

FOLDER = Path(__file__).parents[1] / "docs" / "serve" / "pictures"
MODES = {"light": (1000, 720, "light"), "dark": (1000, 720, "dark"), "phone": (360, 720, "light")}
"""Width, height and colours."""
SHOWN = (
    *("instructions", "practice", "feedback", "judge", "pair"),
    *("start", "dashboard", "adjudicate", "words"),
    *("explore", "filtered", "differences", "typed", "answer"),
)
"""The screens that the pages show."""
SCROLLED = ("filtered", "differences", "typed")
"""Those that are shown from the views on."""
TALL = {"dashboard": 1250}
"""Heights of windows that are to show more."""
QUALITY = 30


def look(browser, width, height, scheme):
    """Set the size of the window and the colours that the system asks for."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": width < 500})


def picture(browser, name, mode, *, whole=False):
    """Return the screen as WebP, or the whole page."""
    width, height, scheme = MODES[mode]
    page = browser.execute_script("return document.documentElement.scrollHeight")
    look(browser, width, max(height, page) if whole else TALL.get(name, height), scheme)
    if name in SCROLLED and not whole:
        browser.execute_script("document.querySelector('.tabs').scrollIntoView()")
    browser.execute_script("document.documentElement.style.scrollbarWidth = 'none'")
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    browser.execute_script("document.documentElement.style.scrollbarWidth = ''")
    look(browser, *MODES[mode])
    return base64.b64decode(taken["data"])


def main():
    """Write the pictures and print how much they take."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=Path, metavar="FOLDER")
    wanted = parser.parse_args()
    if None in programs():
        sys.exit("needs Chromium and chromedriver on the PATH")
    folder = wanted.all or FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    sizes = []
    for mode, seen_as in MODES.items():
        with (
            tempfile.TemporaryDirectory() as place,
            touring(Path(place)) as here,
            open_browser(f"{place}/profile") as browser,
        ):
            look(browser, *seen_as)
            for name in tour(browser, here):
                if wanted.all or name in SHOWN:
                    path = folder / f"{name}-{mode}.webp"
                    path.write_bytes(picture(browser, name, mode, whole=bool(wanted.all)))
                    sizes.append(path.stat().st_size)
    print(f"{len(sizes)} pictures, {sum(sizes) / 1000:,.0f} kB")  # noqa: T201 - a script prints


if __name__ == "__main__":
    main()
