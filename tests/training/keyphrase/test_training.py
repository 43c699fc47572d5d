import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from safetensors.numpy import load_file

from qassay.errors import DataError, ModelError, SpecError
from qassay.models.hf.keyphrase import HEAD
from qassay.models.load import load_weigher
from qassay.training.files import write_rows
from qassay.training.keyphrase.fitting import train
from qassay.training.keyphrase.presets import PRESETS, KeyphrasePlan, default_plan
from qassay.training.keyphrase.quality import KeyphraseQuality
from qassay.training.keyphrase.rows import JudgedPair, KeyphraseRow
from qassay.training.keyphrase.train import choose_plan, train_from_files

pytestmark = pytest.mark.train

COLOURS = ("red", "blue")
PLACES = ("paris", "rome", "france")
FAST = KeyphrasePlan(epochs=4, batch=8, rate=3e-3, longest=32, unasked=0.0)


def rows(start, stop):
    made = []
    for number in range(start, stop):
        colour, place = COLOURS[number % 2], PLACES[number % 3]
        answer = f"the {colour} car is in {place}"
        asked, key = (("what car", colour), ("where is it", place))[number // 6 % 2]
        at = answer.index(key)
        made.append(KeyphraseRow(f"{asked} {number}", answer, ((at, at + len(key)),), "made", f"g{number}"))
    return made


@pytest.fixture(scope="module")
def base(small_base):
    return small_base


@pytest.fixture(scope="module")
def shaped(trunk_base):
    return str(trunk_base)


def written(folder, train=72):
    folder.mkdir(exist_ok=True)
    write_rows(folder / "train.jsonl", rows(0, train))
    write_rows(folder / "dev.jsonl", rows(72, 72 + train // 3))
    return folder


@pytest.fixture
def data(tmp_path):
    return written(tmp_path / "data")


class Trained(NamedTuple):
    """A finished training: its folder, what was found at the end, and the row of every epoch."""

    folder: Path
    found: KeyphraseQuality
    rows: list[dict[str, float]]


@pytest.fixture(scope="module")
def trained(base, tmp_path_factory):
    """Train on answers whose key word follows from the question."""
    folder, seen = tmp_path_factory.mktemp("trained"), []
    found = train_from_files(
        str(base), written(folder / "data"), folder / "out", FAST, device="cpu", report=seen.append
    )
    return Trained(folder / "out", found, seen)


@pytest.fixture(scope="module")
def two_class(base, tmp_path_factory):
    """Train one epoch of the paper's preset."""
    folder = tmp_path_factory.mktemp("two-class")
    plan = choose_plan(str(base), "kpqa", epochs=1)
    train_from_files(str(base), written(folder / "data", 24), folder / "out", plan, device="cpu")
    return folder / "out"


class PowerCut(Exception):  # noqa: N818 - not an error of the program
    """Ends a training between two epochs."""


def cut_after_two(row):
    if row["epoch"] == 2:
        raise PowerCut


def test_training_finds_the_key_words(trained):
    """On answers whose key word follows from the question, nearly every key piece is ranked first."""
    assert trained.found.average_precision > 0.9
    (weighed,) = load_weigher(str(trained.folder), "cpu").weigh([("what car 1", "the blue car is in rome")])
    assert np.argmax(weighed.weights) == 1


def test_the_papers_preset_trains_two_classes(two_class):
    """Each token's weight is a probability of its own, as in KPQA."""
    plan = PRESETS["kpqa"]
    assert (plan.outputs, plan.rate, plan.batch, plan.longest, plan.epochs) == ("two-class", 2e-5, 16, 256, 5)
    (weighed,) = load_weigher(str(two_class), "cpu").weigh([("what car 1", "the blue car is in rome")])
    assert ((weighed.weights > 0) & (weighed.weights < 1)).all()


def test_without_question_the_model_weighs_answers_alone(base, data, tmp_path):
    """A KP model gives the same weights whatever is asked."""
    plan = choose_plan(str(base), "kpqa", without_question=True, epochs=1)

    train_from_files(str(base), data, tmp_path / "out", plan, device="cpu")

    weigher = load_weigher(str(tmp_path / "out"), "cpu")
    asked, unasked = weigher.weigh([("where is it", "the blue car"), (None, "the blue car")])
    np.testing.assert_allclose(asked.weights, unasked.weights, atol=1e-6)


def test_a_model_that_needs_a_question_says_so(two_class):
    """Without a question a KPQA model refuses, with the way to a KP model."""
    with pytest.raises(ModelError, match="--without-question"):
        load_weigher(str(two_class), "cpu").weigh([(None, "the blue car")])


def test_the_best_epoch_is_kept(trained):
    """What is written has the lowest dev loss of all epochs."""
    assert trained.found.dev_loss == pytest.approx(min(row["dev_loss"] for row in trained.rows))


def test_a_stopped_run_goes_on_as_if_it_had_not(base, data, trained, tmp_path):
    """Stopped after two of four epochs and resumed, the run ends with the same figures."""
    with pytest.raises(PowerCut):
        train_from_files(str(base), data, tmp_path / "parts", FAST, device="cpu", report=cut_after_two)
    resumed = train_from_files(str(base), data, tmp_path / "parts", FAST, device="cpu", resume=True)

    assert resumed == pytest.approx(trained.found, abs=1e-6)


def test_several_seeds_give_the_average_of_their_networks(base, data, trained, tmp_path):
    """The scorer that two seeds write lies in the middle of those that each writes alone."""
    for name, plan in {"1": replace(FAST, seed=1), "both": replace(FAST, seeds=2)}.items():
        train_from_files(str(base), data, tmp_path / name, plan, device="cpu")

    first, second, both = (load_file(each / HEAD) for each in (trained.folder, tmp_path / "1", tmp_path / "both"))
    np.testing.assert_allclose(both["out.weight"], (first["out.weight"] + second["out.weight"]) / 2, atol=1e-6)
    assert not list((tmp_path / "both").glob("checkpoint*"))


def test_the_folder_tells_how_it_was_made(trained):
    """Card, plan and curves lie beside the weights; nothing of the unfinished run does."""
    names = {path.name for path in trained.folder.iterdir()}
    assert {"MODEL_CARD.md", "plan.json", "curves.csv", "curves.svg", "model.safetensors"} <= names
    assert not any(name.startswith("checkpoint") for name in names)
    assert json.loads((trained.folder / "plan.json").read_text(encoding="utf-8"))["epochs"] == 4


def test_judged_answers_and_teachers_can_be_learnt_from(base, data, trained, tmp_path):
    """With both, training still finds the key words, from the teacher's weights alone."""
    judged = tmp_path / "judged.jsonl"
    pairs = [
        JudgedPair("what car", ("the red car is in rome",), f"the {colour} car is in paris", label, "made")
        for colour, label in (("red", 1.0), ("blue", 0.0))
    ]
    judged.write_text(
        "\n".join(json.dumps({name: getattr(pair, name) for name in pair.__struct_fields__}) for pair in pairs),
        encoding="utf-8",
    )
    plan = KeyphrasePlan(epochs=4, batch=8, rate=3e-3, longest=32, marked=0.0, taught=1.0, judged=1.0)

    found = train_from_files(
        str(base), data, tmp_path / "out", plan, judged=judged, teachers=[str(trained.folder)], device="cpu"
    )

    assert found.average_precision > 0.8


def test_the_embedded_design_trains_and_exports(shaped, tmp_path):
    """A BERT of MiniLM's shape trains in the joined design by default, into a folder that needs no torch."""
    plan = choose_plan(shaped, epochs=1)

    train_from_files(shaped, written(tmp_path / "data", 16), tmp_path / "out", plan, device="cpu")

    assert plan.design == "joined"
    weigher = load_weigher(str(tmp_path / "out"))
    assert weigher.weigh([(None, "the red car")])[0].weights.sum() == pytest.approx(1)


def test_a_stopped_run_goes_on_after_heads_and_neurons_were_dropped(shaped, tmp_path):
    """Stopped after the epoch that follows the drop and resumed, the run ends with the same figures and shape."""
    data = written(tmp_path / "data", 16)
    plan = KeyphrasePlan(design="joined", epochs=3, batch=8, asked=1, tuned=1, heads=4, neurons=96, widest=1)
    whole = train_from_files(shaped, data, tmp_path / "whole", plan, device="cpu")

    with pytest.raises(PowerCut):
        train_from_files(shaped, data, tmp_path / "parts", plan, device="cpu", report=cut_after_two)
    resumed = train_from_files(shaped, data, tmp_path / "parts", plan, device="cpu", resume=True)

    assert resumed == pytest.approx(whole, abs=1e-6)
    sizes = [(tmp_path / name / "keyphrase.npz").stat().st_size for name in ("whole", "parts")]
    assert sizes[0] == pytest.approx(sizes[1], rel=0.01)


def test_the_embedded_design_without_questions_is_taught_without_questions(shaped, tmp_path):
    """Teacher and pupil see answers alone; the pupil's folder has the head for answers and no other."""
    data = written(tmp_path / "data", 16)
    plan = choose_plan(shaped, without_question=True, epochs=1)
    train_from_files(shaped, data, tmp_path / "teacher", plan, device="cpu")
    narrow = KeyphrasePlan(
        design="joined", epochs=3, batch=8, tuned=1, heads=4, neurons=96, widest=1, unasked=1.0, taught=1.0
    )

    train_from_files(shaped, data, tmp_path / "pupil", narrow, teachers=[str(tmp_path / "teacher")], device="cpu")

    names = {path.name for path in (tmp_path / "pupil").iterdir()}
    assert {"keyphrase_alone.npz", "keyphrase_alone.onnx"} <= names
    assert "keyphrase.npz" not in names
    weigher = load_weigher(str(tmp_path / "pupil"), with_question=False)
    asked, alone = weigher.weigh([("where is it", "the blue car"), (None, "the blue car")])
    np.testing.assert_array_equal(asked.weights, alone.weights)


def test_a_pupil_without_questions_needs_such_a_teacher(base, data, two_class, tmp_path):
    """A teacher that needs questions would tell of them; it is refused with the way to one that does not."""
    plan = replace(FAST, unasked=1.0, taught=1.0)

    with pytest.raises(ModelError, match="--without-question"):
        train_from_files(str(base), data, tmp_path / "out", plan, teachers=[str(two_class)], device="cpu")


def test_narrowed_networks_are_not_averaged(shaped, data, tmp_path):
    """Each network drops other heads, so that their weights have nothing to do with each other."""
    with pytest.raises(SpecError, match="one seed"):
        train_from_files(shaped, data, tmp_path / "out", KeyphrasePlan(design="joined", heads=4, seeds=2), device="cpu")


def test_other_shapes_train_in_the_cross_design(base):
    """Any other encoder gets the paper's design with our loss."""
    assert default_plan(base).design == "cross"


@pytest.mark.parametrize(
    ("plan", "message"), [(KeyphrasePlan(judged=1.0), "--judged"), (KeyphrasePlan(taught=1.0), "--teacher")]
)
def test_a_plan_says_what_it_lacks(base, data, tmp_path, plan, message):
    """A plan that learns from judged answers or teachers asks for them by option."""
    with pytest.raises(SpecError, match=message):
        train_from_files(str(base), data, tmp_path / "out", plan, device="cpu")


def test_an_unknown_preset_is_refused(base):
    """The message names the presets."""
    with pytest.raises(SpecError, match="kpqa, cross"):
        choose_plan(str(base), "best")


def test_the_joined_design_needs_its_shape(base, tmp_path):
    """A base of another shape is refused with what to use instead."""
    with pytest.raises(ModelError, match="--preset cross"):
        train(base, None, PRESETS["embedded"], tmp_path, device="cpu")


def test_data_without_rows_is_refused(base, data, tmp_path):
    """An empty dev file stops with its name."""
    (data / "dev.jsonl").write_text("", encoding="utf-8")

    with pytest.raises(DataError, match=r"dev\.jsonl"):
        train_from_files(str(base), data, tmp_path / "out", FAST, device="cpu")
