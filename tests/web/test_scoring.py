"""Scores over HTTP are those of `qassay score`, however they are batched."""

import json
import socket
import threading

import pytest

from commands import qassay
from qassay.web.scoring.door import example_of
from qassay.web.study.creation import as_row
from web.studies import answers

METRICS = ["rouge_l", "token_f1", "rouge_l:kpqa", "ava", "bleu"]


@pytest.fixture
def rows():
    return [as_row(each) for each in answers(40)]


@pytest.fixture
def written(tmp_path, rows):
    """Return what `qassay score -o` writes of the rows."""
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    wanted = [word for each in METRICS for word in ("-m", each)]
    qassay("score", "answers.jsonl", *wanted, "-o", "scores.jsonl", folder=tmp_path, check=0)
    return [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]


def test_scores_are_bit_identical_to_the_command_line(serving, rows, written):
    """One request, single answers from 16 clients at once, and a stream all give the rows of `score -o`."""
    here = serving()
    program = here.person("p", "program", None)
    whole = program.post("/api/v1/score", {"answers": rows, "metrics": METRICS})
    assert whole.json["rows"] == written
    found = {}

    def one(i):
        found[i] = program.post("/api/v1/score", {"answers": [rows[i]], "metrics": METRICS}).json["rows"][0]

    threads = [threading.Thread(target=one, args=(i,)) for i in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [found[i] for i in range(16)] == written[:16]
    assert here.server.counters.batches < 2 + 16, "answers that wait are scored together"
    path = "/api/v1/score.jsonl?" + "&".join(f"metrics={each}" for each in METRICS)
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    streamed = program.request("POST", path, body, {"Content-Type": "application/x-ndjson"})
    assert [json.loads(line) for line in streamed.body.splitlines()] == written


def test_a_stream_answers_each_line_before_the_next_is_sent(serving):
    """Lines go both ways: the reply to the first is there while the request is open."""
    here = serving()
    program = here.person("p", "program", None)
    with socket.create_connection(("127.0.0.1", here.port), timeout=30) as connection:
        connection.sendall(
            b"POST /api/v1/score.jsonl?metrics=exact_match HTTP/1.1\r\n"
            + f"Host: 127.0.0.1:{here.port}\r\nAuthorization: Bearer {program.token}\r\n".encode()
            + b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        file = connection.makefile("rb")
        for text, value in (("yes", 1.0), ("no", 0.0)):
            line = json.dumps({"references": ["yes"], "candidate": text}).encode() + b"\n"
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            while not (reply := file.readline()).startswith(b"{"):
                assert reply
            assert json.loads(reply)["scores"] == {"exact_match": value}
        connection.sendall(b"0\r\n\r\n")


def test_a_bad_line_is_answered_in_its_place(serving):
    """Errors are lines; the others are scored."""
    program = serving().person("p", "program", None)
    good = json.dumps({"references": ["a"], "candidate": "a"})
    body = f'{good}\n{{"candidate": 3}}\nnonsense\n{good}\n'.encode()
    reply = program.request(
        "POST", "/api/v1/score.jsonl?metrics=exact_match", body, {"Content-Type": "application/x-ndjson"}
    )
    lines = [json.loads(line) for line in reply.body.splitlines()]
    assert ["scores" in line for line in lines] == [True, False, False, True]
    assert [line.get("line") for line in lines] == [None, 2, 3, None]


def test_metrics_that_read_the_whole_run_are_never_scored_with_other_requests(serving):
    """`:idf` counts the references of its own request alone."""
    program = serving().person("p", "program", None)
    rows = [as_row(each) for each in answers(10)]
    first = program.post("/api/v1/score", {"answers": rows, "metrics": ["rouge_l:idf"]}).json["rows"]
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(
                program.post("/api/v1/score", {"answers": rows, "metrics": ["rouge_l:idf"]}).json["rows"]
            )
        )
        for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [first] * 4


def test_a_request_at_fault_leaves_others_alone(serving):
    """An answer that lacks its question is refused; the one that waited with it is scored."""
    here = serving()
    program = here.person("p", "program", None)
    good = {"question": "who", "references": ["a"], "candidate": "a"}
    replies = {}

    def ask(name, answer):
        replies[name] = program.post("/api/v1/score", {"answers": [answer], "metrics": ["rouge_l:kpqa"]})

    bad = {"references": ["a"], "candidate": "a"}
    threads = [threading.Thread(target=ask, args=(i, bad if i % 2 else good)) for i in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert [replies[i].status for i in range(8)] == [200, 422] * 4
    assert "needs" in replies[1].json["error"]


def test_specs_that_name_files_are_for_the_operator(serving):
    """No path of a request is opened."""
    program = serving().person("p", "program", None)
    answer = {"question": "who", "references": ["a"], "candidate": "a"}
    for spec in ("ava,model=/etc/passwd", "bert_score,model=/etc", "rouge_l:idf,df=/etc/passwd", "nothing"):
        reply = program.post("/api/v1/score", {"answers": [answer], "metrics": [spec]})
        assert reply.status == 422, (spec, reply.body)


def test_limits_of_the_door(serving):
    """Too many answers, too long texts and nothing at all are refused with our own words."""
    program = serving().person("p", "program", None)
    good = {"references": ["a"], "candidate": "a"}
    assert program.post("/api/v1/score", {"answers": [good] * 257}).status == 413
    assert program.post("/api/v1/score", {"answers": [{**good, "candidate": "a" * 20_001}]}).status == 413
    assert program.post("/api/v1/score", {"answers": []}).status == 422
    missing = program.post("/api/v1/score", {"answers": [{"references": ["a"]}]})
    assert missing.status == 422
    assert "candidate" in missing.json["error"]


def test_explanations_and_descriptions(serving):
    """The words behind a score, the catalogue, OpenAPI, health and the counts."""
    here = serving()
    program = here.person("p", "program", None)
    answer = {"question": "who wrote it", "references": ["Bizet"], "candidate": "Georges Bizet"}
    found = program.post("/api/v1/explain", {"answer": answer, "metrics": ["rouge_l:kpqa", "ava"]}).json
    assert {word["text"] for word in found["references"][0]["candidate_words"]} == {"Georges", "Bizet"}
    assert found["parts"]["ava"]
    catalogue = program.get("/api/v1/metrics-catalogue").json["metrics"]
    assert "ava" in {each["name"] for each in catalogue}
    described = program.get("/api/v1/openapi.json").json
    assert described["paths"]["/api/v1/score"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert here.client().get("/healthz").json["status"] == "ok"
    assert program.get("/readyz").json["status"] == "ready"
    counts = program.get("/metrics").body.decode()
    assert 'qassay_requests_total{method="POST",path="/api/v1/explain",status="200"} 1' in counts


def test_a_language_that_is_none_is_refused_as_by_the_command(serving, rows):
    """For scores, for streams and for explanations."""
    program = serving().person("p", "program", None)
    answer = rows[0]
    bodies = {"score": {"answers": [answer]}, "explain": {"answer": answer}}
    for call, body in bodies.items():
        reply = program.post(f"/api/v1/{call}", body | {"metrics": ["token_f1"], "language": "xx"})
        assert reply.status == 422
        assert "is not a language" in reply.json["error"]
    stream = "/api/v1/score.jsonl?metrics=token_f1&language=xx"
    assert program.post(stream, b"{}\n", headers={"Content-Type": "application/x-ndjson"}).status == 422


def test_whoever_gave_up_does_not_harm_the_others(serving, rows):
    """A request that was cancelled while it waited leaves alone those that are scored with it, and the server's end."""
    scoring = serving().server.scoring
    examples = [example_of(row, 1) for row in rows]
    choice = scoring.choose(["ava"], "auto", "stop", examples[0])
    begun = [scoring.score(examples[i : i + 1], choice) for i in range(40)]
    whole = scoring.score(examples, choice)
    cancelled = [each for each in (*begun[1::2], whole) if each.cancel()]
    assert cancelled
    for each in begun:
        assert each.cancelled() or len(each.result(60)) == 1
    left = scoring.score(examples, choice)
    left.cancel()
    scoring.close()
