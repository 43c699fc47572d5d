"""A tour of every screen of `qassay serve`, with studies and a run made from the packaged answers.

`tour(browser, here)` brings a browser to one screen after another and yields their names: what looks at all screens, be
it for faults or for pictures, walks along.
"""

import contextlib
import random
import uuid
from dataclasses import replace

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import qassay
from qassay.io.input_stream import Reader
from qassay.records import Example, Reference
from qassay.web.explore.runs import open_runs
from qassay.web.study import creation, people
from qassay.web.study.tasks import Task
from web.conftest import running
from web.screens import enter, text_of, visit, wait

METRICS = ("token_f1", "rouge_l:kpqa", "ava")
LIKERT, BINARY, PAIR, FRESH = 1, 2, 3, 4
"""The studies; the last one has no judgement yet."""
PEOPLE = {"Ada": 0.4, "Ben": 0.5, "Chiara": 0.6, "Dai": 0.7, "Eli": 0.9}
"""Who judged before the tour, and how far they stray."""
NOTES = {"Ben": ("comment", "The year is off by one."), "Eli": ("flag", "The correct answer looks out of date.")}

PASSAGE = (
    "The heath hen was a distinctive subspecies of the greater prairie chicken that once lived along the east coast of "
    "North America. By 1870 all that were left lived on Martha's Vineyard, an island off Massachusetts, where the last "
    "one was seen in 1932."
)
PRACTICE = [
    Example(
        "practice-1",
        "Where did the last heath hens live?",
        (Reference("On Martha's Vineyard, an island off Massachusetts."),),
        "They lived on an island, Martha's Vineyard.",
        context=PASSAGE,
        judgement=5,
        extra={"why": "the state was not asked for"},
    ),
    Example(
        "practice-2",
        "What do bees make?",
        (Reference("Honey and wax."),),
        "Bees are insects that live in hives.",
        judgement=1,
        extra={"why": "it does not say what they make"},
    ),
]


@contextlib.contextmanager
def touring(folder):
    """Run a server with four studies and a scored run."""
    found = list(Reader([str(next(iter(qassay.__path__)) + "/assets/demo.jsonl")]))
    gold, work = found[:6], found[6:]
    known = {(each.question, each.candidate): each.judgement for each in found}
    runs = open_runs(folder / "runs.db", [], found, metrics=METRICS)

    def make(server):
        server.runs = runs
        plan = creation.StudyPlan("Quiz answers", Task.LIKERT5, 5, METRICS, "ava", round_size=40, gold_every=10)
        table = creation.score_answers(work, plan)
        others = [
            replace(plan, name="Right or wrong", task=Task.BINARY),
            replace(plan, name="The better answer", task=Task.PAIR),
            replace(plan, name="Just begun"),
        ]

        def write(connection):
            creation.create(connection, plan, work, table, gold=gold, practice=PRACTICE)
            creation.create(connection, others[0], work, table, practice=[])
            creation.create(connection, others[1], work, None, practice=[])
            creation.create(connection, others[2], work, table, practice=[])

        server.database.write(write)

    with running(folder / "server.db", make) as here:
        for name, noise in PEOPLE.items():
            judge_round(here.person(name, "annotator"), noise, known, NOTES.get(name))
        yield here
    runs.close()


def judge_round(client, noise, known, note):
    """Judge what there is as the answers deserve, with noise, and leave one note."""
    rng = random.Random(noise)
    place = 0
    while place < 38 and (item := client.post(f"/api/v1/projects/{LIKERT}/next").json["item"]) is not None:
        deserved = known.get((item["question"], item["candidates"][0]), 3)
        value = min(5, max(1, round(deserved + rng.gauss(0, noise))))
        event = {"type": "judge", "item": item["id"], "value": value, "elapsed_ms": rng.randrange(3000, 9000)}
        if item["kind"] == "work":
            place += 1
            if note is not None and place == 5:
                send(client, {"type": note[0], "item": item["id"], "text": note[1]})
            if place == 20 and noise > 0.8:
                event = {"type": "cannot", "item": item["id"]}
        send(client, event)


def send(client, event):
    """Send an event of a study."""
    assert client.post(f"/api/v1/projects/{LIKERT}/events", {"uuid": str(uuid.uuid4()), **event}).status == 200


def tour(browser, here):
    """Bring the browser to every screen, one after another, and yield what each is called."""
    yield from _strangers(browser, here)
    yield from _annotators(browser, here)
    yield from _leads(browser, here)
    yield from _explorers(browser, here)


def _token(here, project):
    """Return the invitation of somebody new."""
    with here.server.database.read() as connection:
        query = "SELECT count(*) FROM annotator WHERE project = ? AND name GLOB 'Hana*'"
        known = connection.execute(query, (project,)).fetchone()[0]
    name = f"Hana {known + 1}" if known else "Hana"
    return here.server.database.write(lambda c: people.invite(c, name, people.Role.ANNOTATOR, project))[1]


def _shown(browser, selector):
    return wait(lambda: browser.find_elements(By.CSS_SELECTOR, selector))


def _press(browser, *keys):
    browser.switch_to.active_element.send_keys(*keys)


def _dialog(browser, key, selector):
    """Open a dialog by its key, yield, and close it."""
    _press(browser, key)
    _shown(browser, f"dialog[open] {selector}")
    yield
    _press(browser, Keys.ESCAPE)
    wait(lambda: not browser.find_elements(By.TAG_NAME, "dialog"))


def _strangers(browser, here):
    visit_page = f"http://127.0.0.1:{here.port}"
    browser.get(f"{visit_page}/healthz")
    browser.delete_all_cookies()
    browser.get(f"{visit_page}/join#not-an-invitation")
    _shown(browser, "[role=alert]")
    yield "join"
    browser.get(visit_page)
    wait(lambda: text_of(browser, "h1") == "Please open your link")
    yield "stranger"
    browser.get_log("browser")


def _annotators(browser, here):
    enter(browser, here, _token(here, LIKERT))
    _shown(browser, "#begin")
    yield "instructions"
    _press(browser, Keys.ENTER)
    _shown(browser, "#question")
    browser.find_element(By.CSS_SELECTOR, "details.passage summary").click()
    yield "practice"
    for key in ("5", "3"):
        _press(browser, key)
        _shown(browser, "#go-on")
        if key == "3":
            yield "feedback"
        _press(browser, Keys.ENTER)
        wait(lambda: not browser.find_elements(By.ID, "go-on"))
    wait(lambda: "item 1" in text_of(browser, "#live"))
    yield "judge"
    for _ in _dialog(browser, "?", ".keys"):
        yield "keys"
    for _ in _dialog(browser, "c", "textarea"):
        yield "comment"
    _press(browser, "4")
    wait(lambda: "item 2" in text_of(browser, "#live"))
    _press(browser, Keys.ARROW_LEFT)
    wait(lambda: "1 back" in text_of(browser, "#live"))
    yield "earlier"
    for project, name in ((BINARY, "right-or-wrong"), (PAIR, "pair")):
        enter(browser, here, _token(here, project))
        _shown(browser, "#begin")
        _press(browser, Keys.ENTER)
        _shown(browser, "#question")
        yield name


def _leads(browser, here):
    enter(browser, here, here.server.database.write(people.owner_token))
    _shown(browser, ".card")
    yield "start"
    visit(browser, here, f"/projects/{LIKERT}")
    _shown(browser, "[aria-label=Annotators] tbody tr")
    yield "dashboard"
    visit(browser, here, f"/projects/{FRESH}")
    _shown(browser, ".tile")
    yield "fresh"
    visit(browser, here, f"/projects/{LIKERT}/adjudicate")
    _shown(browser, ".card")
    yield "adjudicate"
    browser.find_element(By.CSS_SELECTOR, ".card .tool").send_keys(Keys.ENTER)
    _shown(browser, "dialog .heat")
    yield "words"
    visit(browser, here, f"/projects/{FRESH}/adjudicate")
    _shown(browser, ".pager")
    yield "nothing-to-decide"


def _explorers(browser, here):
    for name, address, content in (
        ("explore", "/explore", "[aria-label=Answers] tbody tr"),
        ("filtered", "/explore?system=comet&metric=ava&high=0.5&sort=ava", "[aria-label=Answers] tbody tr"),
        ("nothing-fits", "/explore?text=zzzz", ".pager"),
        ("differences", "/explore?view=differences&metric=ava&a=atlas&b=comet", "[aria-label=Differences] tbody tr"),
        ("typed", "/explore?view=typed", ".typed .heat"),
        ("answer", "/explore?row=3", "dialog .heat"),
    ):
        visit(browser, here, address)
        _shown(browser, content)
        _shown(browser, "svg.bars")
        yield name
