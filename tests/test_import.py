"""Importing Qassay is cheap: no model runtime, no plots, no data frames, no sockets."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("onnxruntime", "torch", "transformers", "pandas", "matplotlib", "pyarrow", "scipy", "sklearn", "ray", "nltk")
REPORT = "import sys; print(*(name for name in {heavy} if name in sys.modules))"
# processor time, the least of five: a busy machine slows single runs down
TIMES = 5
TIMED = "import time; begin = time.process_time(); import {module}; print(time.process_time() - begin)"


def python(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - our own code
    return run.stdout


def heavy_after(code):
    return python(f"{code}; {REPORT.format(heavy=HEAVY)}").split()


def test_import_loads_nothing_heavy():
    """`import qassay` brings in no heavy package."""
    assert heavy_after("import qassay") == []


@pytest.mark.parametrize("words", [["--help"], ["score", "--help"], ["metrics"], ["--version"]])
def test_help_loads_nothing_heavy(words):
    """Asking for help, or for the list of metrics, brings in no heavy package either."""
    code = f"import sys, contextlib; sys.argv = ['qassay', *{words}]; from qassay.cli.main import run"
    quiet = "exec('with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr): run()')"
    assert heavy_after(f"{code}; {quiet}") == []


def test_import_time():
    """`import qassay` takes at most three times as long as `import numpy`, which it needs."""
    alone, ours = (
        min(float(python(TIMED.format(module=module))) for _ in range(TIMES)) for module in ("numpy", "qassay")
    )
    assert ours <= 3 * alone


def test_import_opens_no_socket():
    """`import qassay` touches no network."""
    refuse = "import socket; socket.socket = None"
    assert python(f"{refuse}; import qassay; print('fine')").strip() == "fine"


def test_typed():
    """The package says that it is typed."""
    where = python("import qassay; print(qassay.__file__)").strip()
    assert Path(where).with_name("py.typed").exists()
