import numpy as np
import pytest
import torch

from qassay.models.base import ModelRef
from qassay.models.hf.encoder import HFBackbone
from qassay.models.load import load_weigher
from qassay.training.export.encoder import export_answer_keyphrase, export_encoder, export_keyphrase
from qassay.training.keyphrase.fitting import make_network, write_model
from qassay.training.keyphrase.narrowing import narrowed
from qassay.training.keyphrase.network import CrossNetwork, PairBatch
from qassay.training.keyphrase.presets import PRESETS, KeyphrasePlan

pytestmark = pytest.mark.train

PAIRS = [("what is it", "it is a red car"), ("who is in paris", "no"), ("where", "the city of rome is in it")]


@pytest.fixture(scope="module")
def small(small_base):
    return small_base


@pytest.fixture(scope="module")
def shaped(trunk_base):
    return trunk_base


def batch(backbone, pairs, unasked=()):
    sides = [[ids for ids, _ in backbone.pieces(texts)] for texts in zip(*pairs, strict=True)]
    parts = []
    for side in sides:
        longest = max(map(len, side))
        ids, there = np.zeros((len(side), longest), np.int64), np.zeros((len(side), longest), bool)
        for index, row in enumerate(side):
            ids[index, : len(row)], there[index, : len(row)] = row, True
        parts += [torch.from_numpy(ids), torch.from_numpy(there)]
    return PairBatch(*parts, torch.tensor([index in unasked for index in range(len(pairs))]))


@torch.no_grad()
def weights(network, given):
    logits = network.eval()(given)
    return [row[there].softmax(0).numpy() for row, there in zip(logits, given.answer_there, strict=True)]


def randomised(network):
    torch.manual_seed(1)
    for name, parameter in network.named_parameters():
        if "trunk" not in name and parameter.dim() > 1:
            parameter.data += 0.2 * torch.randn_like(parameter)
    return network


@pytest.mark.parametrize("preset", ["embedded", "narrow"])
@pytest.mark.parametrize("unasked", [(), (0, 1, 2)], ids=["asked", "unasked"])
def test_the_exported_joined_network_is_the_trained_one(shaped, tmp_path, unasked, preset):
    """The two graphs, one for questions and one for answers, give what the network gives in one piece."""
    plan = PRESETS[preset]
    network, backbone = make_network(shaped, plan, "cpu")
    network.layers = torch.nn.ModuleList(narrowed(network.layers, [], plan.heads, plan.neurons))
    expected = weights(randomised(network), batch(backbone, PAIRS, unasked))
    export_encoder(shaped, tmp_path, layers=4, int8=False)
    state = {name.removeprefix("scorer."): value.numpy() for name, value in network.state_dict().items()}
    tuned = {name: value for name, value in state.items() if not name.startswith("trunk.")}
    export_keyphrase(tuned, tmp_path, layer=1, temperature=1.0, int8=False)

    asked = [(None if unasked else question, answer) for question, answer in PAIRS]
    found = load_weigher(str(tmp_path)).weigh(asked)

    np.testing.assert_allclose(np.concatenate([each.weights for each in found]), np.concatenate(expected), atol=3e-5)


@pytest.mark.parametrize("preset", ["embedded", "narrow"])
def test_the_exported_network_for_answers_alone_is_the_trained_one(shaped, tmp_path, preset):
    """Trained without questions, a model of the joined design has one graph, which reads none."""
    plan = PRESETS[preset].changed(unasked=1.0)
    network, backbone = make_network(shaped, plan, "cpu")
    network.layers = torch.nn.ModuleList(narrowed(network.layers, [], plan.heads, plan.neurons))
    given = batch(backbone, PAIRS)
    expected = weights(randomised(network), given)
    export_encoder(shaped, tmp_path, layers=4, int8=False)
    state = {name.removeprefix("scorer."): value.numpy() for name, value in network.state_dict().items()}
    tuned = {name: value for name, value in state.items() if not name.startswith("trunk.")}
    export_answer_keyphrase(tuned, tmp_path, layer=1, temperature=1.0, int8=False)

    alone = load_weigher(str(tmp_path), with_question=False).weigh([(None, answer) for _, answer in PAIRS])
    asked = load_weigher(str(tmp_path)).weigh(PAIRS)

    assert not any("question" in path.name for path in tmp_path.iterdir())
    for found in (alone, asked):
        np.testing.assert_allclose(
            np.concatenate([each.weights for each in found]), np.concatenate(expected), atol=3e-5
        )
    np.testing.assert_allclose(
        weights(network, batch(backbone, [("where", answer) for _, answer in PAIRS]))[0], expected[0], atol=1e-6
    )


@pytest.mark.parametrize("questions", [True, False])
def test_the_written_cross_network_is_the_trained_one(small, tmp_path, questions):
    """A folder that is written and opened again weighs as the network did."""
    plan = KeyphrasePlan(unasked=0.0 if questions else 1.0)
    network, backbone = make_network(small, plan, "cpu")
    expected = weights(randomised(network), batch(backbone, PAIRS))
    write_model(tmp_path, network, backbone, small, plan)

    found = load_weigher(str(tmp_path), "cpu").weigh(PAIRS)

    np.testing.assert_allclose(np.concatenate([each.weights for each in found]), np.concatenate(expected), atol=1e-5)


def test_padding_does_not_matter(small):
    """A pair has the same logits alone and beside longer ones."""
    network, backbone = make_network(small, KeyphrasePlan(), "cpu")

    together, alone = weights(network, batch(backbone, PAIRS)), weights(network, batch(backbone, PAIRS[1:2]))

    np.testing.assert_allclose(together[1], alone[0], atol=1e-6)


def test_questions_never_see_answers(shaped):
    """In the joined design the first answer's weights do not change when another pair's answer does."""
    network, backbone = make_network(shaped, PRESETS["embedded"], "cpu")
    other = [PAIRS[0], (PAIRS[1][0], "she is not in rome"), PAIRS[2]]

    first, second = (weights(network, batch(backbone, pairs)) for pairs in (PAIRS, other))

    np.testing.assert_allclose(first[0], second[0], atol=1e-6)


@pytest.mark.parametrize(("frozen", "tuned"), [(0, {0, 1}), (1, {1}), (2, set())])
def test_frozen_layers_stay_as_they_are(small, frozen, tuned):
    """The embeddings and the lowest layers are not tuned; with none frozen everything is."""
    backbone = HFBackbone(ModelRef("folder", str(small)), "cpu")

    network = CrossNetwork(backbone, "list", frozen=frozen, questions=True)

    learning = [name for name, parameter in network.encoder.named_parameters() if parameter.requires_grad]
    assert {int(name.split("layer.")[1][0]) for name in learning if "layer." in name} == tuned
    assert any("embeddings" in name for name in learning) is (frozen == 0)
