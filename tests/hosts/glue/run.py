"""Runs a tool with the glue that a team writes itself, and with the adapter; writes lines and numbers as JSON."""

import inspect
import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def load(name):
    """Return the glue of a tool as a module."""
    spec = spec_from_file_location(f"{name}_glue", Path(__file__).with_name(f"{name}_glue.py"))
    sys.modules[spec.name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def count(tool, glue):
    """Return how many lines a piece of glue has, without blank ones and the line that begins its function."""
    lines = tool.lines(glue) if hasattr(tool, "lines") else inspect.getsource(glue).splitlines()[1:]
    return sum(bool(line.strip()) for line in lines)


if __name__ == "__main__":
    tool = load(sys.argv[1])
    found = {
        name: {"lines": count(tool, glue), "numbers": tool.use(glue)}
        for name, glue in (("before", tool.before), ("after", tool.after))
    }
    Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")
