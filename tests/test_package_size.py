"""What the package itself takes on the disk; benchmarks/install_size.py measures a whole install."""

from pathlib import Path

import qassay

MOST_MEGABYTES = 54.35
"""With its dependencies and compiled modules that is an install of 440 MB."""


def test_the_package_stays_within_its_size():
    """Weights, recipes and code, without compiled modules."""
    folder = Path(qassay.__file__).parent
    files = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) / (1 << 20) < MOST_MEGABYTES
