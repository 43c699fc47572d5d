"""What `evaluate.load(qassay.hosts.evaluate.folder(), "ava")` loads; the configuration's name is the metric."""

import datasets
import evaluate

import qassay


class QassayMetric(evaluate.Metric):
    """A metric of Qassay; the lists that belong together are `predictions`, `references` and, if given, `questions`."""

    def _info(self):
        text = datasets.Value("string")
        lists = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        texts = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(
            description="Whether answers are right, by a metric of Qassay.",
            citation="",
            inputs_description="predictions; references, one or a list each; questions, where the metric reads them",
            features=[lists, texts],
        )

    def _compute(self, predictions, references, questions=None):
        metric = qassay.load(self.config_name)
        return metric.compute(predictions=predictions, references=references, questions=questions, on_error="skip")
