"""The draws of the bootstrap: those of numpy's own generator, however they are made."""

import numpy as np
import pytest

from qassay.scoring.aggregates.bootstrap import RandomWords, Resampled, bootstrap


@pytest.mark.parametrize("size", [1, 2, 10, 999, 1000, 1024, 70_001])
def test_draws_are_those_of_numpys_generator(size):
    """Same seed, same draws: sums of resampled rows equal those of rows that `Generator.integers` chooses."""
    draws = 230 if size < 70_000 else 7
    rows = np.random.default_rng(3).integers(100, size=(size, 2)).astype(np.float64)
    found = bootstrap({"sum": Resampled(rows, lambda sums: sums[:, 0] - sums[:, 1])}, 5, draws)["sum"]
    chosen = np.random.default_rng(5).integers(size, size=(draws, size))
    expected = (rows[chosen][:, :, 0] - rows[chosen][:, :, 1]).sum(axis=1)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("size", [3 << 30, (1 << 31) + 1])
def test_words_that_would_favour_some_numbers_are_passed_over_as_numpy_does(size):
    """Of such sizes a quarter or half of all words are; what is asked for bit by bit follows without gaps."""
    words = RandomWords(11)
    parts = [words.below(size, number) for number in (1, 2, 0, 501, 1500)]
    found = np.concatenate(parts).astype(np.uint64) * np.uint64(size) >> np.uint64(32)
    assert found.tolist() == np.random.default_rng(11).integers(size, size=2004).tolist()
