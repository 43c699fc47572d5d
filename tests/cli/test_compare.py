"""`qassay compare` as a user meets it."""

import json

import pytest

from commands import answers, qassay, qassay_json, write_rows
from shared import train


def better(rows):
    """Return the same questions with right answers."""
    return [{**row, "candidate": row["references"][0], "system": "B"} for row in rows]


def test_two_files_are_compared_question_by_question(tmp_path):
    """The difference is the one of the aggregates, and B wins wherever the answers differ."""
    one = write_rows(tmp_path / "a.jsonl", answers(30))
    two = write_rows(tmp_path / "b.jsonl", better(answers(30)))
    document = qassay_json("compare", one, two, "-m", "rouge_l")
    (found,) = document["comparisons"]
    values = [each["value"] for each in document["aggregates"]]
    assert (found["a"], found["b"], found["n"], found["unshared"]) == ("A", "B", 30, 0)
    assert found["difference"] == pytest.approx(values[0] - values[1], abs=1e-12)
    assert found["wins"] == 0
    assert found["p_permutation"] < 0.05


def test_systems_of_one_file_are_compared(tmp_path):
    """Three systems make three pairs."""
    rows = [row for system in "ABC" for row in answers(10, system)]
    document = qassay_json("compare", write_rows(tmp_path / "abc.jsonl", rows), "-m", "rouge_l")
    assert [(each["a"], each["b"]) for each in document["comparisons"]] == [("A", "B"), ("A", "C"), ("B", "C")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"references": ["something else"]}, '"references" of id "q4" is not the same in both'),
        ({"question": "Something else?"}, '"question" of id "q4" is not the same in both'),
    ],
)
def test_unlike_questions_are_refused_by_id(refused, tmp_path, change, message):
    """Scores against other references are no comparison."""
    one = write_rows(tmp_path / "a.jsonl", answers(10))
    rows = better(answers(10))
    two = write_rows(tmp_path / "b.jsonl", [*rows[:4], {**rows[4], **change}, *rows[5:]])
    assert message in refused("compare", one, two)


def score_both(folder, extension, change):
    """Write the scores of two systems to files, the second with one row changed."""
    files = []
    for name, rows in (("a", answers(10)), ("b", better(answers(10)))):
        changed = rows if name == "a" else [*rows[:4], {**rows[4], **change}, *rows[5:]]
        file = write_rows(folder / f"{name}.jsonl", changed)
        files.append(folder / f"{name}-scores{extension}")
        qassay("score", file, "-m", "token_f1", "-o", files[-1], check=0)
    return files


@pytest.mark.parametrize("extension", [".jsonl", ".jsonl.gz", ".csv", ".tsv", ".parquet"])
def test_stored_scores_against_other_references_are_refused(refused, tmp_path, extension):
    """Files of scores say which references each answer was scored against."""
    files = score_both(tmp_path, extension, {"references": ["something else"]})
    assert '"references" of id "q4" is not the same in both' in refused("compare", *files)


@pytest.mark.parametrize("extension", [".jsonl", ".csv"])
def test_stored_scores_against_the_same_references_are_compared(tmp_path, extension):
    """Candidates may differ, and nothing is noted about references."""
    document = qassay_json("compare", *score_both(tmp_path, extension, {"candidate": "another"}))
    assert document["comparisons"][0]["n"] == 10
    assert not [note for note in document["notes"] if "references_hash" in note]


def test_stored_scores_of_unlike_metrics_are_refused(refused, tmp_path):
    """There is nothing to compare; the message names who was scored by what."""
    old = write_rows(tmp_path / "old.jsonl", [{"id": "1", "system": "old", "scores": {"token_f1": 0.5}}])
    new = write_rows(tmp_path / "new.jsonl", [{"id": "1", "system": "new", "scores": {"rouge_l": 0.5}}])
    assert 'the systems share no metric: "old" by token_f1, "new" by rouge_l' in refused("compare", old, new)


def test_stored_scores_of_unknown_references_are_noted(tmp_path):
    """Your own scores are compared, with the number of those that could not be checked."""
    one, _ = score_both(tmp_path, ".jsonl", {})
    own = write_rows(
        tmp_path / "own.jsonl",
        [{"id": row["id"], "question": row["question"], "scores": {"token_f1": 1}} for row in answers(10)],
    )
    notes = qassay_json("compare", one, own)["notes"]
    assert [count for note, count in notes.items() if "references_hash" in note] == [10]


def nameless(rows):
    return [{key: value for key, value in row.items() if key not in {"id", "system"}} for row in rows]


def test_files_without_ids_pair_by_line(tmp_path):
    """Lines answer each other, and the files' names are the systems'."""
    one = write_rows(tmp_path / "old.jsonl", nameless(answers(12)))
    two = write_rows(tmp_path / "new.jsonl", nameless(better(answers(12))))
    (found,) = qassay_json("compare", one, two, "-m", "rouge_l")["comparisons"]
    assert (found["a"], found["b"], found["n"]) == ("old", "new", 12)


def test_files_of_one_name_stay_apart(tmp_path):
    """`old/answers.jsonl` and `new/answers.jsonl` are two systems."""
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    one = write_rows(tmp_path / "old" / "answers.jsonl", answers(5))
    two = write_rows(tmp_path / "new" / "answers.jsonl", answers(5))
    (found,) = qassay_json("compare", one, two, "-m", "rouge_l")["comparisons"]
    assert (found["a"], found["b"]) == ("A (answers (1))", "A (answers (2))")


def test_questions_that_only_one_answered_are_counted(tmp_path):
    """Two files of ten and six share six."""
    one = write_rows(tmp_path / "a.jsonl", answers(10))
    two = write_rows(tmp_path / "b.jsonl", better(answers(6)))
    (found,) = qassay_json("compare", one, two, "-m", "rouge_l")["comparisons"]
    assert (found["n"], found["unshared"]) == (6, 4)


def test_squad_questions_with_two_files_of_predictions():
    """The questions come once, each file of predictions is a system, and the scores are SQuAD's."""
    questions = train("squad/dev-v1.1.json")
    first, second = (train(f"squad/predictions/1.1_{name}.json") for name in ("BERT", "r-net+"))
    document = qassay_json("compare", questions, first, second, "-m", "exact_match", "-m", "token_f1", "--draws", 100)
    assert [(each["a"], each["b"]) for each in document["comparisons"]] == [("1.1_BERT", "1.1_r-net+")] * 2
    assert document["comparisons"][0]["n"] > 10_000


def test_a_missing_score_is_left_out_and_said(tmp_path):
    """A question without a candidate on one side is no win for the other."""
    one = write_rows(tmp_path / "a.jsonl", answers(10))
    rows = better(answers(10))
    two = write_rows(tmp_path / "b.jsonl", [{**rows[0], "candidate": None}, *rows[1:]])
    (found,) = qassay_json("compare", one, two, "-m", "rouge_l")["comparisons"]
    assert (found["n"], found["missing"]) == (9, 1)
    shown = qassay("compare", one, two, "-m", "rouge_l", check=0).stdout
    assert "1 question without a score of both was left out" in shown


def test_one_question_has_a_difference_and_no_test(tmp_path):
    """The p-values are null, with the reason."""
    one = write_rows(tmp_path / "a.jsonl", answers(1))
    two = write_rows(tmp_path / "b.jsonl", better(answers(1)))
    (found,) = qassay_json("compare", one, two, "-m", "rouge_l")["comparisons"]
    assert (found["p_permutation"], found["low"]) == (None, None)
    assert "at least two are needed" in found["reason"]


def test_skipped_rows_are_listed_and_counted(tmp_path):
    """A bad row of either file is named."""
    one = write_rows(tmp_path / "a.jsonl", answers(5))
    two = write_rows(tmp_path / "b.jsonl", [*better(answers(5)), {"id": "bad", "references": [], "candidate": "x"}])
    done = qassay("compare", one, two, "--on-error", "skip", "--json", check=0)
    assert json.loads(done.stdout)["skipped"] == 1
    assert "b.jsonl:6" in done.stderr


def test_one_system_cannot_be_compared(refused, tmp_path):
    """The message asks for a second."""
    assert 'only one system, "A"' in refused("compare", write_rows(tmp_path / "a.jsonl", answers(5)))


def test_systems_without_a_question_in_common_are_refused(refused, tmp_path):
    """Ids that never meet stop the run."""
    one = write_rows(tmp_path / "a.jsonl", answers(3))
    two = write_rows(tmp_path / "b.jsonl", [{**row, "id": f"other-{row['id']}"} for row in better(answers(3))])
    assert '"A" and "B" share no id' in refused("compare", one, two)


def test_standard_input_is_compared_whatever_its_format(tmp_path):
    """What was read to recognise it is not lost."""
    file = write_rows(tmp_path / "ab.jsonl", [*answers(10), *better(answers(10))])
    from_pipe = qassay_json("compare", "-", "-m", "rouge_l", stdin=file.read_text(encoding="utf-8"))
    assert from_pipe == qassay_json("compare", file, "-m", "rouge_l")


def test_standard_input_is_compared_with_a_file(tmp_path):
    """Without names of systems it is the system "stdin", wherever it stands."""
    file = write_rows(tmp_path / "new.jsonl", nameless(better(answers(6))))
    piped = write_rows(tmp_path / "old.jsonl", nameless(answers(6))).read_text(encoding="utf-8")
    (first,) = qassay_json("compare", "-", file, "-m", "rouge_l", stdin=piped)["comparisons"]
    (second,) = qassay_json("compare", file, "-", "-m", "rouge_l", stdin=piped)["comparisons"]
    assert (first["a"], first["b"], first["n"]) == ("stdin", "new", 6)
    assert (second["a"], second["b"], second["n"]) == ("new", "stdin", 6)


def test_names_in_brackets_are_printed_as_they_are(tmp_path):
    """What the terminal's library would take for markup is a system's name."""
    files = [write_rows(tmp_path / f"{name[1]}.jsonl", answers(6, name)) for name in ("[/b]", "[red]")]

    printed = qassay("compare", *files, "-m", "token_f1", check=0).stdout

    assert "[/b] against [red], 6 questions" in printed
