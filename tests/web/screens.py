"""Looking at screens in a browser: sizes, colours, what is on the screen, and what a screen reader would miss."""

import time
from pathlib import Path

from selenium.webdriver.common.by import By

MODES = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (360, "light"), "dark-phone": (360, "dark")}

FAULTS = (Path(__file__).parent / "accessibility.js").read_text()


def show_as(browser, mode):
    """Set the size and the colours that the system asks for."""
    width, scheme = MODES[mode]
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def enter(browser, here, token):
    """Open an invitation as a person would, and wait until its screen is there."""
    browser.get(f"http://127.0.0.1:{here.port}/healthz")
    browser.delete_all_cookies()
    browser.execute_script("localStorage.clear()")
    browser.get(f"http://127.0.0.1:{here.port}/join#{token}")
    wait(lambda: "/join" not in browser.current_url)
    browser.get_log("browser")


def visit(browser, here, path):
    """Open a page and wait for its heading."""
    browser.get(f"http://127.0.0.1:{here.port}{path}")
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, "main h1"))


def wait(condition, seconds=15):
    """Wait until something holds, and return it."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except Exception:
            if time.monotonic() > end:
                raise
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.03)


def text_of(browser, selector):
    """Return the text of the first element that fits."""
    return browser.find_element(By.CSS_SELECTOR, selector).text


def check(browser):
    """Check what holds for every screen: no fault of access, nothing wider than the window, an empty console."""
    assert browser.execute_script(FAULTS) == []
    width = browser.execute_script("return window.innerWidth")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.get_log("browser") == []
