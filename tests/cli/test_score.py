"""`qassay score` as a user meets it."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from commands import answers, qassay, qassay_json, write_rows

LEXICAL = ["-m", "token_f1", "-m", "bleu", "-m", "rouge_l"]


def test_json_document_has_the_promised_fields(tmp_path):
    """`--json` prints aggregates with intervals, counts, seed and version, and nothing else."""
    file = write_rows(tmp_path / "a.jsonl", answers(10))
    document = qassay_json("score", file, "-m", "rouge_l", "-m", "bleu,n=4")
    assert [each["metric"] for each in document["aggregates"]] == ["rouge_l", "bleu"]
    first = document["aggregates"][0]
    assert first["low"] <= first["value"] <= first["high"]
    assert (first["system"], first["n"], first["unscored"]) == ("A", 10, 0)
    assert document["examples"] == 10
    assert document["skipped"] == 0
    assert isinstance(document["seed"], int)


def test_default_metrics_print_a_table(tmp_path):
    """Without options a table comes to stdout."""
    file = write_rows(tmp_path / "a.jsonl", answers(5))
    done = qassay("score", file, check=0)
    assert "token_f1" in done.stdout


def test_output_rows_carry_scores_and_unknown_fields(tmp_path):
    """`-o` writes id, system, scores and what the input had besides."""
    rows = [{**row, "note": "kept"} for row in answers(3)]
    file = write_rows(tmp_path / "a.jsonl", rows)
    out = tmp_path / "out.jsonl"
    qassay("score", file, "-m", "exact_match", "-o", out, check=0)
    written = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in written] == ["q0", "q1", "q2"]
    assert written[1] == {"id": "q1", "system": "A", "note": "kept", "scores": {"exact_match": 0.0}} | {
        key: written[1][key] for key in written[1].keys() - {"id", "system", "note", "scores"}
    }


def test_missing_candidate_is_unscored_with_a_reason(tmp_path):
    """A null candidate counts as unscored and never as zero."""
    rows = [*answers(2), {"id": "none", "references": ["x"], "candidate": None, "system": "A"}]
    file = write_rows(tmp_path / "a.jsonl", rows)
    out = tmp_path / "out.jsonl"
    document = qassay_json("score", file, "-m", "token_f1", "-o", out)
    assert document["aggregates"][0]["unscored"] == 1
    last = json.loads(out.read_text().splitlines()[-1])
    assert last["scores"]["token_f1"] is None
    assert last["unscored"]["token_f1"] == "no candidate"


def test_two_workers_write_the_same_bytes_as_one(tmp_path):
    """The number of processes changes nothing in the output."""
    file = write_rows(tmp_path / "a.jsonl", answers(3000))
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    first = qassay_json("score", file, "-o", one, "--batch", 256, *LEXICAL)
    second = qassay_json("score", file, "-o", two, "--batch", 100, "--workers", 2, *LEXICAL)
    assert one.read_bytes() == two.read_bytes()
    assert first == second


def test_idf_weights_are_counted_over_the_whole_input_even_from_stdin(tmp_path):
    """A metric that needs two passes works on a pipe."""
    file = write_rows(tmp_path / "a.jsonl", answers(50))
    from_file = qassay_json("score", file, "-m", "rouge_l:idf", "-m", "cider")
    from_pipe = qassay_json("score", "-", "-m", "rouge_l:idf", "-m", "cider", stdin=file.read_text())
    assert from_file == from_pipe


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_tables_hold_one_column_a_metric(tmp_path, suffix):
    """CSV, TSV and Parquet outputs have the specs as columns."""
    import pandas as pd  # noqa: PLC0415 - only here

    file = write_rows(tmp_path / "a.jsonl", answers(4))
    out = tmp_path / f"out{suffix}"
    qassay("score", file, "-m", "rouge_l", "-m", "token_f1", "-o", out, check=0)
    table = pd.read_parquet(out) if suffix == ".parquet" else pd.read_csv(out, sep="," if suffix == ".csv" else "\t")
    assert list(table["id"]) == ["q0", "q1", "q2", "q3"]
    assert {"rouge_l", "token_f1"} <= set(table.columns)


@pytest.mark.parametrize("kind", ["a0", "a1-rq", "a2"])
def test_the_models_of_ava_work_without_training(tmp_path, kind):
    """The designs of Vu and Moschitti (2021) are part of the install: the year of the reference is right, no other."""
    asked = {"question": "When did the Marlins start?", "references": ["The Marlins first played in the 1993 season."]}
    rows = [{**asked, "id": year, "candidate": f"They began in {year}."} for year in ("1993", "2004")]
    out = tmp_path / "out.jsonl"
    qassay("score", write_rows(tmp_path / "a.jsonl", rows), "-m", f"ava,kind={kind}", "-o", out, check=0)
    right, wrong = (json.loads(line)["scores"][f"ava,kind={kind}"] for line in out.read_text().splitlines())
    assert right > 0.5 > wrong


def test_gzip_opens(tmp_path):
    """Compressed input is read as it is."""
    plain = write_rows(tmp_path / "a.jsonl", answers(5))
    packed = tmp_path / "a.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert qassay_json("score", plain) == qassay_json("score", packed)


def test_report_is_written(tmp_path):
    """`--report` leaves one HTML file that holds an answer's text."""
    file = write_rows(tmp_path / "a.jsonl", answers(5))
    page = tmp_path / "report.html"
    qassay("score", file, "--report", page, check=0)
    assert "it is number 4" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "rouge_x"], 'did you mean "rouge_'),
        (["-m", "bleu,n=40"], "out of range"),
        (["-m", "bleu,k=1"], 'no parameter "k"'),
        (["--resume"], "--resume needs -o"),
        (["--on-error", "maybe"], "stop or skip"),
        (["--map", "candidate"], "OURS=THEIRS"),
        (["--engine", "cloud"], "local or ray"),
        (["--engine", "ray", "--ray-gpus", "1.5", "-o", "new"], "--ray-gpus is 1.5; give a whole number"),
        (["--language", "klingon!"], "is not a language"),
        (["-o", "scores.doc"], ".jsonl"),
        (["-o", "nowhere/scores.jsonl"], "nowhere/scores.jsonl"),
    ],
)
def test_wrong_use_is_one_message_and_exit_2(tmp_path, words, message):
    """A mistake on the command line says what is wrong and leaves nothing behind."""
    file = write_rows(tmp_path / "a.jsonl", answers(2))
    done = qassay("score", file, *words, folder=tmp_path, check=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert [each.name for each in tmp_path.iterdir()] == ["a.jsonl"]


def test_bad_row_stops_with_its_place_and_leaves_no_output(tmp_path):
    """The message names file and line; an existing output stays as it was."""
    file = tmp_path / "a.jsonl"
    write_rows(file, answers(2000))
    with file.open("a") as more:
        more.write('{"id": "bad", "references": [], "candidate": "x"}\n')
    out = tmp_path / "out.jsonl"
    out.write_text("earlier\n")
    done = qassay("score", file, *LEXICAL, "-o", out, "--batch", 100, check=2)
    assert "a.jsonl:2001" in done.stderr
    assert "Traceback" not in done.stderr
    assert out.read_text() == "earlier\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl", "out.jsonl"]


def test_skip_lists_what_was_left_out(tmp_path):
    """With --on-error skip the bad row is listed and counted, the others are scored."""
    file = tmp_path / "a.jsonl"
    write_rows(file, [*answers(3), {"id": "bad", "references": [], "candidate": "x"}])
    document = qassay_json("score", file, "--on-error", "skip")
    assert (document["examples"], document["skipped"]) == (3, 1)


def test_seed_is_printed_and_repeats_the_intervals(tmp_path):
    """The same seed gives the same intervals, another seed others."""
    file = write_rows(tmp_path / "a.jsonl", answers(40))
    first = qassay_json("score", file, "-m", "rouge_l", "--seed", 7)
    again = qassay_json("score", file, "-m", "rouge_l", "--seed", 7)
    other = qassay_json("score", file, "-m", "rouge_l", "--seed", 8)
    assert first == again
    assert first["seed"] == 7
    assert other["aggregates"][0]["low"] != first["aggregates"][0]["low"]


def test_chinese_characters_score(tmp_path):
    """Identical Chinese text scores the maximum, a shared part something between."""
    rows = [
        {"id": "1", "references": ["跳绳是有氧运动"], "candidate": "跳绳是有氧运动"},
        {"id": "2", "references": ["跳绳是有氧运动"], "candidate": "跳绳不是运动"},
    ]
    file = write_rows(tmp_path / "a.jsonl", rows)
    out = tmp_path / "out.jsonl"
    qassay("score", file, "-o", out, check=0)
    first, second = (json.loads(line)["scores"] for line in out.read_text().splitlines())
    assert set(first.values()) == {1.0}
    assert 0 < second["rouge_l"] < 1


CITIES = [
    {"id": f"{question}{number}", "question": f"{question}?", "references": [right], "candidate": text}
    for question, right, texts in (
        ("Capital of France", "Paris", ("It is Rome.", "The capital of France is Paris.")),
        ("Capital of Italy", "Rome", ("Rome, of course.", None)),
    )
    for number, text in enumerate(texts)
]


def test_answers_are_ranked_within_their_question(tmp_path):
    """`--rank` writes a TREC run: the right answer first, and answers without a score left out and counted."""
    file = write_rows(tmp_path / "a.jsonl", CITIES)
    done = qassay("score", file, "-m", "ava", "--rank", tmp_path / "run.txt", check=0)
    lines = [line.split() for line in (tmp_path / "run.txt").read_text().splitlines()]
    assert [(line[0], line[2], line[3], line[5]) for line in lines] == [
        ("question-1", "Capital_of_France1", "1", "ava"),
        ("question-1", "Capital_of_France0", "2", "ava"),
        ("question-2", "Capital_of_Italy0", "1", "ava"),
    ]
    assert "not ranked: 1" in done.stderr


def test_the_metric_that_ranks_can_be_named(tmp_path):
    """`--rank-by` chooses among several metrics."""
    file = write_rows(tmp_path / "a.jsonl", CITIES)
    words = ("-m", "token_f1", "-m", "rouge_l", "--rank-by", "rouge_l")
    qassay("score", file, *words, "--rank", tmp_path / "run.txt", check=0)
    assert (tmp_path / "run.txt").read_text().splitlines()[0].endswith(" rouge_l")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", "token_f1", "-m", "rouge_l", "--rank", "run.txt"), "name one with --rank-by: token_f1, rouge_l"),
        (("-m", "token_f1", "--rank", "run.txt", "--rank-by", "bleu"), "bleu is not scored"),
        (("-m", "token_f1", "--rank-by", "token_f1"), "give --rank with it"),
    ],
)
def test_what_to_rank_by_must_be_clear(tmp_path, words, message):
    """Several metrics without a choice, or a choice that is not scored, stop before anything is scored."""
    write_rows(tmp_path / "a.jsonl", CITIES)
    done = qassay("score", "a.jsonl", *words, folder=tmp_path, check=2)
    assert message in done.stderr
    assert not (tmp_path / "run.txt").exists()


def test_answers_without_a_question_are_not_ranked(tmp_path):
    """The first of them is named, and no run is written."""
    file = write_rows(tmp_path / "a.jsonl", [{"id": "x", "references": ["a"], "candidate": "a"}])
    done = qassay("score", file, "-m", "token_f1", "--rank", tmp_path / "run.txt", check=2)
    assert '"x" has no question' in done.stderr
    assert not (tmp_path / "run.txt").exists()


def test_the_size_of_batches_changes_no_byte(tmp_path):
    """Model metrics are scored in smaller batches than lexical ones by default, with the same output."""
    file = write_rows(tmp_path / "a.jsonl", answers(300))
    words = ("score", file, "-m", "ava", "-m", "rouge_l:kpqa", "-m", "bert_score:kpqa")
    qassay(*words, "-o", tmp_path / "default.jsonl", check=0)
    qassay(*words, "-o", tmp_path / "one.jsonl", "--batch", "1024", check=0)
    assert (tmp_path / "default.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_reader_that_goes_away_is_no_error(tmp_path, words):
    """`qassay score … | head -0` ends quietly, with exit status 0."""
    file = write_rows(tmp_path / "a.jsonl", answers(20))
    program = Path(sys.executable).with_name("qassay")
    with subprocess.Popen(  # noqa: S603 - our own program
        [program, "score", file, *LEXICAL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        running.stdout.close()
        complaint = running.stderr.read()
    assert (running.returncode, complaint) == (0, "")


def test_messages_that_nobody_reads_stop_nothing(tmp_path):
    """With stderr closed at its other end the scores are still written, with exit status 0."""
    file, out = write_rows(tmp_path / "a.jsonl", answers(20)), tmp_path / "scores.jsonl"
    program = Path(sys.executable).with_name("qassay")
    with subprocess.Popen(  # noqa: S603 - our own program
        [program, "score", file, *LEXICAL, "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as running:
        running.stderr.close()
    assert running.returncode == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 20
