"""Inspect with Qassay's scorers, found by their entry point."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

import qassay
from host_rows import MEAN, POOLED, ROWS

inspect_ai = pytest.importorskip("inspect_ai")

from inspect_ai.dataset import Sample  # noqa: E402 - only with Inspect
from inspect_ai.log import read_eval_log  # noqa: E402 - as above
from inspect_ai.model import ModelOutput  # noqa: E402 - as above
from inspect_ai.solver import solver  # noqa: E402 - as above

EMPTY = {"id": "none", "question": "?", "references": [""], "candidate": "Paris"}
Z = 1.959963984540054


@solver
def give_candidate():
    """Answer with the sample's candidate, one per epoch, as a model would; no model is asked."""

    async def solve(state, generate):  # noqa: ARG001 - Inspect's signature
        given = state.metadata["candidates"]
        state.output = ModelOutput.from_content("none/none", given[(state.epoch - 1) % len(given)])
        return state

    return solve


def run(rows, folder, scorer=None, epochs=1):
    """Evaluate a task whose solver gives the candidates, and return its log."""
    samples = [
        Sample(
            input=row["question"],
            target=row["references"],
            id=row["id"],
            metadata={"candidates": [row["candidate"]], **row},
        )
        for row in rows
    ]
    task = inspect_ai.Task(dataset=samples, solver=give_candidate(), scorer=scorer, epochs=epochs)
    (log,) = inspect_ai.eval(task, model=None, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


def test_the_command_scores_a_log(tmp_path):
    """`inspect score LOG --scorer qassay/ava` finds the scorers; their numbers are those of `qassay.score`."""
    expected = qassay.score(ROWS, [MEAN, POOLED])
    log = Path(run(ROWS, tmp_path).location)
    for metric in (MEAN, POOLED):
        command = [Path(sys.executable).with_name("inspect"), "score", log, "--scorer", f"qassay/{metric}"]
        more = ["--action", "append", "--overwrite", "--display", "none"]
        subprocess.run([*command, *more], check=True, capture_output=True)  # noqa: S603 - Inspect
    scored = read_eval_log(str(log))
    mean, pooled = (each.metrics for each in scored.results.scores)
    ava, bleu = expected.aggregates
    assert mean["mean"].value == pytest.approx(ava.value, abs=1e-6)
    assert mean["stderr"].value == pytest.approx((ava.high - ava.low) / (2 * Z), rel=0.1)
    assert pooled["pooled"].value == bleu.value
    assert pooled["pooled_stderr"].value == pytest.approx((bleu.high - bleu.low) / (2 * Z))
    assert {each.id: each.scores[MEAN].value for each in scored.samples} == pytest.approx(
        {row["id"]: expected.score(MEAN, i).value for i, row in enumerate(ROWS)}, abs=1e-6
    )


def test_unscored_stays_unscored(tmp_path):
    """An answer whose reference is empty counts as unscored, with the reason, in means and pooled."""
    from qassay.hosts.inspect_ai import bleu, rouge_l  # noqa: PLC0415 - only with Inspect

    log = run([ROWS[0], EMPTY], tmp_path, [rouge_l(), bleu()])
    for found, name in zip(log.results.scores, ("mean", "pooled"), strict=True):
        assert (found.scored_samples, found.unscored_samples) == (1, 1)
        assert found.metrics[name].value == pytest.approx(1.0)
    score = log.samples[1].scores["rouge_l"]
    assert math.isnan(score.value)
    assert score.reason == '"references" is empty; give at least one'


def test_contexts_are_read_with_trio(tmp_path, monkeypatch):
    """A metric of faithfulness finds the sample's contexts, whichever library runs the event loop."""
    from qassay.hosts.inspect_ai import faithful  # noqa: PLC0415 - only with Inspect

    monkeypatch.setenv("INSPECT_ASYNC_BACKEND", "trio")
    row = {**ROWS[1], "contexts": ["Paris is the capital of France. It lies on the Seine."]}
    (score,) = run([row], tmp_path, faithful()).samples[0].scores.values()
    assert score.value == pytest.approx(qassay.score([row], "faithful", intervals=False).aggregates[0].value)


def test_epochs_are_pooled_and_clustered(tmp_path):
    """BLEU of several epochs pools all their answers; epochs that say the same do not narrow its standard error."""
    from qassay.hosts.inspect_ai import bleu  # noqa: PLC0415 - only with Inspect

    fifty = [{**row, "candidates": [ROWS[i + 1]["candidate"], row["candidate"]]} for i, row in enumerate(ROWS[:-1:4])]
    (found,) = run(fifty, tmp_path, bleu(), epochs=2).results.scores
    both = [{**row, "id": f"{row['id']}-{i}", "candidate": row["candidates"][i]} for row in fifty for i in (0, 1)]
    assert found.metrics["pooled"].value == pytest.approx(qassay.score(both, "bleu").aggregates[0].value)
    once, thrice = (
        run(ROWS[:40], tmp_path, bleu("n=2"), epochs=n).results.scores[0].metrics["pooled_stderr"].value for n in (1, 3)
    )
    assert thrice == pytest.approx(once, rel=0.1)


def test_a_metric_of_the_whole_run_is_refused():
    """`cider` weighs words by all references, which a scorer does not have."""
    from qassay.hosts.inspect_ai import cider  # noqa: PLC0415 - only with Inspect

    with pytest.raises(qassay.SpecError, match="cider depends on the whole run"):
        cider()


@solver
def give_nothing():
    """Leave the sample without any output."""

    async def solve(state, generate):  # noqa: ARG001 - Inspect's signature
        return state

    return solve


def test_missing_targets_and_outputs_are_unscored(tmp_path):
    """A sample without a target, or without an output, is not wrong; the others are scored."""
    from qassay.hosts.inspect_ai import exact_match  # noqa: PLC0415 - only with Inspect

    bare = {"id": "bare", "question": "?", "references": "", "candidate": "Paris"}
    log = run([ROWS[0], bare], tmp_path, exact_match())
    assert [each.scores["exact_match"].reason for each in log.samples] == [
        None,
        '"references" is empty; give at least one',
    ]
    assert (log.results.scores[0].metrics["mean"].value, log.results.scores[0].unscored_samples) == (1.0, 1)
    task = inspect_ai.Task(dataset=[Sample(input="?", target="Paris")], solver=give_nothing(), scorer=exact_match())
    (log,) = inspect_ai.eval(task, model=None, log_dir=str(tmp_path), display="none")
    assert log.samples[0].scores["exact_match"].reason == "no candidate"


def test_a_judge_without_a_question_says_so(tmp_path):
    """A sample without input is judged by its target alone, which the explanation tells."""
    from qassay.hosts.inspect_ai import ava  # noqa: PLC0415 - only with Inspect

    log = run([{**ROWS[1], "question": ""}], tmp_path, ava())
    assert log.samples[0].scores["ava"].explanation == "answers without a question, judged by their references alone"
