"""AVA's embedded models: the paper's designs on the shared encoder."""

import shutil

import numpy as np
import pytest

from answers import answer
from qassay.errors import ModelError, SpecError
from qassay.features.batch import Batch
from qassay.metrics.registry import create
from qassay.models.base import EMBEDDED, EMBEDDED_FOLDER
from qassay.models.hf.judge_design import DESIGNS, readings_of
from qassay.models.load import has_judge, load_encoder, load_judge
from qassay.models.onnx.ava import OnnxAva, read_heads
from qassay.models.onnx.judge import NEAREST, JudgeInput

QUESTION = "When did the Marlins start?"
REFERENCE = "The Miami Marlins began to play in the 1993 season."
RIGHT, WRONG = (JudgeInput(QUESTION, REFERENCE, f"They first played in {year}.") for year in (1993, 2004))
KINDS = tuple(read_heads(EMBEDDED_FOLDER).designs)


@pytest.fixture(scope="module")
def peers() -> OnnxAva:
    return OnnxAva(load_encoder(EMBEDDED), "a2")


def test_a_right_answer_is_likelier_than_a_wrong_one(peers: OnnxAva):
    """The paper's example of two wordings (section 1), with the year and with another one."""
    right, wrong = peers.judge([RIGHT, WRONG])

    assert right > 0 > wrong


@pytest.mark.parametrize("kind", KINDS)
def test_a_logit_is_the_sum_of_its_readings(kind: str):
    """Each pair gives a part, with peer attention two, and the bias one."""
    judge = OnnxAva(load_encoder(EMBEDDED), kind)

    parts = judge.parts([RIGHT, WRONG])

    assert parts.shape == (2, 1 + len(readings_of(DESIGNS[kind])))
    np.testing.assert_allclose(parts.sum(axis=1), judge.judge([RIGHT, WRONG]))
    assert parts[0, 0] == parts[1, 0]


def test_equal_pairs_are_judged_alike_wherever_they_stand(peers: OnnxAva):
    """A pair's logit does not depend on its neighbours."""
    alone = peers.judge([RIGHT])

    np.testing.assert_array_equal(peers.judge([WRONG, RIGHT, WRONG, RIGHT])[[1, 3]], np.repeat(alone, 2))


def test_the_question_can_be_left_out(peers: OnnxAva):
    """Without a question reference and candidate are read alone."""
    right, wrong = peers.judge([JudgeInput("", "Paris", "It is Paris."), JudgeInput("", "Paris", "It is Rome.")])

    assert right > wrong


def test_of_a_long_answer_the_part_nearest_to_the_reference_is_read(peers: OnnxAva):
    """The answer is found also behind a thousand words, and the cut is counted."""
    peers.notes.take()
    long = "It is a long story about something else. " * 150 + "They first played in 1993."

    right, wrong = peers.judge([JudgeInput(QUESTION, REFERENCE, text) for text in (long, long.replace("1993", "2004"))])

    assert right > wrong
    assert long in peers.notes.take()[NEAREST]


@pytest.mark.parametrize("text", ["\x00", "秦始皇", "👍", "\u0301", " "])
def test_any_text_can_be_judged(peers: OnnxAva, text: str):
    """Texts that the tokenizer hardly knows, or none, still give a finite logit."""
    assert np.isfinite(peers.judge([JudgeInput(text, text + "a", text)])).all()


def test_kinds_have_signatures_of_their_own():
    """The design's graph is part of the fingerprint, for designs may share their weights."""
    found = {OnnxAva(load_encoder(EMBEDDED), kind).fingerprint for kind in KINDS}

    assert len(found) == len(KINDS)


def test_an_explanation_adds_up_to_the_logit():
    """The parts of an answer's verdict sum to what the model says, under the readings' names."""
    batch = Batch([answer(RIGHT.candidate, REFERENCE, question=QUESTION)])

    (found,) = create("ava,kind=a2").explain(batch)

    assert {part.signal for part in found.parts} == {"bias", *readings_of(DESIGNS["a2"])}
    logit = load_judge(EMBEDDED, kind="a2").judge([RIGHT])[0]
    assert sum(part.part for part in found.parts) == pytest.approx(logit)


@pytest.fixture
def bare(tmp_path):
    """A copy of the embedded model without AVA's designs."""
    folder = tmp_path / "bare"
    shutil.copytree(EMBEDDED_FOLDER, folder, ignore=shutil.ignore_patterns("ava_*"))
    return folder


def test_a_folder_without_the_kind_says_how_to_train_one(bare):
    """The error names the command and the spec to use then."""
    with pytest.raises(SpecError, match=r"qassay train ava --kind a2.*kind=a2,model=FOLDER"):
        create(f"ava,kind=a2,model={bare}")
    with pytest.raises(ModelError, match="qassay train ava --kind a2"):
        load_judge(str(bare), kind="a2")
    assert not has_judge(str(bare), "a2")


def test_a_model_of_the_hub_has_none():
    """A Hugging Face encoder is no judge."""
    with pytest.raises(SpecError, match="qassay train ava --kind a2"):
        create("ava,kind=a2,model=roberta-large")


def test_a_damaged_description_is_refused(bare):
    """A file of another form is named."""
    (bare / "ava_heads.json").write_text('{"designs": {"a2": {"layer": "two"}}}')

    with pytest.raises(ModelError, match=r"ava_heads\.json"):
        load_judge(str(bare), kind="a2")


def test_missing_weights_are_named(bare):
    """A description without its files says which is not there."""
    shutil.copyfile(EMBEDDED_FOLDER / "ava_heads.json", bare / "ava_heads.json")

    with pytest.raises(ModelError, match=r"ava_a2\.onnx"):
        load_judge(str(bare), kind="a2")
