"""The pages of compare, agree and accuracy in a real browser."""

import pytest
from selenium.webdriver.common.by import By

from qassay.report.html.accuracy_page import write_accuracy_page
from qassay.report.html.agreement_page import write_agreement_page
from qassay.report.html.comparison_page import write_comparison_page
from study_samples import accuracy_page, agreement_report, comparison_report

pytestmark = pytest.mark.xdist_group("browser")

NAMES = ("compare", "agree", "accuracy")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the three pages."""
    written = tmp_path_factory.mktemp("pages")
    write_comparison_page(comparison_report(), written / "compare.html")
    write_agreement_page(agreement_report(written), written / "agree.html")
    write_accuracy_page(accuracy_page(width=0.1, notes=["a note"]), written / "accuracy.html")
    return written


def opened(browser, path, width=1280, scheme="light"):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.get_log("browser")
    browser.get(path.as_uri())
    return browser


@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_on_a_phone_and_complains_of_nothing(browser, folder, name):
    """It is no wider than the screen, and the console stays empty."""
    page = opened(browser, folder / f"{name}.html", width=390)
    assert page.execute_script("return document.documentElement.scrollWidth") == 390
    assert page.get_log("browser") == []


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_dark_where_the_system_is(browser, folder, name):
    """Dark paper under light ink."""
    page = opened(browser, folder / f"{name}.html", scheme="dark")
    colour = page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    assert int(colour.removeprefix("rgba(").split(",")[0]) < 128


def test_compare_opens_with_the_systems_side_by_side(browser, folder):
    """Both answers to a question stand in one row."""
    page = opened(browser, folder / "compare.html")
    row = next(each for each in page.find_elements(By.CSS_SELECTOR, "#table > tbody > tr") if "France" in each.text)
    assert ["Paris" in row.text, "Rome" in row.text] == [True, True]


def test_annotators_are_sorted_by_a_click(browser, folder):
    """The largest deviation comes first, and a second click turns the order round."""
    page = opened(browser, folder / "agree.html")
    cells = "#annotators tbody td:nth-child(5)"
    button = page.find_element(By.CSS_SELECTOR, "#annotators thead th:nth-child(5) button")
    button.click()
    first = [each.text for each in page.find_elements(By.CSS_SELECTOR, cells)]
    button.click()
    second = [each.text for each in page.find_elements(By.CSS_SELECTOR, cells)]
    assert (first, second) == (sorted(first, reverse=True), sorted(first))


def test_no_heading_of_the_accuracies_is_broken(browser, folder):
    """Every heading and interval has one line."""
    page = opened(browser, folder / "accuracy.html")
    heads = {each.rect["height"] for each in page.find_elements(By.CSS_SELECTOR, "#accuracy thead th")}
    ranges = [each.rect["height"] for each in page.find_elements(By.CSS_SELECTOR, "#accuracy td.range")]
    assert len(heads) == 1
    assert max(ranges) < 60
