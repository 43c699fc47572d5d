"""The page of summaries in a real browser."""

from dataclasses import replace

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from qassay.report.html.summary_page import write_summary_page
from summary_samples import row, summary_report

pytestmark = pytest.mark.xdist_group("browser")

ROWS = [
    row("d1", "A", summary="Berg won in Oslo."),
    row("d1", "B", summary="A Swede won.", verdict=0.1, found="a Swede"),
    row("d2", "B", summary="Nobody knows.", answered=False),
]

MANY = [f"{name},verify={method}" for name in ("qaeval", "feqa") for method in ("em", "lerc", "token_f1", "bert_score")]


@pytest.fixture
def page(browser, tmp_path):
    path = tmp_path / "summary.html"
    write_summary_page(summary_report(ROWS), path)
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.get(path.as_uri())
    return browser


def _shown(page):
    return [
        each.text.split()[0:2] for each in page.find_elements(By.CSS_SELECTOR, ".item > summary") if each.is_displayed()
    ]


def _colour(page, kind):
    cell = page.find_element(By.CSS_SELECTOR, f"tr.{kind} .found")
    return page.execute_script("return getComputedStyle(arguments[0]).backgroundColor", cell)


def test_a_summary_opens_to_its_questions(page):
    """A click shows the question, the expected answer and the one found."""
    first = page.find_element(By.CSS_SELECTOR, ".item")
    first.find_element(By.TAG_NAME, "summary").click()
    cells = [each.text for each in first.find_elements(By.CSS_SELECTOR, ".asked tbody td")]
    assert cells[:3] == ["Who won the race?", "Anna Berg", "Berg"]
    assert "same answer" in cells[3]


def test_verdicts_differ_in_colour(page):
    """Same, other and unanswered are three colours, and each says so in words too."""
    assert len({_colour(page, kind) for kind in ("same", "other", "unanswered")}) == 3


def test_a_search_leaves_the_summaries_that_hold_the_words(page):
    """Summaries, questions and answers are searched."""
    page.find_element(By.ID, "query").send_keys("swede won")
    assert _shown(page) == [["B", "d1"]]


def test_one_system_can_be_chosen(page):
    """The others' summaries go, and the count says so."""
    Select(page.find_element(By.ID, "system")).select_by_visible_text("B")
    assert _shown(page) == [["B", "d1"], ["B", "d2"]]
    assert page.find_element(By.ID, "count").text == "2 of 3"


def test_a_search_without_a_hit_says_so(page):
    """An empty list explains itself."""
    page.find_element(By.ID, "query").send_keys("nowhere")
    assert page.find_element(By.ID, "count").text == "No summary matches."


def test_a_phone_shows_one_column(page):
    """Nothing is wider than the screen."""
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    )
    page.refresh()
    page.find_element(By.CSS_SELECTOR, ".item > summary").click()
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(("width", "scrolls"), [(390, True), (1280, True), (1900, False)])
def test_many_metrics_use_the_room_and_scroll_where_there_is_none(browser, tmp_path, width, scrolls):
    """What scrolls has a shade at its edge, and the page itself stays in its place."""
    given = summary_report(ROWS)
    many = [replace(each, metric=spec) for each in given.aggregates for spec in MANY]
    write_summary_page(replace(given, aggregates=many), tmp_path / "many.html")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.get((tmp_path / "many.html").as_uri())
    holder = browser.find_element(By.CLASS_NAME, "scroll")
    found = browser.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", holder)
    assert found is scrolls
    assert "linear-gradient" in holder.value_of_css_property("background-image")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_the_page_has_no_errors(page):
    """The console stays empty: no script fails and nothing is fetched."""
    assert [each for each in page.get_log("browser") if each["level"] == "SEVERE"] == []
