"""The screens of leads in a real browser: start, dashboard, adjudication."""

import uuid

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser.conftest import browser  # noqa: F401 - the same browser as for the reports
from qassay.web.study import people
from web.conftest import running
from web.screens import MODES, check, enter, show_as, text_of, visit, wait
from web.studies import prepare

pytestmark = pytest.mark.xdist_group("browser")

HOSTILE = "<b>Cy</b>"
DASHBOARD = "/projects/1"
ADJUDICATION = "/projects/1/adjudicate"


def judge_all(client, shift, most):
    """Judge items as the answers deserve, shifted where the scale allows."""
    for turn in range(most):
        item = client.post("/api/v1/projects/1/next").json["item"]
        if item is None:
            break
        value = 1 if "nobody" in item["candidates"][0] else 5
        value = min(5, max(1, value + (shift if turn % 3 == 0 else 0)))
        event = {"uuid": str(uuid.uuid4()), "type": "judge", "item": item["id"], "value": value, "elapsed_ms": 4000}
        assert client.post("/api/v1/projects/1/events", event).status == 200


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A study with two metrics, a judge and three people, in the middle of its work."""
    make = prepare(60, k=2, metrics=("token_f1", "rouge_l:kpqa"), judge="ava", scored=True, practice=[], round_size=20)
    with running(tmp_path_factory.mktemp("lead") / "study.qassay.db", make) as found:
        for name, shift in (("Ada", 0), ("Ben", -1), (HOSTILE, -3)):
            judge_all(found.person(name, "annotator"), shift, 12)
        yield found


@pytest.fixture
def owner(browser, here):  # noqa: F811
    """The owner's browser."""
    show_as(browser, "light")
    enter(browser, here, here.server.database.write(people.owner_token))
    wait(lambda: browser.find_elements(By.CSS_SELECTOR, ".card"))
    return browser


@pytest.mark.parametrize("mode", MODES)
def test_screens_of_the_lead_are_accessible(owner, here, mode):
    """Names, roles, contrast, targets and width, light, dark and on a phone."""
    show_as(owner, mode)
    for page in ("/", DASHBOARD, ADJUDICATION):
        visit(owner, here, page)
        wait(lambda: owner.find_elements(By.CSS_SELECTOR, "main .card, main .tile"))
        check(owner)
    owner.find_element(By.CSS_SELECTOR, ".card .tool").click()
    wait(lambda: owner.find_elements(By.CSS_SELECTOR, "dialog .heat"))
    check(owner)


def test_the_dashboard_shows_what_the_server_computes(owner, here):
    """Alpha, accuracies with intervals and labels to halve them, correlations, annotators."""
    visit(owner, here, DASHBOARD)
    found = here.owner().get("/api/v1/projects/1/dashboard").json
    shown = text_of(owner, "main")
    assert f"{found['agreement']['alpha']['value']:.3f}" in shown
    for each in found["accuracy"]["systems"]:
        assert f"{each['estimate']:.3f} {each['low']:.3f} to {each['high']:.3f}" in shown
        assert f"{each['halving']['more']} more labels" in shown or each["halving"]["more"] == 0
    for each in found["correlations"]["correlations"]:
        assert f"{each['pearson']:.3f}".replace("-", "\N{MINUS SIGN}") in shown
    assert HOSTILE in shown
    assert all(note in shown for note in found["notes"])


def test_a_finished_study_is_exact_and_remarks_on_gold_are_read(browser, serving):  # noqa: F811
    """Where all is labelled, accuracies have no width; what was said of a gold item stands beside the annotators."""
    more = {"judge": "ava", "metrics": ("token_f1",), "scored": True, "round_size": 5}
    here = serving(prepare(20, k=1, gold=2, gold_every=2, practice=[], **more))
    ada = here.person("Ada", "annotator")
    for _ in range(30):
        if (item := ada.post("/api/v1/projects/1/next").json["item"]) is None:
            break
        about = {"item": item["id"], "value": 1 if "nobody" in item["candidates"][0] else 5}
        if item["question"].startswith("gold"):
            note = {"uuid": str(uuid.uuid4()), "type": "flag", "item": item["id"], "text": HOSTILE}
            assert ada.post("/api/v1/projects/1/events", note).status == 200
        assert ada.post("/api/v1/projects/1/events", {"uuid": str(uuid.uuid4()), "type": "judge"} | about).status == 200
    systems = here.owner().get("/api/v1/projects/1/dashboard").json["accuracy"]["systems"]
    assert [(each["low"], each["high"]) for each in systems] == [(each["estimate"],) * 2 for each in systems]
    show_as(browser, "light")
    enter(browser, here, here.server.database.write(people.owner_token))
    visit(browser, here, DASHBOARD)
    shown = text_of(browser, "main")
    assert shown.count("all are labelled") == len(systems) == 2
    assert f"Ada, flag on the gold item \u201cgold 0\u201d: {HOSTILE}" in shown
    check(browser)


def test_the_dashboard_follows_what_happens(owner, here):
    """A judgement made elsewhere appears by itself."""
    visit(owner, here, DASHBOARD)
    before = text_of(owner, ".tile dd")
    judge_all(here.person("Dee", "annotator"), 0, 2)
    wait(lambda: text_of(owner, ".tile dd") != before)


def test_a_person_is_invited_and_excluded_by_keyboard(owner, here):
    """The link works, is shown whole, and who is excluded is marked."""
    visit(owner, here, DASHBOARD)
    field = owner.find_element(By.CSS_SELECTOR, "input[maxlength='80']")
    field.send_keys("Eve", Keys.ENTER)
    link = wait(lambda: text_of(owner, ".link code"))
    here.client().join(link.partition("#")[2])
    assert link.startswith(f"http://127.0.0.1:{here.port}/join#")
    exclude = wait(lambda: owner.find_element(By.CSS_SELECTOR, "[aria-label='Exclude Eve']"))
    exclude.send_keys(Keys.ENTER)
    wait(lambda: owner.find_elements(By.CSS_SELECTOR, "[aria-label='Include Eve']"))
    assert owner.switch_to.active_element.get_attribute("aria-label") == "Include Eve"


def test_a_round_is_drawn(owner, here):
    """A round of the size that was asked for comes last in the table."""
    visit(owner, here, DASHBOARD)
    size = owner.find_element(By.CSS_SELECTOR, "input[type=number]")
    size.clear()
    size.send_keys("3", Keys.ENTER)
    rows = "[aria-label=Rounds] tbody tr"
    wait(lambda: " 3 0 " in owner.find_elements(By.CSS_SELECTOR, rows)[-1].text)


def test_a_verdict_is_given_by_key(owner, here):
    """The item with the widest spread goes, and the next one has the focus."""
    visit(owner, here, ADJUDICATION)
    first = here.owner().get("/api/v1/projects/1/adjudication").json["items"][0]
    grade = wait(lambda: owner.find_element(By.CSS_SELECTOR, ".card .grade"))
    grade.send_keys("4")
    wait(lambda: "decided" in text_of(owner, "#live"))
    decided = here.owner().get("/api/v1/projects/1/adjudication?open=false&limit=200").json["items"]
    assert next(each["verdict"] for each in decided if each["id"] == first["id"]) == 4
    assert "grade" in owner.switch_to.active_element.get_attribute("class")


def test_instructions_are_changed_and_read_again(owner, here):
    """A new version is saved with its examples, shown as texts, and annotators see it before they go on."""
    visit(owner, here, DASHBOARD)
    owner.find_element(By.CSS_SELECTOR, ".passage > summary").click()
    field = owner.find_element(By.CSS_SELECTOR, ".passage textarea")
    field.clear()
    field.send_keys("# Anew\n- **one** <i>two</i>\n")
    assert owner.find_element(By.CSS_SELECTOR, ".reading li strong").text == "one"
    assert text_of(owner, ".reading li") == "one <i>two</i>"
    owner.find_element(By.CSS_SELECTOR, ".passage form button").click()
    wait(lambda: "version 2" in text_of(owner, ".passage .fields"))
    saved = here.owner().get("/api/v1/projects/1/guideline").json
    assert (saved["version"], saved["text"].split("\n")[0], len(saved["examples"])) == (2, "# Anew", 5)
    visit(owner, here, "/annotate/1")
    wait(lambda: "Anew" in text_of(owner, ".reading"))


def test_a_comparison_is_decided_in_the_order_of_the_file(browser, serving):  # noqa: F811
    """Ratings for the second answer are shown as such, and the verdict for it is stored as such."""
    pair = serving(prepare(4, task="pair", k=2, practice=[]))
    for name in ("Ada", "Ben"):
        client = pair.person(name, "annotator")
        item = client.post("/api/v1/projects/1/next").json["item"]
        value = 2 if "nobody" in item["candidates"][0] else 1
        event = {"uuid": str(uuid.uuid4()), "type": "judge", "item": item["id"], "value": value}
        assert client.post("/api/v1/projects/1/events", event).status == 200
    show_as(browser, "light")
    enter(browser, pair, pair.server.database.write(people.owner_token))
    visit(browser, pair, ADJUDICATION)
    card = wait(lambda: browser.find_element(By.CSS_SELECTOR, ".card"))
    answers = [each.text for each in card.find_elements(By.CSS_SELECTOR, ".candidate")]
    better = "second (2)" if "nobody" in answers[0] else "first (1)"
    assert card.text.count(better) == 2
    card.find_element(By.CSS_SELECTOR, ".grade").send_keys("2")
    wait(lambda: "decided: the second answer is better" in text_of(browser, "#live"))
    found = pair.owner().get("/api/v1/projects/1/adjudication?open=false").json["items"]
    assert found[0]["verdict"] == -1
