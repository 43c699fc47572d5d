"""MLflow: a scorer."""

import os
import tempfile

from host_rows import MEAN, POOLED, ROWS

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_GENAI_EVAL_MAX_WORKERS"] = "2"


def before(metric):
    from mlflow.entities import AssessmentError, Feedback
    from mlflow.genai.scorers import scorer

    import qassay

    def feedback(inputs, outputs, expectations):
        references = expectations.get("references") or [expectations["expected_response"]]
        row = {"question": inputs.get("question") or "", "references": references, "candidate": outputs}
        score = qassay.score([row], metric, intervals=False, on_error="skip").score(metric, 0)
        if score.value is None:
            return Feedback(name=metric, error=AssessmentError(error_code="UNSCORED", error_message=score.reason))
        return Feedback(name=metric, value=score.value)

    return scorer(feedback, name=metric, aggregations=[] if metric.startswith("bleu") else ["mean"])


def after(metric):
    from qassay.hosts.mlflow import scorer

    return scorer(metric)


def use(glue):
    import mlflow

    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
        mlflow.set_experiment(experiment_id=mlflow.create_experiment("answers", artifact_location=folder))
        data = [
            {
                "inputs": {"question": row["question"], "id": row["id"]},
                "outputs": row["candidate"],
                "expectations": {"references": row["references"]},
            }
            for row in ROWS
        ]
        found = mlflow.genai.evaluate(data=data, scorers=[glue(MEAN), glue(POOLED)])
    table = found.tables["eval_results"]
    order = {row["id"]: i for i, row in enumerate(ROWS)}
    rows = sorted(range(len(table)), key=lambda i: order[table["request"][i]["id"]])
    return {
        f"{MEAN} of all": found.metrics[f"{MEAN}/mean"],
        **{metric: [table[f"{metric}/value"][i] for i in rows] for metric in (MEAN, POOLED)},
    }
