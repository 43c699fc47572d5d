"""What happens to people: two tabs, two people in one browser, reloads, odd texts, clocks, slow and broken requests."""

import json
import logging
import shutil
import socket
import sqlite3
import time
import uuid
from contextlib import closing, suppress

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser.conftest import browser, open_browser, programs  # noqa: F401 - the same browser as for the reports
from qassay.errors import OutputError
from qassay.web.http import connection as connections
from qassay.web.http.assets import Asset
from qassay.web.store.database import Database, restore
from qassay.web.study import assignment, people
from web.screens import enter, show_as, text_of, wait
from web.studies import prepare

in_browser = pytest.mark.xdist_group("browser")
EVENTS, NEXT = "/api/v1/projects/1/events", "/api/v1/projects/1/next"


def invited(here, name):
    return here.server.database.write(lambda c: people.invite(c, name, people.Role.ANNOTATOR, 1))[1]


def press(page, *keys):
    page.switch_to.active_element.send_keys(*keys)


def said(page, text):
    return wait(lambda: text in text_of(page, "#live"))


def begin(page):
    """Go on from the instructions to the first item."""
    wait(lambda: page.find_elements(By.ID, "begin"))
    press(page, Keys.ENTER)
    said(page, "item 1")
    wait(lambda: page.switch_to.active_element.get_attribute("id") == "question")


def exported(here, name="ratings.jsonl"):
    body = here.owner().get(f"/api/v1/projects/1/export/{name}").body
    return [json.loads(line) for line in body.decode().split("\n") if line]


@pytest.fixture
def here(serving):
    return serving(prepare(6, k=2, practice=[]))


@pytest.fixture
def tabs(browser):  # noqa: F811
    """Two tabs of one browser; the second is closed afterwards."""
    show_as(browser, "light")
    first = browser.current_window_handle
    yield lambda number: browser.switch_to.window(browser.window_handles[number])
    for each in browser.window_handles:
        if each != first:
            browser.switch_to.window(each)
            browser.close()
    browser.switch_to.window(first)
    browser.get_log("browser")


@in_browser
def test_two_tabs_of_one_person_make_one_judgement(browser, here, tabs):  # noqa: F811
    """The same item in both tabs: what was said last stands, once, and both go on."""
    enter(browser, here, invited(here, "Ada"))
    begin(browser)
    address, question = browser.current_url, text_of(browser, "#question")
    browser.switch_to.new_window("tab")
    browser.get(address)
    said(browser, "item 1")
    assert text_of(browser, "#question") == question
    press(browser, "4")
    said(browser, "saved 4, item 2")
    tabs(0)
    press(browser, "2")
    said(browser, "saved 2, item 2")
    assert [row["value"] for row in exported(here)] == [2]
    assert [row["value"] for row in exported(here, "events.jsonl") if row["type"] == "judge"] == [4, 2]


@in_browser
def test_two_people_in_one_browser_are_never_mixed_up(browser, here, tabs):  # noqa: F811
    """After Ben opened his link in another tab, Ada's tab says so; what she pressed is sent when she is back."""
    links = {name: invited(here, name) for name in ("Ada", "Ben")}
    enter(browser, here, links["Ada"])
    begin(browser)
    browser.switch_to.new_window("tab")
    browser.get(f"http://127.0.0.1:{here.port}/join#{links['Ben']}")
    begin(browser)
    tabs(0)
    press(browser, "1")
    wait(lambda: "Somebody else opened a link in this browser" in text_of(browser, "main"))
    assert exported(here) == []
    browser.get(f"http://127.0.0.1:{here.port}/join#{links['Ada']}")
    said(browser, "item 2")
    assert [(row["annotator"], row["value"]) for row in exported(here)] == [("Ada", 1)]


@in_browser
def test_undo_works_after_a_reload(browser, here):  # noqa: F811
    """The server knows what was said last."""
    show_as(browser, "light")
    enter(browser, here, invited(here, "Ada"))
    begin(browser)
    question = text_of(browser, "#question")
    press(browser, "5")
    said(browser, "saved 5, item 2")
    browser.refresh()
    said(browser, "item 2")
    press(browser, "u")
    said(browser, "undone, item 1")
    assert text_of(browser, "#question") == question
    assert exported(here) == []


@in_browser
def test_a_page_without_encryption_can_judge(tmp_path, serving):
    """On a plain network address browsers have neither `randomUUID` nor the clipboard."""
    if None in programs():
        pytest.skip("needs Chromium and chromedriver on the PATH")
    here = serving(prepare(3, k=1, practice=[]), allowed_hosts=("study.test",), host="0.0.0.0", insecure=True)  # noqa: S104
    with open_browser(tmp_path / "profile", "--host-resolver-rules=MAP study.test 127.0.0.1") as page:
        page.get(f"http://study.test:{here.port}/join#{invited(here, 'Ada')}")
        begin(page)
        assert page.execute_script("return !isSecureContext && crypto.randomUUID === undefined")
        press(page, "3")
        said(page, "saved 3, item 2")
    with here.server.database.read() as held:
        assert [row["value"] for row in held.execute("SELECT value FROM current")] == [3]


@in_browser
def test_a_broken_link_says_so(browser, here):  # noqa: F811
    """A token that is no text at all is refused like any other."""
    browser.get(f"http://127.0.0.1:{here.port}/join#%E0%A4%A")
    wait(lambda: "not valid" in text_of(browser, "[role=alert]"))
    browser.get_log("browser")


def judged(client, item, **more):
    return client.post(EVENTS, {"uuid": str(uuid.uuid4()), "item": item, **more})


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f600" * 5000,
        "\u05e9\u05dc\u05d5\u05dd \u202eabc",
        "\U0001f469\u200d\U0001f467 \u2028\x85",
        "a\x00b",
        "=1+1",
    ],
)
def test_comments_in_any_script_come_back_as_they_were(here, text):
    """Emoji, right-to-left, separators of lines that JSON lines must not break at."""
    client = here.person("Ada", "annotator")
    item = client.post(NEXT).json["item"]["id"]
    assert judged(client, item, type="comment", text=text).status == 200
    assert [row["text"] for row in exported(here, "events.jsonl") if row["type"] == "comment"] == [text]


def test_a_comment_that_is_too_long_is_refused(here):
    """5,000 characters are enough; the reply says so."""
    client = here.person("Ada", "annotator")
    item = client.post(NEXT).json["item"]["id"]
    for size in (5001, 1_900_000):
        assert judged(client, item, type="comment", text="x" * size).status == 422


def test_an_invitation_that_is_used_twice_is_the_same_person(here):
    """A link opened on a laptop and on a phone: one person, one item, no second judgement."""
    laptop = here.person("Ada", "annotator")
    phone = here.client().join(laptop.invitation)
    item = laptop.post(NEXT).json["item"]["id"]
    assert phone.post(NEXT).json["item"]["id"] == item
    assert judged(laptop, item, type="judge", value=3).status == 200
    assert phone.post(NEXT).json["item"]["id"] != item
    assert len(exported(here)) == 1


def test_a_header_that_names_another_person_is_refused(here):
    """A page acts for the person whom it shows."""
    client = here.person("Ada", "annotator")
    own = client.get("/api/v1/me").json["person"]["id"]
    assert client.get("/api/v1/me", headers={"Qassay-Person": str(own)}).status == 200
    reply = client.post(NEXT, headers={"Qassay-Person": str(own + 1)})
    assert (reply.status, reply.json["code"]) == (401, "other_person")


@pytest.mark.parametrize(("shift", "free"), [(-86400, True), (-60, False), (86400, True)])
def test_leases_survive_a_clock_that_is_set(here, monkeypatch, shift, free):
    """An item that someone holds is free again after a day, whichever way the clock jumped, and not a minute off."""
    study = prepare(1, k=1, practice=[])
    study(here.server)
    ada, ben = (here.person(name, "annotator", project=2) for name in ("Ada", "Ben"))
    path = "/api/v1/projects/2/next"
    item = ada.post(path).json["item"]["id"]
    assert ben.post(path).json["reason"] == "wait"
    real = time.time
    monkeypatch.setattr(assignment.time, "time", lambda: real() + shift)
    found = ben.post(path).json["item"]
    assert (found is not None and found["id"] == item) == free


def test_a_head_that_never_ends_is_closed(here, monkeypatch):
    """A connection that sends no whole head is closed, the first time and after a reply; others are answered."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    whole = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\n\r\n".encode()
    for first, then in ((b"", b""), (b"", b"GET / HT"), (whole, b"GET / HT")):
        with socket.create_connection(("127.0.0.1", here.port), timeout=5) as slow:
            slow.sendall(first)
            assert not first or slow.recv(65536).startswith(b"HTTP/1.1 200")
            slow.sendall(then)
            begun = time.monotonic()
            while slow.recv(65536):
                pass
            assert time.monotonic() - begun < 4
    assert here.client().get("/healthz").status == 200


def test_a_reply_that_nobody_takes_is_given_up(here, monkeypatch):
    """Who asks for much and reads nothing does not hold a connection for ever; who reads slowly gets all of it."""
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.5)
    size = 40 << 20
    here.server.assets.files["large.js"] = Asset("text/javascript", b"x" * size)
    request = f"GET {here.server.assets.prefix}/large.js HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\n\r\n".encode()

    def taken(pause):
        with socket.create_connection(("127.0.0.1", here.port), timeout=20) as asking:
            asking.sendall(request)
            time.sleep(pause)
            found = 0
            with suppress(ConnectionResetError):
                while found < size and (part := asking.recv(1 << 20)):
                    found += len(part)
            return found

    assert taken(0) >= size
    assert taken(1.5) < size


def test_two_lengths_end_the_connection(here):
    """What follows a request with two lengths is not taken for a request."""
    host = f"Host: 127.0.0.1:{here.port}\r\n"
    both = "Content-Type: application/json\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n"
    smuggled = f"POST /api/v1/join HTTP/1.1\r\n{host}{both}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n{host}\r\n"
    with socket.create_connection(("127.0.0.1", here.port), timeout=5) as connection:
        connection.sendall(smuggled.encode())
        reply = b""
        while part := connection.recv(65536):
            reply += part
    assert reply.startswith(b"HTTP/1.1 400")
    assert reply.count(b"HTTP/1.1") == 1


def test_who_hangs_up_is_no_bug(here, caplog):
    """A request that ends before its body is not logged as an error of the server."""
    with caplog.at_level(logging.INFO, "qassay.web"):
        with socket.create_connection(("127.0.0.1", here.port), timeout=5) as connection:
            head = f"POST /api/v1/join HTTP/1.1\r\nHost: 127.0.0.1:{here.port}\r\nContent-Type: application/json\r\n"
            connection.sendall(f"{head}Content-Length: 50\r\n\r\n{{".encode())
            time.sleep(0.2)
        time.sleep(0.3)
    assert caplog.records == []


def test_a_copy_is_not_put_beside_what_a_lost_file_left(tmp_path):
    """SQLite would replay the log of the lost file into the copy; the message names what to move."""
    lost, copy = tmp_path / "study.qassay.db", tmp_path / "copy.db"
    database = Database(lost)
    database.write(people.owner_token)
    database.backup(copy)
    database.write(lambda c: people.invite(c, "Ada", people.Role.ANNOTATOR, None))
    shutil.copy(f"{lost}-wal", tmp_path / "kept-wal")
    database.close()
    lost.unlink()
    shutil.move(tmp_path / "kept-wal", f"{lost}-wal")
    with pytest.raises(OutputError, match=r"study\.qassay\.db-wal: is left"):
        restore(copy, lost)
    (tmp_path / "study.qassay.db-wal").unlink()
    restore(copy, lost)
    with closing(sqlite3.connect(lost)) as held:
        assert held.execute("SELECT name FROM annotator").fetchall() == [("owner",)]
