"""LlamaIndex: an evaluator."""

from host_rows import MEAN, POOLED, ROWS


def before(metric):
    from asyncio import to_thread

    from llama_index.core.evaluation import BaseEvaluator, EvaluationResult

    import qassay

    class Evaluator(BaseEvaluator):
        def _get_prompts(self):
            return {}

        def _update_prompts(self, prompts):
            pass

        async def aevaluate(self, query=None, response=None, contexts=None, reference=None, **_):
            references = [reference] if isinstance(reference, str) else reference
            row = {"question": query or "", "references": references, "candidate": response}
            found = await to_thread(qassay.score, [row], metric, intervals=False, on_error="skip")
            score = found.score(metric, 0)
            return EvaluationResult(
                query=query,
                response=response,
                contexts=contexts,
                score=score.value,
                passing=None if score.value is None else score.value >= 0.5,
                invalid_result=score.value is None,
                invalid_reason=score.reason,
            )

    return Evaluator()


def after(metric):
    from qassay.hosts.llama_index import evaluator

    return evaluator(metric)


def use(glue):
    return {
        metric: [
            judge.evaluate(query=row["question"], response=row["candidate"], reference=row["references"]).score
            for row in ROWS
        ]
        for metric, judge in ((MEAN, glue(MEAN)), (POOLED, glue(POOLED)))
    }
