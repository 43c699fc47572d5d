"""A `torchmetrics.Metric` of texts: batches, forward, pickling, two processes."""

import copy
import pickle

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS

torchmetrics = pytest.importorskip("torchmetrics")

import torch.multiprocessing as mp  # noqa: E402 - only with torchmetrics

from host_ranks import one_process  # noqa: E402 - as above
from qassay.hosts.torchmetrics import metric  # noqa: E402 - as above


def update(each, rows):
    each.update(
        [row["candidate"] for row in rows], [row["references"] for row in rows], [row["question"] for row in rows]
    )
    return each


@pytest.mark.parametrize("spec", [MEAN, POOLED])
def test_batches_add_up(spec):
    """Batches of 64 give what `qassay.score` gives; so do copies and pickles halfway, and a reset forgets."""
    expected = qassay.score(ROWS, spec, intervals=False).aggregates[0].value
    found = metric(spec)
    update(found, ROWS[:64])
    found = copy.deepcopy(pickle.loads(pickle.dumps(found)))  # noqa: S301 - our own
    update(found, ROWS[64:128])
    update(found, ROWS[128:])
    assert found.compute().item() == expected
    found.reset()
    assert update(found, ROWS).compute().item() == expected


def test_forward_returns_the_batch_and_keeps_the_whole():
    """Calling the metric scores the batch, and adds it; collections take it like any other."""
    both = torchmetrics.MetricCollection({"bleu": metric("bleu")})
    for half in (ROWS[:100], ROWS[100:]):
        found = both([row["candidate"] for row in half], [row["references"] for row in half])
        assert found["bleu"].item() == qassay.score(half, "bleu", intervals=False).aggregates[0].value
    assert both.compute()["bleu"].item() == qassay.score(ROWS, "bleu", intervals=False).aggregates[0].value


def test_two_processes_pool(tmp_path):
    """Each of two processes with unequal shares computes the score of all answers together."""
    mp.spawn(one_process, (tmp_path,), nprocs=2)
    expected = qassay.score(ROWS, "bleu", intervals=False).aggregates[0].value
    assert [float((tmp_path / f"{rank}").read_text()) for rank in (0, 1)] == [expected, expected]


def test_a_judge_without_questions_warns():
    """The score stands, with a warning when it is computed."""
    found = metric("ava")
    found.update(["It is Paris", "It is Rome"], ["Paris", "Rome"])
    with pytest.warns(UserWarning, match="ava: answers without a question, judged by their references alone: 2"):
        assert found.compute() > 0.9
