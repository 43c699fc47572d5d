"""What the benchmarks say that a command took."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "benchmarks" / "measured_command.py"
ALLOCATE_AND_MEASURE = """
import sys
from runpy import run_path
held = bytearray(b"x") * 300_000_000
command = [sys.executable, "-c", "held = bytearray(b'x') * int(%r)"]
print(run_path(sys.argv[1])["run_measured"](command).peak)
"""


@pytest.mark.parametrize(("held", "least", "most"), [(0, 1, 100_000_000), (200_000_000, 200_000_000, 299_000_000)])
def test_the_peak_is_the_commands_own(held, least, most):
    """However much the process holds that has it measured."""
    program = [sys.executable, "-c", ALLOCATE_AND_MEASURE % held, FILE]
    peak = int(subprocess.run(program, capture_output=True, text=True, check=True).stdout)  # noqa: S603 - our own program
    assert least < peak < most


def test_a_command_that_fails_is_named():
    """With its status."""
    spec = importlib.util.spec_from_file_location("measured_command", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(SystemExit, match="failed with status 3"):
        module.run_measured([sys.executable, "-c", "raise SystemExit(3)"])
