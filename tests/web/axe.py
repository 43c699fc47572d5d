"""axe-core's rules of accessibility, run in a page; the package is fetched by npm and kept out of this project."""

import functools
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

VERSION = "4.14.0"
SEVERE = ("serious", "critical")

_RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
  (found) => done({rules: found.passes.length + found.violations.length + found.inapplicable.length,
    violations: found.violations.map((each) => [each.impact, each.id,
      each.nodes.map((node) => `${node.html.slice(0, 150)} ${node.any.map((one) => one.message).join("; ")}`)])}),
  (problem) => done({problem: String(problem)}));
"""


@functools.cache
def source():
    """Return axe-core as one script, or skip where it cannot be fetched."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"needs npm on the PATH to fetch axe-core {VERSION}")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", f"axe-core@{VERSION}", "--silent", "--pack-destination", folder]
        fetched = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
        if fetched.returncode:
            pytest.skip(f"npm cannot fetch axe-core {VERSION}: {fetched.stderr.strip()[-200:]}")
        with tarfile.open(Path(folder) / f"axe-core-{VERSION}.tgz") as package:
            return package.extractfile("package/axe.min.js").read().decode()


def findings(browser):
    """Return what axe-core finds in the page that is open: how severe, which rule, where."""
    browser.execute_script(source())
    found = browser.execute_async_script(_RUN)
    assert found.get("rules", 0) > 50, found
    return found["violations"]


def severe(browser):
    """Return the findings that keep people out."""
    return [each for each in findings(browser) if each[0] in SEVERE]
