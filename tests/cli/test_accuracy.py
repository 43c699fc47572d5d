import csv
import json

import numpy as np
import pytest

from commands import qassay, qassay_json, write_rows


def rows(system="A", count=300, seed=0):
    """Answers whose recall is 1 or 0, and which people call right or wrong a little otherwise."""
    rng = np.random.default_rng(seed)
    judged = rng.random(count) < 0.7
    right = np.where(rng.random(count) < 0.1, ~judged, judged)
    return [
        {
            "id": f"q{i}",
            "question": f"What is number {i}?",
            "references": ["red"],
            "candidate": "red" if judged[i] else "blue",
            "system": system,
            "judgement": int(right[i]),
        }
        for i in range(count)
    ]


def without(field, answers):
    return [{key: value for key, value in row.items() if key != field} for row in answers]


def write_labels(path, answers, verdict="verdict"):
    lines = [f"id,system,{verdict}", *(f"{row['id']},{row['system']},{row['judgement']}" for row in answers)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("accuracy")
    answers = [*rows("A"), *rows("B", seed=1), *rows("C", seed=2)]
    write_rows(folder / "judged.jsonl", answers)
    write_rows(folder / "plain.jsonl", without("judgement", answers))
    write_labels(folder / "labels.csv", [row for i, row in enumerate(answers) if i % 4 == 0])
    return folder


def accuracy(files, name, *words):
    return qassay_json("accuracy", files / name, "--judge", "token_recall", *words)


def fill(path, answers):
    """Do a person's work: write a verdict in every row."""
    truth = {(row["system"], row["id"]): row["judgement"] for row in answers}
    waiting = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, waiting[0])
        writer.writeheader()
        writer.writerows({**row, "value": truth[row["system"], row["id"]]} for row in waiting)


def test_without_labels_the_judge_is_averaged(files):
    """One row a system with the promised fields; no truth, no agreement."""
    document = accuracy(files, "plain.jsonl")
    first = document["systems"][0]
    assert [each["system"] for each in document["systems"]] == ["A", "B", "C"]
    assert (first["method"], first["labels"], first["n"]) == ("judge", 0, 300)
    assert first["low"] < first["estimate"] < first["high"]
    assert "true" not in first
    assert "rmse" not in document


def test_judgements_of_all_answers_are_the_truth(files):
    """The error over systems and their ranks come with it."""
    document = accuracy(files, "judged.jsonl")
    truth = [np.mean([row["judgement"] for row in rows(name, seed=seed)]) for seed, name in enumerate("ABC")]
    assert [each["true"] for each in document["systems"]] == pytest.approx(truth)
    assert {"rmse", "rmse_sd", "kendall", "kendall_p"} <= document.keys()


def test_labels_correct_the_judge(files):
    """The interval is narrower than that of the labels alone, and holds the truth here."""
    first = accuracy(files, "judged.jsonl", "--labels", files / "labels.csv")["systems"][0]
    alone = first["labels_only"]
    assert (first["method"], first["labels"]) == ("ppi", 75)
    assert first["low"] <= first["true"] <= first["high"]
    assert first["high"] - first["low"] < alone["high"] - alone["low"]
    assert first["halving"]["more"] > 75


def test_table_names_systems_and_methods(files):
    """On stdout; what to know of it on stderr."""
    words = ["--judge", "token_recall", "--labels", files / "labels.csv", "--plan", "0.05"]
    done = qassay("accuracy", files / "plain.jsonl", *words, check=0)
    assert "ppi" in done.stdout
    assert "without judge" in done.stdout


def test_without_labels_the_reader_is_warned(files):
    """The interval of a judge alone holds none of its errors."""
    done = qassay("accuracy", files / "plain.jsonl", "--judge", "token_recall", check=0)
    assert "does not include the judge's errors" in done.stderr


def test_the_document_notes_what_the_table_says(tmp_path):
    """Each caution on stderr is in the notes, word for word."""
    file = write_rows(tmp_path / "a.jsonl", [*rows()[:20], {**rows()[20], "candidate": None, "judgement": None}])
    said = qassay("accuracy", file, "--judge", "token_recall", "--plan", "0.05", check=0).stderr
    notes = qassay_json("accuracy", file, "--judge", "token_recall", "--plan", "0.05")["notes"]
    assert set(said.splitlines()) <= set(notes)
    assert "A: answers without a score, which count neither as right nor as wrong: 1" in notes
    assert any("does not include the judge's errors" in note for note in notes)


def test_skipped_rows_are_listed_and_all_counted(tmp_path):
    """Beyond the thousand that are remembered, too; those of --dev and --labels with them."""
    bad = [{"id": f"bad{i}", "references": [], "candidate": "x"} for i in range(1100)]
    file = write_rows(tmp_path / "a.jsonl", [*rows(), *bad])
    dev = write_rows(tmp_path / "dev.jsonl", [*rows(seed=1), bad[0]])
    (tmp_path / "labels.csv").write_text("id,system,verdict\nq1,A,1\nq2,A,0\nq3,A,perhaps\n", encoding="utf-8")
    words = ["--judge", "token_recall", "--dev", dev, "--labels", tmp_path / "labels.csv", "--on-error", "skip"]
    done = qassay("accuracy", file, *words, "--json", check=0)
    assert json.loads(done.stdout)["skipped"] == 1102
    assert "skipped 1080 more" in done.stderr
    assert "dev.jsonl:301" in done.stderr
    assert "labels.csv:4" in done.stderr


def test_standard_input_is_a_system_beside_a_file(tmp_path):
    """Named stdin, and recognised like a file."""
    file = write_rows(tmp_path / "new.jsonl", without("system", rows(seed=1)))
    piped = "id,reference1,candidate\nq1,red,red\nq2,red,blue\n"
    document = qassay_json("accuracy", "-", file, "--judge", "token_recall", stdin=piped)
    assert [(each["system"], each["n"]) for each in document["systems"]] == [("stdin", 2), ("new", 300)]


def test_from_choosing_to_estimating_in_two_rounds(files, tmp_path):
    """--next writes a list, a person fills it, --labels takes it; then again with what is left."""
    everything = [*rows("A"), *rows("B", seed=1), *rows("C", seed=2)]
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    chosen = accuracy(files, "plain.jsonl", "--next", "90", "-o", first)["next"]
    fill(first, everything)
    again = accuracy(files, "plain.jsonl", "--labels", first, "--next", "60", "-o", second)
    fill(second, everything)
    last = accuracy(files, "judged.jsonl", "--labels", first, "--labels", second)
    assert len(chosen) == 90
    assert {each["round"] for each in again["next"]} == {2}
    assert sum(each["labels"] for each in again["systems"]) == 90
    assert sum(each["labels"] for each in last["systems"]) == 150
    assert all(each["low"] <= each["true"] <= each["high"] for each in last["systems"])


def test_choosing_is_repeatable(files):
    """The same seed, the same answers; another seed, others."""
    first, same, other = (accuracy(files, "plain.jsonl", "--next", "5", "--seed", seed)["next"] for seed in "112")
    assert first == same
    assert first != other


def test_a_threshold_counts_verdicts(files):
    """Fixed, or tuned on a development file, whose systems it brings close."""
    fixed = accuracy(files, "judged.jsonl", "--threshold", "0.5")
    tuned = accuracy(files, "judged.jsonl", "--dev", files / "judged.jsonl")
    assert fixed["threshold"] == 0.5
    assert 0 <= tuned["threshold"] <= 1
    assert tuned["rmse"] <= fixed["rmse"]


def test_two_files_without_names_are_two_systems(tmp_path):
    """Named by their files."""
    write_rows(tmp_path / "old.jsonl", without("system", rows()))
    write_rows(tmp_path / "new.v2.jsonl", without("system", rows(seed=1)))
    document = qassay_json("accuracy", tmp_path / "old.jsonl", tmp_path / "new.v2.jsonl", "--judge", "token_recall")
    assert [each["system"] for each in document["systems"]] == ["old", "new.v2"]


def test_one_system_only_works(tmp_path):
    """Labels need no system then, and the ranks are missing with no word of a crash."""
    write_rows(tmp_path / "one.jsonl", without("system", rows()))
    (tmp_path / "labels.csv").write_text("id,verdict\nq1,yes\nq2,no\n", encoding="utf-8")
    document = qassay_json(
        "accuracy", tmp_path / "one.jsonl", "--judge", "token_recall", "--labels", tmp_path / "labels.csv"
    )
    assert (document["systems"][0]["labels"], document["kendall"]) == (2, None)
    assert any(note.startswith("no rank correlation: ") for note in document["notes"])


def test_equal_labels_are_cautioned(files, tmp_path):
    """The document says so, too."""
    labels = write_labels(tmp_path / "all.csv", [{**row, "judgement": 1} for row in rows("A")[:40]])
    first = accuracy(files, "plain.jsonl", "--labels", labels)["systems"][0]
    assert (first["method"], first["estimate"]) == ("labels", 1.0)
    assert "is based on little evidence" in first["notes"][0]


def test_unknown_labels_are_counted(files, tmp_path):
    """In the notes."""
    labels = write_labels(tmp_path / "some.csv", [*rows("A")[:20], {"id": "none", "system": "A", "judgement": 1}])
    notes = accuracy(files, "plain.jsonl", "--labels", labels)["notes"]
    assert "labels of unknown answers, left out: 1" in notes


def test_contradictory_labels_can_be_averaged(files, tmp_path):
    """`--repeated mean` takes two people's opposite verdicts for half right, and counts such answers."""
    labels = write_labels(tmp_path / "both.csv", [*rows("A")[:20], {**rows("A")[0], "judgement": 0}])
    contradicted = write_labels(tmp_path / "right.csv", [{**rows("A")[0], "judgement": 1}])
    notes = accuracy(files, "plain.jsonl", "--labels", labels, "--labels", contradicted, "--repeated", "mean")["notes"]
    assert "answers whose contradictory labels were averaged: 1" in notes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--judge", "cider"], "does not score from 0 to 1"),
        (["--judge", "nothing"], 'there is no metric "nothing"'),
        (["--threshold", "high"], "give auto or a number from 0 to 1"),
        (["--threshold", "0.5", "--dev", "judged.jsonl"], "give one of them"),
        (["--confidence", "95"], "between 0 and 1"),
        (["--plan", "5"], "such as 0.05"),
        (["--of", "things"], "give answers or questions"),
        (["--repeated", "first"], "give stop or mean"),
        (["-o", "list.csv"], "give --next N too"),
        (["--next", "5", "-o", "list.txt"], "list.txt: lists of answers to label are written as"),
        (["--next", "5", "-o", "labels.csv"], "labels.csv: holds verdicts of people (225), which would be lost"),
        (["--labels", "none.csv"], "none.csv"),
        (["--labels", "strange.csv"], "no label belongs to an answer"),
        (["--labels", "twice.csv"], "twice.csv:3"),
        (["--labels", "nameless.csv"], "names no system"),
    ],
)
def test_mistakes_end_with_one_message(files, words, message):
    """Exit status 2, place and remedy, nothing on stdout, no traceback."""
    (files / "strange.csv").write_text("id,system,verdict\nx,A,1\n", encoding="utf-8")
    (files / "twice.csv").write_text("id,system,verdict\nq1,A,1\nq1,A,0\n", encoding="utf-8")
    (files / "nameless.csv").write_text("id,verdict\nq1,1\n", encoding="utf-8")
    judge = [] if "--judge" in words else ["--judge", "token_recall"]
    done = qassay("accuracy", "plain.jsonl", *judge, *words, folder=files, check=2)
    assert message in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr
    assert not done.stdout
    assert not (files / "list.csv").exists()


def test_json_is_one_document(files):
    """Nothing else on stdout."""
    done = qassay("accuracy", files / "plain.jsonl", "--judge", "token_recall", "--next", "3", "--json", check=0)
    assert json.loads(done.stdout)["judge"] == "token_recall"


def test_judgements_inside_answers_count_beside_labels(tmp_path):
    """Forty judgements of one half and thirty labels of the other are seventy labels."""
    answers = rows()
    file = write_rows(tmp_path / "a.jsonl", [*answers[:40], *without("judgement", answers[40:])])
    labels = write_labels(tmp_path / "labels.csv", answers[100:130])
    document = qassay_json("accuracy", file, "--judge", "token_recall", "--labels", labels)
    assert document["systems"][0]["labels"] == 70


def test_a_judgement_and_a_label_may_not_contradict_each_other(tmp_path):
    """The message has the label's line; --repeated mean averages the two."""
    answers = rows()
    file = write_rows(tmp_path / "a.jsonl", [*answers[:40], *without("judgement", answers[40:])])
    labels = write_labels(tmp_path / "labels.csv", [{**answers[3], "judgement": 1 - answers[3]["judgement"]}])
    words = ["accuracy", file, "--judge", "token_recall", "--labels", labels]
    assert "labels.csv:2" in qassay(*words, check=2).stderr
    assert "answers whose contradictory labels were averaged: 1" in qassay_json(*words, "--repeated", "mean")["notes"]


def test_a_system_that_people_judged_whole_is_not_asked_about(tmp_path):
    """--next and --plan go to the others, and no error over one system is printed."""
    file = write_rows(tmp_path / "a.jsonl", [*rows("known"), *without("judgement", rows("new", seed=1))])
    words = ["accuracy", file, "--judge", "token_recall", "--next", "20", "--plan", "0.05"]
    document = qassay_json(*words)
    done = qassay(*words, check=0)
    assert {each["system"] for each in document["next"]} == {"new"}
    assert ["plan" in each for each in document["systems"]] == [False, True]
    assert "RMSE" not in done.stdout
    assert "people judged all answers, so that none is chosen to be labelled: known" in done.stderr


def test_truth_of_all_systems_needs_no_labels(files):
    """The warning about the judge's errors stays, the advice to label goes."""
    done = qassay("accuracy", files / "judged.jsonl", "--judge", "token_recall", check=0)
    assert "does not include the judge's errors" in done.stderr
    assert "to_label.csv" not in done.stderr


def test_chosen_answers_are_printed_with_their_probability(files):
    """Without it the labels could never be weighed."""
    done = qassay("accuracy", files / "plain.jsonl", "--judge", "token_recall", "--next", "3", check=0)
    lines = [line.split() for line in done.stdout.splitlines()][-4:]
    assert lines[0] == ["id", "system", "round", "probability_of_selection"]
    assert [0 < float(line[3]) <= 1 for line in lines[1:]] == [True] * 3
    assert "-o FILE" in done.stderr
