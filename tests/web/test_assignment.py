"""Ten people at once: nobody twice, never more than k; undo, leases, gold and practice."""

import threading
import time
from collections import Counter
from uuid import uuid4

import pytest

from qassay.web.study import assignment, events, projects
from qassay.web.study.people import Person, Role
from web.studies import prepare

PROJECT = "/api/v1/projects/1"


def judged(client, item, value=4, **more):
    return client.post(
        f"{PROJECT}/events", {"uuid": str(uuid4()), "type": "judge", "item": item, "value": value, **more}
    )


def take(client):
    reply = client.post(f"{PROJECT}/next")
    assert reply.status == 200, reply.body
    return reply.json


def test_ten_annotators_at_once_never_exceed_k_and_never_judge_twice(serving):
    """Ten people share 100 items with k = 3 over HTTP: 300 judgements, three per item, nobody twice, log = table."""
    here = serving(prepare(100, k=3, round_size=100))
    people = [here.person(f"p{i}", "annotator") for i in range(10)]
    acknowledged, problems = [], []

    def work(client, number):
        while (item := take(client)["item"]) is not None:
            reply = judged(client, item["id"], 1 + (item["id"] + number) % 5, elapsed_ms=10)
            if reply.status != 200:
                problems.append(reply.body)
                return
            acknowledged.append((item["id"], number, reply.json["uuid"]))

    threads = [threading.Thread(target=work, args=each) for each in zip(people, range(10), strict=True)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not problems
    with here.server.database.read() as connection:
        rows = connection.execute("SELECT item, annotator, value FROM current").fetchall()
        logged = {row["uuid"] for row in connection.execute("SELECT uuid FROM event WHERE type = 'judge'")}
        rebuilt = events.rebuilt(connection)
    assert logged == {uuid for *_, uuid in acknowledged}
    assert Counter(row["item"] for row in rows) == Counter(dict.fromkeys({row["item"] for row in rows}, 3))
    assert len(rows) == 300 == len(acknowledged)
    assert len({(item, number) for item, number, _ in acknowledged}) == 300
    assert {(row["item"], row["annotator"]): row["value"] for row in rows} == {k: v for k, (v, _) in rebuilt.items()}


def test_every_one_of_ten_judges_100_items_when_k_is_ten(serving):
    """Ten annotators x 100 items, k = 10: a thousand judgements, each pair once."""
    here = serving(prepare(100, k=10, round_size=100, task="binary"))
    people = [here.person(f"p{i}", "annotator") for i in range(10)]

    def work(client):
        while (item := take(client)["item"]) is not None:
            assert judged(client, item["id"], 1).status == 200

    threads = [threading.Thread(target=work, args=(each,)) for each in people]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    with here.server.database.read() as connection:
        done = projects.progress(connection, projects.find(connection, 1))
    assert (done.judgements, done.complete, done.needed) == (1000, 100, 1000)
    assert take(people[0])["reason"] == "finished"


def test_the_same_item_comes_back_until_it_is_judged(serving):
    """Asking twice changes nothing."""
    client = serving(prepare()).person("Ada", "annotator")
    first = take(client)["item"]
    assert take(client)["item"] == first
    assert set(first) == {"id", "kind", "question", "context", "references", "candidates"}


def test_sending_an_event_again_is_harmless(serving):
    """The same uuid answers again: true; with another value it is refused."""
    client = serving(prepare()).person("Ada", "annotator")
    event = {"uuid": str(uuid4()), "type": "judge", "item": take(client)["item"]["id"], "value": 2}
    first, second = (client.post(f"{PROJECT}/events", event) for _ in range(2))
    assert (first.json["again"], second.json["again"]) == (False, True)
    assert first.json["seq"] == second.json["seq"]
    assert client.post(f"{PROJECT}/events", {**event, "value": 3}).status == 409


def test_after_an_undo_the_item_comes_next(serving):
    """What was undone no longer stands, and its item is shown again; what was judged before stays."""
    client = serving(prepare()).person("Ada", "annotator")
    first = take(client)["item"]["id"]
    judged(client, first)
    second = take(client)["item"]["id"]
    uuid = judged(client, second, 1).json["uuid"]
    undo = {"uuid": str(uuid4()), "type": "undo", "item": second, "reverts": uuid}
    assert client.post(f"{PROJECT}/events", undo).status == 200
    assert take(client)["item"]["id"] == second
    assert [each["item"]["id"] for each in client.get(f"{PROJECT}/mine").json["events"]] == [first]
    assert client.post(f"{PROJECT}/events", {**undo, "uuid": str(uuid4())}).status == 409


def test_an_undo_of_a_second_judgement_restores_the_first(serving):
    """Judging again replaces; undoing that brings back what stood before."""
    client = serving(prepare()).person("Ada", "annotator")
    item = take(client)["item"]["id"]
    judged(client, item, 2)
    again = judged(client, item, 5).json["uuid"]
    client.post(f"{PROJECT}/events", {"uuid": str(uuid4()), "type": "undo", "item": item, "reverts": again})
    assert client.get(f"{PROJECT}/mine").json["events"][0]["value"] == 2


def test_an_item_that_was_not_given_cannot_be_judged(serving):
    """Only what the server handed out can be judged, flagged or commented on."""
    client = serving(prepare(40)).person("Ada", "annotator")
    given = take(client)["item"]["id"]
    other = given % 40 + 1
    assert judged(client, other).status == 403
    comment = {"uuid": str(uuid4()), "type": "comment", "item": other, "text": "hm"}
    assert client.post(f"{PROJECT}/events", comment).status == 403


def test_cannot_judge_leaves_room_for_another(serving):
    """No response is no judgement: the item goes to someone else, and not to the same person again."""
    here = serving(prepare(2, k=1))
    ada, ben = here.person("Ada", "annotator"), here.person("Ben", "annotator")
    item = take(ada)["item"]["id"]
    assert ada.post(f"{PROJECT}/events", {"uuid": str(uuid4()), "type": "cannot", "item": item}).status == 200
    other = take(ada)["item"]["id"]
    assert other != item
    assert take(ben)["item"]["id"] == item
    assert take(here.person("Cy", "annotator"))["reason"] == "wait"


def test_restoring_a_judgement_after_cannot_judge_never_exceeds_k(serving):
    """Who gave up their place cannot take it back once another has it."""
    here = serving(prepare(1, k=1))
    ada, ben = here.person("Ada", "annotator"), here.person("Ben", "annotator")
    item = take(ada)["item"]["id"]
    judged(ada, item)
    uuid = str(uuid4())
    ada.post(f"{PROJECT}/events", {"uuid": uuid, "type": "cannot", "item": item})
    assert judged(ben, take(ben)["item"]["id"]).status == 200
    undo = {"uuid": str(uuid4()), "type": "undo", "item": item, "reverts": uuid}
    assert ada.post(f"{PROJECT}/events", undo).json["code"] == "taken"
    assert judged(ada, item).json["code"] == "taken"


def test_an_expired_lease_is_given_on_first_and_the_late_judgement_refused(serving):
    """An item that someone let go is the next one of others; who comes back too late is told so."""
    here = serving(prepare(5, k=1, lease_s=600))
    ada, ben = here.person("Ada", "annotator"), here.person("Ben", "annotator")
    item = take(ada)["item"]["id"]
    here.server.database.write(lambda c: c.execute("UPDATE lease SET expires = ?", (time.time() - 1,)))
    assert take(ben)["item"]["id"] == item
    assert judged(ben, item).status == 200
    late = judged(ada, item)
    assert (late.status, late.json["code"]) == (409, "taken")


def test_practice_comes_first_with_feedback_and_gold_is_one_in_gold_every(serving):
    """Practice items explain themselves; gold looks like work, and every block of ten has one."""
    here = serving(prepare(60, k=1, gold=8, practice=None, round_size=60, gold_every=10))
    client = here.person("Ada", "annotator")
    feedback = []
    while (found := take(client))["item"]["kind"] == "practice":
        feedback.append(judged(client, found["item"]["id"], 5).json["feedback"])
    assert [each["right"] for each in feedback] == [True, False, False, False, True]
    assert all(each["why"] for each in feedback)
    for _ in range(40):
        item = take(client)["item"]
        assert item["kind"] == "work"
        assert judged(client, item["id"]).json["feedback"] is None
    with here.server.database.read() as connection:
        kinds = [
            row["kind"]
            for row in connection.execute(
                "SELECT kind FROM event JOIN item ON item.id = item WHERE type = 'judge' AND kind != 'practice' "
                "ORDER BY seq"
            )
        ]
    assert [kinds[i : i + 10].count("gold") for i in range(0, 40, 10)] == [1, 1, 1, 1]


def test_the_next_round_is_drawn_when_nothing_is_left(serving):
    """A round of ten is followed by the next; with rounds by hand alone the work ends."""
    here = serving(prepare(30, k=1, round_size=10))
    client = here.person("Ada", "annotator")
    for _ in range(30):
        judged(client, take(client)["item"]["id"])
    with here.server.database.read() as connection:
        rounds = [row[0] for row in connection.execute("SELECT DISTINCT round FROM item ORDER BY round")]
    assert rounds == [1, 2, 3]
    assert take(client)["reason"] == "finished"


def test_pairs_are_shown_in_either_order_and_stored_in_one(serving):
    """Whoever says that the longer answer is better says the same, in whichever order the two stand."""
    here = serving(prepare(40, task="pair", k=2))
    people = [here.person(name, "annotator") for name in ("Ada", "Ben")]
    for client in people:
        while (item := take(client)["item"]) is not None:
            first, second = item["candidates"]
            judged(client, item["id"], 0 if len(first) == len(second) else 1 if len(first) > len(second) else 2)
    with here.server.database.read() as connection:
        spread = connection.execute("SELECT max(value) - min(value) AS d FROM current GROUP BY item").fetchall()
        project = projects.find(connection, 1)
    assert {row["d"] for row in spread} == {0.0}
    swapped = {assignment.is_swapped(project, person, item) for item in range(20) for person in _people(here)}
    assert swapped == {True, False}


def _people(here):
    with here.server.database.read() as connection:
        return [
            Person(row["id"], row["name"], Role(row["role"]), row["project"])
            for row in connection.execute("SELECT * FROM annotator")
        ]


@pytest.mark.parametrize("value", [0, 6, 2.5, -1, None, "5", True])
def test_values_off_the_scale_are_refused(serving, value):
    """Only the values of the scale are taken."""
    client = serving(prepare()).person("Ada", "annotator")
    item = take(client)["item"]["id"]
    reply = client.post(f"{PROJECT}/events", {"uuid": str(uuid4()), "type": "judge", "item": item, "value": value})
    assert reply.status == 422
