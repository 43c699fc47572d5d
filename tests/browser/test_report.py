"""The report in a real browser: what a reader does with it."""

from dataclasses import replace

import pytest
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from qassay import score
from qassay.records import Example, Reference
from qassay.report.html.score_page import write_report
from report_samples import EXAMPLES, INJECTION, report

pytestmark = pytest.mark.xdist_group("browser")

TEXTS = ("rank", "system", "question", "reference", "answer")
COLUMNS = {name: i for i, name in enumerate((*TEXTS, "exact_match", "token_f1", "bleu", "rouge_l", "judgement"), 1)}
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
SEVEN = ("exact_match", "token_f1", "bleu", "rouge_1", "rouge_2", "rouge_l", "contains")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    written = tmp_path_factory.mktemp("report") / "report.html"
    write_report(report(), written)
    return written


@pytest.fixture
def page(browser, path):
    return opened(browser, path)


def opened(browser, path, screen=None, scheme="light"):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen or DESK)
    browser.get("about:blank")
    browser.get(path.as_uri())
    browser.execute_script("try { localStorage.clear() } catch {}")
    browser.refresh()
    return browser


def column(page, name):
    cells = f"#table > tbody > tr:not(.opened) > td:nth-child({COLUMNS[name]})"
    return [each.text for each in page.find_elements(By.CSS_SELECTOR, cells)]


def heading(page, name):
    return page.find_element(By.CSS_SELECTOR, f"#table thead th:nth-child({COLUMNS[name]})")


def search(page, text):
    page.find_element(By.ID, "query").send_keys(text)


def open_answer(page, system, question):
    """Click on the answer's row and give its details."""
    rows = page.find_elements(By.CSS_SELECTOR, "#table > tbody > tr")
    row = next(each for each in rows if system in each.text and question in each.text)
    row.find_element(By.CSS_SELECTOR, "td.question").click()
    return row.find_element(By.XPATH, "following-sibling::tr[1]")


def marked(element, kind):
    return [each.text for each in element.find_elements(By.CSS_SELECTOR, f".text mark.{kind}")]


def test_the_worst_answer_stands_first(page):
    """The table opens in the order of the means, and says so."""
    assert heading(page, "rank").get_attribute("aria-sort") == "ascending"
    assert column(page, "rank") == ["1", "2", "3", "4", "5", "6"]


def test_a_click_on_a_metric_sorts_by_it(page):
    """The lowest come first, answers without a score last."""
    heading(page, "rouge_l").find_element(By.TAG_NAME, "button").click()
    *scores, missing = column(page, "rouge_l")
    assert (missing, scores) == ("–", sorted(scores))  # noqa: RUF001 - the dash that stands for a missing score


def test_a_second_click_turns_the_order_round(page):
    """The highest come first, and missing scores are still last."""
    button = heading(page, "rouge_l").find_element(By.TAG_NAME, "button")
    button.click()
    button.click()
    *scores, missing = column(page, "rouge_l")
    assert (missing, scores) == ("–", sorted(scores, reverse=True))  # noqa: RUF001 - as above


def test_sorting_works_from_the_keyboard(page):
    """Enter on a heading sorts, and the heading says how."""
    heading(page, "token_f1").find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    assert heading(page, "token_f1").get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rome", ["It is Rome."]),
        ("PARIS rome", ["It is Rome."]),
        ("6300", ["🌊 大约6300公里", "no answer given"]),
    ],
)
def test_a_search_leaves_the_answers_that_have_all_words(page, text, expected):
    """Questions, answers and references are searched, whatever the case."""
    search(page, text)
    assert column(page, "answer") == expected


def test_a_search_without_a_hit_says_so(page):
    """An empty table explains itself."""
    search(page, "nowhere to be found")
    assert "None of these 6 answers matches" in page.find_element(By.ID, "table").text


def test_a_search_of_a_selection_says_what_it_does_not_reach(browser, tmp_path):
    """An answer that is not in the page is not said not to exist."""
    write_report(report(answers=replace(report().answers, total=1000)), tmp_path / "report.html")
    page = opened(browser, tmp_path / "report.html")
    search(page, "nowhere to be found")
    assert "None of these 6 answers matches; 994 others are not in this page" in page.find_element(By.ID, "table").text


def test_an_opened_answer_shows_what_it_asserts(browser, tmp_path):
    """Beside the verdict in words, and marked in the text and in the weights; a refusal is no attempt."""
    manon, faust = "Who composed the opera Manon?", "Who wrote Faust?"
    opera = "It was composed by Jules Massenet, who had studied alongside Georges Bizet."
    answers = [
        Example("q1", manon, (Reference("Georges Bizet"),), opera),
        Example("q2", faust, (Reference("Goethe"),), "I don't know."),
    ]
    write_report(report(answers, ["ava", "rouge_l:kpqa"]), tmp_path / "report.html")
    page = opened(browser, tmp_path / "report.html")
    rows = {each.text for each in page.find_elements(By.CSS_SELECTOR, "td.answer")}
    assert rows == {opera, "no attempt I don't know."}
    page.find_element(By.XPATH, f'//td[contains(., "{opera}")]').click()
    assert page.find_element(By.CSS_SELECTOR, ".says").text == "says: Jules Massenet"
    marked = [each.text for each in page.find_elements(By.CSS_SELECTOR, ".text .asserted")]
    assert "Jules Massenet" in marked
    assert "".join(each.text for each in page.find_elements(By.CSS_SELECTOR, ".heat .asserted")) == "Jules Massenet"
    assert opera in page.find_element(By.CSS_SELECTOR, ".detail .texts").text


def test_one_system_can_be_chosen(page):
    """The other system's answers go."""
    Select(page.find_element(By.ID, "system")).select_by_visible_text("birch")
    assert column(page, "system") == ["birch"] * 3


def test_unscored_answers_can_be_picked_out(page):
    """One tick shows what has no score."""
    page.find_element(By.ID, "unscored").click()
    assert column(page, "answer") == ["no answer given"]


def test_an_opened_answer_shows_its_matching_words(page):
    """Both sides show the words in the same order, and those that stand elsewhere."""
    detail = open_answer(page, "atlas", "capital of France")
    assert marked(detail, "ordered") == ["the capital.", "The capital"]
    assert marked(detail, "shared") == ["Paris is", "is Paris"]


def test_marks_after_an_emoji_stand_where_they_belong(page):
    """Positions are counted in characters, not in half characters."""
    assert marked(open_answer(page, "atlas", "长江"), "ordered")[0] == "约6300公里"


def test_another_reference_can_be_compared(page):
    """A click on a reference marks the answer anew."""
    detail = open_answer(page, "atlas", "长江")
    buttons = detail.find_elements(By.CSS_SELECTOR, ".references button")
    buttons[1].click()
    assert [each.get_attribute("aria-pressed") for each in buttons] == ["false", "true"]


def test_an_opened_answer_gives_the_reason_for_a_missing_score(page):
    """The reason stands beside the dash."""
    assert "no candidate" in open_answer(page, "birch", "长江").find_element(By.CLASS_NAME, "score-list").text


def test_an_answer_opens_from_the_keyboard_and_closes_again(page):
    """The button tells its state."""
    button = page.find_element(By.CSS_SELECTOR, "button.open")
    button.send_keys(Keys.ENTER)
    first = button.get_attribute("aria-expanded")
    button.send_keys(Keys.ENTER)
    assert (first, button.get_attribute("aria-expanded")) == ("true", "false")
    assert page.find_elements(By.CSS_SELECTOR, "tr.opened") == []


def test_the_other_systems_answer_is_one_click_away(page):
    """Systems that answered the same question are listed with it."""
    detail = open_answer(page, "atlas", "capital of France")
    detail.find_element(By.CSS_SELECTOR, ".others button").click()
    assert "It is Rome." in page.find_elements(By.CSS_SELECTOR, "tr.opened")[0].text


def test_a_link_opens_its_answer(browser, path):
    """The address of an opened answer can be shared."""
    page = opened(browser, path)
    page.find_elements(By.CSS_SELECTOR, "button.open")[1].click()
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    assert page.find_element(By.CSS_SELECTOR, "tr.opened").get_attribute("id") == "detail-2"


def test_markup_in_an_answer_is_text(page):
    """No script of an answer runs, and its letters are all there."""
    detail = open_answer(page, "atlas", "safe?")
    assert INJECTION in detail.text
    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert.accept()


def test_the_page_has_nothing_to_complain_of(page):
    """Opening everything leaves no error in the console."""
    page.get_log("browser")
    page.execute_script("document.querySelectorAll('button.open').forEach((button) => button.click())")
    assert page.get_log("browser") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_systems_colours(browser, path, scheme):
    """Dark paper under light ink at night."""
    page = opened(browser, path, scheme=scheme)
    colour = page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    brightness = int(colour.removeprefix("rgba(").split(",")[0])
    assert (brightness < 128) is (scheme == "dark")


def test_the_reader_can_choose_the_other_colours(page):
    """The button turns a light page dark."""
    page.find_element(By.ID, "theme").click()
    colour = page.find_element(By.TAG_NAME, "body").value_of_css_property("background-color")
    assert int(colour.removeprefix("rgba(").split(",")[0]) < 128


def test_a_phone_needs_no_sideways_scrolling(browser, tmp_path):
    """Endless words, long names and many metrics stay within 390 pixels, opened answers included."""
    long = [
        replace(each, candidate="x" * 3000, system=f"{each.system}-with-a-very-long-name-{'y' * 60}")
        for each in EXAMPLES
    ]
    specs = ("exact_match", "token_f1", "bleu", "rouge_1", "rouge_2", "rouge_l", "rouge_su4,beta=1.5,refs=max,stat=r")
    write_report(report((*EXAMPLES, *long), specs), tmp_path / "long.html")
    page = opened(browser, tmp_path / "long.html", PHONE)
    page.execute_script("document.querySelectorAll('button.open').forEach((button) => button.click())")
    assert page.execute_script("return document.documentElement.scrollWidth") == 390


@pytest.fixture(scope="module")
def seven_path(tmp_path_factory):
    """Write a report with seven metrics and a judgement, as many columns as the demo has."""
    written = tmp_path_factory.mktemp("seven") / "report.html"
    write_report(report(specs=SEVEN), written)
    return written


def right_edge(page, selector):
    return page.execute_script(
        "return document.querySelector(arguments[0]).getBoundingClientRect().right", f"#table > thead {selector}"
    )


def scrolls(page):
    return page.execute_script(
        "const room = document.getElementById('room'); return room.scrollWidth > room.clientWidth"
    )


@pytest.mark.parametrize("width", [1200, 1400, 1920])
def test_seven_metrics_and_the_judgement_fit_on_a_desk(browser, seven_path, width):
    """The last column is in view, beside the window's own scroll bar."""
    page = opened(browser, seven_path, {**DESK, "width": width})
    assert scrolls(page) is False
    assert right_edge(page, "th:last-child") <= page.execute_script("return document.documentElement.clientWidth")


def test_the_judgements_heading_stays_one_word(browser, seven_path):
    """It is not broken where columns are narrowest."""
    page = opened(browser, seven_path, {**DESK, "width": 1000})
    last, short = (
        page.find_element(By.CSS_SELECTOR, f"#table > thead th:nth-child({i}) button").rect["height"] for i in (13, 8)
    )
    assert last == short


@pytest.mark.parametrize("width", [920, 1000, 1200, 1400])
def test_the_answer_has_room_for_more_than_two_words(browser, seven_path, width):
    """Its column keeps a width, and the question's is no wider."""
    page = opened(browser, seven_path, {**DESK, "width": width})
    answer, question = (
        page.find_element(By.CSS_SELECTOR, f"#table th.{kind}").rect["width"] for kind in ("answer", "question")
    )
    assert answer >= 180
    assert question <= answer


def test_the_reference_moves_below_the_answer_where_there_is_no_room_for_a_column(browser, seven_path):
    """It is in view either way."""
    page = opened(browser, seven_path, {**DESK, "width": 1200})
    assert not page.find_element(By.CSS_SELECTOR, "td.reference").is_displayed()
    assert "The capital of France is Paris." in column(page, "answer")[1]


def test_more_metrics_take_the_room_of_a_wider_window(browser, tmp_path):
    """Nothing stays empty at the sides while the table would be cut."""
    specs = (*SEVEN, *(f"bleu,n={n}" for n in (1, 2, 3, 5)))
    write_report(report(specs=specs), tmp_path / "many.html")
    page = opened(browser, tmp_path / "many.html", {**DESK, "width": 1560})
    assert scrolls(page) is False
    assert right_edge(page, "th:last-child") > 1500


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_without_room_shows_that_it_scrolls(browser, seven_path, scheme):
    """Its edge is shaded, the last column can be reached, and the page itself does not move."""
    page = opened(browser, seven_path, {**DESK, "width": 1000}, scheme)
    page.get_log("browser")
    room = page.find_element(By.ID, "room")
    assert scrolls(page) is True
    assert room.value_of_css_property("background-image").count("linear-gradient") == 4
    page.execute_script("arguments[0].scrollLeft = 9999", room)
    assert right_edge(page, "th:last-child") <= 1000
    assert page.execute_script("return document.documentElement.scrollWidth") <= 1000
    assert page.get_log("browser") == []


def test_a_table_follows_its_window(browser, seven_path):
    """It stops scrolling when the window has room again."""
    page = opened(browser, seven_path, {**DESK, "width": 1000})
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**DESK, "width": 1400})
    WebDriverWait(page, 5).until(lambda _: "wide" not in page.find_element(By.ID, "room").get_attribute("class"))
    assert scrolls(page) is False


def test_the_headings_of_a_table_that_fits_stay_in_view(browser, tmp_path):
    """Seven metrics do not cost them."""
    many = [replace(EXAMPLES[0], id=f"q{i}") for i in range(60)]
    write_report(report(many, SEVEN), tmp_path / "many.html")
    page = opened(browser, tmp_path / "many.html")
    page.execute_script("document.getElementById('answer-30').scrollIntoView({ block: 'center' })")
    assert heading(page, "rank").is_displayed()
    assert page.execute_script("return document.querySelector('#table th').getBoundingClientRect().top") == 0


def test_an_opened_answer_stays_within_a_table_that_scrolls(browser, seven_path):
    """Its details are as wide as what is in view."""
    page = opened(browser, seven_path, {**DESK, "width": 1000})
    detail = open_answer(page, "atlas", "capital of France").find_element(By.CLASS_NAME, "detail")
    assert detail.rect["width"] == page.find_element(By.ID, "room").rect["width"]


def test_a_phone_can_sort_without_headings(browser, path):
    """The choice of order stands above the cards."""
    page = opened(browser, path, PHONE)
    Select(page.find_element(By.ID, "sort")).select_by_visible_text("rouge_l, highest first")
    assert heading(page, "rouge_l").get_attribute("aria-sort") == "descending"


def test_two_thousand_answers_are_paged_and_filtered_at_once(browser, tmp_path):
    """Fifty are drawn at a time, and a search goes over all."""
    many = [replace(EXAMPLES[0], id=f"q{i}", candidate=f"Paris, number {i}") for i in range(2000)]
    write_report(report(many, ("exact_match",)), tmp_path / "many.html")
    page = opened(browser, tmp_path / "many.html")
    search(page, "number 1999")
    assert page.find_element(By.ID, "count").text == "1–1 of 1 that match, of 2,000"  # noqa: RUF001 - a range


def test_the_next_page_follows(browser, tmp_path):
    """The pager turns to the answers after the first fifty."""
    many = [replace(EXAMPLES[0], id=f"q{i}") for i in range(120)]
    write_report(report(many, ("exact_match",)), tmp_path / "many.html")
    page = opened(browser, tmp_path / "many.html")
    page.find_element(By.ID, "next").click()
    assert page.find_element(By.ID, "page").text == "Page 2 of 3"
    assert page.find_element(By.CSS_SELECTOR, "button.open").text == "51"


@pytest.fixture(scope="module")
def judged_path(tmp_path_factory):
    steps = Example(
        "q9",
        "How many steps are involved in a hypothesis test?",
        (Reference("Four steps are involved in a hypothesis test."), Reference("It takes four.")),
        "🌊 There are seven steps involved.",
        "atlas",
    )
    written = tmp_path_factory.mktemp("judged") / "report.html"
    write_report(report((*EXAMPLES[:2], steps), ("rouge_l:kpqa", "ava")), written)
    return written


def test_the_words_that_carry_an_answer_are_heated(browser, judged_path):
    """The strongest shade is on the word that answers, in the answer and in the reference compared with."""
    detail = open_answer(opened(browser, judged_path), "atlas", "How many steps")
    strongest = (
        "[...arguments[0].querySelectorAll('.heat span')].filter(e => e.style.getPropertyValue('--weight') == 1)"
    )
    words = browser.execute_script(f"return {strongest}.map(e => e.textContent)", detail)
    assert words == ["seven", "Four"]
    detail.find_elements(By.CSS_SELECTOR, ".references button")[1].click()
    heats = [each.text for each in detail.find_elements(By.CSS_SELECTOR, ".heat")]
    assert heats == ["🌊 There are seven steps involved.", "It takes four."]


def test_the_judges_signals_are_explained(browser, judged_path):
    """A legend below the table says what each of them measures, on a phone too."""
    detail = open_answer(opened(browser, judged_path, PHONE), "atlas", "How many steps")
    legend = detail.find_element(By.CLASS_NAME, "meanings")
    legend.find_element(By.TAG_NAME, "summary").click()
    assert "BERTScore" in legend.text


def test_the_judges_signals_stand_beside_its_score(browser, judged_path):
    """The table names signals with what they add, and draws bars of both kinds apart."""
    detail = open_answer(opened(browser, judged_path), "atlas", "How many steps")
    names = [each.text for each in detail.find_elements(By.CSS_SELECTOR, ".signals tbody th")]
    assert "the network's reading" in names
    bar = detail.find_element(By.CSS_SELECTOR, ".signals tbody tr:first-child .pull i")
    assert bar.rect["width"] > 10


def test_the_evidence_fits_on_a_phone(browser, judged_path):
    """Nothing of it makes the page wider than the screen."""
    page = opened(browser, judged_path, PHONE)
    open_answer(page, "atlas", "How many steps")
    assert page.execute_script("return document.documentElement.scrollWidth") <= PHONE["width"]


def choose(page, name, text):
    Select(page.find_element(By.ID, name)).select_by_visible_text(text)


def test_the_reference_stands_beside_the_answer(page):
    """The closest one is shown, and how many more there are."""
    found = dict(zip(column(page, "answer"), column(page, "reference"), strict=True))
    assert found["It is Rome."] == "The capital of France is Paris."
    assert found["🌊 大约6300公里"] == "约6300公里 +1"


def test_a_long_judgement_is_rounded(browser, tmp_path):
    """A mean of six ratings takes one line."""
    write_report(report([replace(EXAMPLES[0], judgement=5 / 3), EXAMPLES[1]]), tmp_path / "r.html")
    page = opened(browser, tmp_path / "r.html")
    assert sorted(column(page, "judgement")) == ["1", "1.667"]
    assert "1.667" in open_answer(page, "atlas", "capital of France").find_element(By.CLASS_NAME, "facts").text


def test_answers_can_be_filtered_by_a_range_of_scores(page):
    """An answer without the score is in no range."""
    choose(page, "metric", "token_f1")
    page.find_element(By.ID, "low").send_keys("0.1")
    page.find_element(By.ID, "high").send_keys("0.9")
    assert [0.1 <= float(score) <= 0.9 for score in column(page, "token_f1")] == [True] * 3


def test_answers_can_be_filtered_by_the_type_of_question(page):
    """One answer has a type."""
    choose(page, "type", "number")
    assert column(page, "answer") == ["🌊 大约6300公里"]


def test_answers_on_which_metrics_disagree_can_be_picked_out(page):
    """Those with much the same scores go."""
    choose(page, "disagree", "by 0.5 or more")
    assert column(page, "answer") == ["Paris is the capital.", "🌊 大约6300公里"]


def test_questions_on_which_systems_differ_can_be_picked_out(page):
    """The question that only one system answered goes."""
    choose(page, "differ", "by 0.1 or more")
    assert set(column(page, "question")) == {"What is the capital of France?", "Is <b>this</b> safe?"}


def test_filters_are_cleared_at_once(page):
    """All answers are back, and the button goes."""
    choose(page, "type", "number")
    page.find_element(By.ID, "clear").click()
    assert len(column(page, "rank")) == 6
    assert not page.find_element(By.ID, "clear").is_displayed()


def test_systems_stand_side_by_side(page):
    """There is one row per question, with every system's answer and score."""
    choose(page, "view", "systems side by side")
    row = next(each for each in page.find_elements(By.CSS_SELECTOR, "#table > tbody > tr") if "France" in each.text)
    sides = [each.text.splitlines()[-1] for each in row.find_elements(By.CLASS_NAME, "side")]
    assert sides == ["Paris is the capital.", "It is Rome."]
    assert page.find_element(By.ID, "count").text == "1–3 of 3 questions"  # noqa: RUF001 - a range


def test_a_click_on_a_systems_answer_opens_it(page):
    """Another system's answer takes its place, and the same click closes it."""
    choose(page, "view", "systems side by side")
    row = next(each for each in page.find_elements(By.CSS_SELECTOR, "#table > tbody > tr") if "France" in each.text)
    for side, text in ((0, "Paris is the capital."), (1, "It is Rome.")):
        row.find_elements(By.CSS_SELECTOR, ".given")[side].click()
        assert text in page.find_element(By.CSS_SELECTOR, "tr.opened .texts .part:nth-child(2)").text
    row.find_elements(By.CSS_SELECTOR, ".given")[1].click()
    assert page.find_elements(By.CSS_SELECTOR, "tr.opened") == []


def test_systems_side_by_side_fit_on_a_phone(browser, path):
    """Question, reference and answers stand one below the other."""
    page = opened(browser, path, PHONE)
    choose(page, "view", "systems side by side")
    assert page.execute_script("return document.documentElement.scrollWidth") == 390


def test_unsupported_sentences_are_marked(browser, tmp_path):
    """An answer without references lists its sentences, those without support apart, with what is wrong in them."""
    context = "Anna Berg won the women's race in Oslo on Sunday. Maria Holm of Sweden came second."
    text = "Anna Berg won the women's race in Oslo. Maria Holm of Sweden did not come second."
    score([{"id": "1", "question": "Who won?", "candidate": text, "contexts": context}], ["faithful"]).report(
        tmp_path / "report.html"
    )
    page = opened(browser, tmp_path / "report.html")
    page.find_element(By.CSS_SELECTOR, "#table > tbody > tr > td.question").click()
    rows = page.find_elements(By.CSS_SELECTOR, ".claims tbody tr")
    assert [row.get_attribute("class") for row in rows] == ["", "unsupported"]
    assert [row.find_element(By.TAG_NAME, "td").text.split()[0] for row in rows] == ["yes", "no"]
    assert "did not" in rows[1].find_element(By.CSS_SELECTOR, "mark.fault").text
    assert "Reference" not in [each.text for each in page.find_elements(By.CSS_SELECTOR, ".part h4")]
    assert not [each for each in page.get_log("browser") if each["level"] == "SEVERE"]
