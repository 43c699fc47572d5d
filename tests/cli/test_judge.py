"""`qassay judge` as a user meets it."""

import json
import random
import signal
import subprocess
import time

import pytest

from commands import PROGRAM, qassay, qassay_json, qassay_process, write_rows
from llm_server import completion, data_of, serving


def answers(count):
    return [
        {
            "id": f"q{i}",
            "question": f"Capital {i}?",
            "references": [f"Paris {i}"],
            "candidate": f"{'Rome' if i % 4 else 'Paris'} {i}",
        }
        for i in range(count)
    ]


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("QASSAY_API_KEY", raising=False)


@pytest.fixture
def words(tmp_path):
    """Return the words of a command with 200 answers, its cache and its output."""
    write_rows(tmp_path / "answers.jsonl", answers(200))
    return [
        "judge", tmp_path / "answers.jsonl", "--llm", "m", "--column", "gpt5", "--cache", tmp_path / "c.sqlite",
        "-o", tmp_path / "out.jsonl",
    ]  # fmt: skip


def test_a_kill_halfway_loses_nothing(words, tmp_path):
    """200 rows with 5 % 429 and 3 % garbage, killed halfway: a second run goes on, and a third asks nothing."""
    dice = random.Random(5)
    garbage = {f"Capital {i}?" for i in dice.sample(range(200), 6)}

    def plan(body, _number):
        if dice.random() < 0.05:
            return {"status": 429, "headers": {"Retry-After": "0"}, "body": "busy"}
        bad = data_of(body)["question"] in garbage
        return {"delay": 0.02, **({"body": completion("no idea")} if bad else {})}

    with serving(plan) as server:
        command = [*map(str, words), "--endpoint", server.url, "--concurrency", "4"]
        with subprocess.Popen([PROGRAM, *command], stderr=subprocess.PIPE) as run:  # noqa: S603 - our own program
            while server.calls < 100:
                time.sleep(0.01)
            run.send_signal(signal.SIGKILL)
        assert not (tmp_path / "out.jsonl").exists()
        before = server.calls
        second = json.loads(qassay_process(*command, "--json", check=0).stdout)
        after = server.calls
        third = json.loads(qassay_process(*command, "--json", check=0).stdout)
        assert server.calls == after
    assert second["cached"] >= 75
    assert after - before < 150
    assert (third["calls"], third["cached"], third["requests"]) == (0, 200, 0)
    for found in (second, third):
        assert found["scored"] == 194
        assert found["unscored"] == {'no verdict in the reply "no idea"': 6}
        assert found["systems"][0]["unscored"] == 6
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"q{i}" for i in range(200)]
    assert sum(row["scores"]["gpt5"] is None and "gpt5" in row["unscored"] for row in rows) == 6


def test_an_interruption_says_how_to_go_on(words, tmp_path):
    """Exit status 130 and the command; no output is left."""
    with serving(lambda *_: {"delay": 0.5}) as server:
        command = [PROGRAM, *map(str, words), "--endpoint", server.url, "--concurrency", "2"]
        # Programs that are started in the background inherit that interruptions are ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as run:  # noqa: S603 - our own program
            signal.signal(signal.SIGINT, before)
            while server.calls < 10:
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            _, said = run.communicate(timeout=20)
    assert run.returncode == 130
    assert "interrupted; the replies so far are in the cache; go on with: qassay judge" in said
    assert not (tmp_path / "out.jsonl").exists()


def test_a_budget_stops_and_says_so(words, tmp_path):
    """All rows are written, those that were not asked about with the reason."""
    with serving() as server:
        done = qassay(*words, "--endpoint", server.url, "--budget-tokens", 5500, check=0)
    assert server.calls <= 50
    assert "200 answers to judge: 0 replies in the cache, about 200 calls" in done.stderr
    assert "the budget is spent" in done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert sum(row["scores"]["gpt5"] is not None for row in rows) == server.calls


def test_a_dry_run_asks_nothing(words, tmp_path):
    """The estimate is there, and no output."""
    with serving() as server:
        done = qassay(*words, "--endpoint", server.url, "--dry-run", "--price", "1:2", check=0)
    assert (server.calls, done.stdout) == (0, "")
    assert "in money" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_judge_llm_and_people_make_one_estimate(words, tmp_path):
    """`--doubt` asks about a part; `accuracy` joins the cheap judge, the LLM and people's labels."""
    with serving() as server:
        qassay(*words, "--endpoint", server.url, "--doubt", "0.2:0.8", "--cheap", "token_f1", check=0)
        assert server.calls < 200
    out = tmp_path / "out.jsonl"
    listed = tmp_path / "to_label.csv"
    qassay("accuracy", out, "--judge", "column:gpt5", "--next", 40, "-o", listed, check=0)
    head, *lines = listed.read_text().splitlines()
    labels = [line + str(int("Paris" in line.split(",")[4])) for line in lines]
    listed.write_text("\n".join([head, *labels]))
    (system,) = qassay_json("accuracy", out, "--judge", "column:gpt5", "--labels", listed)["systems"]
    assert (system["labels"], system["n"]) == (40, 200)
    assert system["low"] <= 0.25 <= system["high"]


def test_labels_on_missing_answers_count_with_doubt_too(words, tmp_path):
    """An answer that is missing and that people call wrong is wrong, whatever the LLM was asked about."""
    rows = answers(120)
    rows[3]["candidate"] = rows[50]["candidate"] = None
    write_rows(tmp_path / "answers.jsonl", rows)
    labels = tmp_path / "labels.csv"
    labels.write_text("id,verdict\n" + "".join(f"q{i},{int(i % 4 == 0)}\n" for i in range(60)))
    with serving() as server:
        qassay(*words, "--endpoint", server.url, "--doubt", "0.2:0.8", "--cheap", "token_f1", check=0)
    asked = ["accuracy", tmp_path / "out.jsonl", "--judge", "column:gpt5", "--labels", labels]
    (system,) = qassay_json(*asked)["systems"]
    assert (system["labels"], system["n"], system["unscored"]) == (60, 120, 0)
    assert system["estimate"] == pytest.approx(0.25, abs=0.02)


def test_a_cheap_judge_without_questions_says_so(words, tmp_path):
    """`ava` chooses whom to ask, and names the column that may hold the questions."""
    rows = [{("query" if name == "question" else name): value for name, value in row.items()} for row in answers(30)]
    write_rows(tmp_path / "answers.jsonl", rows)
    with serving() as server:
        done = qassay(*words, "--endpoint", server.url, "--doubt", "0.2:0.8", check=0)
    assert 'ava: answers without a question, judged by their references alone; map "query" to question' in done.stderr


def test_the_endpoints_refusal_is_one_message(words, tmp_path, monkeypatch):
    """Exit status 2, no output, and no key anywhere."""
    monkeypatch.setenv("QASSAY_API_KEY", "sk-very-secret")
    plan = lambda *_: {"status": 401, "body": {"error": {"message": "no: sk-very-secret"}}}  # noqa: E731
    with serving(plan) as server:
        done = qassay(*words, "--endpoint", server.url, check=2)
    assert "error: the endpoint gives no reply at all: the endpoint refuses the key (401): no: …" in done.stderr
    assert "very-secret" not in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--doubt", "half"), "write two numbers, as in 0.2:0.8"),
        (("--elsewhere", "0.5"), "--elsewhere is for answers in doubt; give --doubt too"),
        (("--cheap", "token_f1"), "--cheap is for answers in doubt; give --doubt too"),
        (("--price", "1"), "write two numbers, as in 0.25:2"),
        (("-o", "out.csv"), "end its name in .jsonl or .jsonl.gz"),
        (("--prompt", "verfy"), "neither verify, simpleqa, likert5 nor a file"),
        (("--endpoint", "ftp://x"), "write an address like"),
        (("--budget-money", "1"), "give --price"),
    ],
)
def test_mistakes_are_refused(refused, tmp_path, words, message):
    """Before anything is asked."""
    write_rows(tmp_path / "a.jsonl", answers(2))
    given = ["--endpoint", "http://127.0.0.1:9/v1", *words]
    assert message in refused("judge", "a.jsonl", "--llm", "m", "--cache", tmp_path / "c.sqlite", *given)
