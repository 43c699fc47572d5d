"""`qassay frequencies` as a user meets it."""

import json

import pytest

from commands import qassay, qassay_json, write_rows

ROWS = [
    {"id": f"q{i}", "references": [f"a {word} house"], "candidate": f"the {word} door"}
    for i, word in enumerate(("red", "blue", "red", "green"))
]
SPECS = ("-m", "cider", "-m", "token_f1:idf")


@pytest.fixture
def files(tmp_path):
    """The whole file, and its first half."""
    return write_rows(tmp_path / "all.jsonl", ROWS), write_rows(tmp_path / "half.jsonl", ROWS[:2])


def scores(path):
    return [json.loads(line)["scores"] for line in path.read_text().splitlines()]


def test_part_of_a_file_scores_as_in_the_whole(files, tmp_path):
    """With the counts of the whole file, half of it gets the scores that it has there."""
    whole, half = files
    qassay("frequencies", whole, *SPECS, "-o", tmp_path / "df.json", check=0)
    qassay("score", half, *SPECS, "--df", tmp_path / "df.json", "-o", tmp_path / "half.out.jsonl", check=0)
    qassay("score", whole, *SPECS, "-o", tmp_path / "all.out.jsonl", check=0)
    assert scores(tmp_path / "half.out.jsonl") == scores(tmp_path / "all.out.jsonl")[:2]


def test_what_is_counted(files, tmp_path):
    """The document has what was counted, over how many references."""
    found = qassay_json("frequencies", files[0], *SPECS, "-o", tmp_path / "df.json")
    assert found["answers"] == 4
    assert [(each["tok"], each["orders"], each["documents"]) for each in found["tables"]] == [
        ("word", 4, 4),
        ("squad", 1, 4),
    ]


def test_every_metric_that_counts(files, tmp_path):
    """Without metrics, the file serves cider and every metric with :idf."""
    whole, half = files
    specs = [each for name in ("token_f1", "bleu", "rouge_l", "bert_score") for each in ("-m", f"{name}:idf")]
    specs = ["-m", "cider", *specs]
    qassay("frequencies", whole, "-o", tmp_path / "df.json", check=0)
    qassay("score", half, *specs, "--df", tmp_path / "df.json", "-o", tmp_path / "half.out.jsonl", check=0)
    qassay("score", whole, *specs, "-o", tmp_path / "all.out.jsonl", check=0)
    assert scores(tmp_path / "half.out.jsonl") == scores(tmp_path / "all.out.jsonl")[:2]


def test_printed_line(files, tmp_path):
    """The terminal says how much was counted, and where it went."""
    done = qassay("frequencies", files[0], "-m", "token_f1:idf", "-o", tmp_path / "df.json", check=0)
    # red, blue, green and house; the metric's tokens have no articles.
    assert "4 different tokens (tok=squad) by reference in 4" in done.stdout
    assert "wrote" in done.stderr


def test_nothing_to_count(files, refused):
    """A metric that counts nothing is refused, with those that do."""
    assert "name cider, or a metric with :idf" in refused("frequencies", files[0], "-m", "bleu", "-o", "df.json")


def test_no_intervals(files):
    """Scores without intervals say so."""
    found = qassay_json("score", files[0], "-m", "bleu", "--no-intervals")
    (aggregate,) = found["aggregates"]
    assert (aggregate["low"], aggregate["high"], aggregate["interval"]) == (None, None, "none: left out")


def test_no_intervals_in_the_terminal(files):
    """The table has scores alone."""
    done = qassay("score", files[0], "-m", "token_f1", "--no-intervals", check=0)
    assert "0.500" in done.stdout
