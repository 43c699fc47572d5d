"""`qassay.judge` against a real HTTP server."""

import json
import math
import random
import re
import threading
import time

import pytest

import qassay
from commands import write_rows
from llm_server import completion, data_of, serving, truthful
from qassay.errors import DataError, ModelError, SpecError, StoppedError
from qassay.llm import endpoint as endpoints

CHOICES = {"correct": 1.0, "incorrect": 0.0, "not_attempted": 0.0}


def answers(count, system="A"):
    """Make answers of which every third is right, and some decline."""
    said = ("Paris {0}", "Rome {0}", "I do not know")
    return [
        {
            "id": f"q{i}",
            "system": system,
            "question": f"What is capital {i}?",
            "references": [f"Paris {i}"],
            "candidate": said[i % 3].format(i),
        }
        for i in range(count)
    ]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    """Wait a hundredth of the time after failures; no key of the user's is sent."""
    monkeypatch.setattr(endpoints, "_FIRST_WAIT", 0.005)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("QASSAY_API_KEY", raising=False)


@pytest.fixture
def ask(tmp_path):
    def asked(server, rows, **options):
        options = {"cache": tmp_path / "cache.sqlite", "column": "llm", **options}
        return qassay.judge(rows, "model-1", endpoint=server.url, **options)

    return asked


def test_every_answer_gets_a_verdict(ask):
    """Verdicts, scores, and a signature with all that they depend on."""
    with serving() as server:
        found = ask(server, answers(12))
    rows = list(found.rows())
    assert [row["verdicts"]["llm"] for row in rows[:3]] == ["correct", "incorrect", "not_attempted"]
    assert [row["scores"]["llm"] for row in rows[:3]] == [1, 0, 0]
    assert re.fullmatch(
        r"llm:model-1\|prompt:verify@[0-9a-f]{12}\|model:served-1\|temperature:0\|samples:1\|max_tokens:512\|qassay:.*",
        found.signature,
    )
    assert (server.calls, found.account.calls, found.unscored) == (12, 12, {})
    assert found.accuracy.systems[0].best.estimate == pytest.approx(4 / 12)
    assert found.accuracy.systems[0].attempted.estimate == pytest.approx(8 / 12)


def test_the_request_is_strict(ask):
    """Temperature 0, a strict schema, log-probabilities, and no key where there is none."""
    with serving() as server:
        ask(server, answers(1))
    (body,), (headers,) = server.bodies, server.headers
    schema = body["response_format"]["json_schema"]
    assert (body["model"], body["temperature"], body["logprobs"]) == ("model-1", 0, True)
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["verdict"]["enum"] == list(CHOICES)
    assert "Authorization" not in headers


def test_bad_luck_loses_nothing_and_a_second_run_asks_nothing(ask):
    """Of 200 rows with 5 % 429 and 3 % lasting garbage, all others have verdicts, and the garbage is counted."""
    dice = random.Random(7)
    garbage = {f"What is capital {i}?" for i in dice.sample(range(200), 6)}

    def plan(body, _number):
        if dice.random() < 0.05:
            return {"status": 429, "headers": {"Retry-After": "0"}, "body": {"error": {"message": "slow down"}}}
        return {"body": completion("lovely weather")} if data_of(body)["question"] in garbage else {}

    with serving(plan) as server:
        found = ask(server, answers(200))
        calls = server.calls
        again = ask(server, answers(200))
        assert server.calls == calls
    assert found.unscored == {'no verdict in the reply "lovely weather"': 6}
    assert sum(each.score is not None for each in found.judged) == 194
    assert [each.verdict for each in again.judged] == [each.verdict for each in found.judged]
    assert (again.account.calls, again.cached, again.requests) == (0, 200, 0)
    assert again.signature == found.signature


@pytest.mark.parametrize(
    "trouble",
    [
        {"status": 500, "body": "oops"},
        {"status": 503, "headers": {"Retry-After": "0"}, "body": "busy"},
        {"status": 429, "headers": {"retry-after-ms": "5"}, "body": "busy"},
        {"status": 429, "body": "busy"},
        {"cut": 20},
        {"cut": 0},
        {"body": "<html>not json</html>"},
        {"body": '{"choices": []}'},
        {"body": '{"choices": [{"message": 3}]}'},
        {"body": b"\xff\xfe\x00"},
        {"body": "[" * 200_000},
        {"delay": 0.6},
        {"trickle": 0.02},
    ],
    ids=lambda trouble: str(trouble)[:60],
)
def test_passing_troubles_pass(ask, trouble):
    """Errors, cut and slow replies and what is no completion are asked for again."""
    with serving(lambda _body, number: dict(trouble) if number == 1 else {}) as server:
        found = ask(server, answers(1), timeout=0.4)
    assert [each.verdict for each in found.judged] == ["correct"]
    assert (server.calls, found.account.calls, found.requests) == (2, 1, 2)


@pytest.mark.parametrize(
    "odd",
    [
        {"usage": [1]},
        {"usage": {"prompt_tokens": -5, "completion_tokens": "x"}},
        {
            "choices": [
                {"message": {"content": '{"verdict": "correct"}'}, "logprobs": {"content": [5, {"token": None}]}}
            ]
        },
        {"choices": [{"message": {"content": '{"verdict": "correct"}'}, "logprobs": {"tokens": ["a"]}}]},
    ],
    ids=str,
)
def test_a_verdict_counts_whatever_stands_beside_it(ask, odd):
    """Counts of tokens and log-probabilities of another shape are left aside; nothing is asked again."""
    with serving(lambda *_: {"body": {**completion('{"verdict": "correct"}'), **odd}}) as server:
        found = ask(server, answers(1))
        assert server.calls == 1
    assert [each.verdict for each in found.judged] == ["correct"]


@pytest.mark.parametrize("stated", ["-Infinity", "NaN"])
def test_log_probabilities_that_are_no_numbers_do_not_keep_replies_from_the_cache(ask, stated):
    """What is impossible has no share; the reply is kept, so that a second run asks nothing."""
    others = f'[{{"token": "correct", "logprob": -0.1}}, {{"token": "in", "logprob": {stated}}}]'
    tokens = ['{"verdict": "', "correct", '"}']
    listed = [{"token": each, "logprob": 0.0, "top_logprobs": "HERE" if each == "correct" else []} for each in tokens]
    document = json.dumps(completion("".join(tokens), listed)).replace('"HERE"', others)
    with serving(lambda *_: {"body": document}) as server:
        found = ask(server, answers(2))
        again = ask(server, answers(2))
        assert server.calls == 2
    assert [each.score for each in (*found.judged, *again.judged)] == [1.0] * 4


@pytest.mark.parametrize(
    ("content", "verdict"), [('{"verdict": "correct"} \ud83d', "correct"), ("well \udc00", None)], ids=ascii
)
def test_half_a_character_in_a_reply_is_replaced(ask, tmp_path, content, verdict):
    """JSON can hold half of a pair of UTF-16, which no file can; the run goes on, and the reply is kept."""
    with serving(lambda *_: {"body": completion(content)}) as server:
        found = ask(server, answers(2), output=tmp_path / "out.jsonl")
        calls = server.calls
        assert ask(server, answers(2)).cached == 2
        assert server.calls == calls
    assert [each.verdict for each in found.judged] == [verdict] * 2
    assert ('no verdict in the reply "well \ufffd"' in found.unscored) == (verdict is None)


@pytest.mark.parametrize("field", ["content", "model", "error"])
def test_an_endpoint_that_repeats_the_key_does_not_spread_it(ask, monkeypatch, tmp_path, field):
    """Neither in reasons nor in the signature, the output or the cache."""
    monkeypatch.setenv("QASSAY_API_KEY", "sk/repeated+secret==")
    said = "Bearer sk/repeated+secret=="
    body = {
        "content": completion(said, [{"token": "sk/repeated", "logprob": 0.0}, {"token": "+secret==", "logprob": 0.0}]),
        "model": {**completion('{"verdict": "correct"}'), "model": said},
        "error": {"error": {"message": said}},
    }[field]
    # One reply is well formed: an endpoint without any ends the run.
    with serving(lambda _, number: {"body": json.dumps(body).replace("/", "\\/")} if number > 1 else {}) as server:
        found = ask(server, answers(2), output=tmp_path / "out.jsonl", retries=0, concurrency=1)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret" not in kept
    assert "secret" not in json.dumps([found.to_dict(), list(found.rows())])


def test_a_short_key_is_no_secret(ask, monkeypatch):
    """Servers of one's own take any key; one that is a part of the verdict leaves the verdict whole."""
    monkeypatch.setenv("QASSAY_API_KEY", "correct"[:4])
    with serving() as server:
        assert ask(server, answers(1)).judged[0].verdict == "correct"


def test_a_temperature_that_is_not_taken_is_not_in_the_signature(ask):
    """The endpoint draws at its own; a second run, which asks nothing, says the same."""

    def plan(body, _number):
        refused = {"status": 400, "body": {"error": {"message": "Unsupported value: 'temperature'"}}}
        return refused if "temperature" in body else {}

    with serving(plan) as server:
        found, again = ask(server, answers(3)), ask(server, answers(3))
    assert "|temperature:own|" in found.signature
    assert again.signature == found.signature


def test_an_endpoint_that_refuses_every_answer_ends_the_run(ask):
    """It has something against all questions, which are not asked one after the other; single ones are unscored."""
    with serving(lambda *_: {"status": 400, "body": {"error": {"message": "no deployment"}}}) as server:
        with pytest.raises(
            ModelError, match=r"no reply at all: the endpoint refuses this answer \(400\): no deployment"
        ):
            ask(server, answers(500), concurrency=2)
        assert server.calls < 100
        assert ask(server, answers(2)).unscored == {"the endpoint refuses this answer (400): no deployment": 2}


def test_a_models_id_cannot_break_the_signature(ask):
    """Separators and control characters in what an endpoint calls itself are replaced."""
    with serving(lambda *_: {"body": {**completion('{"verdict": "correct"}'), "model": "a|b\x1b[31m" * 99}}) as server:
        found = ask(server, answers(1))
    assert "|model:a_b__31ma_b" in found.signature
    assert len(found.signature) < 300


def test_names_cannot_break_the_signature(tmp_path):
    """Neither the model's nor that of a prompt's file."""
    own = tmp_path / "my own|prompt.txt"
    own.write_text("Is it right?")
    with serving() as server:
        found = qassay.judge(answers(1), "m|model:x", endpoint=server.url, prompt=own, cache=tmp_path / "c.sqlite")
    assert found.signature.startswith("llm:m_model:x|prompt:my_own_prompt@")
    assert found.signature.count("|") == 6
    with serving() as server, pytest.raises(SpecError, match="llm= is empty"):
        qassay.judge(answers(1), " ", endpoint=server.url, cache=tmp_path / "c.sqlite")


def test_retry_after_is_kept(ask):
    """Nobody asks before the endpoint allows it, also not the other threads."""
    times = []

    def plan(_body, number):
        times.append(time.monotonic())
        return {"status": 429, "headers": {"Retry-After": "1"}, "body": "busy"} if number == 1 else {}

    with serving(plan) as server:
        ask(server, answers(30), concurrency=1)
    assert times[1] - times[0] >= 1
    assert times[-1] - times[1] < 5


def test_wrong_schema_falls_back_to_json_and_then_to_a_letter(ask):
    """Each time the reply is asked for in a looser form; the letter has no format at all."""

    def plan(body, _number):
        kind = body.get("response_format", {}).get("type")
        if kind == "json_schema":
            return {"body": completion('{"grade": "correct"}')}
        return {"body": completion('{"verdict": "maybe"}' if kind == "json_object" else "A")}

    with serving(plan) as server:
        found = ask(server, answers(1))
    assert [body.get("response_format", {}).get("type") for body in server.bodies] == [
        "json_schema",
        "json_object",
        None,
    ]
    assert "one character" in server.bodies[-1]["messages"][0]["content"]
    assert found.judged[0].verdict == "correct"


def test_what_an_endpoint_does_not_take_is_left_out(ask):
    """Old servers know no schema and no log-probabilities, new models no temperature and another name of max_tokens."""
    known = {"model", "messages", "max_completion_tokens"}

    def plan(body, _number):
        for name in ("logprobs", "response_format", "temperature", "max_tokens"):
            if name in body:
                instead = "; use max_completion_tokens" if name == "max_tokens" else ""
                return {"status": 400, "body": {"error": {"message": f"Unsupported parameter: '{name}'{instead}"}}}
        assert set(body) == known
        return {"body": completion("B")}

    with serving(plan) as server:
        found = ask(server, answers(20), concurrency=2)
        assert {each.verdict for each in found.judged} == {"incorrect"}
        assert server.calls < 40
        calls = server.calls
        assert ask(server, answers(20)).cached == 20
        assert server.calls == calls


def test_a_refusal_without_a_reason_is_tried_in_a_looser_form(ask):
    """A server that fails at the schema without naming it is asked for JSON, all answers after the first at once."""

    def plan(body, _number):
        strict = body.get("response_format", {}).get("type") == "json_schema"
        return {"status": 400, "body": {"error": {"message": "Failed to initialize samplers"}}} if strict else {}

    with serving(plan) as server:
        found = ask(server, answers(20), concurrency=1)
    assert found.unscored == {}
    assert server.calls == 21


def test_probabilities_come_from_log_probabilities(ask):
    """One reply is enough, also where more samples were allowed."""

    def plan(body, _number):
        assert body["logprobs"]
        tokens = ['{"verdict": "', "correct", '"}']
        others = [("correct", 0.8), ("in", 0.15), ("not", 0.05)]
        top = [{"token": token, "logprob": math.log(p)} for token, p in others]
        listed = [{"token": each, "logprob": 0.0, "top_logprobs": top if each == "correct" else []} for each in tokens]
        return {"body": completion("".join(tokens), listed)}

    with serving(plan) as server:
        found = ask(server, answers(3), samples=5)
    assert [each.score for each in found.judged] == pytest.approx([0.8] * 3)
    assert server.calls == 3


def test_without_log_probabilities_samples_are_averaged(ask):
    """Each sample is a reply of its own, at temperature 1, with a seed of its own, and is cached by itself."""
    drawn = {}
    lock = threading.Lock()

    def verdict(body):
        with lock:
            number = drawn[data_of(body)["question"]] = drawn.get(data_of(body)["question"], 0) + 1
        return "correct" if number % 4 else "incorrect"

    with serving(verdict=verdict) as server:
        found = ask(server, answers(5), samples=4)
        assert ask(server, answers(5), samples=4).cached == 20
    assert [each.score for each in found.judged] == [0.75] * 5
    assert [each.verdict for each in found.judged] == ["correct"] * 5
    assert {body["temperature"] for body in server.bodies} == {1.0}
    assert len({body["seed"] for body in server.bodies}) == 4
    assert server.calls == 20


def test_a_budget_of_tokens_is_not_exceeded(ask):
    """It stops before, says so of the rest, and a higher one goes on where it was."""
    with serving() as server:
        found = ask(server, answers(60), budget_tokens=2200)
        first = server.calls
        assert found.exhausted
        assert found.account.tokens <= 2200
        assert 15 <= first <= 20
        assert sum(found.unscored.values()) == 60 - first
        assert all("the budget of 2,200 tokens was spent before" in reason for reason in found.unscored)
        rest = ask(server, answers(60), budget_tokens=100_000)
    assert not rest.exhausted
    assert (rest.cached, server.calls) == (first, 60)


def test_long_replies_do_not_exceed_a_budget(ask):
    """Before the first reply, one is taken to be as long as allowed; models that think use that."""
    usage = {"prompt_tokens": 300, "completion_tokens": 500}
    with serving(lambda *_: {"body": {**completion('{"verdict": "correct"}'), "usage": usage}}) as server:
        found = ask(server, answers(40), budget_tokens=2000)
    assert found.account.tokens == 1600
    assert server.calls == 2


def test_a_budget_for_less_than_one_question_says_so(ask):
    """Nothing was spent."""
    with serving() as server:
        found = ask(server, answers(3), budget_tokens=10)
    assert found.unscored == {"not asked: the budget of 10 tokens is not enough for one question": 3}
    assert server.calls == 0


def test_a_budget_of_money_is_not_exceeded(ask):
    """110 tokens a call, at a price of 10 and 20 per million."""
    with serving() as server:
        found = ask(server, answers(60), budget_money=0.012, price=(10, 20))
        assert found.account.money == pytest.approx(server.calls * (100 * 10 + 10 * 20) / 1e6)
    assert found.account.money <= 0.012
    assert found.exhausted


def test_what_a_budget_is_enough_for_is_a_random_sample(ask):
    """Answers that several systems gave are not asked about earlier, and the order in the file does not matter."""
    same = [{**row, "system": name} for row in answers(30) for name in "BCDEFGH"]
    with serving() as server:
        found = ask(server, [*answers(300), *same], budget_tokens=110 * 61)
    shared = [each.score is not None for each in found.judged[:30]]
    alone = [each.score is not None for each in found.judged[30:300]]
    assert sum(alone) / len(alone) == pytest.approx(60 / 300, abs=0.05)
    assert sum(shared) <= 14


def test_an_estimate_comes_first(ask):
    """A dry run asks nothing; the estimate of a real one is there before the first call."""
    seen = []
    with serving() as server:
        dry = ask(server, answers(10), dry_run=True, price=(1, 1))
        assert (server.calls, dry.estimate.calls, dry.accuracy) == (0, 10, None)
        ask(server, answers(10), on_estimate=lambda each: seen.append((each.calls, server.calls)))
        ask(server, answers(12), on_estimate=lambda each: seen.append((each.calls, each.cached)))
    assert seen == [(10, 0), (2, 10)]
    assert dry.estimate.money == pytest.approx(dry.estimate.tokens / 1e6)


def test_equal_answers_are_asked_about_once(ask):
    """Two systems that say the same cost one call."""
    with serving() as server:
        found = ask(server, [*answers(5), *answers(5, "B")])
    assert server.calls == 5
    assert [each.verdict for each in found.judged[:5]] == [each.verdict for each in found.judged[5:]]


def test_missing_candidates_are_unscored_and_not_asked_about(ask):
    """They are never wrong."""
    with serving() as server:
        found = ask(server, [{**answers(1)[0], "candidate": None}, *answers(4)[1:]])
    assert server.calls == 3
    assert found.unscored == {"the candidate is missing": 1}
    assert found.accuracy.systems[0].unscored == 1


def test_an_answer_that_is_refused_is_unscored(ask):
    """One that is too long for the model says nothing of the others."""

    def plan(body, _number):
        long = data_of(body)["question"].endswith(" 3?")
        return {"status": 400, "body": {"error": {"message": "context length exceeded"}}} if long else {}

    with serving(plan) as server:
        found = ask(server, answers(6))
    assert found.unscored == {"the endpoint refuses this answer (400): context length exceeded": 1}
    assert server.calls == 6


def test_an_answer_that_always_fails_is_unscored_and_asked_about_again(ask):
    """A failure is not kept: the next run tries once more."""
    broken = [True]

    def plan(body, _number):
        return {"status": 500, "body": "no"} if broken[0] and data_of(body)["question"].endswith(" 2?") else {}

    with serving(plan) as server:
        first = ask(server, answers(4), retries=2)
        broken[0] = False
        second = ask(server, answers(4), retries=2)
    assert first.unscored == {"no reply after 3 requests; last: the endpoint answers 500: no": 1}
    assert second.unscored == {}
    assert second.account.calls == 1


def test_again_asks_where_a_reply_had_no_verdict(ask):
    """Only there."""
    garbage = [True]

    def plan(body, _number):
        bad = garbage[0] and data_of(body)["question"].endswith(" 1?")
        return {"body": completion("hm")} if bad else {}

    with serving(plan) as server:
        ask(server, answers(4))
        garbage[0] = False
        assert ask(server, answers(4)).unscored == {'no verdict in the reply "hm"': 1}
        found = ask(server, answers(4), again=True)
    assert (found.unscored, found.account.calls) == ({}, 1)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        ({"status": 401, "body": {"error": {"message": "bad key sk-secret-1"}}}, "refuses the key (401): bad key …"),
        ({"status": 404, "body": "no such model"}, "answers 404: no such model; check the address"),
        ({"status": 307, "headers": {"Location": "http://127.0.0.1:9/"}, "body": ""}, "answers 307"),
        ({"status": 429, "body": {"error": {"code": "insufficient_quota", "message": "insufficient_quota"}}}, "quota"),
        ({"status": 429, "headers": {"Retry-After": "86400"}, "body": ""}, "asks to wait 86,400 seconds"),
        ({"status": 500, "body": "down"}, "answers 500: down"),
    ],
    ids=str,
)
def test_an_endpoint_that_answers_nobody_ends_the_run(ask, monkeypatch, action, message):
    """One message with the remedy, in which there is no key."""
    monkeypatch.setenv("QASSAY_API_KEY", "sk-secret-1")
    with serving(lambda *_: dict(action)) as server, pytest.raises(ModelError, match=re.escape(message)) as problem:
        ask(server, answers(40), retries=1)
    assert "sk-secret" not in str(problem.value)
    assert server.calls < 60


def test_an_endpoint_that_stops_answering_can_be_gone_on_with(ask):
    """What was answered is kept."""
    down = [False]

    def plan(_body, number):
        return {"status": 500, "body": "down"} if down[0] and number > 10 else {}

    with serving(plan) as server:
        down[0] = True
        with pytest.raises(StoppedError, match="10 replies are in the cache"):
            ask(server, answers(60), retries=0, concurrency=2)
        down[0] = False
        assert ask(server, answers(60)).cached == 10


@pytest.mark.parametrize("n", [1, 4, 20])
def test_nobody_there_is_one_message(ask, n):
    """A wrong port is told as such, however few answers there are."""
    with serving() as server:
        pass
    with pytest.raises(ModelError, match="gives no reply at all: no reply after 1 requests; last: ConnectError"):
        ask(server, answers(n), retries=0)


@pytest.mark.parametrize(
    ("names", "sent"),
    [(("QASSAY_API_KEY", "OPENAI_API_KEY"), "QASSAY_API_KEY"), (("OPENAI_API_KEY",), "OPENAI_API_KEY")],
)
def test_the_key_comes_from_the_environment_and_goes_nowhere_else(ask, monkeypatch, tmp_path, names, sent):
    """It is in the request's header, and neither in the results nor in any file."""
    for name in names:
        monkeypatch.setenv(name, f"sk-{name}-secret")
    with serving() as server:
        found = ask(server, answers(3), output=tmp_path / "out.jsonl")
    assert {each["Authorization"] for each in server.headers} == {f"Bearer sk-{sent}-secret"}
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"secret" not in kept
    assert "secret" not in json.dumps(found.to_dict()) + repr(found)


@pytest.mark.parametrize(
    ("url", "key"),
    [("http://llm.example.org/v1", ""), ("https://llm.example.org/v1", "sk-1"), ("http://localhost:1/v1", "sk-1")],
)
def test_the_key_of_other_programs_is_not_sent_in_the_open(monkeypatch, url, key):
    """Over plain HTTP to another machine, only a key that was set for this is sent."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert endpoints.find_key(url) == key
    monkeypatch.setenv("QASSAY_API_KEY", "sk-2")
    assert endpoints.find_key(url) == "sk-2"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"endpoint": "localhost:8080"}, "write an address like"),
        ({"endpoint": "http://user:sk-1@localhost/v1"}, "holds a secret"),
        ({"endpoint": "http://localhost/v1?api_key=sk-1"}, "holds a secret"),
        ({"endpoint": "http://localhost:x/v1"}, "is no address"),
        ({"prompt": "nope"}, "neither verify, simpleqa, likert5 nor a file"),
        ({"samples": 3, "temperature": 0}, "are all the same"),
        ({"temperature": 3}, "give 0 to 2"),
        ({"timeout": 0}, "give seconds above 0"),
        ({"budget_money": 1.0}, "needs the price"),
        ({"budget_tokens": 0}, "give a number above 0"),
        ({"doubt": (0.8, 0.2)}, "the lower first"),
        ({"elsewhere": 0}, "give a share above 0"),
        ({"column": ""}, "a name of its own"),
        ({"column": "scores"}, "a name of its own"),
        ({"column": "judgement"}, "a name of its own"),
        ({"key_env": "NO_SUCH_KEY"}, "there is no NO_SUCH_KEY in the environment"),
    ],
    ids=str,
)
def test_mistakes_are_refused_before_anything_is_asked(tmp_path, options, message):
    """One message with the remedy; a secret is not repeated in it."""
    given = {"endpoint": "http://127.0.0.1:9/v1", "cache": tmp_path / "c.sqlite", **options}
    with pytest.raises(SpecError, match=re.escape(message)) as problem:
        qassay.judge(answers(1), "m", **given)
    assert "sk-1" not in str(problem.value)


def test_a_field_of_the_judges_name_is_refused(ask):
    """Its values would be taken for the judge's."""
    with serving() as server, pytest.raises(DataError, match='has a field "llm" already'):
        ask(server, [{**answers(1)[0], "llm": 1}])


def test_a_cache_of_something_else_is_refused(ask, tmp_path):
    """It is not written over."""
    path = tmp_path / "notes.txt"
    path.write_text("my notes " * 200)
    with serving() as server, pytest.raises(qassay.OutputError, match="cannot be used as a cache"):
        ask(server, answers(1), cache=path)
    assert path.read_text() == "my notes " * 200


def test_ratings_and_own_templates(ask, tmp_path):
    """Ratings from 1 to 5 are scores from 0 to 1; an own template has its own verdicts."""
    own = tmp_path / "own.toml"
    own.write_text('template = "Q {question} A {candidate}"\n[verdicts]\nfull = 1\nhalf = 0.5\nnone = 0\n')
    with serving(verdict=lambda _body: "4") as server:
        assert ask(server, answers(1), prompt="likert5").judged[0].score == 0.75
    with serving(lambda *_: {"body": completion('{"verdict": "half"}')}) as server:
        found = ask(server, answers(1), prompt=own)
    assert (found.judged[0].score, found.judged[0].verdict) == (0.5, "half")
    assert "prompt:own@" in found.signature


def test_several_judges_stand_side_by_side(ask, tmp_path):
    """What one run wrote is the input of the next, and of the other workflows."""
    file = write_rows(tmp_path / "answers.jsonl", [*answers(30), *answers(30, "B")])
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    with serving() as server:
        ask(server, file, output=one)
    with serving(verdict=lambda _body: "correct") as server:
        ask(server, one, column="kind", output=two)
    rows = [json.loads(line) for line in two.read_text().splitlines()]
    assert rows[1]["scores"] == {"llm": 0.0, "kind": 1.0}
    assert len(rows) == 60
    kind = qassay.accuracy(two, "column:kind").to_dict()
    assert "prompt:verify@" in kind["signature"]
    assert [each["estimate"] for each in kind["systems"]] == [1, 1]
    compared = qassay.compare(two, judge=["column:llm", "column:kind"]).to_dict()
    assert [each["metric"] for each in compared["comparisons"]] == ["column:llm", "column:kind"]


def test_a_page_of_answers(ask, tmp_path):
    """The page shows the answers with their scores; the data frame has a row per answer."""
    with serving() as server:
        found = ask(server, answers(9))
    page = found.report(tmp_path / "judge.html").read_text()
    assert "column:llm" in page
    assert list(found.to_pandas()["verdict"][:2]) == ["correct", "incorrect"]


def test_doubt_asks_where_the_cheap_judge_is_unsure(ask, tmp_path):
    """And about a known share of the others; `accuracy` then estimates what the LLM would say of all."""
    dice = random.Random(3)
    rows = []
    for i in range(400):
        # Between the two judges: token_f1 of "Paris i" against "Paris i" is 1, with more words less, of others 0.
        kind = dice.random()
        said = f"Paris {i}" if kind < 0.4 else f"it is Paris {i} or so" if kind < 0.6 else "I do not know"
        rows.append(
            {**answers(1)[0], "id": f"q{i}", "question": f"{i}?", "references": [f"Paris {i}"], "candidate": said}
        )

    def verdict(body):
        # The LLM is harsher than the cheap judge on a part of what that is sure of.
        return "incorrect" if data_of(body)["question"][0] in "123" else truthful(body)

    with serving(verdict=verdict) as server:
        ask(server, rows, doubt=(0.2, 0.8), cheap="token_f1", elsewhere=0.25, output=tmp_path / "out.jsonl")
        calls = server.calls
        everything = ask(server, rows)
    unsure = sum("or so" in row["candidate"] for row in rows)
    assert calls == unsure + round(0.25 * (400 - unsure))
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    chances = {("or so" in row["candidate"], row["asked"]["llm"]["probability"]) for row in written}
    assert chances == {(True, 1.0), (False, round(0.25 * (400 - unsure)) / (400 - unsure))}
    truth = everything.accuracy.systems[0].best.estimate
    (system,) = qassay.accuracy(tmp_path / "out.jsonl", "column:llm").to_dict()["systems"]
    assert system["low"] <= truth <= system["high"]
    assert system["n"] == 400
    cheap = sum(row["scores"]["token_f1"] for row in written) / 400
    assert abs(system["estimate"] - truth) < abs(cheap - truth)
