"""The page of agreement in a real browser: what a reader does with it."""

from dataclasses import replace

import pytest
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from correlation_samples import correlation_report, judged_answers
from qassay.report.html.correlation_page import write_correlation_page

pytestmark = pytest.mark.xdist_group("browser")

PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    written = tmp_path_factory.mktemp("agreement") / "correlation.html"
    write_correlation_page(correlation_report(), written)
    return written


def opened(browser, path, screen=None, scheme="light"):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen or DESK)
    browser.get("about:blank")
    browser.get(path.as_uri())
    browser.execute_script("try { localStorage.clear() } catch {}")
    browser.refresh()
    # Where the last test left the pointer, a number may come to lie under it.
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 1, "y": 1})
    return browser


@pytest.fixture
def page(browser, path):
    return opened(browser, path)


def all_of(page, selector):
    return page.find_elements(By.CSS_SELECTOR, selector)


def shown(page, element):
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    return element


def test_the_best_metric_stands_first_in_the_table(page):
    """Every row has strips with its numbers beside them."""
    rows = all_of(page, "#agreement tbody tr")
    values = [float(each.find_element(By.CSS_SELECTOR, "b").text) for each in rows[:2]]
    assert values == sorted(values, reverse=True)
    assert len(rows[0].find_elements(By.CSS_SELECTOR, "svg.interval")) == 3


def test_pointing_at_a_number_shows_its_answer(page):
    """Question, reference, answer, judgement and score appear beside it, and go again."""
    marker = shown(page, all_of(page, "a.marker")[0])
    ActionChains(page).move_to_element(marker).perform()
    peek = page.find_element(By.ID, "peek")
    told = peek.text.lower()
    assert all(word in told for word in ("people:", "metric:", "question", "reference", "answer"))
    ActionChains(page).move_to_element(page.find_element(By.ID, "agreement-title")).perform()
    assert not peek.is_displayed()


def test_pointing_at_a_number_lights_its_line(page):
    """Both belong together visibly."""
    marker = shown(page, all_of(page, "a.marker")[1])
    ActionChains(page).move_to_element(marker).perform()
    assert [each.get_attribute("id") for each in all_of(page, "details.lit")] == ["wrong-0-2"]


def test_a_click_on_a_number_opens_its_answer(page):
    """The line below the plot opens and has the focus."""
    shown(page, all_of(page, "a.marker")[2]).click()
    answer = page.find_element(By.ID, "wrong-0-3")
    assert answer.get_attribute("open") is not None
    assert page.switch_to.active_element == answer.find_element(By.TAG_NAME, "summary")
    assert "REFERENCE" in answer.text.upper()


def test_numbers_work_from_the_keyboard(page):
    """They can be reached, show their answer, open it, and Escape hides what was shown."""
    marker = shown(page, all_of(page, "a.marker")[0])
    page.execute_script("arguments[0].focus()", marker)
    assert page.find_element(By.ID, "peek").is_displayed()
    ActionChains(page).send_keys(Keys.ESCAPE).perform()
    assert not page.find_element(By.ID, "peek").is_displayed()
    ActionChains(page).send_keys(Keys.ENTER).perform()
    assert page.find_element(By.ID, "wrong-0-1").get_attribute("open") is not None


def test_numbers_have_names_for_who_cannot_see_them(page):
    """A link says what it leads to, and a plot what it shows."""
    marker, plot = all_of(page, "a.marker")[0], all_of(page, "svg.scatter")[0]
    assert marker.get_attribute("aria-label").startswith("most wrong answer 1: judgement")
    assert plot.get_attribute("aria-label") == "rouge_l against judgement, 35 answers"


def test_a_link_to_an_answer_opens_it(browser, path):
    """The address of a most wrong answer can be shared."""
    browser.get("about:blank")
    browser.get(f"{path.as_uri()}#wrong-1-2")
    assert browser.find_element(By.ID, "wrong-1-2").get_attribute("open") is not None


def test_all_numbers_are_behind_the_pictures(page):
    """Parts and sweeps open a table."""
    tables = [each for each in all_of(page, "details.remarks") if each.text.startswith("All numbers")]
    shown(page, tables[0].find_element(By.TAG_NAME, "summary")).click()
    assert "first & half" in tables[0].text


def test_markup_in_a_question_is_text(page):
    """No script of an answer runs."""
    page.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert "<script>alert(1)</script>" in page.find_element(By.TAG_NAME, "main").text
    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert.accept()


def test_the_page_has_nothing_to_complain_of(page):
    """Using everything leaves no error in the console."""
    page.get_log("browser")
    page.execute_script(
        "document.querySelectorAll('a.marker').forEach((each) => {"
        "each.dispatchEvent(new Event('mouseenter')); each.dispatchEvent(new Event('click')); })"
    )
    assert page.get_log("browser") == []


def luminance(element, name):
    """Return how bright a colour is, from 0 to 1."""
    channels = element.value_of_css_property(name).removeprefix("rgba(").removeprefix("rgb(").rstrip(")").split(",")[:3]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (float(v) / 255 for v in channels)]
    return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("selector", [".drawing .tick", ".drawing .name", ".drawing .marker text", ".drawing .title"])
def test_figures_can_be_read_on_either_paper(browser, path, scheme, selector):
    """Texts in pictures keep a contrast of 4.5 to 1."""
    page = opened(browser, path, scheme=scheme)
    paper = luminance(page.find_element(By.TAG_NAME, "body"), "background-color")
    ink = luminance(all_of(page, selector)[0], "fill")
    assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5


def test_a_phone_needs_no_sideways_scrolling(browser, tmp_path):
    """Long names, endless words and every answer opened stay within 390 pixels."""
    long = [
        replace(each, question="x" * 2000, system=f"{each.system}-{'y' * 80}", question_type=f"type-{'z' * 60}")
        for each in judged_answers()
    ]
    specs = ("rouge_l", "token_f1", "rouge_su4,beta=1.5,refs=max,stat=r")
    write_correlation_page(correlation_report(long, specs=specs), tmp_path / "long.html")
    page = opened(browser, tmp_path / "long.html", PHONE)
    page.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.execute_script("return document.documentElement.scrollWidth") == 390


def test_what_a_phone_shows_of_an_answer_stays_on_the_screen(browser, path):
    """The answer beside a number keeps within the page."""
    page = opened(browser, path, PHONE)
    marker = shown(page, all_of(page, "a.marker")[0])
    page.execute_script("arguments[0].dispatchEvent(new Event('mouseenter'))", marker)
    box = page.execute_script(
        "const b = document.getElementById('peek').getBoundingClientRect(); return [b.left, b.right]"
    )
    assert box[0] >= 0
    assert box[1] <= 390


def test_figures_of_ten_thousand_answers_stay_small(tmp_path):
    """Spots stand for many answers, so that the page does not grow with them."""
    many = [replace(each, id=f"{each.id}-{i}") for i in range(280) for each in judged_answers()]
    write_correlation_page(
        correlation_report(many, specs=("rouge_l",), swept=None, by=None, draws=0), tmp_path / "many.html"
    )
    assert (tmp_path / "many.html").stat().st_size < 300_000


def test_a_table_of_differences_shows_on_a_phone_that_it_scrolls(browser, path):
    """There is a shade at the edge, and a bar that takes its own height."""
    page = opened(browser, path, {**PHONE, "mobile": False, "width": 320})
    table = shown(page, all_of(page, ".scroll")[0])
    assert table.value_of_css_property("background-image").count("linear-gradient") == 4
    hidden, bar = page.execute_script(
        "const it = arguments[0]; return [it.scrollWidth - it.clientWidth, it.offsetHeight - it.clientHeight]", table
    )
    assert (hidden > 0, bar > 5) == (True, True)
