"""The examples of docs/ci.md run: the commands of the workflow and of the pipeline, in their order."""

import json
import re

import pytest

from commands import qassay
from snippets import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text()
ANSWERS = [
    ("Who wrote Frankenstein?", "Mary Shelley"),
    ("What is the capital of France?", "Paris"),
    ("How many legs has a spider?", "eight"),
    ("Who painted Guernica?", "Pablo Picasso"),
    ("In which year did Apollo 11 land?", "1969"),
    ("What is the largest planet?", "Jupiter"),
    ("Who discovered penicillin?", "Alexander Fleming"),
    ("Which metal is liquid at room temperature?", "mercury"),
]


def commands(title):
    """Return the words of each `qassay` command in the example under a heading, and the file its output goes to."""
    block = re.search(rf"## {title}.*?```yaml\n(.*?)```", PAGE, re.DOTALL)[1]
    found = []
    for line in re.findall(r"(?:run|cmd): qassay (.*)", block):
        words, _, target = line.partition(">>")
        found.append((words.split(), target.strip().strip('"')))
    return found


@pytest.fixture
def folder(tmp_path):
    """A folder with a baseline, and a new system that answers everything wrongly or as the baseline does."""

    def made(*, worse):
        for name, wrong in (("baseline", False), ("new", worse)):
            rows = [
                {"id": str(i), "question": q, "references": [a], "candidate": "I like turtles." if wrong else a}
                for i, (q, a) in enumerate(ANSWERS)
            ]
            (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
        return tmp_path

    return made


@pytest.mark.parametrize("title", ["GitHub Actions", "DVC"])
@pytest.mark.parametrize(("worse", "status"), [(False, 0), (True, 3)])
def test_the_example_passes_and_fails_as_it_should(folder, title, worse, status):
    """All commands but the gate succeed; the gate's exit status depends on the new system."""
    place = folder(worse=worse)
    *others, (gate, _) = commands(title)
    for words, _ in others:
        qassay(*words, folder=place, check=0)
    qassay(*gate, folder=place, check=status)
    assert json.loads((place / "metrics.json").read_text())["ava"]["n"] == len(ANSWERS)


def test_the_workflow_writes_a_summary(folder):
    """What goes to the job's summary is Markdown alone."""
    steps = [words for words, target in commands("GitHub Actions") if target == "$GITHUB_STEP_SUMMARY"]
    done = [qassay(*words, folder=folder(worse=False)) for words in steps]
    assert all(each.stdout.startswith("### ") and "| metric |" in each.stdout for each in done)
