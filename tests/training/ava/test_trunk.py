"""AVA's designs on the trunk: their network, their training and their export, on a random encoder of its shape."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer

from answers import score_of
from qassay.models.hf.judge_design import DESIGNS
from qassay.models.onnx.ava import OnnxAva, read_heads
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.training.ava.networks import f1
from qassay.training.ava.pairs import AvaRow
from qassay.training.ava.train import ALL, train_on_trunk
from qassay.training.ava.trunk_network import LONGEST, AvaTrunkNetwork, TrunkPairs, _epoch, probabilities, train
from qassay.training.base_model import base_weights
from qassay.training.export.ava import export_ava
from qassay.training.export.encoder import export_encoder
from qassay.training.files import write_rows
from qassay.training.plan import named_plan

pytestmark = pytest.mark.train

ROWS = [
    AvaRow("what is the capital", "it is paris", "paris", 1),
    AvaRow("what is the capital", "it is paris", "rome", 0),
    AvaRow("how many steps", "four steps", "four", 1),
    AvaRow("how many steps", "four steps", "seven", 0),
] * 3
PLAN = named_plan("ava_trunk", epochs=1, batch=256, rate=1e-4)


@pytest.fixture(scope="module")
def base(trunk_base) -> Path:
    return trunk_base


@pytest.fixture(scope="module")
def pairs(base: Path) -> TrunkPairs:
    return TrunkPairs.of(ROWS, Tokenizer.from_file(str(base / "tokenizer.json")), "cpu")


@pytest.fixture(scope="module")
def network(base: Path) -> AvaTrunkNetwork:
    torch.manual_seed(0)
    made = AvaTrunkNetwork(base_weights(base), 2, tuple(DESIGNS)).eval()
    torch.nn.init.normal_(made.marks.weight)
    return made


def test_every_design_gives_one_logit_a_row(network: AvaTrunkNetwork, pairs: TrunkPairs):
    """All twelve read the same six pairs, each once."""
    with torch.no_grad():
        found = network(pairs.batch(np.arange(4), network.pairs))

    assert set(network.pairs) == {"q-r", "r-t", "q-t", "q-rt", "r-qt", "t-qr"}
    assert {name: values.shape for name, values in found.items()} == dict.fromkeys(DESIGNS, (4,))


def test_a_rows_logits_do_not_depend_on_its_batch(network: AvaTrunkNetwork, base: Path):
    """Beside a long row, which pads it, a short one gets what it gets alone."""
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    rows = [*ROWS[:1], AvaRow("what", "paris", "the red car is in the city of rome " * 3, 0)]
    together = TrunkPairs.of(rows, tokenizer, "cpu")
    with torch.no_grad():
        alone, beside = (network(together.batch(np.arange(n), network.pairs)) for n in (1, 2))

    for name in DESIGNS:
        assert beside[name][0].item() == pytest.approx(alone[name][0].item(), abs=1e-4)


def test_marks_say_role_and_shared_words(pairs: TrunkPairs):
    """Of reference and candidate, "paris" is marked in both; the first mark is the role of the first text."""
    marks = pairs.batch(np.arange(1), ["r-t"])["r-t"].marks[0].tolist()

    # [CLS] it is paris [SEP] | paris [SEP]: reference is role 0, candidate role 2, a shared word adds 1.
    assert marks[:7] == [0, 0, 0, 1, 0, 9, 8]


def test_peer_attention_reads_the_other_pair(network: AvaTrunkNetwork, pairs: TrunkPairs):
    """What a pair's second reading is changes with the other pair's states."""
    batches = pairs.batch(np.arange(2), ("r-qt", "t-qr"))
    states = {pair: torch.randn(*batch.pieces.shape, 384) for pair, batch in batches.items()}
    with torch.no_grad():
        first = network._peers(batches, states, ("r-qt", "t-qr"))
        other = network._peers(batches, {**states, "t-qr": -states["t-qr"]}, ("r-qt", "t-qr"))

    assert torch.equal(first[0], other[0])
    assert not torch.allclose(first[2], other[2])


@pytest.fixture(params=[False, True], ids=["fp32", "int8"])
def exported(request, base: Path, network: AvaTrunkNetwork, tmp_path: Path) -> tuple[Path, float]:
    """The folder of an exported network, and how far its logits may be from the network's."""
    export_encoder(base, tmp_path, int8=request.param)
    weights = {name: value.detach().numpy() for name, value in network.tuned().items()}
    export_ava(weights, tmp_path, layer=2, file="ava.npz", int8=request.param)
    return tmp_path, 0.15 if request.param else 1e-4


def test_an_exported_design_says_what_the_network_says(
    exported: tuple[Path, float], network: AvaTrunkNetwork, pairs: TrunkPairs
):
    """The runtime reads, marks and judges as training did; int8 moves a logit a little."""
    folder, tolerance = exported
    encoder = OnnxEncoder(str(folder), folder)
    asked = [row.judged for row in ROWS[:4]]
    with torch.no_grad():
        expected = network(pairs.batch(np.arange(4), network.pairs))

    found = {name: OnnxAva(encoder, name).judge(asked) for name in DESIGNS}

    for name, logits in found.items():
        np.testing.assert_allclose(logits, expected[name].numpy(), atol=tolerance)


def test_a_design_reads_its_own_texts_alone(exported: tuple[Path, float]):
    """A0 of question and reference does not see the answer, which the paper shows with an F1 of .07 (Table 4)."""
    folder, _ = exported
    judge = OnnxAva(OnnxEncoder(str(folder), folder), "a0-qr")

    right, wrong = judge.judge([row.judged for row in ROWS[:2]])

    assert right == wrong


def test_designs_share_one_file_of_weights(exported: tuple[Path, float]):
    """Twelve graphs lie beside one file, and texts are cut alike."""
    heads = read_heads(exported[0]).designs

    assert tuple(heads) == tuple(DESIGNS)
    assert {head.weights for head in heads.values()} == {"ava.npz"}
    assert all(head.longest == LONGEST for head in heads.values())


def test_a_design_learns_its_rows(base: Path, pairs: TrunkPairs):
    """F1 is measured after every epoch, and the network that is returned is the best one."""
    plan = PLAN.changed(epochs=3, rate=1e-3)

    network, reached = train(base_weights(base), pairs, pairs, plan, "cpu", designs=("a2",), measure=f1)

    assert [list(each) for each in reached] == [["a2"]] * 3
    found = probabilities(network, pairs, "cpu", plan.batch)["a2"]
    assert f1(found, pairs.label) == pytest.approx(max(each["a2"] for each in reached))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", ROWS)
    return tmp_path


@pytest.mark.parametrize("kind", ["a1-rt", ALL])
def test_a_trained_design_is_added_to_a_model_folder(kind: str, base: Path, data: Path, tmp_path: Path):
    """The folder runs without torch, under the kind that was trained, and has all other heads beside it."""
    folder = tmp_path / "model"

    reached = train_on_trunk(base, data, folder, PLAN, kind=kind, device="cpu")

    assert len(reached) == 1
    asked = {"question": "what is the capital"}
    assert 0 < score_of(f"ava,kind=a1-rt,model={folder}", "it is rome", "paris", **asked) < 1
    assert score_of(f"ava,model={folder}", "it is rome", "paris", **asked) < 0.5
    assert (folder / "MODEL_CARD.md").is_file()


def test_sources_are_drawn_as_often_as_their_share_says(base: Path):
    """A share of 2 draws each row twice in an epoch, a share of 0 never."""
    rows = [AvaRow("q", "a", f"t{n}", n % 2, source) for n, source in enumerate(("often", "never", "once") * 4)]
    found = TrunkPairs.of(rows, Tokenizer.from_file(str(base / "tokenizer.json")), "cpu")
    plan = PLAN.changed(shares={"often": 2.0, "never": 0.0})

    drawn = np.concatenate(_epoch(found, plan, np.random.default_rng(0)))

    assert [int((drawn == row).sum()) for row in range(3)] == [2, 0, 1]
