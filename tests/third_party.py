"""A package as a user writes it after the documentation, installed by pip into a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

from snippets import ROOT, blocks

PAGE = ROOT / "docs" / "extending.md"


def section_blocks(heading):
    """Return the fenced blocks under a heading of the page, by language; of each language the first."""
    text = PAGE.read_text(encoding="utf-8")
    start = text.index(f"## {heading}\n")
    end = text.find("\n## ", start)
    within = [block for block in blocks(PAGE) if start < block.start and (end < 0 or block.start < end)]
    return {block.language: block.text for block in reversed(within)}


def install(heading, module, folder):
    """Write the package that a section shows, and install it; return the environment in which it is found."""
    shown = section_blocks(heading)
    package, site = folder / "package", folder / "site"
    package.mkdir()
    (package / f"{module}.py").write_text(shown["python"], encoding="utf-8")
    (package / "pyproject.toml").write_text(shown["toml"], encoding="utf-8")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-m", "pip", "install", *options, "--target", site, package], check=True, timeout=300
    )
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run_installed(environment, folder, *words):
    """Run `qassay WORDS…` where the package is installed."""
    program = Path(sys.executable).with_name("qassay")
    return subprocess.run(  # noqa: S603 - our own program
        [program, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
