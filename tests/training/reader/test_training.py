"""The reader's network, its training and its export, on a small random encoder of the embedded model's shape."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from qassay.errors import DataError, ModelError, SpecError
from qassay.models.onnx.encoder import OnnxEncoder
from qassay.models.onnx.reader import OnnxReader
from qassay.training.base_model import base_weights, cutter
from qassay.training.export.encoder import export_encoder
from qassay.training.files import write_rows
from qassay.training.plan import named_plan
from qassay.training.reader.inputs import prepare
from qassay.training.reader.job import ReaderJob
from qassay.training.reader.network import QuestionCorpus, ReaderNetwork, masked_scores, parse_shares, train
from qassay.training.reader.rows import ReaderRow
from qassay.training.reader.teachers import Distillation, with_opinions
from qassay.training.reader.train import TUNED, export_from_file, train_from_files, train_networks
from qassay.training.splits import QuestionFold

pytestmark = pytest.mark.train

PLAN = named_plan("reader", epochs=1, batch=256, rate=1e-4)
PASSAGE = "paris is the capital of france. the red car is in rome."
ROWS = [
    ReaderRow("what is in rome", PASSAGE, ((32, 43),), "a", "1"),
    ReaderRow("what is the capital of france", PASSAGE, ((0, 5),), "a", "1"),
    ReaderRow("how many steps are involved", PASSAGE, (), "b", "2"),
    ReaderRow("what is blue", "the car is blue.", ((0, 7),), "a", "3"),
]
OPEN = [
    ReaderRow("what is red", PASSAGE, (), "open_a", "1"),
    ReaderRow("where is the car", "the red car is in rome.", (), "open_a", "4"),
]


@pytest.fixture(scope="module")
def base(trunk_base) -> Path:
    return trunk_base


@pytest.fixture(scope="module")
def weights(base: Path) -> dict[str, torch.Tensor]:
    return base_weights(base)


@pytest.fixture(scope="module")
def asked(base: Path):
    return prepare(ROWS, cutter(base), np.random.default_rng(0))


def written(folder: Path) -> Path:
    write_rows(folder / "train.jsonl", ROWS * 4)
    write_rows(folder / "dev.jsonl", ROWS)
    write_rows(folder / "open.jsonl", OPEN)
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return written(tmp_path)


def test_training_makes_the_accepted_answers_likelier(weights, asked):
    """The same few questions, seen again and again, are learnt."""
    torch.manual_seed(0)
    network = ReaderNetwork(weights, 5)
    losses = []
    train(
        network,
        weights,
        asked,
        named_plan("reader", trunk_depth=5, epochs=50, batch=512, rate=1e-3),
        "cpu",
        report=lambda _, loss: losses.append(loss),
    )
    assert losses[-1] < losses[0] / 2


def test_marks_are_not_words_that_question_and_passage_share(weights, asked):
    """[CLS] and [SEP] stand in both and say nothing."""
    corpus = QuestionCorpus(weights, 2, asked, "cpu")
    *_, in_passage, shared = corpus.inputs(np.array([0]))
    length = int(in_passage.sum())
    assert shared[0, [0, length - 1]].tolist() == [0, 0]
    # "is", "in" and "rome" are in the question: paris IS ... car IS IN ROME.
    assert int(shared.sum()) == 4


def test_nothing_can_be_answered_with_padding_or_the_closing_mark(weights, asked):
    """Their scores are far below all others."""
    corpus = QuestionCorpus(weights, 2, asked, "cpu")
    inputs = corpus.inputs(np.array([0]))
    scores = masked_scores(ReaderNetwork(weights, 2)(*inputs), inputs[3])
    length = int(inputs[3].sum())
    assert (scores[0, :, length - 1 :] < -1000).all()
    assert (scores[0, :, : length - 1] > -1000).all()


def test_the_exported_graph_reads_as_the_network_does(base, weights, asked, tmp_path):
    """In fp32 the best span and the probability of no answer are the same."""
    torch.manual_seed(1)
    network = ReaderNetwork(weights, 2).eval()
    torch.nn.init.normal_(network.sides)
    corpus = QuestionCorpus(weights, 2, asked, "cpu")
    with torch.no_grad():
        inputs = corpus.inputs(np.array([0]))
        logs = masked_scores(network(*inputs), inputs[3])[0].double()
    sums = logs[0, 1:, None] + logs[1, None, 1:]
    allowed = torch.ones_like(sums).triu().bool()
    spans = sums[allowed]
    none = logs[0, 0] + logs[1, 0]
    save_file(network.state_dict(), tmp_path / TUNED)
    export_encoder(base, tmp_path / "model", layers=2, int8=False)
    export_from_file(tmp_path / TUNED, tmp_path / "model", trunk_depth=2, int8=False)

    (found,) = OnnxReader(OnnxEncoder("tiny", tmp_path / "model")).answer([(ROWS[0].question, PASSAGE)])

    # The trunk runs in bfloat16 in training and in fp32 here.
    expected = 1 / (1 + (spans - none).exp().sum())
    assert found.none == pytest.approx(float(expected), rel=0.1)
    assert PASSAGE[found.start : found.end] == found.text


@pytest.fixture(scope="module")
def plain(base, tmp_path_factory) -> Path:
    """Train a reader for one epoch."""
    folder = tmp_path_factory.mktemp("plain")
    train_from_files(base, written(folder), folder / "reader", PLAN)
    return folder / "reader"


def test_a_trained_reader_is_a_model_folder(plain):
    """It answers by itself."""
    reader = OnnxReader(OnnxEncoder("reader", plain))
    assert 0 <= reader.answer([("what is in rome", PASSAGE)])[0].none <= 1


def test_a_trained_reader_is_trained_further_by_two_processes(base, data, plain, tmp_path):
    """What it has learnt is where the next training starts, and processes share the work."""
    found = train_from_files(base, data, tmp_path / "again", PLAN, start=plain, processes=2)

    assert found.n == 4
    weights = [load_file(folder / TUNED)["out.weight"] for folder in (tmp_path / "again", plain)]
    assert not torch.equal(*weights)


def test_several_seeds_give_the_average_of_networks_from_one_start(base, tmp_path):
    """Each network by itself has the same start, so that training them apart and averaging gives the same weights."""
    inputs = prepare(ROWS, cutter(base), np.random.default_rng(0))
    plan = replace(PLAN, dropout=0.1)
    jobs = {name: ReaderJob(base, inputs, plan, "cpu", tmp_path / name) for name in ("both", "first", "second")}

    train_networks(jobs["both"], 2, 1)
    jobs["first"].run(1)
    replace(jobs["second"], plan=replace(plan, seed=1)).run(1)

    both, first, second = (load_file(job.tuned) for job in jobs.values())
    assert not torch.equal(first["out.weight"], second["out.weight"])
    torch.testing.assert_close(both["out.weight"], (first["out.weight"] + second["out.weight"]) / 2)
    assert not list(tmp_path.glob("seed-*"))


def test_teachers_say_how_likely_each_piece_begins_and_ends_an_answer(base, asked, tmp_path):
    """Of marked and of unmarked pairs, with more trust where nothing is marked; no weights are left behind."""
    unmarked = prepare(OPEN, cutter(base), np.random.default_rng(0))
    job = ReaderJob(base, asked, PLAN, "cpu", tmp_path / TUNED)
    told = []

    taught = with_opinions(job, unmarked, Distillation(2, 2, trust=0.25), report=told.append)

    assert told == [f"teacher {teacher} of 2, round {number} of 2" for number in (1, 2) for teacher in (1, 2)]
    assert taught.trust == [0.25] * 4 + [1.0] * 2
    assert [taught.texts[text] for text in taught.questions[4:]] == [unmarked.texts[i] for i in unmarked.questions]
    for opinion, passage in zip(taught.opinions, taught.passages, strict=True):
        assert opinion.shape == (len(taught.texts[passage]) - 1, 2)
        np.testing.assert_allclose(opinion.astype(float).sum(0), 1, atol=0.01)
    assert not list(tmp_path.iterdir())


def test_opinions_are_learnt_as_far_as_they_are_trusted(weights, asked):
    """With full trust the marks do not count, without any the opinions do not."""
    lengths = [len(asked.texts[passage]) for passage in asked.passages]
    # A reader who is sure that everything begins and ends at the second piece.
    sure = [np.eye(length - 1, 1, -1).repeat(2, 1).astype(np.float16) for length in lengths]
    network = ReaderNetwork(weights, 2).eval().requires_grad_(requires_grad=False)
    batch = np.arange(len(lengths))
    losses = {}
    for trust in (0.0, 0.5, 1.0):
        corpus = QuestionCorpus(weights, 2, replace(asked, opinions=sure, trust=[trust] * len(lengths)), "cpu")
        inputs = corpus.inputs(batch)
        logs = masked_scores(network(*inputs), inputs[3]).log_softmax(2)
        losses[trust] = float(corpus.loss(batch, logs))
    plain = float(QuestionCorpus(weights, 2, asked, "cpu").loss(batch, logs))

    assert losses[0.0] == pytest.approx(plain)
    assert losses[1.0] == pytest.approx(float(-logs[:, :, 1].mean()))
    assert losses[0.5] == pytest.approx((losses[0.0] + losses[1.0]) / 2)


def test_a_share_of_the_pairs_keeps_their_opinions(asked):
    """Processes that train together split both."""
    opinions = [np.full((len(asked.texts[passage]) - 1, 2), i, np.float16) for i, passage in enumerate(asked.passages)]
    whole = replace(asked, opinions=opinions, trust=[0.1, 0.2, 0.3, 0.4])
    shares = [whole.share(rank, 2) for rank in range(2)]
    assert [share.trust for share in shares] == [[0.1, 0.2, 0.3], [0.4]]
    assert [opinion[0, 0] for share in shares for opinion in share.opinions] == [0, 1, 2, 3]


def test_a_reader_can_be_taught(base, data, plain, tmp_path):
    """Opinions change what is learnt."""
    taught = train_from_files(base, data, tmp_path / "taught", PLAN, teaching=Distillation(1))

    assert taught.n == 4
    weights = [load_file(folder / TUNED)["out.weight"] for folder in (tmp_path / "taught", plain)]
    assert not torch.equal(*weights)
    assert not list((tmp_path / "taught").glob("teacher-*"))


def test_teachers_need_questions_without_marks(base, data, tmp_path):
    """Data from before there were any is named."""
    (data / "open.jsonl").unlink()
    with pytest.raises(DataError, match=r"open\.jsonl"):
        train_from_files(base, data, tmp_path / "reader", PLAN, teaching=Distillation(1))


def test_at_least_one_network_is_trained(base, data, tmp_path):
    """Nought seeds would leave nothing to write."""
    with pytest.raises(SpecError, match="at least one"):
        train_from_files(base, data, tmp_path / "reader", PLAN, seeds=0)


def test_shares_draw_a_part_of_a_source(base, data, tmp_path):
    """A source of which nothing is drawn leaves no question."""
    told = []
    plan = replace(PLAN, shares=parse_shares(["a=0"]))
    train_from_files(base, data, tmp_path / "reader", plan, report=told.append)
    assert told[0].startswith("4 questions")


@pytest.mark.parametrize("share", ["a", "a=", "a=2", "=0.5", "a=half"])
def test_a_share_must_be_a_source_and_a_number(share):
    """The message shows how it is given."""
    with pytest.raises(SpecError, match=r"qamr=0\.5"):
        parse_shares([share])


def test_questions_of_a_fold_are_left_out(base, data, tmp_path):
    """Neither training nor development rows have them."""
    fold = QuestionFold(1, 2)
    held = fold.holds([row.question for row in ROWS])
    assert 0 < held.sum() < len(ROWS)
    told = []

    found = train_from_files(base, data, tmp_path / "reader", PLAN, leave_out=fold, report=told.append)

    assert told[0].startswith(f"{4 * (~held).sum()} questions")
    assert found.n == (~held).sum()
    assert json.loads((tmp_path / "reader" / "reader.json").read_bytes())["left_out"] == [1, 2]
    assert "- leave_out: 1/2" in (tmp_path / "reader" / "MODEL_CARD.md").read_text()


def test_a_start_that_may_know_what_is_left_out_is_told(base, data, tmp_path):
    """An earlier reader was trained on other questions."""
    train_from_files(base, data, tmp_path / "first", PLAN)
    told = []

    train_from_files(
        base,
        data,
        tmp_path / "reader",
        PLAN,
        start=tmp_path / "first",
        leave_out=QuestionFold(1, 2),
        report=told.append,
    )

    assert f"the reader in {tmp_path / 'first'} may know the questions that are left out" in told


def test_a_fold_leaves_something(base, tmp_path):
    """Rows of one question are all in one fold, in which nothing remains to learn from."""
    (number,) = [number for number in (1, 2) if QuestionFold(number, 2).holds([ROWS[0].question]).all()]
    write_rows(tmp_path / "train.jsonl", ROWS[:1])
    write_rows(tmp_path / "dev.jsonl", ROWS[:1])

    with pytest.raises(DataError, match=f"train.jsonl: all questions are in fold {number}/2"):
        train_from_files(base, tmp_path, tmp_path / "reader", PLAN, leave_out=QuestionFold(number, 2))
    with pytest.raises(DataError, match=f"no question is in fold {3 - number}/2; give fewer folds"):
        train_from_files(base, tmp_path, tmp_path / "reader", PLAN, leave_out=QuestionFold(3 - number, 2))


def test_data_and_base_must_be_there(base, data, tmp_path):
    """Each message names what is missing."""
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2"):
        train_from_files(tmp_path, data, tmp_path / "reader", PLAN)
    with pytest.raises(DataError, match="qassay build reader"):
        train_from_files(base, tmp_path / "nowhere", tmp_path / "reader", PLAN)
