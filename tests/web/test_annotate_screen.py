"""The screen of annotators in a real browser."""

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser.conftest import browser  # noqa: F401 - the same browser as for the reports
from qassay.records import Example, Reference
from qassay.web.study import people
from web.screens import FAULTS, MODES, check, enter, show_as, text_of, wait
from web.studies import expected, prepare

pytestmark = pytest.mark.xdist_group("browser")


def invited(here, name="Ada", role="annotator"):
    """Return the token of a new invitation."""
    return here.server.database.write(lambda c: people.invite(c, name, people.Role(role), 1))[1]


def press(page, *keys):
    """Press keys, wherever the focus is."""
    page.switch_to.active_element.send_keys(*keys)


def question(page):
    return text_of(page, "#question")


def said(page, text):
    """Wait until a line is announced."""
    return wait(lambda: text in text_of(page, "#live"))


def exported(here, name="ratings.jsonl"):
    body = here.owner().get(f"/api/v1/projects/1/export/{name}").body
    return [json.loads(line) for line in body.splitlines()]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("task", ["likert5", "binary", "pair"])
def test_instructions_and_items_are_accessible(browser, serving, task, mode):  # noqa: F811
    """Names, roles, contrast, targets and width, for each task, light, dark and on a phone."""
    more = {"practice": expected(2)} if task == "likert5" else {}
    here = serving(prepare(4, task=task, **more))
    show_as(browser, mode)
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    check(browser)
    press(browser, Keys.ENTER)
    wait(lambda: browser.find_elements(By.ID, "question"))
    check(browser)
    press(browser, "?")
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, "dialog[open]"))
    check(browser)


def test_a_whole_session_by_keyboard(browser, serving):  # noqa: F811
    """Instructions, practice with feedback, judging, undo, cannot judge, flag, comment, back, the end: no mouse."""
    here = serving(prepare(6, k=1, practice=expected(2)))
    show_as(browser, "light")
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    press(browser, Keys.ENTER)
    for key, told in (
        ("5", "5 is what we expected: the same"),
        ("1", "You said 1 wrong; we expected 5 correct: the same"),
    ):
        wait(lambda: browser.switch_to.active_element.get_attribute("id") == "question")
        press(browser, key)
        wait(lambda: browser.find_elements(By.ID, "go-on"))
        assert told in text_of(browser, "#feedback")
        press(browser, Keys.ENTER)
    said(browser, "item 1")
    first = question(browser)
    press(browser, "4")
    said(browser, "saved 4, item 2")
    press(browser, "u")
    said(browser, "undone, item 1")
    assert question(browser) == first
    press(browser, "f")
    wait(lambda: browser.switch_to.active_element.get_attribute("id") == "note")
    press(browser, "5 is no answer", Keys.CONTROL, Keys.ENTER)
    said(browser, "flagged")
    press(browser, "3")
    said(browser, "saved 3, item 2")
    press(browser, "c")
    wait(lambda: browser.switch_to.active_element.get_attribute("id") == "note")
    press(browser, "hm", Keys.CONTROL, Keys.ENTER)
    said(browser, "comment saved")
    press(browser, "s")
    said(browser, "saved: cannot judge")
    press(browser, Keys.ARROW_LEFT)
    said(browser, "1 back")
    press(browser, Keys.ARROW_LEFT)
    said(browser, "2 back")
    assert question(browser) == first
    assert browser.find_element(By.CSS_SELECTOR, ".grade.chosen kbd").text == "3"
    press(browser, "2")
    for _ in range(4):
        said(browser, "item")
        wait(
            lambda: (
                browser.switch_to.active_element.get_attribute("id") == "question"
                and "earlier" not in text_of(browser, "#live")
            )
        )
        before = text_of(browser, ".progress")
        press(browser, "5")
        wait(lambda: text_of(browser, ".progress") != before)  # noqa: B023
    wait(lambda: text_of(browser, "h1") == "All done")
    assert sorted(row["value"] for row in exported(here)) == [2, 5, 5, 5, 5]
    events = [
        (row["type"], row["text"]) for row in exported(here, "events.jsonl") if row["type"] in ("flag", "comment")
    ]
    assert events == [("flag", "5 is no answer"), ("comment", "hm")]


def test_texts_are_never_html(browser, serving):  # noqa: F811
    """Markup in every text of an item is shown as it is written."""
    hostile = "<img src=x onerror=document.title='hit'><b>bold</b>"
    item = Example("p", hostile, (Reference(hostile),), hostile, judgement=5.0, extra={"why": hostile})
    here = serving(prepare(2, practice=[item]))
    show_as(browser, "light")
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    press(browser, Keys.ENTER)
    wait(lambda: browser.find_elements(By.ID, "question"))
    press(browser, "5")
    wait(lambda: browser.find_elements(By.ID, "go-on"))
    assert browser.find_elements(By.CSS_SELECTOR, "main img, main b") == []
    assert text_of(browser, "main").count(hostile) == 4


def test_a_judgement_waits_until_the_server_is_back(browser, serving):  # noqa: F811
    """What cannot be sent stays in the browser, also over a reload, and is sent once."""
    here = serving(prepare(3, k=1, practice=[]))
    show_as(browser, "light")
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    press(browser, Keys.ENTER)
    wait(lambda: browser.find_elements(By.ID, "question"))
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    press(browser, "2")
    said(browser, "not saved yet")
    assert exported(here) == []
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})
    browser.refresh()
    said(browser, "item 2")
    assert [row["value"] for row in exported(here)] == [2]
    assert browser.execute_script("return Object.keys(localStorage).filter((each) => each.includes('unsent'))") == []
    browser.get_log("browser")


def test_the_next_item_waits_until_the_server_is_back(browser, serving):  # noqa: F811
    """A connection that is lost after a judgement was saved ends nothing: the page asks again."""
    here = serving(prepare(3, k=1, practice=[]))
    show_as(browser, "light")
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    press(browser, Keys.ENTER)
    said(browser, "item 1")
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/next"]})
    press(browser, "2")
    said(browser, "trying again")
    assert [row["value"] for row in exported(here)] == [2]
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    said(browser, "saved 2, item 2")
    browser.get_log("browser")


def test_new_instructions_are_read_before_going_on(browser, serving):  # noqa: F811
    """An open page shows them before the next item, and events say which version was read."""
    here = serving(prepare(3, k=1, practice=[]))
    show_as(browser, "light")
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    press(browser, Keys.ENTER)
    said(browser, "item 1")
    assert here.owner().request("PUT", "/api/v1/projects/1/guideline", {"text": "# Quite anew"}).status == 200
    press(browser, "2")
    said(browser, "saved 2; the instructions have changed")
    assert "Quite anew" in text_of(browser, ".reading")
    wait(lambda: browser.switch_to.active_element.tag_name == "h1")
    press(browser, Keys.ENTER)
    said(browser, "item 2")
    press(browser, "c")
    wait(lambda: browser.find_elements(By.ID, "note"))
    press(browser, "odd", Keys.CONTROL, Keys.ENTER)
    said(browser, "comment saved")
    press(browser, Keys.NULL, "4")
    said(browser, "saved 4, item 3")
    found = [row for row in exported(here, "events.jsonl") if row["id"] is not None]
    assert [(row["type"], row["guideline"]) for row in found] == [("judge", 1), ("comment", 2), ("judge", 2)]
    assert browser.get_log("browser") == []


def test_a_bad_invitation_says_so(browser, serving):  # noqa: F811
    """The screen says that the link does not work, and the token is gone from the address."""
    here = serving(prepare(2))
    browser.get(f"http://127.0.0.1:{here.port}/join#nobody-has-this-token")
    wait(lambda: "not valid" in text_of(browser, "[role=alert]"))
    assert "#" not in browser.current_url
    browser.get_log("browser")


def test_a_stranger_is_told_to_open_the_link(browser, serving):  # noqa: F811
    """Without a session the screens say what to do."""
    here = serving(prepare(2))
    for page in ("/", "/annotate/1", "/projects/1", "/projects/1/adjudicate", "/explore"):
        browser.get(f"http://127.0.0.1:{here.port}{page}")
        browser.delete_all_cookies()
        browser.refresh()
        wait(lambda: text_of(browser, "h1") == "Please open your link")
    browser.get_log("browser")


def test_the_check_of_access_finds_faults(browser, serving):  # noqa: F811
    """A button without a name, faint text, a small target and a second heading are found."""
    here = serving(prepare(2))
    show_as(browser, "light")
    enter(browser, here, invited(here))
    wait(lambda: browser.find_elements(By.ID, "begin"))
    browser.execute_script(
        "const add = (tag, text) => {const made = document.createElement(tag); made.textContent = text;"
        " document.getElementById('main').append(made); return made;};"
        "add('button', ''); add('p', 'faint').style.color = '#ccc'; add('button', 'x').style.minHeight = '1px';"
        "add('h1', 'again');"
    )
    found = " ".join(browser.execute_script(FAULTS))
    assert all(fault in found for fault in ("no name", "contrast", "small target", "not one main and one h1"))
