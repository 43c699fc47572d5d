"""pytest: a gate that fails when answers have become worse, and explains the worst of them."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from host_rows import MEAN, POOLED, ROWS

BEFORE = """
import json, pathlib
import pytest, qassay

def read(name, system):
    lines = pathlib.Path(name).read_text().splitlines()
    return [{{**json.loads(line), "system": system}} for line in lines]

def test_answers():
    rows = [*read("old.jsonl", "baseline"), *read("new.jsonl", "new")]
    compared = qassay.compare(rows, "{metric}", on_error="skip").comparisons[0]
    found = compared.result
    low, sign = (found.low, -1) if compared.a == "baseline" else (found.high, 1)
    if low is None:
        pytest.fail("nothing to compare")
    if sign * low < 0:
        table = qassay.score(rows, "{metric}", intervals=False, on_error="skip")
        scores = {{(each.system, each.id): table.score("{metric}", i).value for i, each in enumerate(table.examples)}}
        losses = {{
            name: value - scores["baseline", name]
            for (system, name), value in scores.items()
            if system == "new" and value is not None and scores.get(("baseline", name)) is not None
        }}
        worst = sorted(losses, key=losses.get)[:3]
        shown = [str(qassay.explain(rows, "{metric}", id=name, system="new").explanation) for name in worst]
        values = {{compared.a: found.a, compared.b: found.b}}
        text = f"{metric} fell from {{values['baseline']:.4f}} to {{values['new']:.4f}}"
        pytest.fail("\\n".join([text, *shown]), pytrace=False)
"""
AFTER = """
def test_answers(qassay_gate):
    qassay_gate("new.jsonl", "old.jsonl", "{metric}")
"""


def before(metric):
    return BEFORE.format(metric=metric)


def after(metric):
    return AFTER.format(metric=metric)


def lines(glue):
    """Return the test."""
    return (BEFORE if glue is before else AFTER).splitlines()


def use(glue):
    found = {}
    for metric in (MEAN, POOLED):
        with tempfile.TemporaryDirectory() as folder:
            right = [{**row, "candidate": row["references"][0]} for row in ROWS]
            for name, rows in (("new", ROWS), ("old", right)):
                Path(folder, f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
            Path(folder, "test_answers.py").write_text(glue(metric))
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
            shown = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder).stdout  # noqa: S603 - pytest
        found[f"{metric} of all"] = float(re.search(r"fell from [\d.]+ to ([\d.]+)", shown)[1])
    return found
