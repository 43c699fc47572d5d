"""The screen that looks into runs, in a real browser."""

import json
from contextlib import closing
from dataclasses import replace

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from browser.conftest import browser  # noqa: F401 - the same browser as for the reports
from qassay.web.explore.runs import open_runs
from qassay.web.study import people
from web.conftest import running
from web.screens import MODES, check, enter, show_as, text_of, visit, wait
from web.studies import answers

pytestmark = pytest.mark.xdist_group("browser")

METRICS = ("token_f1", "rouge_l:kpqa", "ava")
VIEWS = ("/explore", "/explore?view=differences", "/explore?view=typed")
ROWS = "[aria-label=Answers] tbody tr"


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A server with the scored answers of two systems."""
    place = tmp_path_factory.mktemp("explore")
    runs = open_runs(place / "runs.db", [], answers(130, systems=("a", "<i>b</i>")), metrics=METRICS)

    def add(server):
        server.runs = runs

    with running(place / "server.db", add) as found:
        yield found
    runs.close()


@pytest.fixture
def owner(browser, here):  # noqa: F811
    """The owner's browser."""
    show_as(browser, "light")
    enter(browser, here, here.server.database.write(people.owner_token))
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, ".card"))
    return browser


def rows(page):
    return page.find_elements(By.CSS_SELECTOR, ROWS)


@pytest.mark.parametrize("mode", MODES)
def test_every_view_is_accessible(owner, here, mode):
    """Names, roles, contrast, targets and width, light, dark and on a phone."""
    show_as(owner, mode)
    for view, content in zip(VIEWS, (ROWS, "[aria-label=Differences] tbody tr", ".typed .heat"), strict=True):
        visit(owner, here, view)
        wait(lambda: owner.find_elements(By.CSS_SELECTOR, content))  # noqa: B023
        wait(lambda: owner.find_elements(By.CSS_SELECTOR, "svg.bars"))
        check(owner)
    visit(owner, here, "/explore?row=3")
    wait(lambda: owner.find_elements(By.CSS_SELECTOR, "dialog .heat"))
    check(owner)


def test_means_are_those_of_the_server(owner, here):
    """Every mean with its interval; names of systems are texts."""
    visit(owner, here, "/explore")
    shown = text_of(owner, "[aria-label^=Means]")
    for each in here.owner().get("/api/v1/runs").json["aggregates"]:
        assert f"{each['value']:.3f}\n{each['low']:.3f} to {each['high']:.3f}" in shown
    assert "<i>b</i>" in shown


def test_filters_stand_in_the_address(owner, here):
    """A choice changes the address and the list; the address alone gives the same list; back undoes it."""
    visit(owner, here, "/explore")
    wait(lambda: len(rows(owner)) == 50)
    owner.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("number 12")
    wait(lambda: "text=number+12" in owner.current_url and len(rows(owner)) == 2)
    Select(owner.find_element(By.CSS_SELECTOR, "[role=search] select")).select_by_value("a")
    wait(lambda: "system=a" in owner.current_url and len(rows(owner)) == 1)
    address = owner.current_url
    owner.back()
    wait(lambda: len(rows(owner)) == 2)
    owner.get(address)
    wait(lambda: len(rows(owner)) == 1)
    assert "what is number 12" in rows(owner)[0].text


def test_pages_and_order_come_from_the_server(owner, here):
    """Later shows the rest; a heading sorts, and sorts the other way when pressed again."""
    visit(owner, here, "/explore?offset=100")
    wait(lambda: len(rows(owner)) == 30)
    assert "101 to 130 of 130" in text_of(owner, ".pager")
    for order, first in (("ascending", "0.000"), ("descending", "1.000")):
        heads = owner.find_elements(By.CSS_SELECTOR, "[aria-label=Answers] button.sort")
        next(each for each in heads if each.text.startswith("token_f1")).send_keys(Keys.ENTER)
        wait(lambda: owner.find_elements(By.CSS_SELECTOR, f"th[aria-sort={order}]"))  # noqa: B023
        assert rows(owner)[0].find_elements(By.CSS_SELECTOR, "td.number")[0].text == first
        assert owner.switch_to.active_element.text.startswith("token_f1")


def test_an_answer_opens_with_its_words(owner, here):
    """The heat map, the asserted span and the scores; the address leads back to it."""
    visit(owner, here, "/explore?text=number+7")
    wait(lambda: rows(owner))
    rows(owner)[0].find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
    wait(lambda: owner.find_elements(By.CSS_SELECTOR, "dialog .heat"))
    shown = text_of(owner, "dialog")
    assert "what is number 7" in shown
    assert "Asserted, as ava reads it" in shown
    assert "Weights of kpqa" in shown
    assert "row=" in owner.current_url
    owner.switch_to.active_element.send_keys(Keys.ESCAPE)
    wait(lambda: "row=" not in owner.current_url)


def test_differences_of_two_systems(owner, here):
    """What is said of them is what the server counts."""
    visit(owner, here, "/explore?view=differences&metric=token_f1")
    wait(lambda: owner.find_elements(By.CSS_SELECTOR, "[aria-label=Differences] tbody tr"))
    query = "a=a&b=%3Ci%3Eb%3C/i%3E&metric=token_f1"
    better = here.owner().get(f"/api/v1/differences?{query}").json["better"]
    assert f"a is better in {better['a']} answers, <i>b</i> in {better['b']}" in text_of(owner, "main")


def test_a_typed_answer_is_scored_as_by_the_api(owner, here):
    """The scores below the fields are those of `/api/v1/score`, after the last key."""
    visit(owner, here, "/explore?view=typed")
    wait(lambda: owner.find_elements(By.CSS_SELECTOR, ".typed .heat"))
    field = owner.find_elements(By.CSS_SELECTOR, ".typed textarea")[1]
    field.clear()
    field.send_keys("deep beneath the earth")
    answer = {"question": "where does natural gas come from", "references": ["from deep beneath the earth"]}
    body = {"answers": [answer | {"candidate": "deep beneath the earth"}], "metrics": list(METRICS)}
    scores = json.loads(here.owner().post("/api/v1/score", body).body)["rows"][0]["scores"]
    expected = [f"{value:.3f}" for value in scores.values()]
    cells = ".typed [aria-label=Scores] td.number"
    wait(lambda: [each.text for each in owner.find_elements(By.CSS_SELECTOR, cells)] == expected)


def test_a_passage_can_be_read_and_what_is_not_known_is_left_out(browser, tmp_path):  # noqa: F811
    """The dialog of an answer has its passage; without texts it has the scores alone."""
    example = replace(answers(1)[0], context="It stands here.")
    with closing(open_runs(tmp_path / "texts.db", [], [example], metrics=("token_f1",))) as runs:
        (tmp_path / "scores.jsonl").write_text('{"id": "q0", "system": "a", "scores": {"token_f1": 0.5}}\n')
        with closing(open_runs(tmp_path / "scores.db", [str(tmp_path / "scores.jsonl")], [])) as bare:
            shown = [dialog_of(browser, tmp_path / f"server{i}.db", each) for i, each in enumerate((runs, bare))]
    assert "It stands here." in shown[0]
    assert "token_f1" in shown[1]
    assert not any("null" in each for each in shown)


def dialog_of(page, path, runs):
    """Return the text of the dialog of the first answer, with its passage open."""
    with running(path, lambda server: setattr(server, "runs", runs)) as here:
        enter(page, here, here.server.database.write(people.owner_token))
        visit(page, here, "/explore?row=1")
        wait(lambda: page.find_elements(By.CSS_SELECTOR, "dialog [aria-label=Scores]"))
        page.execute_script("document.querySelectorAll('dialog details').forEach((each) => { each.open = true; })")
        return text_of(page, "dialog")
