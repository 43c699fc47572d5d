"""Phoenix: an evaluator."""

from host_rows import MEAN, POOLED, ROWS


def before(metric):
    from typing import Any

    from phoenix.evals import Score, create_evaluator

    import qassay

    def evaluate(candidate: str, references: Any, question: str = ""):
        references = [references] if isinstance(references, str) else references
        row = {"question": question, "references": references, "candidate": candidate}
        score = qassay.score([row], metric, intervals=False, on_error="skip").score(metric, 0)
        return Score(name=metric, score=score.value, explanation=score.reason, kind="code", direction="maximize")

    return create_evaluator(name=metric, kind="code", direction="maximize")(evaluate)


def after(metric):
    from qassay.hosts.phoenix import evaluator

    return evaluator(metric)


def use(glue):
    import pandas as pd
    from phoenix.evals import evaluate_dataframe

    found = evaluate_dataframe(dataframe=pd.DataFrame(ROWS), evaluators=[glue(MEAN), glue(POOLED)])
    return {metric: [each["score"] for each in found[f"{metric}_score"]] for metric in (MEAN, POOLED)}
