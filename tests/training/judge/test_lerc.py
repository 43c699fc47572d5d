"""LERC as published: MOCHA's files, ratings learnt by squared error."""

import json
from pathlib import Path

import numpy as np
import pytest

from answers import score_of
from commands import qassay, qassay_json
from qassay.errors import DataError
from qassay.models.onnx.judge import RATING, as_logits
from qassay.models.onnx.judge_layer import probability
from qassay.training.judge.build import build, parse_source
from qassay.training.judge.lerc import augmented, read_ratings, train_lerc_from_files
from qassay.training.judge.rows import JudgeRow
from qassay.training.judge.train import JudgeOptions

pytestmark = pytest.mark.train

PUBLISHED = JudgeOptions(epochs=1, preset="lerc", seeds=1)


def row(number: int, score: float | None) -> dict[str, object]:
    found = {
        "context": "paris is the capital of france",
        "question": f"what is the capital {number}",
        "reference": "paris",
        "candidate": ("it is rome", "the city is paris")[number % 2],
        "metadata": {"scores": [1, 2, 3], "source": "gpt2"},
    }
    return found if score is None else found | {"score": score}


@pytest.fixture
def mocha(tmp_path: Path) -> Path:
    """Write made-up files of MOCHA's form, with its names."""
    folder = tmp_path / "mocha"
    folder.mkdir()
    for side, count in (("train", 12), ("dev", 8)):
        rows = {str(number): row(number, 1 + 4 * (number % 2)) for number in range(count)}
        (folder / f"{side}.json").write_text(json.dumps({"narrativeqa": rows, "drop": {"x": row(20, 3)}}))
    return folder


def test_mochas_split_and_ratings_are_kept(mocha: Path):
    """Each data set is a source, and ratings from 1 to 5 are labels from 0 to 1."""
    found = read_ratings(mocha)

    assert {side: len(rows) for side, rows in found.items()} == {"train": 13, "dev": 9}
    assert found["dev"][1] == JudgeRow(
        "what is the capital 1",
        ("paris",),
        "the city is paris",
        1.0,
        "mocha_narrativeqa",
        "question:what is the capital 1",
        "paris is the capital of france",
    )
    assert (found["dev"][-1].source, found["dev"][-1].label) == ("mocha_drop", 0.5)


def test_one_file_is_split_by_question(mocha: Path):
    """Where only one of MOCHA's files is given, no question stands on both sides."""
    found = read_ratings(mocha / "train.json")

    sides = [{each.question for each in rows} for rows in found.values()]
    assert sides[0].isdisjoint(sides[1])
    assert sum(map(len, found.values())) == 13


def test_ratings_may_be_united_with_verdicts(mocha: Path, tmp_path: Path):
    """`build judge` takes MOCHA as one of its kinds."""
    data = build([parse_source(f"mocha:{mocha / 'train.json'}")], rng=np.random.default_rng(0))

    assert set(data.counts()) == {"mocha_narrativeqa", "mocha_drop"}
    data.write(tmp_path / "built")
    assert len(read_ratings(tmp_path / "built")["train"]) == len(data.train)


def test_a_rating_beyond_the_scale_is_refused(mocha: Path):
    """A score of 9 is no rating of MOCHA's."""
    (mocha / "dev.json").write_text(json.dumps({"drop": {"x": row(0, 9)}}))

    with pytest.raises(DataError, match='"x" is 9'):
        read_ratings(mocha)


def test_files_without_ratings_are_refused(mocha: Path):
    """The test set cannot be learnt from."""
    (mocha / "dev.json").write_text(json.dumps({"drop": {"x": row(0, None)}}))

    with pytest.raises(DataError, match="no rated answer for the dev side"):
        read_ratings(mocha)


def test_references_and_best_answers_give_further_rows():
    """The first reference of a question is right, and an answer of the highest rating changes places with its own."""
    right = JudgeRow.of("q", "a", "an a", 1.0, "mocha_drop", "c")
    wrong = JudgeRow.of("q", "a", "b", 0.25, "mocha_drop", "c")

    same = JudgeRow.of("q", "a", "a", 1.0, "mocha_drop", "c")
    turned = JudgeRow.of("q", "an a", "a", 1.0, "mocha_drop", "c")
    assert augmented([right, wrong]) == [right, same, turned, wrong]


def test_ratings_are_scores():
    """A rating comes back as the score, those beyond the scale as its ends."""
    scores = probability(as_logits(np.array([-0.3, 0.25, 0.5, 1.7]), RATING))

    np.testing.assert_allclose(scores, [0, 0.25, 0.5, 1], atol=2e-6)


def test_ratings_are_learnt_on_any_encoder(small_base: Path, mocha: Path, tmp_path: Path):
    """The folder's score is the predicted rating, and training brings it nearer to the labels."""
    told: list[str] = []
    how = JudgeOptions(epochs=60, rate=3e-3, preset="lerc")

    found = train_lerc_from_files(str(small_base), mocha, tmp_path / "lerc", how, report=told.append)

    assert {each.source: each.n for each in found} == {"mocha_drop": 1, "mocha_narrativeqa": 8}
    assert json.loads((tmp_path / "lerc" / "ava.json").read_text())["output"] == "rating"
    assert told[0].startswith("epoch 1 of 60: squared error on dev ")
    right = next(each for each in found if each.source == "mocha_narrativeqa")
    assert right.squared_error < 0.15  # labels of 0 and 1: always one half gives .25
    assert right.pearson is not None
    assert right.pearson > 0.5


def test_ratings_are_learnt_on_the_trunk(trunk_base: Path, mocha: Path, tmp_path: Path, monkeypatch):
    """The exported network says that it puts out ratings, and is used by name."""
    monkeypatch.setattr("qassay.training.judge.lerc.is_trunk", lambda _: True)

    train_lerc_from_files(str(trunk_base), mocha, tmp_path / "lerc", PUBLISHED)

    assert json.loads((tmp_path / "lerc" / "judge.json").read_text())["output"] == "rating"
    assert 0 <= score_of(f"lerc,model={tmp_path / 'lerc'}", "it is rome", "paris", question="what") <= 1


def test_the_preset_has_the_published_settings():
    """Three epochs at 3e-5, 32 rows a batch, 512 tokens; what is said besides counts."""
    plan, slower = JudgeOptions(preset="lerc").on_encoder(), JudgeOptions(preset="lerc", rate=1e-6).on_encoder()

    assert (plan.epochs, plan.rate, plan.batch, plan.longest) == (3, 3e-5, 32, 512)
    assert (slower.rate, slower.batch) == (1e-6, 32)


def test_the_command_trains_on_mocha(small_base: Path, mocha: Path, tmp_path: Path):
    """It prints agreement with the ratings of each data set."""
    words = ("train", "lerc", "--preset", "lerc", "--base", small_base, "--data", mocha, "--epochs", 1)

    document = qassay_json(*words, "-o", tmp_path / "lerc")

    assert {each["source"] for each in document["dev"]} == {"mocha_drop", "mocha_narrativeqa"}
    assert "preset: lerc" in (tmp_path / "lerc" / "MODEL_CARD.md").read_text()


def test_an_unknown_preset_is_refused(tmp_path: Path):
    """The message names what there is."""
    done = qassay("train", "lerc", "--preset", "bleurt", "--base", "x", "--data", "y", "-o", tmp_path / "z", check=2)

    assert "there is lerc" in done.stderr
