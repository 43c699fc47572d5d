"""What unrelated texts score, and how a BERTScore rescaled by it is identified."""

import numpy as np
import pytest

from answers import score_of
from qassay.errors import DataError
from qassay.features.resources import Resources
from qassay.metrics.embedding import baseline as module
from qassay.metrics.embedding.baseline import Baseline, baseline
from qassay.metrics.registry import create
from qassay.models.base import TokenEmbeddings


class Letters:
    """Embeds every letter by its code, and counts how often it is asked."""

    fingerprint = "letters"

    def __init__(self):
        self.calls = 0

    def encode(self, texts, layer):
        """Return a vector for each letter of each text."""
        self.calls += 1
        return [self._embed(text, layer) for text in texts]

    def _embed(self, text, layer):
        vectors = np.array([[ord(letter), layer + 1] for letter in text], np.float32)
        return TokenEmbeddings(
            np.zeros((len(text), 2), int), np.zeros(len(text), int), vectors, np.zeros(len(text), bool)
        )


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """Keep baselines in the test's folder, computed from three short texts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(module, "_texts", lambda: ("ab", "cd", "ef"))
    return tmp_path / "qassay" / "baselines"


def write_baseline(path, recall):
    """Write a file as the bert-score package has them, for layers 3 and 4."""
    path.write_text(f"LAYER,P,R,F\n3,0.5,{recall},0.5\n4,0.1,0.1,0.1\n", encoding="utf-8")
    return path


def identity(path):
    """Return what a metric with this baseline's file is known by."""
    return create(f"bert_score,layer=3,rescale={path}").identity(Resources())


def test_a_baseline_is_computed_once(kept):
    """The second time it comes from the cache."""
    encoder = Letters()

    first, again = (baseline(encoder, 3, "yes", 1.0) for _ in range(2))

    assert first == again
    assert encoder.calls == 1
    assert len(list(kept.iterdir())) == 1


def test_other_texts_have_another_baseline(kept, monkeypatch):
    """What was computed from the texts of another version is not taken for this one's."""
    encoder = Letters()
    baseline(encoder, 3, "yes", 1.0)
    monkeypatch.setattr(module, "_texts", lambda: ("ab", "yz"))

    baseline(encoder, 3, "yes", 1.0)

    assert encoder.calls == 2
    assert len(list(kept.iterdir())) == 2


def test_a_file_gives_the_layers_numbers(tmp_path):
    """Columns as the bert-score package writes them."""
    assert baseline(Letters(), 3, str(write_baseline(tmp_path / "b.tsv", 0.25)), 1.0) == Baseline(0.5, 0.25, 0.5)


def test_files_of_other_numbers_have_other_identities(tmp_path):
    """A file's path says nothing of what is in it, so its numbers enter the signature."""
    first, other = (write_baseline(tmp_path / f"{recall}.csv", recall) for recall in (0.25, 0.75))

    assert identity(first)["baseline"] != identity(other)["baseline"]


def test_the_same_numbers_in_another_file_are_the_same_identity(tmp_path):
    """A copy scores alike."""
    first, copy = (write_baseline(tmp_path / name, 0.25) for name in ("a.csv", "b.csv"))

    assert identity(first) == identity(copy)


def test_a_computed_baseline_is_known_by_its_texts(monkeypatch):
    """Another version of the packaged texts is another identity."""
    metric = create("bert_score,rescale=yes")
    packaged = metric.identity(Resources())["baseline"]
    monkeypatch.setattr(module, "_texts", lambda: ("ab", "cd"))

    assert metric.identity(Resources())["baseline"] != packaged


def test_scores_that_are_not_rescaled_name_no_baseline():
    """There is nothing to identify."""
    assert "baseline" not in create("bert_score").identity(Resources())


def test_a_missing_file_is_named_before_anything_is_scored(tmp_path):
    """The message says what rescale takes."""
    with pytest.raises(DataError, match=r"none\.csv.*rescale takes yes, no or a baseline file"):
        identity(tmp_path / "none.csv")


def test_rescaling_maps_the_baseline_to_nought(tmp_path):
    """The F of a pair is moved by the file's: (F - b) / (1 - b) (Zhang et al. 2020, section 3)."""
    path = write_baseline(tmp_path / "b.csv", 0.5)

    plain, moved = (
        score_of(f"bert_score,layer=3,rescale={source}", "a red car", "the car is blue") for source in ("no", path)
    )

    assert moved == pytest.approx((plain - 0.5) / 0.5)
