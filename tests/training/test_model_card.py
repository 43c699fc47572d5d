import json
import shutil
from pathlib import Path

from qassay.models.base import EMBEDDED_FOLDER
from qassay.training.model_card import CARD, write_card


def card(folder: Path, title: str, data: Path, **measured: float) -> str:
    write_card(folder, title, "base", plan={"epochs": 1}, measured=measured, data=data, curves=False)
    return (folder / CARD).read_text(encoding="utf-8")


def test_a_second_head_leaves_the_firsts_section(tmp_path: Path):
    """A folder with two trained heads tells of both, and of each once."""
    card(tmp_path, "A judge", tmp_path, accuracy=0.25)
    card(tmp_path, "A chunker", tmp_path, accuracy=0.5)
    text = card(tmp_path, "A judge", tmp_path, accuracy=0.75)

    assert [line for line in text.splitlines() if line.startswith("# ")] == ["# A judge", "# A chunker"]
    assert [line for line in text.splitlines() if line.startswith("- acc")] == [
        "- accuracy: 0.7500",
        "- accuracy: 0.5000",
    ]


def test_what_the_embedded_models_card_says_is_not_said_of_another(tmp_path: Path):
    """A folder that still has that card loses it."""
    shutil.copyfile(EMBEDDED_FOLDER / CARD, tmp_path / CARD)

    assert card(tmp_path, "A chunker", tmp_path).startswith("# A chunker\n")
    assert "The embedded model" not in (tmp_path / CARD).read_text(encoding="utf-8")


def test_rows_are_counted_and_licences_named(tmp_path: Path):
    """Each source's rows on both sides, with what its file states."""
    files = [{"reader": "evouna", "licence": "Apache-2.0"}]
    (tmp_path / "sources.json").write_text(json.dumps({"files": files}))
    (tmp_path / "train.jsonl").write_text('{"source": "evouna"}\n{"source": "evouna"}\n')
    (tmp_path / "dev.jsonl").write_text('{"source": "mine"}\n')

    text = card(tmp_path, "A judge", tmp_path)

    assert "| evouna | 2 | 0 | Apache-2.0 |\n| mine | 0 | 1 | none stated |" in text


def test_what_was_not_measured_is_left_out(tmp_path: Path):
    """A card has no NaN."""
    assert "nan" not in card(tmp_path, "A reader", tmp_path, no_answer=float("nan"))
