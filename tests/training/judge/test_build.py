import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qassay.errors import DataError, SpecError
from qassay.training.judge.build import READERS, RECIPE, build, parse_source
from qassay.training.judge.rows import side_of
from qassay.training.sources import NONE_STATED, DataSource, answers_in, licences, read_recipe


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    path = tmp_path / "judged.jsonl"
    rows = [
        {
            "question": f"question number {number}",
            "answer": ["yes"],
            "def_correct_predictions": ["yes indeed"],
            "def_incorrect_predictions": ["no"],
        }
        for number in range(40)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_questions_of_evaluation_sets_are_left_out(judged: Path):
    """A question that is measured on gives no row, however it is spelt, and is counted."""
    data = build([DataSource("efficientqa", judged)], rng=np.random.default_rng(0), held_out=["Question, number 7!"])

    questions = {row.question for row in (*data.train, *data.dev)}
    assert "question number 7" not in questions
    assert (len(questions), data.left_out["question of an evaluation set"]) == (39, 2)


def test_every_question_stands_on_its_side(judged: Path):
    """The split follows from the question's text."""
    data = build([DataSource("efficientqa", judged)], rng=np.random.default_rng(0))

    assert {side_of(row) for row in data.train} == {"train"}
    assert {side_of(row) for row in data.dev} == {"dev"}


def test_a_cap_keeps_whole_questions(judged: Path):
    """Of a source that gives too much, whole questions are drawn."""
    data = build([DataSource("efficientqa", judged, most=21)], rng=np.random.default_rng(0))

    assert len(data.train) == 20
    assert set(Counter(row.question for row in data.train).values()) == {2}


def test_repeated_rows_count_once(judged: Path):
    """The same file twice gives each row once."""
    data = build([DataSource("efficientqa", judged)] * 2, rng=np.random.default_rng(0))

    assert len(data.train) + len(data.dev) == 80
    assert data.left_out["repeated"] == 80


def test_sources_without_a_stated_licence_can_be_left_out(judged: Path):
    """`licensed_only` keeps the sources that state a licence."""
    sources = [
        DataSource("efficientqa", judged, licence="MIT"),
        DataSource("sas", Path("never-opened.csv"), licence=NONE_STATED),
    ]

    data = build(sources, rng=np.random.default_rng(0), licensed_only=True)

    assert [source.format for source in data.sources] == ["efficientqa"]


def test_answers_of_evaluation_sets_are_left_out_where_no_question_tells(tmp_path: Path):
    """Sources without questions are compared by their references."""
    evaluation = tmp_path / "measured.csv"
    evaluation.write_text("question,reference1,scores\nq,Four steps.,1\n")
    source = tmp_path / "pairs.csv"
    source.write_text("answer1,answer2,label\nfour steps,4,2\nseven,7,2\n")

    held = answers_in([evaluation])
    data = build([DataSource("sas_squad", source)], rng=np.random.default_rng(0), held_out_answers=held)

    assert data.left_out["answer of an evaluation set"] == 1
    assert {row.references[0] for row in (*data.train, *data.dev)} == {"4", "seven", "7"}


def test_what_is_written_says_where_it_came_from(judged: Path, tmp_path: Path):
    """The folder holds the sides, and the files with checksums, licences and counts."""
    data = build([DataSource("efficientqa", judged, licence="Apache-2.0")], rng=np.random.default_rng(0))

    data.write(tmp_path / "out")

    report = json.loads((tmp_path / "out/sources.json").read_text())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "dev.jsonl",
        "sources.json",
        "test.jsonl",
        "train.jsonl",
    ]
    assert report["files"][0]["licence"] == "Apache-2.0"
    assert report["rows"]["efficientqa"]["train"] == len(data.train)


def test_the_recipe_names_known_kinds_only():
    """Every file of the embedded judge's recipe has a reader."""
    assert {source.format for source in read_recipe(RECIPE, Path())} <= set(READERS)


@pytest.mark.parametrize("text", ["evouna", "nothing:file.json"])
def test_a_source_is_a_kind_and_a_file(text: str):
    """Anything but KIND:FILE is refused with the kinds there are."""
    with pytest.raises(SpecError, match="KIND:FILE"):
        parse_source(text)


def test_a_table_without_references_is_refused(tmp_path: Path):
    """A file of evaluation answers must have a column of references."""
    path = tmp_path / "no.csv"
    path.write_text("question\nq\n")

    with pytest.raises(DataError, match="reference1"):
        answers_in([path])


def verdicts(path: Path, *judgements: float | None) -> Path:
    """Write verdicts of several people on one answer."""
    rows = [
        {"id": str(number), "question": "who", "references": ["he"], "candidate": "him", "judgement": judgement}
        for number, judgement in enumerate(judgements)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_where_people_disagree_the_label_is_their_mean(tmp_path: Path):
    """Three verdicts on an answer make one row, and such rows are counted."""
    data = build([DataSource("answers", verdicts(tmp_path / "a.jsonl", 1, 0, 1))], rng=np.random.default_rng(0))

    (row,) = (*data.train, *data.dev)
    assert row.label == pytest.approx(2 / 3)
    assert (data.disagreed, data.left_out) == (1, {"repeated": 2})


def test_answers_without_a_verdict_are_counted(tmp_path: Path):
    """What a team has not judged gives no row."""
    data = build([DataSource("answers", verdicts(tmp_path / "a.jsonl", 1, None))], rng=np.random.default_rng(0))

    assert data.left_out == {"no judgement": 1}


def test_known_kinds_state_their_licence():
    """The recipe's licences hold for files that are named one by one; a team's own answers are its own."""
    sources = [parse_source(f"{kind}:x") for kind in ("evouna", "multirc", "answers")]

    assert [source.licence for source in sources] == ["Apache-2.0", NONE_STATED, "your own"]


def test_every_kind_has_a_licence_or_states_none():
    """No kind is forgotten."""
    assert set(licences(RECIPE)) == set(READERS)


def test_a_teams_own_answers_need_no_licence(judged: Path, tmp_path: Path):
    """They stay where only licensed sources may, and the files that do not are counted."""
    own = parse_source(f"answers:{verdicts(tmp_path / 'a.jsonl', 1)}")

    data = build([own, parse_source(f"boolq:{judged}")], rng=np.random.default_rng(0), licensed_only=True)

    assert [source.format for source in data.sources] == ["answers"]
    assert data.left_out == {"file without a stated licence": 1}


def test_nothing_is_not_built(judged: Path):
    """Where no row is left, that is said with the reasons."""
    with pytest.raises(DataError, match=r"no row is left .* file without a stated licence: 1"):
        build([parse_source(f"boolq:{judged}")], rng=np.random.default_rng(0), licensed_only=True)


def test_met_questions_of_evaluation_sets_are_known(judged: Path):
    """Which questions overlap is told apart from how many rows went with them."""
    held_out = ["Question, number 7!", "question number 99"]

    data = build([DataSource("efficientqa", judged)], rng=np.random.default_rng(0), held_out=held_out)

    assert data.met == {"question number 7"}
