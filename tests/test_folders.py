"""The folders of the package: small enough to be seen at a glance."""

from pathlib import Path

import pytest

import qassay

PACKAGE = Path(qassay.__file__).parent
MOST = 15
ONE_PER_COMMAND = PACKAGE / "cli" / "commands"
FOLDERS = sorted({module.parent for module in PACKAGE.rglob("*.py")} - {ONE_PER_COMMAND})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(PACKAGE).as_posix())
def test_no_folder_holds_more_modules_than_a_glance_takes_in(folder):
    """Fifteen at most; the commands are the exception, one module each."""
    modules = [each.name for each in folder.glob("*.py") if each.name != "__init__.py"]
    assert len(modules) <= MOST
