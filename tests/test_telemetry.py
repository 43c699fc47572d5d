"""No command opens a socket to the internet or leaves anything in the user's folder."""

import signal

from commands import write_rows
from no_network import needs_seccomp, run_without_internet

ANSWERS = [
    {"id": f"{i}", "question": "Who wrote it?", "references": ["Jules Verne"], "candidate": said, "system": system}
    | {"judgement": judgement}
    for system in "AB"
    for i, (said, judgement) in enumerate([("Verne", 1), ("It was Jules Verne.", 1), ("Balzac", 0), ("Zola", 0)])
]
PAIRS = [{"id": "1", "question": "Who?", "answer": "Verne", "prediction": "Jules Verne", "judgement": 1}]
SUMMARY = "Jules Verne wrote the novel in Paris in 1870."
SUMMARIES = [{"id": "1", "system": "A", "summary": SUMMARY, "references": [SUMMARY], "document": SUMMARY}]
COMMANDS = [
    "--version",
    "demo",
    "score answers.jsonl -m ava -m rouge_l:kpqa -m bert_score -o scored.jsonl --report scores.html",
    "compare answers.jsonl -m ava",
    "correlate answers.jsonl -m ava -m rouge_l",
    "correlate scored.jsonl",
    "agree ratings.csv",
    "accuracy answers.jsonl --labels labels.csv",
    "summary summaries.jsonl -o summaries.out.jsonl --report summaries.html",
    "verify pairs.jsonl --format pairs",
    "explain answers.jsonl --id 1 --system A -m ava",
    "metrics",
    "metrics ava",
    "models",
    "data list",
]
RUN_ALL = f"""
import shlex, sys
from qassay.cli.main import run
for line in {COMMANDS!r}:
    print("command:", line, flush=True)
    sys.argv = ["qassay", *shlex.split(line)]
    try:
        run()
    except SystemExit as end:
        if end.code:
            raise
"""
OPEN_SOCKET = "import socket; socket.socket(socket.AF_UNIX); print('local'); socket.socket(); print('internet')"


@needs_seccomp
def test_filter_ends_a_process_that_opens_a_socket(tmp_path):
    """What this file relies on: a socket to the internet ends the process, another kind does not."""
    assert run_without_internet(OPEN_SOCKET, tmp_path, tmp_path).returncode == -signal.SIGSYS


@needs_seccomp
def test_no_command_opens_a_socket_or_writes_to_the_home_folder(tmp_path):
    """All commands run without network and with an empty HOME, which stays empty (onnxruntime's telemetry is off)."""
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    write_rows(folder / "answers.jsonl", ANSWERS)
    write_rows(folder / "pairs.jsonl", PAIRS)
    write_rows(folder / "summaries.jsonl", SUMMARIES)
    (folder / "labels.csv").write_text("id,system,label\n0,A,1\n2,A,0\n", encoding="utf-8")
    (folder / "ratings.csv").write_text("id,first,second\na,3,4\nb,1,2\nc,2,2\n", encoding="utf-8")

    done = run_without_internet(RUN_ALL, home, folder)

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert list(home.rglob("*")) == []
