"""LangChain: a string evaluator."""

from host_rows import MEAN, POOLED, ROWS


def before(metric):
    from langchain_classic.evaluation import StringEvaluator

    import qassay

    class Evaluator(StringEvaluator):
        @property
        def evaluation_name(self):
            return metric

        @property
        def requires_reference(self):
            return True

        def _evaluate_strings(self, *, prediction, reference=None, input=None, **_):
            references = [reference] if isinstance(reference, str) else reference
            row = {"question": input or "", "references": references, "candidate": prediction}
            score = qassay.score([row], metric, intervals=False, on_error="skip").score(metric, 0)
            return {"key": metric, "score": score.value, "reasoning": score.reason}

    return Evaluator()


def after(metric):
    from qassay.hosts.langchain import evaluator

    return evaluator(metric)


def use(glue):
    return {
        metric: [
            judge.evaluate_strings(prediction=row["candidate"], reference=row["references"], input=row["question"])[
                "score"
            ]
            for row in ROWS
        ]
        for metric, judge in ((MEAN, glue(MEAN)), (POOLED, glue(POOLED)))
    }
