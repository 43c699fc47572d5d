"""Scores that stand in the file as judges: `--judge column:NAME`."""

import csv
import random

import pytest

from commands import qassay, qassay_json, write_rows


def judged(count=60):
    """Make rows of two systems with a judge's probability, verdict and rating next to people's judgement."""
    dice = random.Random(4)
    rows = []
    for system, share in (("A", 0.5), ("B", 0.8)):
        for i in range(count):
            right = dice.random() < share
            chance = min(1, max(0, dice.gauss(0.85 if right else 0.2, 0.15)))
            word = "correct" if chance > 0.5 else "not_attempted" if chance < 0.1 else "incorrect"
            rows.append(
                {
                    "id": f"q{i}",
                    "system": system,
                    "question": f"question {i}?",
                    "references": ["yes"],
                    "candidate": "yes" if right else "no",
                    "judgement": int(right),
                    "gpt5": chance,
                    "stars": 1 + round(4 * chance),
                    "word": word,
                }
            )
    return rows


@pytest.fixture
def file(tmp_path):
    return write_rows(tmp_path / "judged.jsonl", judged())


def mean(name, system="A", change=float):
    values = [change(row[name]) for row in judged() if row["system"] == system]
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        ("column:gpt5", mean("gpt5")),
        ("column:stars,scale=1:5", mean("stars", change=lambda stars: (stars - 1) / 4)),
        ("column:word", mean("word", change=lambda word: word == "correct")),
    ],
)
def test_accuracy_averages_a_column(file, judge, expected):
    """Probabilities are averaged as they are, ratings on their scale, and verdicts in words as right or not."""
    document = qassay_json("accuracy", file, "--judge", judge)
    assert document["judge"] == judge
    assert document["systems"][0]["estimate"] == pytest.approx(expected)


def test_verdicts_tell_attempts(file):
    """An answer that the judge calls not attempted is no attempt, and not right."""
    (first, _) = qassay_json("accuracy", file, "--judge", "column:word")["systems"]
    assert first["attempted"]["estimate"] == pytest.approx(mean("word", change=lambda word: word != "not_attempted"))
    assert first["given_attempted"]["estimate"] > first["estimate"]


def test_labels_correct_a_column(tmp_path):
    """With labels, the column's mean is corrected as any judge's."""
    labels = tmp_path / "labels.csv"
    with labels.open("w") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "system", "verdict"])
        writer.writerows((row["id"], row["system"], row["judgement"]) for row in judged()[::3])
    bare = write_rows(tmp_path / "bare.jsonl", [{**row, "judgement": None} for row in judged()])
    (first, _) = qassay_json("accuracy", bare, "--judge", "column:gpt5", "--labels", labels)["systems"]
    assert (first["method"], first["labels"]) == ("ppi", 20)
    assert first["judge"]["estimate"] == pytest.approx(mean("gpt5"))


def test_files_of_scores_need_no_answers(file, tmp_path):
    """What `score -o` wrote can be averaged and labelled without the answers."""
    out = tmp_path / "scores.csv"
    qassay("score", file, "-m", "token_f1", "-o", out, check=0)
    (first, _) = qassay_json("accuracy", out, "--judge", "column:token_f1")["systems"]
    assert first["estimate"] == pytest.approx(mean("judgement"))
    assert first["unscored"] == 0


def test_answers_without_a_value_are_unscored(tmp_path):
    """They count neither as right nor as wrong."""
    rows = judged()
    rows[0]["gpt5"], rows[1]["gpt5"] = None, ""
    (first, second) = qassay_json("accuracy", write_rows(tmp_path / "a.jsonl", rows), "--judge", "column:gpt5")[
        "systems"
    ]
    assert (first["unscored"], first["n"], second["unscored"]) == (2, 58, 0)


def test_compare_takes_columns_beside_metrics(file):
    """Systems are compared by the columns, alone or next to metrics."""
    alone = qassay_json("compare", file, "--judge", "column:gpt5", "--judge", "column:word")
    both = qassay_json("compare", file, "--judge", "column:gpt5", "-m", "token_f1")
    assert [each["metric"] for each in alone["comparisons"]] == ["column:gpt5", "column:word"]
    assert [each["metric"] for each in both["comparisons"]] == ["token_f1", "column:gpt5"]
    (found,) = [each for each in both["comparisons"] if each["metric"] == "column:gpt5"]
    assert found["difference"] == pytest.approx(mean("gpt5") - mean("gpt5", "B"))
    assert {each["metric"] for each in alone["attempts"]} == {"column:word attempted", "column:word given attempted"}


def test_compare_writes_a_page_of_columns(file, tmp_path):
    """The page shows the columns as it shows metrics."""
    page = tmp_path / "compare.html"
    qassay("compare", file, "--judge", "column:gpt5", "-m", "token_f1", "--report", page, check=0)
    assert "column:gpt5" in page.read_text()


def test_correlate_takes_columns_beside_metrics(file):
    """Columns are correlated with people's judgements like metrics."""
    document = qassay_json("correlate", file, "--judge", "column:gpt5", "--judge", "column:stars", "-m", "token_f1")
    found = {each["metric"]: each["pearson"] for each in document["correlations"]}
    assert found["token_f1"] == pytest.approx(1)
    assert 0.7 < found["column:stars"] < found["column:gpt5"] < 1


def test_agree_compares_a_judge_with_people(tmp_path):
    """The judge's bias is against the people's mean, and it changes neither their alpha nor their judgements."""
    people = [
        {"id": f"q{i}", "annotator": name, "value": 1 + (i + (name == "eve" and i % 4 == 0)) % 5, "gpt5": 2 + i % 5}
        for i in range(40)
        for name in ("ann", "bob", "eve")
    ]
    ratings = write_rows(tmp_path / "ratings.jsonl", people)
    without = qassay_json("agree", ratings)
    document = qassay_json("agree", ratings, "--judge", "column:gpt5")
    (judge,) = document["judges"]
    assert (document["alpha"], document["annotators"]) == (without["alpha"], without["annotators"])
    assert (judge["judge"], judge["compared"], judge["unmatched"]) == ("column:gpt5", 40, 0)
    assert judge["bias"] == pytest.approx(sum(row["gpt5"] - row["value"] for row in people) / len(people))
    assert judge["alpha_with_judge"]["value"] < judge["alpha_people"]["value"]


def test_agree_takes_the_judge_from_answers_on_the_peoples_scale(tmp_path):
    """Probabilities in another file are moved to the scale of the ratings; a wide column of a judge is no annotator."""
    wide = tmp_path / "ratings.csv"
    wide.write_text("id,ann,bob\n" + "".join(f"q{i},{1 + i % 5},{1 + i % 5}\n" for i in range(20)))
    answers = [{"id": f"q{i}", "candidate": "x", "scores": {"gpt5": i % 5 / 4}} for i in range(20)]
    scored = write_rows(tmp_path / "judged.jsonl", answers)
    document = qassay_json("agree", wide, "--judge", "column:gpt5,scale=0:1", "--judged", scored, "--scale", "1:5")
    assert document["judges"][0]["deviation"] == pytest.approx(0)
    assert "column:gpt5" in qassay("agree", wide, "--judge", "column:gpt5", "--judged", scored, check=0).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("accuracy", "--judge", "column:gpt"), 'no answer has a value in column "gpt"; did you mean gpt5?'),
        (("accuracy", "--judge", "column:stars"), "state their scale, as in --judge column:stars,scale=1:5"),
        (("accuracy", "--judge", "column:stars,scale=2:5"), "outside the scale from 2 to 5"),
        (("accuracy", "--judge", "column:stars,scale=5:1"), "write the lowest and the highest value"),
        (("accuracy", "--judge", "column:"), "names no column"),
        (("accuracy", "--judge", "column:question_text"), "there are: gpt5, stars, word"),
        (("compare", "--judge", "ava"), "give a column of the input as column:NAME"),
        (("correlate", "--judge", "column:id2"), 'no answer has a value in column "id2"'),
    ],
)
def test_mistakes_name_the_remedy(refused, tmp_path, words, message):
    """A column that is not there, or that is no score, is one message."""
    write_rows(tmp_path / "judged.jsonl", judged(30))
    assert message in refused(words[0], "judged.jsonl", *words[1:])
