"""lm-evaluation-harness: results, aggregations and the part of the task that names them."""

import json
import os
import tempfile
from pathlib import Path

from host_rows import MEAN, POOLED, ROWS

os.environ["HF_DATASETS_OFFLINE"] = os.environ["HF_HUB_OFFLINE"] = "1"
TASK = """
task: capitals
dataset_path: json
dataset_kwargs: {{data_files: {{test: {folder}/rows.jsonl}}, cache_dir: {folder}/cache}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{references[0]}}}}"
"""
UTILS = """
import qassay

class Item(float):
    pass

class Row(dict):
    def __radd__(self, other):
        return float("nan")

def process_results(doc, results):
    row = {"question": doc["question"], "references": doc["references"], "candidate": results[0]}
    scored = qassay.score([row], ["ava", "bleu"], intervals=False, on_error="skip")
    found = {}
    ava, bleu = scored.score("ava", 0).value, scored.score("bleu", 0).value
    if ava is not None:
        found["ava"] = ava
    if bleu is not None:
        found["bleu"] = Item(bleu)
        found["bleu"].row = row
        found["bleu_stderr"] = Row(row)
    return found

def pooled(items):
    return qassay.score([each.row for each in items], "bleu", intervals=False).aggregates[0].value

def pooled_stderr(rows):
    found = qassay.score([dict(row) for row in rows], "bleu").aggregates[0]
    return (found.high - found.low) / 3.92
"""
METRICS = """
process_results: !function {module}.process_results
metric_list:
  - {{metric: ava, aggregation: mean, higher_is_better: true}}
  - {{metric: bleu, aggregation: !function {module}.pooled, higher_is_better: true}}
  - {{metric: bleu_stderr, aggregation: !function {module}.pooled_stderr, higher_is_better: false}}
"""


def before(folder):
    (folder / "utils.py").write_text(UTILS)
    return METRICS.format(module="utils")


def after(folder):  # noqa: ARG001 - as above
    return METRICS.format(module="qassay.hosts.lm_eval")


def lines(glue):
    """Return the lines of both files."""
    return [*METRICS.splitlines(), *(UTILS.splitlines() if glue is before else [])]


def use(glue):
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Candidates(LM):
        def generate_until(self, requests):
            return [each.doc["given"] for each in requests]

        def loglikelihood(self, requests):
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        docs = [
            {"question": row["question"], "references": row["references"], "given": row["candidate"]} for row in ROWS
        ]
        (folder / "rows.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in docs))
        (folder / "capitals.yaml").write_text(TASK.format(folder=folder) + glue(folder))
        manager = TaskManager(include_path=made, include_defaults=False)
        found = lm_eval.simple_evaluate(model=Candidates(), tasks=["capitals"], task_manager=manager)
    results, samples = found["results"]["capitals"], found["samples"]["capitals"]
    return {
        f"{MEAN} of all": results["ava,none"],
        f"{POOLED} of all": results["bleu,none"],
        f"{POOLED} stderr": results["bleu_stderr,none"],
        **{metric: [float(each[metric]) for each in samples] for metric in (MEAN, POOLED)},
    }
