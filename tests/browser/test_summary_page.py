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

METHODS = ("exact_match", "lerc", "token_f1", "bert_score")
MANY = [f"{name},verify={method}" for name in ("qaeval", "feqa") for method in METHODS]


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


def test_no_word_is_broken_on_a_phone(page):
    """Names of methods and coefficients stand on one line each."""
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    )
    page.refresh()
    page.find_element(By.CSS_SELECTOR, ".item > summary").click()
    heights = {each.text: each.rect["height"] for each in page.find_elements(By.CSS_SELECTOR, ".measures dt")[:2]}
    assert max(heights.values()) < 30


@pytest.mark.parametrize(
    ("order", "expected"),
    [("best first", ["d2", "d1", "d1"]), ("qaeval, highest first", ["d1", "d1", "d2"]), ("id", ["d1", "d1", "d2"])],
)
def test_summaries_can_be_sorted(browser, tmp_path, order, expected):
    """By rank, by a metric or by id."""
    given = [replace(each, scores={"qaeval": 0.9 - i / 10}) for i, each in enumerate(ROWS)]
    write_summary_page(summary_report(given), tmp_path / "sorted.html")
    browser.get((tmp_path / "sorted.html").as_uri())
    Select(browser.find_element(By.ID, "sort")).select_by_visible_text(order)
    assert [name for _, name in _shown(browser)] == expected


def test_systems_can_be_sorted_by_a_metric(browser, tmp_path):
    """A click on the metric puts the highest first, a second one the lowest."""
    given = summary_report(ROWS)
    values = {"A": 0.2, "B": 0.7}
    unequal = [replace(each, value=values[each.system]) for each in given.aggregates]
    write_summary_page(replace(given, aggregates=unequal), tmp_path / "systems.html")
    browser.get((tmp_path / "systems.html").as_uri())
    button = browser.find_element(By.CSS_SELECTOR, "#systems thead th:last-child button")
    button.click()
    first = browser.find_element(By.CSS_SELECTOR, "#systems tbody th").text
    button.click()
    assert (first, browser.find_element(By.CSS_SELECTOR, "#systems tbody th").text) == ("B", "A")
