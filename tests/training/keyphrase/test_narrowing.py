import pytest
import torch

from qassay.training.encoder_layers import HEAD_WIDTH, HEADS, NEURONS, WIDTH, Layer
from qassay.training.keyphrase.narrowing import narrowed

pytestmark = pytest.mark.train

STATES = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(0))
SEEN = torch.ones(2, 1, 1, 5, dtype=torch.bool)
AIM = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(1))


@pytest.fixture
def layer():
    torch.manual_seed(2)
    return Layer().eval()


def losses(layer):
    """Return one batch's loss, calculated when it is asked for."""
    return ((layer(STATES, SEEN) - AIM).square().mean() for _ in range(1))


def test_with_everything_kept_nothing_changes(layer):
    """A layer that keeps all heads and neurons is the same layer."""
    (found,) = narrowed([layer], losses(layer), HEADS, NEURONS)

    torch.testing.assert_close(found.eval()(STATES, SEEN), layer(STATES, SEEN))


def test_what_nothing_reads_is_dropped_first(layer):
    """Heads and neurons whose output nothing reads can go without a change."""
    with torch.no_grad():
        layer.attention_out.weight[:, 3 * HEAD_WIDTH : 5 * HEAD_WIDTH] = 0
        layer.narrow.weight[:, 100:900] = 0

    (found,) = narrowed([layer], losses(layer), HEADS - 2, NEURONS - 800)

    torch.testing.assert_close(found.eval()(STATES, SEEN), layer(STATES, SEEN))
    assert (found.heads, found.narrow.in_features) == (HEADS - 2, NEURONS - 800)


def test_what_the_loss_depends_on_most_is_kept(layer):
    """The change of the loss when a head is taken away is measured directly; the one that matters most stays."""
    with torch.no_grad():
        # Small enough for the first order to tell.
        layer.attention_out.weight *= 0.01
        layer.attention_out.weight[:, 7 * HEAD_WIDTH : 8 * HEAD_WIDTH] *= 50
    changes = []
    for head in range(HEADS):
        whole = layer.attention_out.weight.detach().clone()
        with torch.no_grad():
            before = next(losses(layer))
            layer.attention_out.weight[:, head * HEAD_WIDTH : (head + 1) * HEAD_WIDTH] = 0
            changes.append(abs(next(losses(layer)) - before).item())
            layer.attention_out.weight.copy_(whole)

    (found,) = narrowed([layer], losses(layer), 1, NEURONS)

    kept = max(range(HEADS), key=changes.__getitem__)
    torch.testing.assert_close(
        found.attention_out.weight, layer.attention_out.weight[:, kept * HEAD_WIDTH : (kept + 1) * HEAD_WIDTH]
    )
