"""Lines of glue that a team writes to use Qassay within a tool, without and with `qassay.hosts`, and the numbers.

Each tool runs for real, in the environment that `tests/hosts/test-hosts.sh` makes for it, with the glue under
`tests/hosts/glue`, on the 200 answers of `tests/host_rows.py`; its numbers are compared with those of `qassay score`.

    python benchmarks/hosts.py -o docs/measured/hosts.md
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
TOOLS = {
    "pytest_plugin": ("pytest", "pytest"),
    "evaluate": ("Hugging Face evaluate", "evaluate"),
    "inspect_ai": ("Inspect", "inspect_ai"),
    "lm_eval": ("lm-evaluation-harness", "lm_eval"),
    "langchain": ("LangChain", "langchain-classic"),
    "llama_index": ("LlamaIndex", "llama-index-core"),
    "mlflow": ("MLflow", "mlflow"),
    "phoenix": ("Phoenix", "arize-phoenix-evals"),
    "torchmetrics": ("torchmetrics", "torchmetrics"),
}
MEAN, POOLED = "ava", "bleu"
DIGITS = 4
CONFIDENT = 1.959963984540054
TOLERANCE = 1e-6
"""What answers may differ by that a model reads one by one instead of together."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What `qassay score` says: the aggregates, a standard error, and each answer's scores."""

    values: dict[str, float]
    stderr: float
    answers: dict[str, list[float]]

    def differences(self, numbers: dict[str, Any]) -> list[float]:
        """Return by how much each of a tool's numbers differs."""
        found = []
        for metric in (MEAN, POOLED):
            of_all, given = numbers.get(f"{metric} of all"), numbers.get(metric)
            if of_all is not None:
                # pytest's failure prints four digits.
                rounded = of_all == round(of_all, DIGITS)
                found.append(abs(of_all - (round(self.values[metric], DIGITS) if rounded else self.values[metric])))
            if given:
                found += [abs(a - b) for a, b in zip(given, self.answers[metric], strict=True)]
        return [*found, abs(numbers.get(f"{POOLED} stderr", self.stderr) - self.stderr)]


def expected_numbers(folder: Path) -> Expected:
    """Return the numbers of the command `qassay score`."""
    sys.path.insert(0, str(TESTS))
    from host_rows import ROWS  # type: ignore[import-not-found]  # noqa: PLC0415 - lies beside the tests

    rows, scores = folder / "rows.jsonl", folder / "scores.jsonl"
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "qassay",
        "score",
        str(rows),
        "-m",
        MEAN,
        "-m",
        POOLED,
        "-o",
        str(scores),
        "--json",
    ]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own
    aggregates = {each["metric"]: each for each in json.loads(printed)["aggregates"]}
    written = [json.loads(line)["scores"] for line in scores.read_text(encoding="utf-8").splitlines()]
    return Expected(
        {metric: aggregates[metric]["value"] for metric in (MEAN, POOLED)},
        (aggregates[POOLED]["high"] - aggregates[POOLED]["low"]) / (2 * CONFIDENT),
        {metric: [each[metric] for each in written] for metric in (MEAN, POOLED)},
    )


def run_tool(tool: str, environments: Path, folder: Path) -> dict[str, Any]:
    """Return a tool's version, and its lines of glue and numbers without and with the adapter."""
    python, output = environments / tool / "bin" / "python", folder / f"{tool}.json"
    settings = {**os.environ, "PYTHONPATH": str(TESTS)}
    command = [str(python), str(TESTS / "hosts" / "glue" / "run.py"), tool, str(output)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=settings)  # noqa: S603 - as above
    if done.returncode:
        raise SystemExit(f"{tool} failed:\n{done.stderr}")
    version = f"import importlib.metadata as m; print(m.version({TOOLS[tool][1]!r}))"
    named = subprocess.run([python, "-c", version], check=True, capture_output=True, text=True)  # noqa: S603 - as above
    return {"version": named.stdout.strip(), **json.loads(output.read_text(encoding="utf-8"))}


def table_row(tool: str, found: dict[str, Any], expected: Expected) -> str:
    """Return a tool's row of the table; raise `SystemExit` if its numbers are others."""
    for name in ("before", "after"):
        numbers = found[name]["numbers"]
        differences = expected.differences(numbers)
        if len(differences) == 1 or max(differences) > TOLERANCE:
            raise SystemExit(f"{tool}, {name}: numbers differ from those of qassay score: {numbers}")
    numbers = found["after"]["numbers"]
    stderr = numbers.get(f"{POOLED} stderr")
    of_all = [numbers.get(f"{metric} of all") for metric in (MEAN, POOLED)]
    shown = ["" if value is None else f"{value:.4f}" for value in of_all]
    shown[1] += "" if stderr is None else f" ± {stderr:.4f}"
    answers = sum(len(numbers.get(metric, ())) for metric in (MEAN, POOLED))
    lines = f"{found['before']['lines']} | {found['after']['lines']}"
    return f"| {TOOLS[tool][0]} {found['version']} | {lines} | {' | '.join(shown)} | {answers or ''} |"


def main() -> None:
    """Run every tool, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", nargs="*", default=list(TOOLS), help="all, unless named")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-hosts")
    parser.add_argument("-o", "--output", type=Path, help="the page to write")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        expected = expected_numbers(folder)
        rows = []
        for tool in given.tools:
            rows.append(table_row(tool, run_tool(tool, given.environments, folder), expected))
            print(rows[-1], flush=True)
    if given.output:
        values = [f"{expected.values[metric]:.4f}" for metric in (MEAN, POOLED)]
        given.output.write_text(PAGE.format(rows="\n".join(rows), ava=values[0], bleu=values[1]), encoding="utf-8")


PAGE = """# Within other tools

What a team writes to use `ava` and BLEU [within a tool](../hosts/index.md): lines of glue over `qassay.score` and the
tool's interface, and lines with `qassay.hosts`. Both were run, in the real tool from PyPI, on the same 200 answers, for
which `qassay score` gives `ava` {ava} and BLEU {bleu}.

| tool | lines without | lines with | `ava` | BLEU | scores of answers compared |
|---|--:|--:|--:|--:|--:|
{rows}

Lines are those that are not blank, imports included; the glue serves these two metrics, leaves unscored answers
unscored, and gives BLEU a standard error where the table shows one.
`ava` and BLEU are the tool's own numbers for all answers, empty where it
gives none. Every number that a tool gives, with either glue, is that of `qassay score`, also each answer's, to 1e-6.
LangChain, LlamaIndex and Phoenix score answers one by one and aggregate nothing; MLflow averages, and is not asked to
average BLEU. pytest shows the numbers, to four digits, in the failure of a gate whose baseline answers everything
rightly.

Written by `python benchmarks/hosts.py -o docs/measured/hosts.md`, after `make test-hosts` has made the environments.
"""

if __name__ == "__main__":
    main()
