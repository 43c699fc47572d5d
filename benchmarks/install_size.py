"""Install the project into a fresh environment and count what comes with it: packages and megabytes.

    python benchmarks/install_size.py [--with EXTRA_OR_PACKAGE ...]

Counted are all packages but pip and setuptools, which an environment has from the start, and the room that their files
take on the disk, compiled modules included (as `du -m` counts it). --with measures another requirement instead of the
project, as in `--with bert-score`. Ends with an error if the project's base install is beyond its limits.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
MOST_PACKAGES, MOST_MEGABYTES = 40, 440
NOT_COUNTED = {"pip", "setuptools", "pkg_resources", "_distutils_hack"}
_BLOCK = 512


def on_disk(folder: Path) -> int:
    """Add up the room that files take, without what an environment has from the start."""
    return sum(
        path.lstat().st_blocks * _BLOCK
        for path in folder.rglob("*")
        if not NOT_COUNTED & {part.partition("-")[0] for part in path.relative_to(folder).parts[:1]}
    )


def main() -> None:
    """Install, count, compare with the limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--with", action="append", dest="instead", help="measure this requirement instead")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        python = Path(scratch) / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)  # noqa: S603 - our own interpreter
        wanted: list[str] = given.instead or [str(PROJECT)]
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        subprocess.run(install, check=True)  # noqa: S603 - the requirement that the user names
        listing = [
            str(python),
            "-c",
            "from importlib.metadata import distributions as d; print(*{x.name for x in d()})",
        ]
        named = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split()  # noqa: S603 - as above
        packages = sorted({name for name in named if name not in NOT_COUNTED}, key=str.casefold)
        (site,) = python.parents[1].glob("lib/python*/site-packages")
        megabytes = on_disk(site) / (1 << 20)
    print(f"{len(packages)} packages: {', '.join(packages)}")
    print(f"{megabytes:.1f} MB")
    if not given.instead and (len(packages) > MOST_PACKAGES or megabytes > MOST_MEGABYTES):
        sys.exit(f"more than {MOST_PACKAGES} packages or {MOST_MEGABYTES} MB")


if __name__ == "__main__":
    main()
