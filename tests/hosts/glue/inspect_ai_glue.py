"""Inspect: scorers of means and of pooled metrics."""

import tempfile

from host_rows import MEAN, POOLED, ROWS


def before(metric):
    from anyio.to_thread import run_sync
    from inspect_ai.scorer import SampleScore, Score, mean, scorer, stderr
    from inspect_ai.scorer import metric as as_metric

    import qassay

    def score_all(scores, name):
        rows = [{**each.score.metadata, "sample_id": str(each.sample_id)} for each in scores]
        epochs = len({row["sample_id"] for row in rows}) < len(rows)
        return qassay.score(rows, name, cluster="sample_id" if epochs else None, on_error="skip").aggregates[0]

    @as_metric(scores="unreduced")
    def pooled(name):
        def pool(scores: list[SampleScore]) -> float:
            return score_all(scores, name).value

        return pool

    @as_metric(scores="unreduced")
    def pooled_stderr(name):
        def pool(scores: list[SampleScore]) -> float:
            found = score_all(scores, name)
            return (found.high - found.low) / 3.92

        return pool

    def score_one(row):
        return qassay.score([row], metric, intervals=False, on_error="skip").score(metric, 0)

    metrics = [pooled(metric), pooled_stderr(metric)] if metric.startswith("bleu") else [mean(), stderr()]

    @scorer(metrics=metrics, name=metric)
    def qassay_scorer():
        async def score(state, target):
            row = {"question": state.input_text, "references": list(target), "candidate": state.output.completion}
            found = await run_sync(score_one, row)
            if found.value is None:
                return Score.unscored(reason=found.reason, answer=row["candidate"], metadata=row)
            return Score(value=found.value, answer=row["candidate"], metadata=row)

        return score

    return qassay_scorer()


def after(metric):
    from qassay.hosts import inspect_ai

    return getattr(inspect_ai, metric)()


def use(glue):
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def give_candidate():
        async def solve(state, generate):  # noqa: ARG001 - Inspect's signature
            state.output = ModelOutput.from_content("none/none", state.metadata["candidate"])
            return state

        return solve

    samples = [
        Sample(input=row["question"], target=row["references"], id=row["id"], metadata={"candidate": row["candidate"]})
        for row in ROWS
    ]
    task = inspect_ai.Task(dataset=samples, solver=give_candidate(), scorer=[glue(MEAN), glue(POOLED)])
    with tempfile.TemporaryDirectory() as folder:
        (log,) = inspect_ai.eval(task, model=None, log_dir=folder, display="none")
        scored = {each.id: each.scores for each in log.samples}
    mean, pooled = (each.metrics for each in log.results.scores)
    return {
        f"{MEAN} of all": mean["mean"].value,
        f"{POOLED} of all": pooled["pooled"].value,
        f"{POOLED} stderr": pooled["pooled_stderr"].value,
        **{metric: [scored[row["id"]][metric].value for row in ROWS] for metric in (MEAN, POOLED)},
    }
