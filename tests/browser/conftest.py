"""A real browser, one for all tests of the pages."""

import contextlib
import shutil

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def programs():
    """Return where Chromium and its driver are; None for what is not there."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return chromium, shutil.which("chromedriver")


@contextlib.contextmanager
def open_browser(profile, *flags):
    """Run a browser with a profile of its own."""
    chromium, driver = programs()
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (*FLAGS, *flags, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    with webdriver.Chrome(options=options, service=Service(driver)) as started:
        yield started


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if None in programs():
        pytest.skip("needs Chromium and chromedriver on the PATH to look at the pages")
    with open_browser(tmp_path_factory.mktemp("profile")) as started:
        yield started
