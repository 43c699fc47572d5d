"""Damaged files give nothing but `DataError`s; the full run is `benchmarks/fuzz_readers.py`."""

import runpy
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "fuzz_readers.py"


def test_damaged_lines_are_refused_or_read():
    """Three thousand damaged lines of all formats raise no other error."""
    findings = runpy.run_path(str(BENCHMARK))["fuzz"](3000, seed=11)
    assert findings.crashes == []
    assert findings.lines >= 3000
    assert findings.refused > 100
