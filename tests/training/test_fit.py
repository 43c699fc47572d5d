"""The training loop that all kinds of networks share."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="extra train")

from qassay.training.fit import Best, adamw, averaged, fit, fit_one_cycle, one_cycle, scaled_rates  # noqa: E402
from qassay.training.plan import Plan, named_plan, read_plans  # noqa: E402

pytestmark = pytest.mark.train
PLAN = Plan(rate=0.1, epochs=2)
BATCHES = [[np.array([0, 1]), np.array([2, 3])], [np.array([3, 1]), np.array([0, 2])]]
TARGET = torch.tensor([1.0, 1.0, 1.0, 1.0])


@pytest.fixture
def network():
    torch.manual_seed(0)
    return torch.nn.Linear(1, 1)


@pytest.fixture
def loss(network):
    """Return the squared distance of the network's output from 1."""
    return lambda rows: ((network(torch.ones(len(rows), 1)).squeeze(-1) - TARGET[rows]) ** 2).mean()


def test_training_lowers_the_loss(network, loss):
    """Each epoch's mean loss is told, and the last is the lowest."""
    losses = []

    fit_one_cycle(network, loss, BATCHES * 10, PLAN, losses.append)

    assert len(losses) == 20
    assert losses[-1] < losses[0] / 2


def test_training_ends_when_its_steps_are_done(network, loss):
    """Epochs that never end are cut where the plan says."""
    steps = []
    optimiser = adamw(network, PLAN)
    endless = iter(lambda: BATCHES[0], None)

    fit(
        network,
        loss,
        endless,
        optimiser,
        one_cycle(optimiser, PLAN, 3),
        total=3,
        after_step=lambda step, progress, _: steps.append((step, progress)),
    )

    assert steps == [(1, 1 / 3), (2, 2 / 3), (3, 1.0)]


def test_training_ends_when_its_time_is_over(network, loss):
    """With no time at all, one step is done."""
    steps = []
    optimiser = adamw(network, PLAN)
    schedule = one_cycle(optimiser, PLAN, 4)

    fit(
        network,
        loss,
        BATCHES,
        optimiser,
        schedule,
        total=4,
        seconds=1e-9,
        after_step=lambda step, _progress, _loss: steps.append(step),
    )

    assert steps == [1]


def test_rates_follow_their_group(network):
    """Each group of parameters has a rate of its own, of which a schedule takes a share."""
    optimiser = adamw(network, PLAN)
    optimiser.param_groups[0]["rate"] = 0.5

    scaled_rates(optimiser, lambda step, progress: step * progress)(1, 0.5)

    assert optimiser.param_groups[0]["lr"] == 0.25


def test_the_best_state_is_kept(network):
    """What measures worse later does not replace it."""
    best = Best()
    best.offer(0.5, network)
    weight = network.weight.detach().clone()
    with torch.no_grad():
        network.weight += 1

    best.offer(0.4, network)

    assert torch.equal(best.state["weight"], weight)


def test_averaged_weights_lie_between():
    """The average of two networks is their mean."""
    mean = averaged([{"w": torch.tensor([1.0])}, {"w": torch.tensor([3.0])}])

    assert mean["w"].item() == 2.0


def test_what_is_not_said_stays_as_planned():
    """An option that was not given leaves the plan's value."""
    plan = named_plan("reader", epochs=None, rate=1e-3)

    assert (plan.epochs, plan.rate, plan.batch) == (1, 1e-3, 6144)


@pytest.mark.parametrize("name", [name for name in read_plans() if name != "keyphrase"])
def test_every_plan_of_the_recipes_is_one(name):
    """The recipe's fields are those of a plan."""
    assert named_plan(name).rate > 0
