import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra train")

from qassay.training.encoder_layers import WIDTH, Trunk  # noqa: E402 - after torch is known to be there
from qassay.training.ragged import RaggedRows, batches_by_length, encode  # noqa: E402


def _weights(depth):
    make = torch.Generator().manual_seed(1)

    def random(*shape):
        return torch.randn(*shape, generator=make) / 20

    weights = {"embeddings.word_embeddings.weight": random(40, WIDTH)}
    weights |= {f"embeddings.{name}_embeddings.weight": random(32, WIDTH) for name in ("position", "token_type")}
    weights |= {"embeddings.LayerNorm.weight": torch.ones(WIDTH), "embeddings.LayerNorm.bias": torch.zeros(WIDTH)}
    shapes = {f"attention.self.{name}": (WIDTH, WIDTH) for name in ("query", "key", "value")}
    shapes |= {"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (4 * WIDTH, WIDTH)}
    shapes |= {"output.dense": (WIDTH, 4 * WIDTH)}
    for number in range(depth):
        for name, shape in shapes.items():
            weights[f"encoder.layer.{number}.{name}.weight"] = random(*shape)
            weights[f"encoder.layer.{number}.{name}.bias"] = random(shape[0])
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            weights[f"encoder.layer.{number}.{name}.weight"] = torch.ones(WIDTH)
            weights[f"encoder.layer.{number}.{name}.bias"] = torch.zeros(WIDTH)
    return weights


def test_rows_come_back_as_they_were_stored():
    """Padding adds places that are not theirs, and nothing else."""
    values, present = RaggedRows.of([[1, 2], [], [3, 4, 5]], "cpu").padded(np.array([2, 0]))
    assert [row[there].tolist() for row, there in zip(values, present, strict=True)] == [[3, 4, 5], [1, 2]]


def test_every_row_is_in_one_batch():
    """Batches are a partition, whatever the lengths."""
    lengths = np.random.default_rng(3).integers(1, 60, size=500)
    found = np.concatenate(list(batches_by_length(lengths, 256, np.random.default_rng(4))))
    assert sorted(found.tolist()) == list(range(500))


def test_a_text_is_encoded_as_it_would_be_alone():
    """Neighbours and padding leave no trace."""
    trunk = Trunk(_weights(2), 2)
    rows = [[1, 5, 9, 2], [1, 7, 2], [1, *range(3, 20), 2]]
    together = encode(trunk, RaggedRows.of(rows, "cpu"))
    for number, row in enumerate(rows):
        alone = trunk(torch.tensor([row]), torch.ones(1, len(row), dtype=torch.bool))[0]
        states, present = together.padded(np.array([number]))
        torch.testing.assert_close(states[0][present[0]].float(), alone, atol=0.05, rtol=0.05)
