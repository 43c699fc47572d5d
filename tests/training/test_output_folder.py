import shutil
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from qassay.errors import OutputError
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.hf.judge import AvaSettings
from qassay.training.output_folder import (
    CHUNKER,
    JUDGE,
    LERC,
    check_encoders,
    check_head,
    check_place,
    check_weigher,
    copy_others,
    filled,
)


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """Return a folder over the embedded trunk with a chunker and a judge of its own."""
    folder = tmp_path / "ours"
    shutil.copytree(EMBEDDED_FOLDER, folder)
    (folder / "chunker.npz").write_text("another chunker")
    (folder / "judge_layer.json").write_text("another layer")
    return folder


def test_a_model_is_no_file(tmp_path: Path):
    """A file in the way is named, with a remedy."""
    (tmp_path / "model").write_text("mine")

    with pytest.raises(OutputError, match=r"model: is a file; .* another folder"):
        check_place(tmp_path / "model")


def test_the_base_model_is_not_written_over(tmp_path: Path):
    """Not even under another spelling of its folder."""
    (tmp_path / "base").mkdir()

    with pytest.raises(OutputError, match="is the base model"):
        check_place(tmp_path / "base", base=tmp_path / "base" / ".." / "base")


def test_a_head_goes_into_folders_over_the_same_trunk(ours: Path, tmp_path: Path):
    """A new folder, an empty one, and one of ours will do."""
    (tmp_path / "empty").mkdir()

    before = sorted(path.name for path in ours.iterdir())

    check_head(tmp_path / "new", CHUNKER)
    check_head(tmp_path / "empty", CHUNKER)
    check_head(ours, CHUNKER)

    assert sorted(path.name for path in ours.iterdir()) == before
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["notes.txt", "model.json", "ava.json"])
def test_a_head_goes_into_no_other_folder(tmp_path: Path, name: str):
    """Whatever else lies there is not mixed with a model."""
    (tmp_path / name).write_text("{}")

    with pytest.raises(OutputError, match="something else than a model"):
        check_head(tmp_path, CHUNKER)


def test_another_trunk_takes_no_head(ours: Path):
    """A head reads the states of the encoder that it was trained on."""
    shutil.copyfile(ours / "reader.npz", ours / "encoder.npz")

    with pytest.raises(OutputError, match="trunk"):
        check_head(ours, CHUNKER)


def test_a_judge_and_a_reader_for_lerc_are_not_in_one_folder(ours: Path):
    """Both are the same network, and the one would replace the other."""
    with pytest.raises(OutputError, match="holds a judge"):
        check_head(ours, LERC)

    (ours / "judge_layer.json").unlink()
    with pytest.raises(OutputError, match="holds a reader for LERC"):
        check_head(ours, JUDGE)


def test_a_trained_head_stays_beside_a_new_one(ours: Path, tmp_path: Path):
    """Where a judge is trained into it, a folder's own chunker is kept, and its old judge is not."""
    staged = tmp_path / "staged"
    staged.mkdir()

    copy_others(ours, staged, JUDGE)

    assert (staged / "chunker.npz").read_text() == "another chunker"
    assert (staged / "encoder.npz").is_file()
    assert not (staged / "judge_layer.json").exists()


def test_the_embedded_models_card_stays_behind(tmp_path: Path):
    """It tells of other models than the new one."""
    copy_others(tmp_path / "new", tmp_path, JUDGE)

    assert not (tmp_path / "MODEL_CARD.md").exists()


def test_a_judge_of_another_design_is_not_replaced(tmp_path: Path):
    """A folder with one of AVA's designs takes the same design again, and no other."""
    (tmp_path / "ava.json").write_bytes(msgspec.json.encode(AvaSettings("a2", 64)))

    check_encoders(tmp_path, "a2", layered=False)
    with pytest.raises(OutputError, match="judge of another kind"):
        check_encoders(tmp_path, "a1", layered=False)


def test_an_encoder_goes_into_no_other_models_folder(ours: Path):
    """Its files would lie among those of the embedded kind."""
    with pytest.raises(OutputError, match="another model"):
        check_encoders(ours, "a2", layered=False)
    with pytest.raises(OutputError, match="another model"):
        check_weigher(ours, base=EMBEDDED_FOLDER)


def test_a_keyphrase_model_is_trained_again(tmp_path: Path):
    """Its folder is known by its plan."""
    for name in ("plan.json", "config.json"):
        (tmp_path / name).write_text("{}")

    check_weigher(tmp_path, base=EMBEDDED_FOLDER)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "plan.json"]


def test_a_failed_training_leaves_nothing(tmp_path: Path):
    """What was written before the failure is gone, and what lay there is as it was."""
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights").write_text("old")

    with suppress(RuntimeError), filled(tmp_path / "model") as place:
        (place / "weights").write_text("new")
        raise RuntimeError

    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert (tmp_path / "model" / "weights").read_text() == "old"


def test_everybody_may_read_what_was_written(tmp_path: Path):
    """Weights get the mode of any new file, whatever their writer gave them."""
    (tmp_path / "usual").write_text("")

    with filled(tmp_path / "model") as place:
        (place / "weights").write_text("new")
        (place / "weights").chmod(0o600)

    assert (tmp_path / "model" / "weights").stat().st_mode == (tmp_path / "usual").stat().st_mode
