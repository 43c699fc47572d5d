"""What Ctrl-C leaves of a training, and how it goes on."""

import pytest

from commands import qassay, write_rows
from tiny_bert import write_tiny_bert

pytestmark = pytest.mark.train

ROWS = [
    {"question": f"where {n}", "answer": "it is paris", "spans": [[6, 11]], "source": "s", "group": f"{n}"}
    for n in range(8)
]


def test_an_interrupted_training_says_how_to_resume(tmp_path, monkeypatch):
    """Status 130, the command that carries on, and no start over the checkpoint without it."""
    base, out = write_tiny_bert(tmp_path / "base"), tmp_path / "model"
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", ROWS)
    words = ("train", "keyphrase", "--base", base, "--data", tmp_path, "-o", out, "--preset", "cross", "--epochs", 3)

    def interrupt(_row):
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr("qassay.cli.commands.train._tell", interrupt)
        done = qassay(*words, check=130)

    assert done.stderr.splitlines()[-1].startswith("interrupted; resume with: qassay train keyphrase ")
    assert done.stderr.rstrip().endswith("--resume")
    assert "holds an unfinished training; carry on with it (--resume)" in qassay(*words, check=2).stderr
    resumed = qassay(*words, "--resume", check=0).stderr
    assert "epoch 3" in resumed
    assert "model shards" not in resumed


@pytest.mark.parametrize("kind", ["reader", "answer-reader"])
def test_an_interrupted_reader_keeps_what_it_has_learnt(tmp_path, monkeypatch, kind):
    """The folder does not look like a trained one, and another training can start from it."""
    base, out = write_tiny_bert(tmp_path / "base", width=384, heads=12, layers=6), tmp_path / "model"
    row = {"question": "what", "passage": "paris is red", "spans": [[0, 5]], "source": "s", "group": "g"}
    for side in ("train", "dev"):
        write_rows(tmp_path / f"{side}.jsonl", [row])
    words = ("train", kind, "--base", base, "--data", tmp_path, "-o", out)

    def interrupt(*_given, report, **_options):
        report(0.5, 1.0)
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr("qassay.training.reader.job.train", interrupt)
        done = qassay(*words, check=130)

    assert done.stderr.rstrip().endswith(f"--start {out / 'unfinished'}")
    assert [path.name for path in out.iterdir()] == ["unfinished"]
    qassay(*words, "--start", out / "unfinished", check=0)
    assert not (out / "unfinished").exists()
