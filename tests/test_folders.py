"""The folders of the package: small enough to be seen at a glance."""

import ast
from collections import defaultdict
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


def test_one_name_means_one_thing():
    """No two public classes of the package have the same name."""
    places = defaultdict(list)
    for module in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(module.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.relative_to(PACKAGE).as_posix())
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
