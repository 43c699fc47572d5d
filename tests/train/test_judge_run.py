from pathlib import Path

import pytest

from answers import score_of
from qassay.errors import DataError, ModelError, SpecError
from qassay.train.judge import Plan
from qassay.train.judge_rows import JudgeRow, write_rows
from qassay.train.judge_run import train_from_files
from tiny_bert import write_tiny_bert

PLAN = Plan(epochs=1, tokens=256, rate=1e-4)


def rows(count: int) -> list[JudgeRow]:
    cities = ("paris", "rome")
    return [
        JudgeRow(f"what is the capital {n}", ("paris",), f"it is {cities[n % 2]}", 1.0 - n % 2, "evouna", f"g{n}")
        for n in range(count)
    ]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write_rows(tmp_path / "train.jsonl", rows(8))
    write_rows(tmp_path / "dev.jsonl", rows(20))
    return tmp_path


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return write_tiny_bert(tmp_path_factory.mktemp("base"), width=384, heads=12, layers=6)


def test_a_trained_judge_is_a_model_folder(base: Path, data: Path, tmp_path: Path):
    """The folder has network and layer, is used by name, and the development rows say what was reached."""
    told: list[str] = []

    reached = train_from_files(base, data, tmp_path / "judge", PLAN, seeds=2, report=told.append)

    assert [(each.source, each.n) for each in reached] == [("evouna", 20)]
    assert told == ["seed 0: epoch 1 of 1", "seed 1: epoch 1 of 1"]
    score = score_of(f"ava,model={tmp_path / 'judge'}", "it is rome", "paris", question="what is the capital")
    assert 0 < score < 1


def test_training_needs_a_network(base: Path, data: Path, tmp_path: Path):
    """No seeds, no judge."""
    with pytest.raises(SpecError, match="at least one"):
        train_from_files(base, data, tmp_path / "judge", PLAN, seeds=0)


def test_training_needs_rows(base: Path, data: Path, tmp_path: Path):
    """An empty file is named."""
    (data / "dev.jsonl").write_text("")

    with pytest.raises(DataError, match=r"dev\.jsonl"):
        train_from_files(base, data, tmp_path / "judge", PLAN)


@pytest.mark.parametrize("layers", [0, 2])
def test_the_base_must_be_the_embedded_models(data: Path, tmp_path: Path, layers: int):
    """A folder without weights, or a BERT of another depth, is refused."""
    folder = tmp_path / "other"
    folder.mkdir()
    if layers:
        write_tiny_bert(folder, layers=layers)

    with pytest.raises(ModelError, match="all-MiniLM-L6-v2"):
        train_from_files(folder, data, tmp_path / "judge", PLAN)
