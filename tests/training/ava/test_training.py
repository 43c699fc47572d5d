"""AVA's networks, their training and their use, on a BERT of two small layers."""

from pathlib import Path

import numpy as np
import pytest
import torch

from qassay.errors import DataError, ModelError, SpecError
from qassay.metrics.registry import create
from qassay.models.hf.judge import CUT, AvaJudge, AvaSettings, read_settings, save
from qassay.models.hf.judge_design import DESIGNS, READER, design_named, texts_of
from qassay.models.hf.judge_network import AvaNetwork
from qassay.models.onnx.judge import JudgeInput
from qassay.training.ava import linear as ava_linear
from qassay.training.ava.networks import PairInputs, f1, log_likelihood, probabilities, room_for_pair, train
from qassay.training.ava.pairs import AvaRow
from qassay.training.base_model import Base, open_base
from qassay.training.plan import Plan

pytestmark = pytest.mark.train

ROWS = [
    AvaRow("what is the capital", "it is paris", "paris", 1),
    AvaRow("what is the capital", "it is paris", "rome", 0),
    AvaRow("how many steps", "four steps", "four", 1),
    AvaRow("how many steps", "four steps", "seven", 0),
] * 3


@pytest.fixture(scope="module")
def base(small_base) -> Base:
    return open_base(str(small_base))


def inputs_of(rows: list[AvaRow], base: Base, design: str) -> PairInputs:
    return PairInputs([(row.judged, row.label) for row in rows], base.tokenizer, design, 63)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [("q-r", ("Q", "R")), ("r-qt", ("R", "Q T")), ("t-qr", ("T", "Q R"))],
)
def test_pairs_are_written_with_letters(pair: str, expected: tuple[str, str]):
    """q, r and t stand for the texts, and letters beside each other for texts joined (section 5.2)."""
    assert texts_of(pair, JudgeInput("Q", "R", "T")) == expected


def test_the_reader_sees_the_context_and_marks_between_texts():
    """Chen et al. (2020) read `context [SEP] question [SEP] reference [SEP] candidate`."""
    (pair,) = design_named(READER).pairs

    assert texts_of(pair, JudgeInput("Q", "R", "T", "C"), " [SEP] ") == ("C", "Q [SEP] R [SEP] T")


def test_the_papers_designs_are_there():
    """Table 4: four settings of A0, seven of A1, and A2 on the best pair of triples."""
    assert sum(name.startswith("a0") for name in DESIGNS) == 4
    assert sum(name.startswith("a1") for name in DESIGNS) == 7
    assert DESIGNS["a2"].pairs == ("r-qt", "t-qr")


def test_an_unknown_design_is_refused():
    """The error lists the designs."""
    with pytest.raises(SpecError, match="a1-rt"):
        design_named("a3")


@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_gives_one_logit_a_row(base: Base, name: str):
    """Each pair has an encoder of its own; with peer attention there are as many second ones."""
    network = AvaNetwork(base.make_encoder, DESIGNS[name]).eval()
    inputs = inputs_of(ROWS, base, name)

    with torch.no_grad():
        found = network(inputs.batch(np.arange(4), "cpu"))

    assert found.shape == (4,)
    assert len(network.decoders) == (2 if name == "a2" else 0)


def test_peer_attention_reads_the_other_pair(base: Base):
    """The second pass of a pair changes when the other pair's first output does."""
    network = AvaNetwork(base.make_encoder, DESIGNS["a2"]).eval()
    batches = inputs_of(ROWS, base, "a2").batch(np.arange(2), "cpu")
    with torch.no_grad():
        first = network.encoders[1](**batches[1]).last_hidden_state[:, 0]
        one, other = (network._second_pass(network.decoders[0], batches[0], value) for value in (first, -first))

    assert not torch.allclose(one, other)


def test_the_best_epoch_is_kept(base: Base):
    """F1 on the development rows is measured after every epoch, and the best state is what is given back."""
    inputs = inputs_of(ROWS, base, "a1-r")

    plan = Plan(epochs=3, rate=1e-3, batch=4)
    trained = train(inputs, inputs, base, plan, "cpu", design="a1-r", measure=f1)

    assert len(trained.reached) == 3
    assert f1(probabilities(trained.network, inputs, "cpu"), inputs.label) == pytest.approx(max(trained.reached))


def test_peer_attention_leaves_room_for_the_other_pair():
    """A model of 64 positions reads 63 tokens and the other pair's output."""
    asked = (("a2", 64), ("a1", 64), ("a1", 512))
    assert [room_for_pair(Plan(), *each) for each in asked] == [63, 64, 128]


def test_padding_leaves_that_room_too(base: Base):
    """Texts that fill 63 of 64 positions are not padded to 64; shorter ones are, to a multiple of 8."""
    network = AvaNetwork(base.make_encoder, DESIGNS["a2"]).eval()
    filled = AvaRow("what is the capital " * 20, "paris " * 40, "rome " * 40, 0)

    batches = inputs_of([*ROWS, filled], base, "a2").batch(np.array([0, len(ROWS)]), "cpu")
    (short, _) = inputs_of(ROWS, base, "a2").batch(np.array([0]), "cpu")
    with torch.no_grad():
        found = network(batches)

    assert [batch["input_ids"].shape[1] for batch in batches] == [63, 63]
    assert short["input_ids"].shape[1] % 8 == 0
    assert found.isfinite().all()


def test_likelihood_is_highest_for_certain_and_right_scores():
    """Mean of log .5, log .9 and, for a label of one half, (log .5 + log .5) / 2."""
    found = log_likelihood(np.array([0.5, 0.1, 0.5]), np.array([1, 0, 0.5], np.float32))

    assert found == pytest.approx((np.log(0.5) + np.log(0.9) + np.log(0.5)) / 3)


def test_f1_is_of_the_right_class():
    """Two called right, one of them right, of two that are: 2·1/(2+2)."""
    assert f1(np.array([0.9, 0.6, 0.2]), np.array([1.0, 0.0, 1.0])) == 0.5


@pytest.fixture
def folder(base: Base, tmp_path: Path) -> Path:
    network = AvaNetwork(base.make_encoder, DESIGNS["a2"]).eval()
    # As in a trained encoder, it must matter at which position a token stands.
    for decoder in network.decoders:
        decoder.embeddings.position_embeddings.weight.data *= 100
    save(network, base.tokenizer, AvaSettings("a2", 63, "tiny"), tmp_path / "a2")
    return tmp_path / "a2"


def test_a_saved_model_judges_as_before(base: Base, tmp_path: Path):
    """What is saved is loaded with the same weights."""
    network = AvaNetwork(base.make_encoder, DESIGNS["a1-rt"]).eval()
    save(network, base.tokenizer, AvaSettings("a1-rt", 63, "tiny"), tmp_path)
    inputs = inputs_of(ROWS[:4], base, "a1-rt")

    found = AvaJudge(tmp_path, "cpu").judge(
        [JudgeInput(row.question, row.reference, row.candidate) for row in ROWS[:4]]
    )

    np.testing.assert_allclose(1 / (1 + np.exp(-found)), probabilities(network, inputs, "cpu"), atol=1e-5)


def test_a_pairs_score_does_not_depend_on_its_batch(folder: Path):
    """Beside a long pair, which pads it, a short pair gets the logit that it gets alone."""
    short, long = (
        JudgeInput("what", "paris", "rome"),
        JudgeInput("what", "paris", "the red car is in the city of rome " * 4),
    )

    alone, beside = (AvaJudge(folder, "cpu").judge(pairs)[0] for pairs in ([short], [short, long]))

    assert beside == pytest.approx(alone, abs=1e-5)


def test_training_and_scoring_read_a_pair_alike(base: Base, folder: Path):
    """Training pads to multiples of eight, scoring to the longest pair; both give one probability."""
    judge = AvaJudge(folder, "cpu")

    trained = probabilities(judge._loaded[0], inputs_of(ROWS[:4], base, "a2"), "cpu")

    scored = judge.judge([row.judged for row in ROWS[:4]])
    np.testing.assert_allclose(1 / (1 + np.exp(-scored)), trained, atol=1e-5)


def test_a_trained_folder_is_a_metric(folder: Path):
    """`ava,kind=a2,model=FOLDER` gives probabilities."""
    from answers import score_of  # noqa: PLC0415 - beside its one use

    score = score_of(f"ava,kind=a2,model={folder}", "rome", "it is paris", question="what is the capital")

    assert 0 < score < 1


def test_a_folder_of_another_kind_is_refused(folder: Path):
    """The error gives the spec that fits the folder."""
    with pytest.raises(SpecError, match=f"say ava,kind=a2,model={folder}"):
        create(f"ava,kind=a1,model={folder}")


def test_a_judge_of_the_papers_is_not_weighed_by_the_embedded_layer(folder: Path):
    """Without its kind a folder of AVA's is not taken for the embedded judge."""
    with pytest.raises(SpecError, match=f"say ava,kind=a2,model={folder}"):
        create(f"ava,model={folder}")


def test_texts_that_are_cut_are_counted(folder: Path):
    """An answer longer than the model reads is judged by its beginning, which is noted."""
    judge = AvaJudge(folder, "cpu")

    found = judge.judge([JudgeInput("what", "paris", "city " * 500), JudgeInput("what", "paris", "rome")])

    assert np.isfinite(found).all()
    assert judge.notes.take() == {CUT: {"city " * 500}}


def test_a_folder_without_a_model_is_refused(tmp_path: Path):
    """The error names the command that makes one."""
    with pytest.raises(ModelError, match="qassay train ava"):
        read_settings(tmp_path)


def test_weights_that_do_not_fit_are_refused(folder: Path):
    """A folder whose design was changed does not load."""
    (folder / "ava.json").write_text('{"design": "a1", "longest": 63}')

    with pytest.raises(ModelError, match="does not fit the design"):
        AvaJudge(folder, "cpu").judge([JudgeInput("q", "r", "t")])


def test_a_gpu_that_is_not_there_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The error gives the option that works, instead of torch's own message."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)

    with pytest.raises(ModelError, match="device='cpu'"):
        AvaJudge(folder, "cuda").judge([JudgeInput("q", "r", "t")])


def test_the_linear_classifier_agrees_with_its_library():
    """The exported coefficients give scikit-learn's own probabilities."""
    from sklearn.calibration import CalibratedClassifierCV  # noqa: PLC0415 - the oracle
    from sklearn.svm import LinearSVC  # noqa: PLC0415 - the oracle

    rng = np.random.default_rng(0)
    rows = [AvaRow("w1 w2", f"w{a} w{b}", f"w{a} w{c}", int(b == c)) for a, b, c in rng.integers(5, size=(200, 3))]
    features, label = ava_linear.features_of(rows), [row.label for row in rows]
    oracle = CalibratedClassifierCV(LinearSVC(random_state=0), method="sigmoid", ensemble=False).fit(features, label)

    found = ava_linear.train(rows).logits(features)

    np.testing.assert_allclose(1 / (1 + np.exp(-found)), oracle.predict_proba(features)[:, 1], atol=1e-9)


def test_rows_of_one_kind_cannot_be_learnt_from():
    """A classifier needs right and wrong rows."""
    with pytest.raises(DataError, match="all right or all wrong"):
        ava_linear.train([AvaRow("q", "r", "t", 1)] * 10)


def test_the_linear_kind_is_embedded():
    """`ava,kind=linear` works out of the box."""
    assert create("ava,kind=linear").kind == "linear"
