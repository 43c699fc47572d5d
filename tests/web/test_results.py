"""What a lead sees equals what the command line finds in the exported files."""

import json
from collections import Counter
from random import Random
from uuid import uuid4

import pytest

from commands import qassay
from web.studies import prepare

PROJECT = "/api/v1/projects/1"
METRICS = ("token_f1", "rouge_l", "ava")


def send(client, item, kind="judge", **more):
    reply = client.post(f"{PROJECT}/events", {"uuid": str(uuid4()), "type": kind, "item": item, **more})
    assert reply.status == 200, reply.body
    return reply.json


def judge_everything(here, people, value_of):
    for number, name in enumerate(people):
        client = here.person(name, "annotator")
        while (item := client.post(f"{PROJECT}/next").json["item"]) is not None:
            send(client, item["id"], value=value_of(item, number), elapsed_ms=1000 + number)


def fetched(owner, folder, *names):
    for name in names:
        reply = owner.get(f"{PROJECT}/export/{name}")
        assert reply.status == 200, reply.body
        (folder / name).write_bytes(reply.body)


@pytest.fixture
def study(serving):
    """A study whose first round is judged by three people with noise; the second round is drawn and waits."""
    here = serving(
        prepare(120, k=3, metrics=METRICS, judge="ava", scored=True, round_size=0, gold=0, task="likert5", seed=7)
    )
    owner = here.owner()
    noise = Random(5)

    def value_of(item, number):
        right = item["candidates"][0] in item["references"]
        return max(1, min(5, (5 if right else 2) + noise.choice([-1, 0, 0, 0, 1]) - (number == 2)))

    # All items are in round 1 with probability 1; leave some of them waiting.
    here.server.database.write(
        lambda c: c.execute("UPDATE item SET round = NULL, probability = NULL, position = NULL WHERE kind = 'work'")
    )
    assert owner.post(f"{PROJECT}/rounds", {"n": 40}).status == 200
    judge_everything(here, ["Ada", "Ben", "Cy"], value_of)
    assert owner.post(f"{PROJECT}/rounds", {"n": 20, "uniform": True}).json["n"] == 20
    return here, owner


def test_the_dashboards_numbers_equal_the_command_lines(study, tmp_path):
    """agree, accuracy and correlate find in the exports exactly what the dashboard shows."""
    _, owner = study
    shown = owner.get(f"{PROJECT}/dashboard").json
    fetched(owner, tmp_path, "ratings.csv", "judgements.jsonl", "labels.csv", "scores.jsonl", "answers.jsonl")
    agreed = json.loads(qassay("agree", "ratings.csv", "--json", folder=tmp_path, check=0).stdout)
    assert shown["agreement"] == agreed
    assert shown["agreement"]["alpha_before_cleaning"]["value"] < shown["agreement"]["alpha"]["value"]
    words = ("accuracy", "answers.jsonl", "--labels", "labels.csv", "--cut", "4", "--seed", "7", "--json")
    estimated = json.loads(qassay(*words, folder=tmp_path, check=0).stdout)
    assert shown["accuracy"] == estimated
    assert {each["labels"] for each in shown["accuracy"]["systems"]} != {0}
    assert all(each["halving"]["more"] > 0 for each in shown["accuracy"]["systems"])
    words = ("correlate", "scores.jsonl", "--judgements", "judgements.jsonl", "--json")
    correlated = json.loads(qassay(*words, folder=tmp_path, check=0).stdout)
    assert shown["correlations"] == correlated
    assert {each["metric"] for each in correlated["correlations"]} == set(METRICS)


def test_exported_scores_equal_those_of_score(study, tmp_path):
    """scores.jsonl is what `qassay score -o` writes of answers.jsonl."""
    _, owner = study
    fetched(owner, tmp_path, "scores.jsonl", "answers.jsonl")
    words = [word for each in METRICS for word in ("-m", each)]
    qassay("score", "answers.jsonl", *words, "-o", "own.jsonl", folder=tmp_path, check=0)
    assert (tmp_path / "own.jsonl").read_bytes() == (tmp_path / "scores.jsonl").read_bytes()


def test_rounds_are_those_of_accuracy_next(study, tmp_path):
    """The next round is the one that `accuracy --next` draws from the exported labels, with the same probabilities."""
    here, owner = study
    fetched(owner, tmp_path, "labels.csv", "answers.jsonl")
    words = (
        "accuracy",
        "answers.jsonl",
        "--labels",
        "labels.csv",
        "--cut",
        "4",
        "--next",
        "15",
        "--seed",
        "7",
        "--json",
    )
    chosen = json.loads(qassay(*words, folder=tmp_path, check=0).stdout)["next"]
    number = owner.post(f"{PROJECT}/rounds", {"n": 15}).json["round"]
    with here.server.database.read() as connection:
        drawn = connection.execute(
            "SELECT example_id, system, round, probability FROM item WHERE round = ? ORDER BY position", (number,)
        ).fetchall()
    assert [tuple(row) for row in drawn] == [tuple(each.values()) for each in chosen]


def test_the_dashboard_is_unchanged_until_something_happens(study):
    """The page polls with what it has: 304 until the next event."""
    _, owner = study
    first = owner.get(f"{PROJECT}/dashboard")
    again = owner.get(f"{PROJECT}/dashboard", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


def test_annotators_gold_seconds_bias_and_exclusion(serving):
    """The harsh one has a bias below zero, gold counts right and wrong, and an excluded one leaves the ratings."""
    here = serving(prepare(40, k=3, gold=6, round_size=40, gold_every=10))
    judge_everything(here, ["Ada", "Ben", "Cy"], lambda _, number: 5 - 2 * (number == 2))
    owner = here.owner()
    found = {each["name"]: each for each in owner.get(f"{PROJECT}/dashboard").json["annotators"]}
    assert found["Cy"]["bias"] < 0 < found["Ada"]["bias"]
    assert found["Ada"]["gold"]["total"] == found["Ada"]["gold"]["right"] >= 3
    assert found["Cy"]["gold"]["right"] == 0
    assert found["Cy"]["gold"]["mean_error"] == 2
    assert found["Ben"]["seconds"]["median"] == 1.001
    person = found["Cy"]["id"]
    assert owner.post(f"{PROJECT}/people/{person}/exclude", {"excluded": True, "text": "gold"}).status == 200
    rows = owner.get(f"{PROJECT}/export/ratings.jsonl").body.splitlines()
    assert {json.loads(row)["annotator"] for row in rows} == {"Ada", "Ben"}
    assert not any(json.loads(row)["id"].startswith("g") for row in rows), "gold is never exported"
    owner.post(f"{PROJECT}/people/{person}/exclude", {"excluded": False})
    assert len(owner.get(f"{PROJECT}/export/ratings.jsonl").body.splitlines()) == 120


def test_the_items_of_someone_who_is_left_out_go_to_others(serving):
    """Their judgements hold no slot, so that every item gets its k judgements all the same."""
    here = serving(prepare(12, k=2, round_size=12, practice=[]))
    judge_everything(here, ["Ada", "Cy"], lambda _, number: 1 + number)
    owner = here.owner()
    people = owner.get(f"{PROJECT}/people").json["people"]
    cy = next(each["id"] for each in people if each["name"] == "Cy")
    late = here.person("Ben", "annotator")
    assert late.post(f"{PROJECT}/next").json["reason"] == "finished"
    owner.post(f"{PROJECT}/people/{cy}/exclude", {"excluded": True})
    assert owner.get(PROJECT).json["progress"]["complete"] == 0
    while (item := late.post(f"{PROJECT}/next").json["item"]) is not None:
        send(late, item["id"], value=5)
    progress = owner.get(PROJECT).json["progress"]
    assert (progress["complete"], progress["judgements"]) == (12, 24)
    ratings = [json.loads(row) for row in owner.get(f"{PROJECT}/export/ratings.jsonl").body.splitlines()]
    assert Counter(row["annotator"] for row in ratings) == {"Ada": 12, "Ben": 12}
    shown = owner.get(f"{PROJECT}/adjudication").json["items"][0]
    assert [each["name"] for each in shown["ratings"]] == ["Ada", "Ben"]


def test_an_item_that_was_flagged_and_left_is_there_to_adjudicate(serving):
    """What someone found wrong with an item is read, also where nobody judged it."""
    here = serving(prepare(3, k=2, practice=[]))
    ada = here.person("Ada", "annotator")
    item = ada.post(f"{PROJECT}/next").json["item"]["id"]
    send(ada, item, "flag", text="cut off")
    found = here.owner().get(f"{PROJECT}/adjudication").json
    assert [(each["id"], each["comments"][0]["text"]) for each in found["items"]] == [(item, "cut off")]


def test_the_widest_spread_is_adjudicated_first_and_its_verdict_is_the_label(serving):
    """Items come by spread, with ratings and comments; the verdict replaces the mean."""
    here = serving(prepare(6, k=2, round_size=6, judge="ava", metrics=("ava",), scored=True))
    disputed_item = []

    def value_of(item, number):
        if not disputed_item:
            disputed_item.append(item["id"])
        return 1 if number and item["id"] == disputed_item[0] else 4 + number

    judge_everything(here, ["Ada", "Ben"], value_of)
    eva = here.person("Eva", "adjudicator")
    page = eva.get(f"{PROJECT}/adjudication").json
    assert page["total"] == 6
    assert page["items"][0]["id"] == disputed_item[0]
    assert [each["value"] for each in page["items"][0]["ratings"]] == [4, 1]
    assert set(page["items"][0]["scores"]) == {"ava"}
    explained = eva.get(f"{PROJECT}/items/{disputed_item[0]}/explanation").json
    assert explained["references"][0]["candidate_words"]
    send(eva, disputed_item[0], "comment", text="the year")
    send(eva, disputed_item[0], "adjudicate", value=2)
    assert eva.get(f"{PROJECT}/adjudication").json["total"] == 5
    everything = eva.get(f"{PROJECT}/adjudication?open=false").json["items"]
    assert everything[0]["verdict"] == 2
    assert everything[0]["comments"][0]["text"] == "the year"
    labels = [json.loads(row) for row in here.owner().get(f"{PROJECT}/export/labels.jsonl").body.splitlines()]
    assert sorted(row["verdict"] for row in labels) == [2, 4.5, 4.5, 4.5, 4.5, 4.5]


def test_the_exported_log_equals_what_happened(serving):
    """events.jsonl has every event in order, and replaying it gives the ratings."""
    here = serving(prepare(8, k=1, round_size=8))
    client = here.person("Ada", "annotator")
    sent = []
    for _ in range(8):
        item = client.post(f"{PROJECT}/next").json["item"]["id"]
        sent.append(send(client, item, value=3)["uuid"])
    send(client, item, "undo", reverts=sent[-1])
    owner = here.owner()
    logged = [json.loads(row) for row in owner.get(f"{PROJECT}/export/events.jsonl").body.splitlines()]
    assert [row["uuid"] for row in logged if row["type"] == "judge"] == sent
    assert logged[-1]["type"] == "undo"
    assert len(owner.get(f"{PROJECT}/export/ratings.jsonl").body.splitlines()) == 7


def test_labels_wait_until_enough_people_judged(serving):
    """With least=1 one judgement is a label; by default all k are needed."""
    here = serving(prepare(6, k=2, round_size=6))
    judge_everything(here, ["Ada"], lambda *_: 5)
    owner = here.owner()

    def verdicts(query):
        rows = owner.get(f"{PROJECT}/export/labels.jsonl{query}").body.splitlines()
        return [json.loads(row)["verdict"] for row in rows]

    assert verdicts("") == [None] * 6
    assert verdicts("?least=1") == [5] * 6
