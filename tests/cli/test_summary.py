"""`qassay summary` with the embedded models."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import qassay, qassay_json, write_rows

DOCUMENT = (
    "Anna Berg won the women's race in Oslo on Sunday. The Norwegian skier finished in 52 minutes, ahead of Maria "
    "Holm of Sweden. More than 4,000 people watched the race in heavy snow."
)
REFERENCES = ["Anna Berg won the race in Oslo on Sunday.", "The Norwegian beat Maria Holm of Sweden in heavy snow."]
SUMMARIES = {
    "good": "Anna Berg won the race in Oslo on Sunday, ahead of Maria Holm of Sweden.",
    "wrong": "Maria Holm won the race in Stockholm on Friday, ahead of Anna Berg of Finland.",
}


def rows(count=1):
    """Return the summaries of two systems, each of as many documents."""
    return [
        {
            "id": f"d{i}",
            "system": system,
            "summary": f"{text} It was race {i}.",
            "references": REFERENCES,
            "document": f"{DOCUMENT} It was race {i}.",
            "judgement": {"good": 5, "wrong": 1}[system],
        }
        for i in range(count)
        for system, text in SUMMARIES.items()
    ]


@pytest.fixture
def summaries(tmp_path):
    return write_rows(tmp_path / "summaries.jsonl", rows())


def values(document):
    """Return the aggregates by metric and system."""
    return {(each["metric"], each["system"]): each["value"] for each in document["aggregates"]}


def test_both_metrics_prefer_the_good_summary(summaries):
    """By default QAEval and FEQA run, since there are references and documents."""
    found = values(qassay_json("summary", summaries))
    assert set(found) == {(metric, system) for metric in ("qaeval", "feqa") for system in SUMMARIES}
    assert found["qaeval", "good"] > found["qaeval", "wrong"]
    assert found["feqa", "good"] > found["feqa", "wrong"]


def test_all_variants_and_other_metrics_come_in_one_run(summaries, tmp_path):
    """Each column is there, and the scores of one variant do not depend on the others."""
    specs = [f"qaeval,verify={each}" for each in ("exact_match", "token_f1", "bert_score", "is_answered")]
    words = [word for spec in [*specs, "qaeval", "rouge_1"] for word in ("-m", spec)]
    qassay("summary", summaries, *words, "-o", tmp_path / "all.jsonl", check=0)
    qassay("summary", summaries, "-m", "qaeval,verify=token_f1", "-o", tmp_path / "one.jsonl", check=0)
    everything, one = (
        [json.loads(line)["scores"] for line in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        for name in ("all.jsonl", "one.jsonl")
    )
    assert list(everything[0]) == [*specs, "qaeval", "rouge_1"]
    assert [each["qaeval,verify=token_f1"] for each in everything] == [each["qaeval,verify=token_f1"] for each in one]


def test_every_question_is_written_with_both_answers(summaries, tmp_path):
    """The score is the mean over references of the mean over their questions."""
    qassay(
        *("summary", summaries, "-m", "qaeval,verify=token_f1", "-o", tmp_path / "scores.jsonl"),
        *("--questions", tmp_path / "questions.jsonl"),
        check=0,
    )
    first = json.loads((tmp_path / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0])
    score = json.loads((tmp_path / "scores.jsonl").read_text(encoding="utf-8").splitlines()[0])["scores"]
    assert [each["source"] for each in first["sources"]] == ["reference 1", "reference 2"]
    asked = [[each["verdicts"].get("token_f1", 0) for each in source["questions"]] for source in first["sources"]]
    means = [sum(each) / len(each) for each in asked]
    assert score["qaeval,verify=token_f1"] == pytest.approx(sum(means) / len(means))
    question = first["sources"][0]["questions"][0]
    start, end = question["answer_span"]
    assert REFERENCES[0][start:end] == question["answer"]


def test_the_report_shows_questions_and_correlations(tmp_path):
    """With judgements there is a table of how the scores go with them."""
    given = write_rows(tmp_path / "summaries.jsonl", rows(3))
    qassay("summary", given, "-m", "qaeval,verify=token_f1", "--report", tmp_path / "r.html", check=0)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Agreement with people" in page
    assert "Anna Berg" in page


def test_correlate_takes_the_input_and_the_output(tmp_path):
    """Both give the same numbers; the summary is the candidate without any --map."""
    given = write_rows(tmp_path / "summaries.jsonl", rows(3))
    words = ["-m", "qaeval,verify=token_f1", "-m", "feqa,verify=exact_match", "-m", "rouge_1", "-m", "bert_score"]
    qassay("summary", given, *words, "-o", tmp_path / "scores.jsonl", check=0)
    direct = qassay_json("correlate", given, *words, "--bootstrap", "0")
    written = qassay_json("correlate", tmp_path / "scores.jsonl", "--bootstrap", "0")
    assert [each["metric"] for each in direct["correlations"]] == [words[1], words[3], "rouge_1", "bert_score"]
    assert direct["correlations"] == written["correlations"]


def test_another_field_can_be_the_judgement(tmp_path):
    """Sets of summaries are judged on several scales; `--map` chooses one."""
    given = [{**row, "consistency": 6 - row["judgement"]} for row in rows(3)]
    path = write_rows(tmp_path / "summaries.jsonl", given)
    words = ("correlate", path, "-m", "rouge_1", "--bootstrap", "0")
    as_it_is = qassay_json(*words)["correlations"][0]["pearson"]
    assert qassay_json(*words, "--map", "judgement=consistency")["correlations"][0]["pearson"] == pytest.approx(
        -as_it_is
    )


def test_a_killed_run_resumes_to_the_same_bytes(tmp_path):
    """What was asked before the kill is not asked again."""
    given = write_rows(tmp_path / "summaries.jsonl", rows(60))
    words = ["summary", given, "-m", "qaeval,verify=token_f1", "-o"]
    kept = tmp_path / "cut.jsonl.questions.part"
    program = Path(sys.executable).with_name("qassay")
    questions = ("--questions", tmp_path / "q-cut.jsonl")
    run = subprocess.Popen([program, *words, tmp_path / "cut.jsonl", *questions])  # noqa: S603 - our own program
    with run:
        while run.poll() is None and not (kept.exists() and kept.read_bytes().count(b"\n") > 20):
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    assert kept.exists()
    assert not (tmp_path / "cut.jsonl").exists()
    qassay(*words, tmp_path / "cut.jsonl", *questions, "--resume", check=0)
    qassay(*words, tmp_path / "whole.jsonl", "--questions", tmp_path / "q-whole.jsonl", check=0)
    assert (tmp_path / "cut.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert (tmp_path / "q-cut.jsonl").read_bytes() == (tmp_path / "q-whole.jsonl").read_bytes()
    assert not kept.exists()


def test_a_changed_input_is_not_resumed(tmp_path):
    """The summary that differs is named."""
    given = write_rows(tmp_path / "summaries.jsonl", rows())
    out = tmp_path / "out.jsonl"
    program = Path(sys.executable).with_name("qassay")
    words = [program, "summary", given, "-m", "qaeval,verify=exact_match", "-o", out]
    many = write_rows(tmp_path / "summaries.jsonl", rows(60))
    with subprocess.Popen(words) as run:  # noqa: S603 - our own program
        kept = tmp_path / "out.jsonl.questions.part"
        while run.poll() is None and not (kept.exists() and kept.read_bytes().count(b"\n") > 20):
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    changed = rows(60)
    changed[0]["summary"] = "Nothing of the kind."
    write_rows(many, changed)
    done = qassay("summary", many, "-m", "qaeval,verify=exact_match", "-o", out, "--resume", check=2)
    assert "not the one that the unfinished run read" in done.stderr


@pytest.mark.parametrize(
    ("change", "spec", "message"),
    [
        (
            {"document": None},
            "feqa",
            'in.jsonl:41: feqa needs "context" ("document" in a file of summaries)',
        ),
        ({"references": []}, "qaeval", 'in.jsonl:41: qaeval needs "references", and the answer with id "last" of'),
        (
            {"summary": "安娜在奥斯陆赢得了比赛。"},
            "qaeval",
            "is in Chinese, and the embedded chunker and reader are English",
        ),
        ({"id": "d0", "system": "good"}, "qaeval", "twice"),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(tmp_path, change, spec, message):
    """The last row's fault shows at once, and nothing is left behind."""
    given = write_rows(tmp_path / "in.jsonl", [*rows(20), {**rows()[0], "id": "last", **change}])
    done = qassay("summary", given, "-m", spec, "-o", tmp_path / "out.jsonl", check=2)
    assert message in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl"}


@pytest.mark.parametrize(
    ("summary", "qaeval", "feqa"),
    [("", 0.0, None), ("Oslo", ..., ...), ("It snowed and then it rained.", ..., None), (None, None, None)],
)
def test_short_summaries_are_scored_or_unscored_with_a_reason(tmp_path, summary, qaeval, feqa):
    """An empty summary holds nothing of the reference, and says nothing that could be unfaithful."""
    given = write_rows(tmp_path / "in.jsonl", [{**rows()[0], "summary": summary}])
    out = tmp_path / "out.jsonl"
    qassay("summary", given, "-m", "qaeval,verify=exact_match", "-m", "feqa,verify=exact_match", "-o", out, check=0)
    row = json.loads(out.read_text(encoding="utf-8"))
    scores = row["scores"]["qaeval,verify=exact_match"], row["scores"]["feqa,verify=exact_match"]
    assert scores[0] == qaeval or (qaeval is ... and 0 <= scores[0] <= 1)
    assert scores[1] == feqa or (feqa is ... and 0 <= scores[1] <= 1)
    reason = "no summary" if summary is None else "no noun phrase to ask about"
    assert row.get("unscored", {}).get("feqa,verify=exact_match") == (reason if feqa is None else None)


def test_a_document_of_any_length_is_read(tmp_path):
    """A hundred thousand words, the answer in the middle of them."""
    filler = "The weather was much the same as on the days before. " * 5000
    row = {"id": "d", "summary": SUMMARIES["good"], "document": f"{filler}{DOCUMENT} {filler}"}
    found = qassay_json("summary", write_rows(tmp_path / "in.jsonl", [row]), "-m", "feqa,verify=token_f1")
    assert found["aggregates"][0]["value"] > 0.3
    assert any("windows" in note for note in found["notes"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "qaeval,verify=f1"], "verify=f1"),
        (["-m", "qaevl"], 'there is no metric "qaevl"'),
        (["--resume"], "--resume needs -o"),
        (["--generator", "mini"], "sequence-to-sequence"),
        (["--generator", "x", "--prompt", "{sentence}"], "must name {answer}"),
        (["--reader", "./nowhere"], "there is no model folder"),
    ],
)
def test_wrong_use_is_explained(summaries, words, message):
    """Exit status 2 and one message."""
    assert message in " ".join(qassay("summary", summaries, *words, check=2).stderr.split())


def test_score_takes_what_summary_takes(summaries):
    """The metrics of summaries are those of one catalogue, and give the same numbers under both commands."""
    words = (summaries, "-m", "qaeval,verify=token_f1")
    assert qassay_json("score", *words)["aggregates"] == qassay_json("summary", *words)["aggregates"]


def test_a_summary_in_another_language_can_be_skipped(tmp_path):
    """Null with the reason, listed with its system; without the flag its line is named."""
    given = write_rows(
        tmp_path / "in.jsonl", [*rows(), {**rows()[1], "id": "zh", "summary": "安娜在奥斯陆赢得了比赛。"}]
    )
    words = ["summary", given, "-m", "qaeval,verify=exact_match", "-o", tmp_path / "out.jsonl"]
    stopped = " ".join(qassay(*words, check=2).stderr.split())
    skipped = qassay(*words, "--on-error", "skip", check=0)
    last = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert 'in.jsonl:3: qaeval,verify=exact_match cannot read the answer with id "zh" of system "wrong"' in stopped
    assert last["scores"] == {"qaeval,verify=exact_match": None}
    assert "is in Chinese" in last["unscored"]["qaeval,verify=exact_match"]
    assert 'not questioned: "zh" of system "wrong": the summary is in Chinese' in skipped.stderr
    assert "1 of 2 unscored" in skipped.stdout


def test_questions_go_to_a_file_of_json_lines(refused, summaries):
    """Its name says so."""
    assert "give the file a name that ends in .jsonl" in refused("summary", summaries, "--questions", "x.unknown")
