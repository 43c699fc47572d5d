"""The chunker's inputs, quality, training and export, on a small random encoder of the embedded model's shape."""

from pathlib import Path

import numpy as np
import pytest

from grammar import tagged
from qassay.models.syntax import BOUNDS, CHUNKS, PARTS
from qassay.training.base_model import cutter
from qassay.training.chunker import quality as chunker_quality
from qassay.training.chunker.inputs import pieces_within, prepare
from qassay.training.chunker.rows import KindRow, TaggedRow
from qassay.training.chunker.train import phrase_f1, train_from_files
from qassay.training.files import write_rows
from qassay.training.plan import named_plan

pytestmark = pytest.mark.train

SENTENCE = "the red car is in rome"
WORDS = ((0, 3), (4, 7), (8, 11), (12, 14), (15, 17), (18, 22))
ROWS = [
    TaggedRow(
        SENTENCE,
        WORDS,
        "conll2000",
        "1",
        parts=("DT", "JJ", "NN", "VBZ", "IN", "NNP"),
        chunks=("B-NP", "I-NP", "I-NP", "B-VP", "B-PP", "B-NP"),
    ),
    KindRow(SENTENCE, (18, 22), "place", "squad", "2"),
]


@pytest.fixture
def base(trunk_base) -> Path:
    return trunk_base


def test_rows_on_one_sentence_share_its_pieces(base):
    """Labels and answers of different sources stand side by side."""
    found = prepare(ROWS, cutter(base))
    assert len(found.pieces) == 1
    assert [CHUNKS[label] if label >= 0 else "" for label in found.labels["chunks"][0]] == [
        "",
        *ROWS[0].chunks,
        "",
    ]
    assert PARTS[found.labels["parts"][0][6]] == "NNP"
    assert found.answers == [[(6, 7, 1)]]


@pytest.mark.parametrize(("span", "pieces"), [((4, 11), (2, 4)), ((5, 6), (2, 3)), ((30, 31), (0, 0))])
def test_pieces_are_found_by_their_characters(span, pieces):
    """A piece counts that touches the span; marks have no place."""
    assert pieces_within([(0, 0), *WORDS, (0, 0)], span) == pieces


def test_phrases_are_read_off_labels_as_conlleval_does():
    """A new B begins one, an I of another kind too."""
    labels = ["B-NP", "I-NP", "B-NP", "O", "I-VP", "I-NP"]
    assert chunker_quality.labelled_spans(labels) == {
        ("NP", 0, 2),
        ("NP", 2, 3),
        ("VP", 4, 5),
        ("NP", 5, 6),
    }


def test_f1_counts_phrases_that_are_the_same():
    """Two of three found, of two wanted: 2 * 2 / 5."""
    found, wanted = [{("NP", 0, 1), ("NP", 2, 3), ("VP", 1, 2)}], [{("NP", 0, 1), ("NP", 2, 3)}]
    assert chunker_quality.span_f1(found, wanted) == pytest.approx(4 / 5)


def test_perfect_logits_measure_as_perfect(base):
    """What has no label in the data has no figure."""
    data = prepare(ROWS, cutter(base))
    logits = np.zeros((len(data.pieces[0]), BOUNDS[-1]), np.float32)
    for low, name in zip(BOUNDS, ("parts", "chunks"), strict=False):
        for piece, label in enumerate(data.labels[name][0]):
            logits[piece, low + max(label, 0)] = 5
    logits[6, BOUNDS[3] + 1] = 5
    found = chunker_quality.measure([logits], data, BOUNDS)
    assert (found["parts"], found["chunks"], found["noun phrases"], found["kinds"]) == (1, 1, 1, 1)
    assert np.isnan(found["entities"])


class _Parrot:
    """Tags as it was told."""

    fingerprint = "parrot"

    def tag(self, sentences):
        return [tagged("the/DT/B-NP red/JJ/I-NP car/NN/B-NP is/VBZ/B-VP in/IN/B-PP rome/NNP/B-NP") for _ in sentences]

    def knows(self, _word):
        return True


def test_phrases_are_compared_by_their_characters():
    """Of two noun phrases one is found and one is cut in two: 2 * 1 / (3 + 2)."""
    assert phrase_f1(_Parrot(), ROWS) == pytest.approx(2 / 5)


def test_a_trained_chunker_is_a_model_folder(base, tmp_path):
    """It tags by itself, and says what it reached."""
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", ROWS)
    found = train_from_files(base, tmp_path, tmp_path / "chunker", named_plan("chunker", epochs=1, batch=256))
    assert set(found) >= {"parts", "chunks", "noun phrases", "kinds", "noun phrases in int8"}
    assert (tmp_path / "chunker" / "chunker.onnx").is_file()
