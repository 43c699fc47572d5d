"""`qassay correlate` as a user meets it."""

import csv
import json

import pytest
from scipy import stats

from commands import answers, qassay, qassay_json, write_rows


def judged(count, system="A"):
    """Make answers with judgements that go with their scores, but for some."""
    return [
        {**row, "judgement": 1 + (i % 3 > 0) * 3 + i % 2, "question_type": "odd" if i % 2 else "even"}
        for i, row in enumerate(answers(count, system))
    ]


@pytest.fixture
def file(tmp_path):
    return write_rows(tmp_path / "judged.jsonl", judged(40))


def test_json_has_the_promised_keys(file):
    """Correlations and differences carry every field of the contract."""
    document = qassay_json("correlate", file, "-m", "rouge_l", "-m", "token_f1", "--bootstrap", 100)
    first, difference = document["correlations"][0], document["differences"][0]
    promised = {"metric", "level", "by", "n", "pearson", "pearson_low", "pearson_high", "pearson_p", "undefined"}
    assert promised | {"spearman", "kendall"} <= first.keys()
    assert {"a", "b", "coefficient", "difference", "p", "test"} <= difference.keys()
    assert (first["metric"], first["level"], first["by"], first["n"]) == ("rouge_l", "answer", None, 40)
    assert first["pearson_low"] < first["pearson"] < first["pearson_high"]


def test_coefficients_are_those_of_the_scores_that_score_writes(tmp_path, file):
    """`correlate` on answers says what scipy says of `score`'s output."""
    out = tmp_path / "scored.jsonl"
    qassay("score", file, "-m", "rouge_l", "-o", out, check=0)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    scores, judgements = [row["scores"]["rouge_l"] for row in rows], [row["judgement"] for row in rows]
    (found,) = qassay_json("correlate", file, "-m", "rouge_l", "--bootstrap", 0)["correlations"]
    assert found["pearson"] == pytest.approx(stats.pearsonr(scores, judgements).statistic, abs=1e-9)
    assert found["spearman"] == pytest.approx(stats.spearmanr(scores, judgements).statistic, abs=1e-9)
    assert found["kendall"] == pytest.approx(stats.kendalltau(scores, judgements).statistic, abs=1e-9)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_a_file_of_scores_gives_the_same_as_the_answers(tmp_path, file, suffix):
    """What `score -o` wrote can be correlated without scoring again."""
    out = tmp_path / f"scored{suffix}"
    qassay("score", file, "-m", "rouge_l", "-m", "token_f1", "-o", out, check=0)
    of_answers = qassay_json("correlate", file, "-m", "rouge_l", "-m", "token_f1", "--bootstrap", 50)
    assert qassay_json("correlate", out, "--bootstrap", 50) == of_answers


def test_scores_know_which_answers_share_a_question(tmp_path):
    """Two answers per question: the intervals of a file of scores are those of the answers."""
    rows = [{**row, "question": f"Which is number {at // 2}?"} for at, row in enumerate(judged(60))]
    file = write_rows(tmp_path / "pairs.jsonl", rows)
    qassay("score", file, "-m", "token_f1", "-o", tmp_path / "scores.jsonl", check=0)
    again = qassay_json("correlate", tmp_path / "scores.jsonl", "--bootstrap", 50)
    assert again["correlations"] == qassay_json("correlate", file, "-m", "token_f1", "--bootstrap", 50)["correlations"]


def test_parts_follow_the_whole(file):
    """`--by question_type` adds rows for each type."""
    found = qassay_json("correlate", file, "-m", "rouge_l", "--by", "question_type", "--bootstrap", 0)["correlations"]
    assert [(each["by"], each["n"]) for each in found] == [(None, 40), ("even", 20), ("odd", 20)]


def test_a_wrong_field_to_divide_by_lists_the_right_ones(refused, file):
    """The message says which fields there are."""
    message = refused("correlate", file, "--by", "topic")
    assert 'no answer has a field "topic" to divide by; there are: question_type, system' in message


@pytest.mark.parametrize("level", ["answer", "system", "input", "overall"])
def test_every_level_correlates(tmp_path, level):
    """Four systems on ten questions have a value at every level."""
    rows = [
        {**row, "candidate": row["candidate"] + " x" * j, "judgement": 5 - j - i % 2}
        for j, system in enumerate("ABCD")
        for i, row in enumerate(answers(10, system))
    ]
    file = write_rows(tmp_path / "four.jsonl", rows)
    words = ("-m", "rouge_l", "--level", level, "--bootstrap", 50, "--overall-size", 5, "--overall-draws", 20)
    (found,) = qassay_json("correlate", file, *words)["correlations"]
    assert found["level"] == level
    assert -1 <= found["pearson"] <= 1


@pytest.mark.parametrize("test", ["bootstrap", "williams", "permutation", "perm-systems", "perm-inputs"])
def test_every_test_of_differences_runs(file, test):
    """Each test names itself in the differences."""
    words = ("-m", "rouge_l", "-m", "token_f1", "--coefficient", "pearson", "--test", test, "--bootstrap", 100)
    (difference,) = qassay_json("correlate", file, *words)["differences"]
    assert difference["test"] == test
    assert 0 < difference["p"] <= 1


def test_many_metrics_can_still_differ_for_sure(tmp_path):
    """Holm's correction over 21 pairs leaves room for p below 5 %, whatever number of resamples was asked for."""
    rows = [{**row, "judgement": i % 3} for i, row in enumerate(answers(300))]
    specs = ("exact_match", "token_f1", "token_recall", "rouge_1", "rouge_2", "rouge_l", "bleu")
    file = write_rows(tmp_path / "many.jsonl", rows)
    words = [word for spec in specs for word in ("-m", spec)]
    found = qassay_json("correlate", file, *words, "--coefficient", "pearson", "--bootstrap", 100)["differences"]
    assert any(each["p_holm"] is not None and each["p_holm"] < 0.05 for each in found)


def test_the_same_seed_repeats_the_run(file):
    """Intervals and p-values depend on the seed alone."""
    words = ("correlate", file, "-m", "rouge_l", "-m", "token_f1", "--bootstrap", 100)
    first, again, other = (qassay_json(*words, "--seed", seed) for seed in (1, 1, 2))
    assert first == again
    assert first["correlations"][0]["pearson_low"] != other["correlations"][0]["pearson_low"]


BAD_INPUT = {
    "constant scores": ([{**row, "candidate": row["references"][0]} for row in judged(20)], "all scores are equal"),
    "constant judgements": ([{**row, "judgement": 3} for row in judged(20)], "all judgements are equal"),
    "two answers": (judged(2), "2 pairs; at least 3 are needed"),
    "one answer": (judged(1), "1 pair; at least 3 are needed"),
    "no candidates": ([{**row, "candidate": None} for row in judged(20)], "0 pairs; at least 3 are needed"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_what_cannot_be_had_is_counted_and_has_a_reason(tmp_path, case):
    """Neither the JSON nor the table ever holds NaN."""
    rows, reason = BAD_INPUT[case]
    file = write_rows(tmp_path / "bad.jsonl", rows)
    words = ("correlate", file, "-m", "rouge_l", "-m", "token_f1", "--bootstrap", 50)
    printed = qassay(*words, "--json", check=0).stdout
    found = json.loads(printed)["correlations"][0]
    table = qassay(*words, check=0).stdout
    assert "nan" not in (printed + table).lower()
    assert (found["pearson"], found["pearson_low"], found["pearson_p"]) == (None, None, None)
    assert found["undefined"] > 0
    assert found["reason"] == reason
    assert reason in table


def test_one_system_has_no_system_level(file):
    """The reason names systems."""
    (found,) = qassay_json("correlate", file, "-m", "rouge_l", "--level", "system")["correlations"]
    assert (found["pearson"], found["reason"]) == (None, "1 system; at least 3 are needed")


def test_missing_judgements_and_candidates_are_left_out_and_counted(tmp_path):
    """Two answers without a judgement and three without a candidate make five missing pairs."""
    rows = judged(30)
    rows = (
        [{**row, "judgement": None} for row in rows[:2]] + [{**row, "candidate": None} for row in rows[2:5]] + rows[5:]
    )
    file = write_rows(tmp_path / "gaps.jsonl", rows)
    (found,) = qassay_json("correlate", file, "-m", "rouge_l", "--bootstrap", 0)["correlations"]
    assert (found["n"], found["missing"]) == (25, 5)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ('"judgement": null', 'no answer has a "judgement"'),
        ('"judgement": NaN', "judged.jsonl:1: holds NaN"),
        ('"judgement": 1e999', "judged.jsonl:1: holds a number that is out of range"),
        ('"judgement": "good"', 'judged.jsonl:1: "judgement" must be a number'),
    ],
)
def test_judgements_that_are_no_numbers_stop_the_run(refused, tmp_path, changed, message):
    """Missing, infinite and textual judgements each have their message, and no report is left."""
    rows = [json.dumps({**row, "judgement": 0}).replace('"judgement": 0', changed) for row in judged(5)]
    file = tmp_path / "judged.jsonl"
    file.write_text("\n".join(rows))
    assert message in refused("correlate", file, "--report", "report.html", "--figures", "figures")
    assert [each.name for each in tmp_path.iterdir()] == ["judged.jsonl"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--level", "word"], "give answer, system, input or overall"),
        (["--coefficient", "phi"], "give pearson, spearman or kendall"),
        (["--test", "coin"], "give bootstrap"),
        (["--resample", "words"], "give answers, inputs, systems or both"),
        (["--level", "overall", "--overall-size", "50"], "takes 50 questions, and there are 40"),
        (["--sweep", "yesno"], "KEY=LOW:HIGH:STEP"),
        (["--sweep", "yesno=0:inf:1"], "KEY=LOW:HIGH:STEP"),
        (["--sweep", "yesno=0:1:0.00001"], "at most 1000"),
        (["--sweep", "yesno=0:4", "-m", "exact_match", "-m", "token_f1", "-m", "rouge_l"], "exact_match has no number"),
        (["--judgements", "nowhere.csv"], "nowhere.csv"),
        (["--figures", "judged.jsonl"], "is no folder for figures"),
    ],
)
def test_wrong_use_is_one_message_and_exit_2(refused, file, words, message):
    """A mistake says what is wrong and what can be given."""
    assert message in refused("correlate", file, *words)


def test_a_sweep_names_every_metric_that_lacks_the_parameter(refused, file):
    """All of them stand in the message, with the numbers that they have."""
    message = refused("correlate", file, "-m", "exact_match", "-m", "meteor", "--sweep", "yesno=0:4")
    assert 'exact_match has no number "yesno" (it has none)' in message
    assert 'meteor has no number "yesno" (it has alpha, beta, gamma)' in message


def test_a_sweep_gives_a_point_for_every_value(file):
    """Metrics of the default set that lack the parameter are left out of the curve."""
    words = ("correlate", file, "--coefficient", "pearson", "--bootstrap", 0, "--sweep", "yesno=0:2:0.5")
    points = qassay_json(*words)["sweep"]
    assert {each["metric"] for each in points} >= {"bleu", "rouge_l"}
    assert "exact_match" not in {each["metric"] for each in points}
    assert [each["value"] for each in points if each["metric"] == "bleu"] == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert points[0].keys() >= {"metric", "param", "value", "by", "coefficient", "correlation", "n"}


def test_scores_cannot_be_swept(refused, tmp_path, file):
    """A file of scores holds no answers to score again."""
    out = tmp_path / "scored.jsonl"
    qassay("score", file, "-m", "rouge_l", "-o", out, check=0)
    assert "give the answers" in refused("correlate", out, "--sweep", "yesno=0:2")


def test_a_metric_is_not_scored_beside_its_scores(refused, tmp_path, file):
    """Scores of a file are joined with the answers that stand beside it, each metric once."""
    out = tmp_path / "scored.jsonl"
    qassay("score", file, "-m", "rouge_l", "-o", out, check=0)
    assert "rouge_l is scored here and in a file of scores" in refused("correlate", file, out, "-m", "rouge_l")


def test_own_scores_join_the_answers(tmp_path, file):
    """A table with ids and scores, and no column for the system, is enough."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    own = tmp_path / "own.csv"
    own.write_text("id,mine\n" + "".join(f"{row['id']},{row['judgement']}\n" for row in rows), encoding="utf-8")
    systems = {row.get("system", "") for row in rows}
    assert len(systems) == 1
    found = qassay_json("correlate", file, own, "-m", "rouge_l", "--bootstrap", 0)["correlations"]
    assert {each["metric"]: each["pearson"] for each in found}["mine"] == pytest.approx(1)


def test_own_scores_correlate_alone(tmp_path):
    """With a judgement beside them, as CSV without a system column."""
    own = tmp_path / "own.csv"
    own.write_text("id,mine,judgement\n" + "".join(f"q{i},{i / 10},{i}\n" for i in range(10)), encoding="utf-8")
    (found,) = qassay_json("correlate", own, "--bootstrap", 0)["correlations"]
    assert (found["metric"], found["n"], found["spearman"]) == ("mine", 10, pytest.approx(1))


def test_skipped_rows_are_listed_and_counted(tmp_path):
    """A bad row is named on stderr and counted in the JSON."""
    file = write_rows(tmp_path / "a.jsonl", [*judged(10), {"id": "bad", "references": [], "candidate": "x"}])
    done = qassay("correlate", file, "-m", "rouge_l", "--on-error", "skip", "--json", check=0)
    assert json.loads(done.stdout)["skipped"] == 1
    assert "a.jsonl:11" in done.stderr


def test_judgements_can_come_from_a_file_of_their_own(tmp_path, file):
    """Judgements by id and system take the place of those in the answers."""
    plain = write_rows(tmp_path / "plain.jsonl", [{**row, "judgement": None} for row in judged(40)])
    lines = ["id,system,judgement", *(f"{row['id']},A,{row['judgement']}" for row in judged(40))]
    (tmp_path / "judgements.csv").write_text("\n".join(lines))
    words = ("-m", "rouge_l", "--bootstrap", 50)
    from_file = qassay_json("correlate", plain, "--judgements", tmp_path / "judgements.csv", *words)
    assert from_file["correlations"] == qassay_json("correlate", file, *words)["correlations"]


def test_judgements_of_other_answers_are_refused(refused, tmp_path, file):
    """When no id fits, the message shows one of each side."""
    (tmp_path / "judgements.csv").write_text("id,judgement\nother,3\n")
    message = refused("correlate", file, "--judgements", "judgements.csv")
    assert 'the first is of "other" without a system, the first answer is "q0" of system "A"' in message


def test_report_and_figures_are_written(tmp_path, file):
    """One page, and for each figure the picture and its numbers."""
    page, folder = tmp_path / "report.html", tmp_path / "figures"
    words = ("--by", "question_type", "--sweep", "yesno=0:1", "--bootstrap", 50)
    done = qassay("correlate", file, *words, "--report", page, "--figures", folder, check=0)
    assert "Agreement with people" in page.read_text(encoding="utf-8")
    names = {each.name for each in folder.iterdir()}
    figures = ("agreement", "scatter", "by_question_type", "sweep_yesno")
    assert names >= {f"{name}{suffix}" for name in figures for suffix in (".svg", ".csv")}
    assert names >= {"differences.csv", "most_wrong.csv"}
    assert f"wrote {page}" in done.stderr


def test_the_scatter_plots_numbers_are_the_answers_scores(tmp_path, file):
    """The CSV beside the picture has one row an answer and metric."""
    qassay("correlate", file, "-m", "rouge_l", "--bootstrap", 0, "--figures", tmp_path / "figures", check=0)
    with (tmp_path / "figures" / "scatter.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert [row["id"] for row in rows] == [f"q{i}" for i in range(40)]
    assert [float(row["judgement"]) for row in rows] == [row["judgement"] for row in judged(40)]


def scores(count, name="m", **fields):
    """Make rows as `score -o` writes them, with judgements."""
    return [{"id": f"q{i}", "system": "A", "scores": {name: i / 7}, "judgement": i % 4, **fields} for i in range(count)]


def test_names_in_brackets_are_printed_as_they_are(tmp_path):
    """What the terminal's library would take for markup is a metric's or a part's name."""
    file = write_rows(tmp_path / "scores.jsonl", scores(12, "[red]m", kind="[/b]"))

    printed = qassay("correlate", file, "--by", "kind", "--bootstrap", 20, check=0).stdout

    assert "[red]m" in printed
    assert "[/b]" in printed


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{**row, "scores": {}} for row in scores(5)], "there is no score in these files"),
        ([{**row, "judgement": 1e308} for row in scores(5)], "5 infinite or astronomically large values"),
        (scores(5) + scores(1), 'the scores of "q0" of system "A" under m appear twice'),
    ],
)
def test_files_of_scores_that_cannot_be_correlated_are_refused(refused, tmp_path, rows, message):
    """Nothing to correlate, numbers out of all range, and an answer that comes twice each have their message."""
    assert message in refused("correlate", write_rows(tmp_path / "scores.jsonl", rows))


def test_one_question_has_no_interval_and_nothing_sure(tmp_path):
    """Resampling one question gives the same data every time, which must not pass for certainty."""
    rows = [
        {"id": "q", "system": name, "scores": {"a": i % 5, "b": i % 3}, "judgement": i % 4}
        for i, name in enumerate("ABCDEFGHIJ")
    ]

    found = qassay_json("correlate", write_rows(tmp_path / "scores.jsonl", rows), "--bootstrap", 50)

    assert {row["reason"] for row in found["correlations"]} == {"no interval: 1 question; resampling needs at least 3"}
    assert {row["p"] for row in found["differences"]} == {None}


def test_missing_questions_are_said(tmp_path):
    """A judge without questions says so, and names the column that may hold them."""
    path = tmp_path / "judged.jsonl"
    rows = [
        {"id": f"{i}", "query": f"Who is {i}?", "references": [f"n{i}"], "candidate": f"n{i % 3}", "judgement": i % 2}
        for i in range(12)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    says = 'answers without a question, judged by their references alone; map "query" to question if it holds it'
    assert f"{says}: 12" in qassay("correlate", path, "-m", "ava", check=0).stderr
    assert json.loads(qassay("correlate", path, "-m", "ava", "--json", check=0).stdout)["notes"] == {says: 12}


def test_an_llm_asked_in_doubt_is_correlated_on_what_it_was_asked(tmp_path):
    """The answers that it has verdicts on are no random sample, which is said."""
    path = tmp_path / "judged.jsonl"
    rows = [
        {
            "id": f"{i}",
            "references": ["a"],
            "candidate": "a",
            "judgement": i % 3,
            "scores": {"llm": (i % 4) / 3 if i < 20 else None, "ava": 0.5},
            "asked": {"llm": {"probability": 1.0 if i < 20 else 0.0, "otherwise": "ava"}},
        }
        for i in range(30)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = qassay("correlate", path, "--judge", "column:llm", check=0)
    assert "column:llm: correlated on the answers that it was asked about, most of them doubtful" in done.stderr
    assert done.stderr.rstrip().endswith(": 20")
