"""Hugging Face evaluate: a metric that `evaluate.load` loads."""

import tempfile
from pathlib import Path

from host_rows import MEAN, POOLED, ROWS

SCRIPT = """
import datasets
import evaluate
import qassay

class Qassay(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(self, predictions, references, questions):
        rows = [
            {"question": question, "references": list(listed), "candidate": candidate}
            for question, listed, candidate in zip(questions, references, predictions, strict=True)
        ]
        found = qassay.score(rows, self.config_name, on_error="skip")
        aggregate = found.aggregates[0]
        return {
            self.config_name: aggregate.value,
            "low": aggregate.low,
            "high": aggregate.high,
            "scores": [found.score(aggregate.metric, i).value for i in range(len(rows))],
        }
"""


def before(metric):
    import evaluate

    folder = Path(tempfile.mkdtemp(), "qassay_metric")
    folder.mkdir()
    (folder / "qassay_metric.py").write_text(SCRIPT)
    return evaluate.load(str(folder), metric)


def after(metric):
    import evaluate

    from qassay.hosts.evaluate import folder

    return evaluate.load(folder(), metric)


def lines(glue):
    """Return the script with the line that loads it, without how it comes to lie in a folder; or what `after` says."""
    loading = ["import evaluate", "from qassay.hosts.evaluate import folder", "evaluate.load(folder(), metric)"]
    return [*SCRIPT.splitlines(), *loading[::2]] if glue is before else loading


def use(glue):
    texts = {
        "predictions": [row["candidate"] for row in ROWS],
        "references": [row["references"] for row in ROWS],
        "questions": [row["question"] for row in ROWS],
    }
    found = {metric: glue(metric).compute(**texts) for metric in (MEAN, POOLED)}
    return {
        **{f"{metric} of all": found[metric][metric] for metric in found},
        **{metric: found[metric]["scores"] for metric in found},
    }
