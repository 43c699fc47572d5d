"""The judge's network, its training and its export, on a small random encoder of the embedded model's shape."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from qassay.errors import ModelError
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.judge import JudgeInput, OnnxJudge
from qassay.training.export.encoder import export_encoder
from qassay.training.export.heads import export_judge
from qassay.training.judge.inputs import JudgeInputs, prepare
from qassay.training.judge.network import (
    JudgeNetwork,
    JudgePairs,
    _epoch,
    layers_that_read,
    logits,
    stored_weights,
    train,
)
from qassay.training.judge.opinions import second_opinions, source_opinions
from qassay.training.judge.rows import JudgeRow
from qassay.training.judge.trainers import Extra, train_network
from qassay.training.plan import named_plan
from qassay.training.splits import folds_of

pytestmark = pytest.mark.train

ROWS = [
    JudgeRow("what is the capital", ("paris", "paris france"), "it is paris", 1.0, "a", "1", "paris is the capital"),
    JudgeRow("what is the capital", ("paris",), "it is rome", 0.0, "a", "1"),
    JudgeRow("", ("four steps",), "four", 1.0, "b", "2"),
    JudgeRow("how many steps", ("four",), "seven", 0.0, "b", "3"),
]
PLAN = named_plan("judge", epochs=1, batch=64, rate=1e-3, trunk_depth=5)


@pytest.fixture(scope="module")
def base(trunk_base) -> Path:
    return trunk_base


@pytest.fixture(scope="module")
def weights(base: Path) -> dict[str, torch.Tensor]:
    return load_file(base / "model.safetensors")


@pytest.fixture(scope="module")
def inputs(base: Path) -> JudgeInputs:
    return prepare(ROWS, Tokenizer.from_file(str(base / "tokenizer.json")))


@pytest.fixture(scope="module")
def network(weights, inputs) -> JudgeNetwork:
    return train(weights, inputs, PLAN, "cpu")


def test_every_reference_makes_a_pair_and_equal_texts_are_stored_once(inputs):
    """Five pairs from four rows; "paris" and the question are there once."""
    assert inputs.row.tolist() == [0, 0, 1, 2, 3]
    assert inputs.reference[0] == inputs.reference[2]
    assert inputs.question[3] == -1


def test_texts_stand_in_a_row_with_one_opening_mark(inputs, base: Path):
    """[CLS] reference [SEP] question [SEP] candidate [SEP], and the context only where it is shown."""
    cut = Tokenizer.from_file(str(base / "tokenizer.json"))
    pairs = JudgePairs.of(inputs, "cpu")
    bare = pairs.side_by_side(torch.tensor([0]))
    shown = pairs.side_by_side(torch.tensor([0]), context=torch.tensor([True]))

    expected = "[CLS] paris [SEP] what is the capital [SEP] it is paris [SEP]"
    read = [[cut.id_to_token(piece) for piece in found[0][found[1]].tolist()] for found in (bare, shown)]
    assert " ".join(read[0]) == expected
    assert " ".join(read[1]) == f"{expected} paris is the capital [SEP]"


def test_only_the_judges_own_weights_are_trained(network, weights):
    """The trunk stays as it is, and the tuned weights do not hold it."""
    trained = network.trunk.layers[0].widen.weight
    assert torch.equal(trained, weights["encoder.layer.0.intermediate.dense.weight"])
    assert not any(name.startswith("trunk.") for name in network.tuned())


def test_the_same_seed_gives_the_same_judge(weights, inputs, network):
    """Training is repeatable."""
    again = train(weights, inputs, PLAN, "cpu")

    pairs = JudgePairs.of(inputs, "cpu")
    np.testing.assert_array_equal(logits(again, pairs, "cpu"), logits(network, pairs, "cpu"))


def test_seeds_start_from_the_same_weights(weights, inputs):
    """With nothing learnt, networks of different seeds are equal, so that their average means something."""
    first, second = (
        train(weights, inputs, named_plan("judge", epochs=1, rate=1e-30, seed=seed), "cpu") for seed in (0, 1)
    )

    assert torch.equal(first.out.weight, second.out.weight)


def test_a_judge_learns_its_rows(weights, inputs):
    """After some passes the right rows of the training data score above the wrong ones."""
    trained = train(weights, inputs, replace(PLAN, epochs=12), "cpu", context=0.0)

    found = logits(trained, JudgePairs.of(inputs, "cpu"), "cpu")

    right = inputs.label[inputs.row] > 0.5
    assert found[right].min() > found[~right].max()


def test_tuned_weights_can_be_taken_over(weights, network, inputs):
    """A fresh network with another's tuned weights judges as that one does."""
    fresh = JudgeNetwork(weights, PLAN.trunk_depth).eval()
    fresh.restore(network.tuned())

    pairs = JudgePairs.of(inputs, "cpu")
    np.testing.assert_array_equal(logits(fresh, pairs, "cpu"), logits(network, pairs, "cpu"))


@pytest.mark.parametrize("int8", [False, True])
def test_the_exported_judge_says_what_the_network_says(base, network, inputs, tmp_path: Path, int8: bool):
    """The runtime reads, marks and judges as training did; int8 moves a logit a little."""
    export_encoder(base, tmp_path, int8=int8)
    tuned = {name: value.detach().numpy() for name, value in network.tuned().items()}
    export_judge(tuned, tmp_path, layer=PLAN.trunk_depth, int8=int8)
    judge = OnnxJudge(OnnxEncoder(str(tmp_path), tmp_path))
    asked = [JudgeInput(row.question, text, row.candidate) for row in ROWS for text in row.references]

    expected = logits(network, JudgePairs.of(inputs, "cpu"), "cpu")

    np.testing.assert_allclose(judge.judge(asked), expected, atol=0.15 if int8 else 1e-4)


@pytest.mark.parametrize(("int8", "off"), [(False, 1e-7), (True, 0.01)])
def test_exported_weights_are_read_back(base, network, tmp_path: Path, int8: bool, off: float):
    """Every weight of the network is there again, in int8 as near as its column's steps."""
    export_encoder(base, tmp_path, int8=int8)
    tuned = network.tuned()
    export_judge({name: value.numpy() for name, value in tuned.items()}, tmp_path, layer=PLAN.trunk_depth, int8=int8)

    found = stored_weights(tmp_path, PLAN.trunk_depth)

    assert found.keys() == tuned.keys()
    assert max(float((found[name] - tuned[name]).abs().max()) for name in found) < off


def test_a_judge_over_other_layers_is_not_read_back(base, network, tmp_path: Path):
    """Its weights mean nothing above this trunk."""
    export_encoder(base, tmp_path)
    tuned = {name: value.numpy() for name, value in network.tuned().items()}
    export_judge(tuned, tmp_path, layer=PLAN.trunk_depth)

    with pytest.raises(ModelError, match="another design"):
        stored_weights(tmp_path, PLAN.trunk_depth + 1)


def test_the_last_layer_of_the_exported_judge_computes_the_first_piece_alone(base, network, tmp_path: Path):
    """The others are attended to; nothing reads what would become of them."""
    export_encoder(base, tmp_path)
    export_judge(
        {name: value.detach().numpy() for name, value in network.tuned().items()}, tmp_path, layer=PLAN.trunk_depth
    )
    nodes = [node.op_type for node in onnx.load(tmp_path / "judge.onnx", load_external_data=False).graph.node]

    attention = [place for place, kind in enumerate(nodes) if kind == "MultiHeadAttention"]
    taken = [place for place, kind in enumerate(nodes) if kind == "Slice"]
    assert all(place < attention[-1] for place in taken)
    assert len(taken) == 2


def test_the_exported_judge_reads_contexts_as_the_network_does(base, network, inputs, tmp_path: Path):
    """Also with the context behind the candidate."""
    export_encoder(base, tmp_path, int8=False)
    tuned = {name: value.detach().numpy() for name, value in network.tuned().items()}
    export_judge(tuned, tmp_path, layer=PLAN.trunk_depth, int8=False)
    judge = OnnxJudge(OnnxEncoder(str(tmp_path), tmp_path))
    asked = [JudgeInput(row.question, text, row.candidate, row.context) for row in ROWS for text in row.references]

    expected = logits(network, JudgePairs.of(inputs, "cpu"), "cpu", context=True)

    np.testing.assert_allclose(judge.judge(asked), expected, atol=1e-4)


def test_labels_take_in_what_networks_of_other_folds_think(weights, inputs):
    """Half of a label is the mean opinion of two networks that have not seen the row's fold; others are asked too."""
    fold = np.array([0, 0, 1, 2])

    others = inputs.pairs_where(inputs.row != 2)
    changed, found = second_opinions(weights, inputs, fold, PLAN, "cpu", others=others, other_fold=fold)

    first = inputs.row <= 1
    asked = inputs.pairs_where(first)
    opinion = np.zeros(3)
    for seed in (10, 20):
        network = train(weights, inputs.pairs_where(~first), replace(PLAN, seed=seed), "cpu")
        opinion += 0.5 / (1 + np.exp(-logits(network, JudgePairs.of(asked, "cpu"), "cpu")))
    assert asked.row.tolist() == [0, 0, 1]
    np.testing.assert_allclose(changed.label[:2], [0.5 + opinion[:2].mean() / 2, opinion[2] / 2], atol=1e-6)
    np.testing.assert_array_equal(changed.row, inputs.row)
    assert len(found) == len(others.row)
    np.testing.assert_allclose(1 / (1 + np.exp(-found[:3])), opinion, atol=1e-6)


def test_sources_are_judged_by_networks_that_know_none_of_their_kind(weights, inputs):
    """Pairs of student answers by a network trained on the others; what is of no kind has no such opinion."""
    inputs = replace(inputs, sources=np.array(["beetle", "made"]), source=np.array([0, 0, 1, 1]))

    found = source_opinions(weights, inputs, PLAN, "cpu", others=inputs)

    students = inputs.row <= 1
    network = train(weights, inputs.pairs_where(~students), replace(PLAN, seed=71), "cpu")
    expected = logits(network, JudgePairs.of(inputs.pairs_where(students), "cpu"), "cpu")
    np.testing.assert_allclose(found[students], expected, atol=1e-6)
    assert np.isnan(found[~students]).all()


def test_training_can_go_on_from_tuned_weights(weights, inputs, network):
    """At a rate of next to nothing, what is trained on stays what it was."""
    still = train(weights, inputs, replace(PLAN, rate=1e-12), "cpu", start=network.tuned())

    for name, value in network.tuned().items():
        torch.testing.assert_close(still.tuned()[name], value, atol=1e-6, rtol=0)


def test_polishing_reads_peoples_verdicts(base, weights):
    """Where composed rows contradict people on the same answer, the last epochs side with people."""
    sides = (("composed", 0.0), ("evouna", 1.0))
    rows = [
        JudgeRow("what is the capital", ("rome",), "it is paris", label, source, str(number))
        for source, label in sides
        for number in range(10)
    ]
    asked = prepare(rows[-1:], Tokenizer.from_file(str(base / "tokenizer.json")))

    found = []
    for polish in (0, 4):
        tuned = train_network(
            weights, rows, PLAN, base / "tokenizer.json", seeds=1, device="cpu", extra=Extra(polish=polish)
        ).tuned
        network = JudgeNetwork(weights, PLAN.trunk_depth)
        network.restore(tuned)
        found.append(float(logits(network.eval(), JudgePairs.of(asked, "cpu"), "cpu")[0]))

    assert found[1] > max(found[0], 0)


def test_answers_to_one_question_share_a_fold():
    """A network never judges answers to a question that it was trained on."""
    fold = folds_of(["a", "b", "a", "c", "b"], 5)

    assert fold[0] == fold[2]
    assert fold[1] == fold[4]
    assert ((fold >= 0) & (fold < 5)).all()


def test_a_network_on_the_embedded_trunk_begins_with_layers_that_read():
    """They are the passage reader's, one for each tuned layer; on a trunk of another depth there are none."""
    begun = layers_that_read(2)

    assert {name.split(".")[1] for name in begun} == set("0123")
    assert begun["layers.3.widen.weight"].shape == (1536, 384)
    assert layers_that_read(5) == {}


def test_a_source_may_be_drawn_more_than_once(inputs):
    """Twice and a half on average, here two or three times; the other source, of no share, not at all."""
    plan = replace(PLAN, shares={"a": 2.5, "b": 0.0})
    lengths = np.ones(len(inputs.row), np.int64)

    drawn = np.concatenate(_epoch(inputs, plan, lengths, np.random.default_rng(0)))

    counts = np.bincount(drawn, minlength=len(inputs.row))
    assert set(counts[:3].tolist()) <= {2, 3}
    assert counts[3:].tolist() == [0, 0]
