import numpy as np
import pytest

from qassay.errors import DataError
from qassay.training.corpora.judged_answers import read_semeval
from qassay.training.keyphrase.judged import judged_sources
from qassay.training.splits import held_back
from shared import DATA, train


@pytest.fixture(scope="module")
def pairs():
    train("evouna/NQ.json")
    sources = judged_sources(DATA / "train", np.random.default_rng(0))
    return {name: list(found) for name, found in sources.items()}


def test_every_source_has_right_and_wrong_answers(pairs):
    """Each source can tell a metric that separates them from one that does not."""
    assert all(0 < np.mean([pair.label for pair in found]) < 1 for found in pairs.values())


def test_labels_are_shares(pairs):
    """All labels lie between 0 and 1."""
    assert all(0 <= pair.label <= 1 for found in pairs.values() for pair in found)


def test_held_back_questions_never_appear(pairs):
    """The tenth of EVOUNA that the judge is tested on is in none of its pairs."""
    assert not any(held_back(pair.question) for name in ("evouna", "evouna_sentences") for pair in pairs[name])


def test_sentence_references_were_judged_right(pairs):
    """A system's sentence stands as reference only beside another system's answer, never beside itself."""
    assert all(pair.candidate not in pair.references for pair in pairs["evouna_sentences"])


def test_swapped_answers_are_wrong(pairs):
    """The sentence with another question's answer in it is labelled 0."""
    assert {pair.label for pair in pairs["qadialog"]} == {0.0, 1.0}


def test_opposite_opinions_are_wrong(pairs):
    """The same opinion in other words is right, the opposite one wrong, half and half."""
    assert np.mean([pair.label for pair in pairs["boolq"]]) == 0.5


def test_a_file_that_is_no_archive_is_named(tmp_path):
    """Students' answers come in a ZIP file."""
    path = tmp_path / "semeval.zip"
    path.write_bytes(b"nothing of the kind")

    with pytest.raises(DataError, match=r"semeval\.zip: not a ZIP archive"):
        list(read_semeval(path, "beetle"))
